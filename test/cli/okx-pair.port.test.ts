// `buy … stop … tp …` on OKX by the whole program: one order with two triggers, whichever fires, and whenever the process is killed.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { PseudoTerminal } from '../../harness/process/pseudo-terminal.ts'
import type { Okx } from '../../harness/venues/okx/start-okx.ts'
import { protectiveOrderId } from '../../src/trading/order-plan.ts'
import { enter, PLACE, SWAP, stageProgram } from './okx-program.ts'

const ALGO = 'POST /api/v5/trade/order-algo'
const AMEND = 'POST /api/v5/trade/amend-algos'
/** What went with the entry is waited for before another is placed. */
const SOON = { timeout: 15_000 }
const BUY = 'buy $700 BTCUSDT stop -2% tp +4%'
const BOUGHT = 'bought 0.0116 BTCUSDT at 60,000.1'
const COVERED = 'stop sell 0.0116 BTCUSDT at 58,800.0 tp 62,400.0 is open, reduce-only'

/** Kind and size in contracts of 0.01 BTC, with both prices, of all that waits. */
function waiting(venue: Okx): readonly string[] {
  const algos = venue.account().openAlgos()
  return algos.map(({ kind, size, stop, profit, reduceOnly }) =>
    [kind, size, stop?.trigger ?? '-', profit?.trigger ?? '-', reduceOnly ? 'reduce' : 'any'].join(' '),
  )
}

const ONE = 'oco 1.16 58800 62400 reduce'

async function kill(terminal: PseudoTerminal): Promise<void> {
  await terminal.close()
  await terminal.exit()
}

/** The desk changes nothing before it has taken over what was left to it. */
async function moveProfit(terminal: PseudoTerminal, venue: Okx): Promise<void> {
  await enter(terminal, `amend ${venue.account().openAlgos().at(-1)?.id} tp 62500`, 'tp 62,500.0')
}

async function expectNothingLeft(terminal: PseudoTerminal, venue: Okx): Promise<void> {
  expect(waiting(venue)).toEqual([])
  expect(venue.account().openOrders()).toEqual([])
  await enter(terminal, 'positions', 'no open positions')
  await enter(terminal, 'orders', 'no open orders')
  expect(venue.unexpected).toEqual([])
}

it.for([
  { leg: 'stop', to: '58799', back: '62401', sold: 'sold 0.0116 BTCUSDT at 58,798.9' },
  { leg: 'take-profit', to: '62401', back: '58799', sold: 'sold 0.0116 BTCUSDT at 62,400.9' },
])('the $leg of the one order closes the position, and nothing is left behind', async (row, context) => {
  const { venue, openNew } = await stageProgram(context)
  const terminal = await openNew()
  await enter(terminal, BUY, BOUGHT, COVERED)
  expect(waiting(venue)).toEqual([ONE])
  // It went with the entry.
  expect(venue.asked(ALGO)).toEqual([])
  const [order] = venue.account().openAlgos()
  await enter(terminal, `amend ${order?.id} tp 62500`, 'tp 62,500.0')
  expect(waiting(venue)).toEqual(['oco 1.16 58800 62500 reduce'])
  await enter(terminal, `amend ${order?.id} tp 62400`, 'tp 62,400.0')
  venue.engine.movePrice(SWAP, row.to)
  await terminal.shows(row.sold)
  venue.engine.movePrice(SWAP, row.back)
  await expectNothingLeft(terminal, venue)
})

it.for([
  { what: 'as the entry was carried out', route: PLACE, attachedMs: 0, sent: 0 },
  { what: 'as the venue had taken a stop of ours', route: ALGO, attachedMs: 'never', sent: 1 },
] as const)('kill -9 $what leaves one order with two triggers to the next process', async (row, context) => {
  const { route, attachedMs, sent } = row
  const { venue, openNew, openAgain } = await stageProgram(context)
  venue.engine.attachedMs = attachedMs
  const first = await openNew()
  venue.fail({ kind: 'hang', isDone: true, route })
  await enter(first, BUY)
  await expect.poll(() => venue.asked(route), SOON).toHaveLength(1)
  await kill(first)

  const second = await openAgain()
  await expect.poll(() => waiting(venue)).toEqual([ONE])
  await moveProfit(second, venue)
  expect([venue.asked(PLACE), venue.asked(ALGO)]).toMatchObject([{ length: 1 }, { length: sent }])
  venue.engine.movePrice(SWAP, '62501')
  await second.shows('sold 0.0116 BTCUSDT at 62,500.9')
  await expectNothingLeft(second, venue)
})

it('kill -9 before the venue had its stop is told as long as nobody knows, and one is placed once it is known', async (context) => {
  const { venue, directory, openNew, openAgain } = await stageProgram(context)
  venue.engine.attachedMs = 'never'
  const first = await openNew()
  venue.fail({ kind: 'hang', isDone: false, route: ALGO })
  await enter(first, BUY)
  await expect.poll(() => venue.asked(ALGO), SOON).toHaveLength(1)
  await kill(first)

  const second = await openAgain()
  await second.shows('BTCUSDT is without its stop')
  await kill(second)
  expect([venue.asked(ALGO), waiting(venue)]).toMatchObject([{ length: 1 }, []])

  makeOlder(directory, 60_000)
  const third = await openAgain()
  await third.shows(COVERED)
  expect(waiting(venue)).toEqual([ONE])
  const names = venue.asked(ALGO).map(({ params }) => params.algoClOrdId)
  expect([names.length, new Set(names).size]).toEqual([2, 2])
  await moveProfit(third, venue)
  venue.engine.movePrice(SWAP, '58799')
  await third.shows('sold 0.0116 BTCUSDT at 58,798.9')
  await expectNothingLeft(third, venue)
})

it('kill -9 as its size is changed leaves one order that covers what has filled', async (context) => {
  const { venue, openNew, openAgain } = await stageProgram(context)
  const first = await openNew()
  venue.engine.isThin = true
  venue.fail({ kind: 'hang', isDone: true, route: AMEND })
  await enter(first, 'buy 0.015 BTCUSDT at 60000.1 stop $last -2% tp $last +4%')
  await expect.poll(() => venue.asked(AMEND)).toHaveLength(1)
  await kill(first)

  const second = await openAgain()
  await expect.poll(() => waiting(venue)).toEqual(['oco 1.5 58800 62400 reduce'])
  expect(venue.asked(ALGO)).toHaveLength(1)
  await moveProfit(second, venue)
  venue.engine.isThin = false
  venue.engine.movePrice(SWAP, '58799')
  await second.shows('BTCUSDT at 58,798.9')
  await expectNothingLeft(second, venue)
})

/** All that was written down happened so much earlier. */
function makeOlder(directory: string, ms: number): void {
  const path = join(directory, 'orders.jsonl')
  const text = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    text.replace(/"at":(\d+)/g, (_, at: string) => `"at":${Number(at) - ms}`),
  )
}

/** As a hookline left it that knew no order with two triggers: a stop, a take-profit, and the journal of both. */
function makeTwoOfOne(venue: Okx, directory: string): void {
  const account = venue.account()
  const [pair] = account.openAlgos()
  if (pair?.stop === undefined || pair.profit === undefined) throw new Error('there is no order with two triggers')
  const path = join(directory, 'orders.jsonl')
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const intent = JSON.parse(lines.find((line) => line.includes('"protects"')) ?? '') as Record<string, unknown>
  const { takeProfitPrice, ...stop } = intent.order as Record<string, unknown>
  const takeId = protectiveOrderId(String(intent.protects), 'take', 0)
  account.algos.delete(pair.id)
  const { instrument, side, marginMode, size, reduceOnly, clientId } = pair
  const common = { instrument, side, marginMode, size, reduceOnly, kind: 'conditional' } as const
  venue.engine.submitAlgo(account, { ...common, clientId, stop: pair.stop })
  venue.engine.submitAlgo(account, { ...common, clientId: takeId, profit: pair.profit })
  const [oldStop, oldTake] = account.openAlgos()
  const rewritten = lines.flatMap((line) => {
    const read = JSON.parse(line) as Record<string, unknown>
    if (read.id !== clientId) return [line]
    const order = { ...stop, type: 'take-profit', triggerPrice: takeProfitPrice }
    if (read.t === 'intent') {
      const take = { ...read, id: takeId, role: 'take', order }
      return [JSON.stringify({ ...read, order: stop }), JSON.stringify(take)]
    }
    return [
      JSON.stringify({ ...read, orderId: oldStop?.id }),
      JSON.stringify({ ...read, id: takeId, orderId: oldTake?.id }),
    ]
  })
  writeFileSync(path, `${rewritten.join('\n')}\n`)
}

it('a stop and a take-profit that an earlier hookline placed go on as two, and one ends the other', async (context) => {
  const { venue, directory, openNew, openAgain } = await stageProgram(context)
  const first = await openNew()
  await enter(first, BUY, BOUGHT, COVERED)
  await kill(first)
  makeTwoOfOne(venue, directory)
  const two = ['conditional 1.16 58800 - reduce', 'conditional 1.16 - 62400 reduce']
  expect(waiting(venue)).toEqual(two)

  const second = await openAgain()
  await enter(second, 'orders', '58,800', '62,400')
  expect(waiting(venue)).toEqual(two)
  await enter(second, `amend ${venue.account().openAlgos()[0]?.id} at 58700`, '58,700')
  venue.engine.movePrice(SWAP, '62401')
  await second.shows('sold 0.0116 BTCUSDT at 62,400.9')
  await second.shows('canceled: the take-profit closed the part that it covered of BTCUSDT')
  await expectNothingLeft(second, venue)
  expect(venue.asked(ALGO)).toEqual([])
})

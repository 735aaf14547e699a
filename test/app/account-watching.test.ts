// The operator is told of each fill once, whichever process placed the order and whichever hookline was there when it filled (behaviour 34).
import { expect, it } from 'vitest'
import { AccountWatching } from '../../src/app/account-watching.ts'
import type { LastSeen, LastSeenStore } from '../../src/stores/last-seen.ts'
import { BUY, stageDesk } from '../trading/desk-stage.ts'

function stage() {
  const staged = stageDesk()
  const told: string[] = []
  const seen = new Map<string, LastSeen>()
  const lastSeen = {
    find: (name) => seen.get(name),
    note: async (name, now) => void seen.set(name, now),
  } satisfies Partial<LastSeenStore> as LastSeenStore

  /** A hookline begins to watch, and settles what processes that died have left in the journal. */
  async function watch() {
    const { desk, reports } = staged.openDesk()
    const watching = new AccountWatching({
      ...{ lastSeen, now: staged.market.now },
      tell: (_account, { type }) => told.push(type),
      tellMeanwhile: (_account, { fills }) => told.push(`meanwhile: ${fills.length}`),
      onProblem: (_account, problem) => expect.fail(String(problem)),
    })
    const account = { name: 'paper', venue: staged.market.exchange, orders: desk }
    watching.opened(account)
    await watching.ready('paper')
    const recover = async () => {
      await desk.recoverAgain()
      await staged.settle()
      for (const event of reports.splice(0)) if (watching.isNews('paper', event)) told.push(event.type)
    }
    return { watching, account, recover }
  }

  /** Another process places an order that rests, and ends. */
  async function placeElsewhere() {
    const { desk, start } = staged.openDesk()
    start({ ...BUY, type: 'limit', price: '60000' })
    await staged.settle()
    desk.close()
    staged.killAll()
  }

  async function fill() {
    await staged.advance(1_000)
    staged.market.setPrice('BTCUSDT', '59000')
    await staged.advance(1_000)
  }

  return { told, seen, watch, placeElsewhere, fill }
}

it('tells of a fill as it happens, and the next start does not repeat it', async () => {
  const { told, watch, placeElsewhere, fill } = stage()
  const first = await watch()
  await placeElsewhere()
  await fill()
  expect(told).toEqual(['elsewhere'])
  await first.watching.stop()
  const { recover } = await watch()
  await recover()
  expect(told).toEqual(['elsewhere'])
})

it('tells at the start of a fill that nobody saw, once', async () => {
  const { told, watch, placeElsewhere, fill } = stage()
  const first = await watch()
  await placeElsewhere()
  await first.watching.stop()
  await fill()
  const { recover } = await watch()
  await recover()
  expect(told).toEqual(['meanwhile: 1'])
})

it('tells of a fill on an account that was never looked at', async () => {
  const { told, watch, placeElsewhere, fill } = stage()
  await placeElsewhere()
  await fill()
  const { recover } = await watch()
  await recover()
  expect(told).toEqual(['filled-meanwhile'])
})

it('writes nothing once it has stopped: not what it began before, nor of an account that is connected after', async () => {
  const { seen, watch } = stage()
  const { watching, account } = await watch()
  watching.opened(account)
  await watching.stop()
  seen.clear()
  watching.opened({ ...account, name: 'late' })
  await watching.ready('late')
  await new Promise((resolve) => setImmediate(resolve))
  expect([...seen]).toEqual([])
})

// Real processes on one directory share the limits of an account (behaviour 40): what one counts, the other sees before it sends, and a process
// that is killed anywhere between counting and recording an answer gives nothing back.
import type { ChildProcess } from 'node:child_process'
import { on, once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openGuardStore } from '../../src/stores/guards.ts'
import { bundleChild, startChild } from '../stores/child-program.ts'

/**
 * Sends orders of 100 dollars as fast as it can, and tells the venue, which is a file, of each that it was let to send. Prints a dot for each
 * that it sends, and for each that it is not let to send.
 */
const SENDER = `
  import { randomBytes } from 'node:crypto'
  import { appendFileSync } from 'node:fs'
  import { join } from 'node:path'
  import { openDayBook } from '../guards/day-book.ts'
  import { guardExchange } from '../guards/guard-exchange.ts'
  import { createOrderJournal, openOrderFile } from '../trading/order-journal.ts'
  import { openGuardStore } from './guards.ts'
  import { openLineTail } from './durable-journal.ts'

  const [directory, count, answerMs, maxBytes, way] = process.argv.slice(2)
  const market = { symbol: 'BTCUSDT', kind: 'linear', base: 'BTC', quote: 'USDT', amountUnit: 'base', active: true,
    priceGrid: { kind: 'tick', tick: '0.1' }, lotSize: '0.001', minAmount: '0.001' }
  const venue = {
    id: 'binance', kind: 'linear', stream: 'live', ...(way === 'held' ? { holdsOrders: true } : {}),
    capabilities: { orderTypes: ['market'], timeInForce: ['gtc'], postOnly: true, reduceOnly: true, editOrder: true, setLeverage: true },
    loadMarkets: async () => [market],
    fetchTicker: async (symbol) => ({ symbol, last: '50000', bid: '50000', ask: '50000', timestamp: Date.now() }),
    fetchPositions: async () => [],
    fetchOpenOrders: async () => [],
    async createOrder(request, context) {
      try {
        await context?.release?.()
      } catch (error) {
        return { kind: 'refused', error }
      }
      appendFileSync(join(directory, 'venue.log'), request.clientOrderId + '\\n')
      process.stdout.write('.')
      await new Promise((resolve) => setTimeout(resolve, Number(answerMs)))
      return { kind: 'placed', order: { ...request, id: request.clientOrderId } }
    },
  }
  // Always about noon: the day does not end while they run.
  const now = () => Date.UTC(2026, 0, 2, 12) + Math.floor(performance.now())
  const path = join(directory, 'orders.jsonl')
  const problem = (error) => { if (error) throw error }
  const journal = createOrderJournal(openOrderFile(path, Number(maxBytes)), { now, onProblem: problem })
  const book = openDayBook({ journal, tail: openLineTail(path), now })
  const exchange = guardExchange(venue, { account: 'main', store: openGuardStore(directory), book, now, onTripped() {} })

  async function send() {
    const id = randomBytes(16).toString('hex')
    const order = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.002' }
    const written = journal.intend({ id, at: now(), account: 'main', venue: 'binance', by: { source: 'repl', runId: id, step: 0 }, order })
    if (way !== 'held') await written
    const outcome = await exchange.createOrder({ ...order, clientOrderId: id }, way === 'held' ? { release: () => written } : {})
    await written
    if (outcome.kind === 'placed') journal.outcome(id, { outcome: 'placed', orderId: id })
    else journal.outcome(id, { outcome: 'refused', code: outcome.error.code, message: outcome.error.message })
    if (outcome.kind !== 'placed') process.stdout.write('.')
    return outcome.kind
  }

  async function main() {
    const results = []
    while (results.length < Number(count)) results.push(...(await Promise.all([send(), send(), send()])))
    await journal.close()
  }
  void main()
`

/** Resolves once the child has tried so many orders, however long that takes here. */
async function dots({ stdout }: ChildProcess, count: number): Promise<void> {
  if (stdout === null) throw new Error('it prints nothing')
  let printed = 0
  for await (const chunk of on(stdout, 'data')) {
    printed += String(chunk).length
    if (printed >= count) return
  }
}

/** Prepared while it is counted, or after it. */
const WAYS = ['held', 'waiting']

async function stage(day: string) {
  const directory = tempDirectory()
  const program = await bundleChild(directory, SENDER)
  const config = join(directory, 'config')
  mkdirSync(config, { mode: 0o700 })
  await openGuardStore(config).setLimits('main', { order: 'off', day })
  const log = join(config, 'venue.log')
  return { program, config, sent: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []) }
}

test.each(WAYS)(
  'two processes that send at the same time together send what the day allows, and no more: %s',
  {
    timeout: 60_000,
  },
  async (way) => {
    const { program, config, sent } = await stage('3000')
    const children = [1, 2].map(() => startChild(program, [config, '60', '1', '8000000', way]))
    const codes = await Promise.all(children.map((child) => once(child, 'close')))
    expect(codes.map(([code]) => code)).toEqual([0, 0])
    expect(sent()).toHaveLength(30)
  },
)

test.each(WAYS)(
  'they send what the day allows while the journal is set aside under them: %s',
  { timeout: 60_000 },
  async (way) => {
    const { program, config, sent } = await stage('3000')
    const children = [1, 2].map(() => startChild(program, [config, '60', '1', '4000', way]))
    const codes = await Promise.all(children.map((child) => once(child, 'close')))
    expect(codes.map(([code]) => code)).toEqual([0, 0])
    expect(sent()).toHaveLength(30)
  },
)

test('what is killed between counting, sending and recording lets no order more through after it', {
  timeout: 120_000,
}, async () => {
  const { program, config, sent } = await stage('12000')
  for (let round = 0; round < 15; round += 1) {
    const children = [1, 2].map(() => startChild(program, [config, '600', '5', '8000000', WAYS[round % 2] ?? '']))
    await Promise.all(
      children.map(async (child) => {
        const closed = once(child, 'close')
        await dots(child, 1 + (round % 3))
        // Wherever it is by then: the rounds differ.
        await new Promise((resolve) => setTimeout(resolve, (round * 7) % 23))
        child.kill('SIGKILL')
        await closed
      }),
    )
    expect(sent().length).toBeLessThanOrEqual(120)
  }
  expect(sent().length).toBeGreaterThan(0)
  const last = startChild(program, [config, '60', '1', '8000000'])
  await once(last, 'close')
  expect(sent().length).toBeLessThanOrEqual(120)
  expect(new Set(sent()).size).toBe(sent().length)
})

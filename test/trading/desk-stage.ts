// One account's order desk on a scripted paper market, with a clock that moves only when the test moves it. A second desk on the same
// market and journal is another process.
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { journalInMemory, tailInMemory } from '../../harness/venues/journal-in-memory.ts'
import {
  createScriptedMarket,
  type ScriptedMarket,
  type ScriptedMarketOptions,
} from '../../harness/venues/scripted-market.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { OrderDesk } from '../../src/trading/order-desk.ts'
import type { OrderEvent } from '../../src/trading/order-event.ts'
import { createOrderJournal, type OrderJournal } from '../../src/trading/order-journal.ts'
import type { OrderedBy, OrderPlan } from '../../src/trading/order-plan.ts'

export const BUY: OrderPlan = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' }
export const STOP = { triggerPrice: '60000', fires: 'at-or-below' } as const

export interface Placing {
  readonly events: OrderEvent[]
  readonly types: () => string[]
  /** What `place` came to: the order's status, or the code it was refused with. */
  result: string | undefined
}

export function stageDesk(options: ScriptedMarketOptions = {}) {
  const market = createScriptedMarket({ prices: { BTCUSDT: '65000' }, ...options })
  const directory = tempDirectory()
  const lines: string[] = []
  const sent: string[] = []
  const clock = createClock(market)

  /** @param known the journal of a desk before it in the same process; absent: another process */
  function openDesk(more: Partial<Exchange> = {}, known?: OrderJournal) {
    const reports: OrderEvent[] = []
    const problems: unknown[] = []
    const onProblem = (problem: unknown) => void problems.push(problem)
    const file = { ...journalInMemory(lines), path: `${directory}/orders.jsonl` }
    const journal = known ?? createOrderJournal(file, { now: market.now, tail: tailInMemory(lines), onProblem })
    const desk = new OrderDesk({
      account: 'paper',
      exchange: countSent(market.openExchange(), sent, more),
      journal,
      clock,
      report: (event) => reports.push(event),
      onProblem,
    })
    onTestFinished(() => desk.close())
    let step = 0
    const runId = randomUUID()
    const by = (): OrderedBy => ({ source: 'repl', runId, step: step++ })
    return { desk, journal, reports, problems, by, start: (plan: OrderPlan) => startPlacing(desk, plan, by()) }
  }

  return {
    market,
    clock,
    lines,
    sent,
    openDesk,
    settle,
    stops: async () => (await market.exchange.fetchOpenOrders()).filter(({ type }) => type === 'stop'),
    positions: () => market.exchange.fetchPositions(),
    /** Every desk so far is that of a process that was killed. */
    killAll() {
      for (const [index, line] of lines.entries()) {
        lines[index] = line.replace(/"owner":\{[^}]*\}/, '"owner":{"pid":4194303,"born":"1"}')
      }
    },
    /** As `advance`, in one step: nothing happens on the market meanwhile. */
    async skip(ms: number) {
      await market.advance(ms)
      clock.endDelays()
      await settle()
    },
    async advance(ms: number) {
      for (let left = ms; left > 0; left -= 1000) {
        await market.advance(Math.min(1000, left))
        clock.endDelays()
        await settle()
      }
    },
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Counts what is sent, and may be told to do it otherwise. */
function countSent(exchange: Exchange, sent: string[], more: Partial<Exchange>): Exchange {
  const createOrder: Exchange['createOrder'] = (request) => {
    sent.push(request.clientOrderId)
    return exchange.createOrder(request)
  }
  return Object.defineProperties({ ...exchange, createOrder }, Object.getOwnPropertyDescriptors(more)) as Exchange
}

/** The market's clock; delays end when they are told to look at it. */
function createClock({ now }: ScriptedMarket) {
  const delays = new Set<{ readonly at: number; readonly end: () => void }>()
  return {
    now,
    delay: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const end = () => {
          delays.delete(delay)
          signal.removeEventListener('abort', end)
          resolve()
        }
        const delay = { at: now() + ms, end }
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', end)
        delays.add(delay)
      }),
    endDelays() {
      for (const delay of [...delays]) if (delay.at <= now()) delay.end()
    },
  }
}

function startPlacing(desk: OrderDesk, plan: OrderPlan, by: OrderedBy): Placing {
  const events: OrderEvent[] = []
  const placing: Placing = { events, types: () => events.map(({ type }) => type), result: undefined }
  desk
    .place(plan, by, (event) => void events.push(event))
    .then(
      (order) => {
        placing.result = order.status
      },
      (error: { code?: string }) => {
        placing.result = error.code ?? String(error)
      },
    )
  return placing
}

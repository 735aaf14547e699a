// A kind of task for tests: it keeps one limit order resting a distance below bid, again and again, until it has bought so many times.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import type { TaskKind } from '../../src/tasks/task-kind.ts'

const params = z.object({ amount: z.string(), times: z.number(), below: z.string(), isProtective: z.boolean() })
const state = z.object({ placed: z.number() })
type Params = z.infer<typeof params>
type State = z.infer<typeof state>

export const RESTS: Params = { amount: '0.01', times: 1, below: '100', isProtective: false }

export const resting: TaskKind<Params, State> = {
  name: 'resting',
  params,
  state,
  effect: ({ isProtective }) => (isProtective ? 'protects' : 'adds'),
  endsAt: () => undefined,
  amount: ({ amount, times }) => new Decimal(amount).times(times).toFixed(),
  initial: () => ({ placed: 0 }),
  keepsWhilePaused: [],
  reduce({ amount, times, below }, { placed }, _event, { ticker, orders }) {
    const isLive = orders.some(({ status }) => status === 'open' || status === 'sending' || status === 'unknown')
    if (isLive || ticker === undefined) return { state: { placed }, effects: [] }
    if (placed === times) return { state: { placed }, effects: [{ type: 'end', status: 'done', reason: 'all filled' }] }
    const price = new Decimal(ticker.bid).minus(below).toFixed(1)
    const plan = { symbol: ticker.symbol, side: 'buy', type: 'limit', amount, price } as const
    return {
      state: { placed: placed + 1 },
      effects: [
        { type: 'place', tag: 'rest', plan },
        { type: 'line', level: 'info', text: `rests at ${price}` },
      ],
    }
  },
  see: ({ times }, { placed }) => ({ progress: placed / (times + 1), doing: `${placed} of ${times}` }),
}

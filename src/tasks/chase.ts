// `chase`: one post-only order at the best price of its own side, moved when the market moves away from it, until it has filled, its time is
// over, or nothing can be placed any more.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import { showPrice } from '../trading/figures.ts'
import { type ChaseParams, type ChaseState, chaseParams, chaseState } from './chase-shape.ts'
import { ChaseStep } from './chase-step.ts'
import { isPending } from './remainder.ts'
import type { TaskFacts, TaskKind, TaskSight } from './task-kind.ts'

export const chase: TaskKind<ChaseParams, ChaseState> = {
  name: 'chase',
  params: chaseParams,
  state: chaseState,
  effect: ({ reduce }) => (reduce ? 'reduces' : 'adds'),
  endsAt: ({ lastsMs }, startedAt) => startedAt + lastsMs,
  amount: ({ amount }) => amount,
  initial: () => ({
    endsAt: 0,
    seen: 0,
    movedAt: 0,
    largerSince: 0,
    askedAt: 0,
    notBefore: 0,
    refusals: 0,
    failures: 0,
    toMarket: false,
    told: '',
    wakeAt: 0,
  }),
  reduce: (params, state, event, facts) => new ChaseStep(params, state, facts).run(event),
  see,
  keepsWhilePaused: [],
}

function see(params: ChaseParams, state: ChaseState, facts: TaskFacts): TaskSight {
  const progress = Decimal.min(1, new Decimal(facts.filled).div(params.amount)).toNumber()
  const live = facts.orders.findLast((order) => order.status === 'open' || isPending(order))
  const price = live?.tag === 'peg' ? (live.order?.price ?? live.plan.price) : undefined
  return {
    progress,
    doing: doingOf(params, state, facts),
    ...(state.endsAt === 0 ? {} : { endsAt: state.endsAt }),
    ...defined({ price }),
  }
}

function doingOf(params: ChaseParams, state: ChaseState, facts: TaskFacts): string {
  const live = facts.orders.findLast((order) => order.status === 'open' || isPending(order))
  if (state.ending !== undefined) return state.ending.reason
  if (live?.status === 'unknown') return 'asks the venue what became of its order'
  if (live?.status === 'sending') return 'sends its order'
  if (live?.tag === 'market') return 'takes the rest at the market'
  const price = live?.order?.price ?? live?.plan.price
  if (price !== undefined) {
    const isAtLimit = params.limit !== undefined && new Decimal(params.limit).eq(price)
    return `rests at ${isAtLimit ? 'its limit ' : ''}${showPrice(price)}`
  }
  if (facts.ticker === undefined) return 'waits for a current price'
  if (facts.now < state.notBefore) return `tries again in ${Math.ceil((state.notBefore - facts.now) / 1000)} s`
  return 'places its next order'
}

// `twap`: an amount in equal slices over a time, each at the market. What a slice has missed goes to those that follow.
import { Decimal } from 'decimal.js'
import { isPending } from './remainder.ts'
import type { TaskFacts, TaskKind, TaskSight } from './task-kind.ts'
import { slotOffset } from './twap-plan.ts'
import { type TwapParams, type TwapState, twapParams, twapState } from './twap-shape.ts'
import { TwapStep } from './twap-step.ts'

export const twap: TaskKind<TwapParams, TwapState> = {
  name: 'twap',
  params: twapParams,
  state: twapState,
  effect: ({ reduce }) => (reduce ? 'reduces' : 'adds'),
  endsAt: ({ durationMs }, startedAt) => startedAt + durationMs,
  amount: ({ amount }) => amount,
  initial: () => ({ startsAt: 0, next: 0, seen: 0, wakeAt: 0 }),
  reduce: (params, state, event, facts) => new TwapStep(params, state, facts).run(event),
  see,
  keepsWhilePaused: [],
}

function see(params: TwapParams, state: TwapState, facts: TaskFacts): TaskSight {
  const progress = Decimal.min(1, new Decimal(facts.filled).div(params.amount)).toNumber()
  return {
    progress,
    doing: doingOf(params, state, facts),
    ...(state.startsAt === 0 ? {} : { endsAt: state.startsAt + params.durationMs }),
  }
}

function doingOf(params: TwapParams, { ending, next, startsAt }: TwapState, facts: TaskFacts): string {
  if (ending !== undefined) return ending.reason
  const live = facts.orders.findLast((order) => isPending(order) || order.status === 'open')
  const sent = `${next} of ${params.slices} slices`
  if (live?.status === 'unknown') return `${sent}, asks the venue what became of the last`
  if (live !== undefined) return `${sent}, the last is under way`
  if (next >= params.slices) return sent
  const wait = startsAt + slotOffset(params, next) - facts.now
  if (wait > 0) return `${sent}, next in ${showWait(wait)}`
  return facts.ticker === undefined ? `${sent}, waits for a current price` : `${sent}, the next is due`
}

function showWait(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

// What a kind of task is: a pure reducer. It is told what happened and what is known, and says what to do next. It reads no clock, no market
// and no file, so that a day of it can be played in a second, and a crash can fall between any two of its steps.
import type * as z from 'zod/mini'
import type { Capabilities } from '../exchange/exchange.ts'
import type { Market, Ticker } from '../exchange/market.ts'
import type { Order, OrderChange, Position } from '../exchange/order.ts'
import type { OrderPlan } from '../trading/order-plan.ts'
import type { TaskReadings, TaskReads } from './bar-feed.ts'

/**
 * One order of a task, as far as it is known. `sending`: the intent is on the disk, no answer yet. `unknown`: no definite answer came, the
 * venue is being asked. `refused`: the venue's or the guard's no, or it never arrived; nothing of it lives. `ended`: filled, canceled, expired.
 */
export interface TaskOrder {
  /** Counts the orders of the task from 0; with the task's id it makes the `clientOrderId`. */
  readonly step: number
  /** What the kind calls it: `peg`, `slice`, `stop`. */
  readonly tag: string
  readonly plan: OrderPlan
  readonly status: 'sending' | 'open' | 'unknown' | 'refused' | 'ended'
  /** As last heard of. */
  readonly order?: Order
  /** In the market's amount unit; never taken back. */
  readonly filled: string
  /** Of a refusal: the stable code of the error (`guarded`, `invalid-order`, `post-only`…). */
  readonly code?: string
  /** Of a refusal, and of an end that the venue gave a reason for: one line. */
  readonly why?: string
  /** A command has canceled it, once another rested in its place. */
  readonly isReplaced?: true
  /** Who canceled it, where that is known. */
  readonly canceledBy?: 'command' | 'elsewhere'
  /** A change or a cancel of it is under way, or of unknown outcome. */
  readonly isChanging: boolean
  /** Why its last change or cancel was not made; gone once a later one is. The order is as it was, unless its status says otherwise. */
  readonly changeRefused?: { readonly code: string; readonly why: string }
}

/** What is known at this moment. */
export interface TaskFacts {
  /** ms since the epoch. */
  readonly now: number
  readonly market: Market
  readonly capabilities: Capabilities
  /** Absent while nothing current is known: the stream is stale, or the venue has not reported yet. A task acts on nothing stale (behaviour 38). */
  readonly ticker?: Ticker
  /** The account's position on the symbol; undefined: flat. `isPositionKnown` false: it has not been asked since the last doubt. */
  readonly position?: Position
  readonly isPositionKnown: boolean
  /** A line that it had run has not ended. */
  readonly isLineRunning?: boolean
  /** Of a kind that `reads`. */
  readonly readings?: TaskReadings
  /** All orders that are not over, and the last of those that are, oldest first; `filled` counts those that are left out too. */
  readonly orders: readonly TaskOrder[]
  /** Of all orders of the task, those of before a restart included, in the market's amount unit. */
  readonly filled: string
  /** What those fills cost in quote: the sum of price × amount in base, as text. */
  readonly cost: string
}

export type TaskEvent =
  /** It begins. Comes once in its life. */
  | { readonly type: 'begun' }
  /** It goes on after a restart, a take-over, `tasks resume`, or a halt: everything of `facts` has just been asked, and no wake is set. */
  | { readonly type: 'resumed' }
  /** The time that it asked for with `wake` has come. */
  | { readonly type: 'time' }
  /** `facts.ticker` is another one, or gone. */
  | { readonly type: 'ticker' }
  /** Something became of one of its orders. */
  | { readonly type: 'order'; readonly step: number }
  /** `facts.position` was read again. */
  | { readonly type: 'position' }
  /** `facts.readings` has more. */
  | { readonly type: 'readings' }
  /** The line that it had run has ended. `lost`: why it never began; `outcome`: what it brought, in a sentence. */
  | { readonly type: 'ran'; readonly lost?: string; readonly error?: string; readonly outcome?: string }

export type TaskEffect =
  /** One order: its intent is written, then it is sent once. Not while another one of the task is `unknown`, unless it only reduces. */
  | { readonly type: 'place'; readonly tag: string; readonly plan: OrderPlan }
  /** Only where the venue can edit such an order; else the kind cancels, and places when that order has ended. */
  | { readonly type: 'amend'; readonly step: number; readonly change: OrderChange }
  | { readonly type: 'cancel'; readonly step: number }
  /** Replaces the wake that was asked for before; undefined: none. ms since the epoch. */
  | { readonly type: 'wake'; readonly at: number | undefined }
  /**
   * A line for the operator and for `tasks show`: a fact, no full stop. `isKeptOnly`: for `tasks show` alone, since the operator has read it.
   * `isNews`: a notice carries it, too.
   */
  | {
      readonly type: 'line'
      readonly level: 'info' | 'warn'
      readonly text: string
      readonly isKeptOnly?: true
      readonly isNews?: true
    }
  /** Runs a line as an unattended one of the terminal; its state is on the disk before that. One at a time. */
  | { readonly type: 'run'; readonly line: string }
  /** It is over. What of it still rests is taken back first, but for orders whose tag is in `keeps`. */
  | {
      readonly type: 'end'
      readonly status: 'done' | 'failed' | 'cancelled'
      readonly reason: string
      readonly keeps?: readonly string[]
      /** Who ended it; absent: it came to its end by itself. */
      readonly by?: string
    }

export interface TaskStep<State> {
  readonly state: State
  readonly effects: readonly TaskEffect[]
}

/** What a kind may do while it is paused: remember, and be over. */
export interface PausedStep<State> {
  readonly state: State
  readonly end?: Extract<TaskEffect, { type: 'end' }>
}

/** What of a task is shown. */
export interface TaskSight {
  /** From 0 to 1. */
  readonly progress: number
  /** What it does now, one short line: `3 of 12 slices, next in 40 s`, `rests at 64,999.5`. */
  readonly doing: string
  /** The price that matters now: where it rests, where its stop is, what it waits for. */
  readonly price?: string
  /** What comes of what it waits for: words, or a line. */
  readonly words?: string
  /** When it ends at the latest, where that is not what the kind's `endsAt` says: it went on after its time was over. */
  readonly endsAt?: number
}

/** What its orders do to the risk of the account. `reduces`: they only shrink a position. `protects`: they are what limits its loss. */
export type RiskEffect = 'adds' | 'reduces' | 'protects'

/** JSON both: `Params` never changes, `State` is what the reducer remembers. Decimals are text. */
export interface TaskKind<Params = unknown, State = unknown> {
  readonly name: string
  /** Its name in rows, where a command of another name began it. */
  shownAs?(params: Params): string
  /** What a file must hold. */
  readonly params: z.ZodMiniType<Params>
  readonly state: z.ZodMiniType<State>
  /** One that does not add goes on by itself after a restart (behaviour 41), and at `exit` its orders stay. */
  effect(params: Params): RiskEffect
  /** It may begin in simulation too. */
  readonly sendsNothing?: true
  /** When it ends at the latest, ms since the epoch; undefined: with its position or its price. */
  endsAt(params: Params, startedAt: number): number | undefined
  /** The whole amount that it is to fill, in the market's amount unit; undefined: it follows the position. */
  amount(params: Params): string | undefined
  initial(params: Params): State
  /** Absent: the price and the position are all that it judges. */
  reads?(params: Params): TaskReads
  reduce(params: Params, state: State, event: TaskEvent, facts: TaskFacts): TaskStep<State>
  see(params: Params, state: State, facts: TaskFacts): TaskSight
  /** Beside what becomes of its orders, and the times that it asked for, only these prices change what it decides. Absent: each may. */
  decidesAt?(params: Params): readonly string[]
  /**
   * What a person who cancels it must know: it becomes a part of the reason.
   * @param others of a protective one: what rests on the symbol besides; undefined: not known
   */
  leaves?(params: Params, state: State, facts: TaskFacts, others: readonly Order[] | undefined): string | undefined
  /**
   * While it is paused nothing is placed. Tags of orders that stay meanwhile (a protective stop); all others are taken back.
   */
  readonly keepsWhilePaused: readonly string[]
  /**
   * Asked once a second while it is paused: whether what it is there for is gone, or what it misses. What it would leave resting would meet a
   * position that is none of its own. Absent: it waits for a person.
   */
  whilePaused?(params: Params, state: State, facts: TaskFacts): PausedStep<State>
}

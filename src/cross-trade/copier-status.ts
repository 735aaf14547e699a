// The state of a copier: what keeps it from its target, how often it has tried, and its status as others see it.
import { defined } from '../base/defined.ts'
import type { Market } from '../exchange/market.ts'
import { showAmount } from '../trading/figures.ts'
import { PAUSES_MS } from '../trading/settlement.ts'
import type { CopierName, CopierState, CopierStateName } from './engine-port.ts'
import { Decimal, targetOf } from './plan.ts'
import type { UnitState } from './state-journal.ts'

interface StateReason {
  readonly state: CopierStateName
  readonly why: string
}

/** Orders that left something to do, before the copier gives up until the master changes. */
const MAX_TRIES = 3
const MAX_FAILURES = 5

/** Nothing of it survives the process but a pause, which is in the journal. */
export class CopierRetryState {
  /** Until the master changes, or a person says so. */
  hold: StateReason | undefined
  /** Of this moment. */
  note: StateReason | undefined
  /** What was to be reduced, and was not there. */
  gone: string | undefined
  /** When it may order again, ms since the epoch. */
  notBefore = 0
  #tries = 0
  #failures = 0
  #asks = 0

  /** The target is another one. */
  release(): void {
    this.hold = undefined
    if (this.note?.state !== 'unknown') this.note = undefined
    this.gone = undefined
    this.notBefore = 0
    this.#tries = 0
  }

  /** The row begins anew. */
  forget(): void {
    this.release()
    this.note = undefined
    this.#failures = 0
    this.#asks = 0
  }

  /** The row is another one: what was refused may not be refused any more, and that is for the next change of the master to find out. */
  edited(): void {
    if (this.hold !== undefined)
      this.hold = { state: 'behind', why: 'its row was edited; it continues at the next change of the master' }
  }

  block(why: string): void {
    this.hold = { state: 'blocked', why }
    this.note = undefined
  }

  doubt(why: string): void {
    this.note = { state: 'unknown', why }
  }

  /** @returns whether they are too many */
  failed(): boolean {
    this.#failures += 1
    return this.#failures >= MAX_FAILURES
  }

  filled(): void {
    this.#failures = 0
    this.note = undefined
  }

  answered(): void {
    this.#asks = 0
  }

  /** An order has filled whole, or brought it nearer. */
  progressed(): void {
    this.#tries = 0
  }

  /** An order left something to do. @returns why it gives up */
  triedInVain(): string | undefined {
    this.#tries += 1
    return this.#tries < MAX_TRIES ? undefined : `stalled: ${MAX_TRIES} orders in a row did not fill whole`
  }

  /** How long to wait before the next question, in ms: longer each time. */
  pause(): number {
    const ms = PAUSES_MS[Math.min(this.#asks, PAUSES_MS.length - 1)] ?? 0
    this.#asks += 1
    return ms
  }
}

// How a copier is, for people: the first reason that keeps it from its target.

interface UnitSight {
  /** Undefined: a part of it was not converted yet. */
  readonly desired: Decimal | undefined
  readonly market: Market | undefined
  /** Why nothing is known of it now. */
  readonly whyStale: string | undefined
  /** What the account holds, where others have closed some of what was built. */
  readonly remaining: Decimal | undefined
  readonly retry: CopierRetryState
}

export function showUnit(name: CopierName, { owned, paused }: UnitState, sight: UnitSight): CopierState {
  const { desired, market, retry } = sight
  const target = desired === undefined || market === undefined ? desired : targetOf(desired, market)
  const isInStep = target?.eq(owned) ?? false
  const shownReason = reasonOf(paused, sight) ?? (isInStep ? differenceOf(owned, sight.remaining) : retry.note)
  return {
    ...name,
    state: shownReason?.state ?? (isInStep ? 'in-step' : 'behind'),
    desired: (target ?? new Decimal(owned)).toFixed(),
    owned,
    ...defined({ why: shownReason?.why }),
  }
}

function differenceOf(owned: string, remaining: Decimal | undefined): StateReason | undefined {
  if (remaining === undefined) return undefined
  return { state: 'differs', why: `its orders built ${showAmount(owned)}, the account holds ${showAmount(remaining)}` }
}

function reasonOf(paused: string | undefined, { whyStale, retry: { note, hold } }: UnitSight): StateReason | undefined {
  if (paused !== undefined) return { state: 'paused', why: paused }
  if (note?.state === 'unknown') return note
  if (hold !== undefined) return hold
  return whyStale === undefined ? undefined : { state: 'stale', why: whyStale }
}

// How a copier is, for people: the first reason that keeps it from its target.
import { defined } from '../base/defined.ts'
import type { Market } from '../exchange/market.ts'
import type { CopierName } from './copier-event.ts'
import type { CopierRetryState, Said } from './copier-retry-state.ts'
import { Decimal } from './decimal.ts'
import type { CopierState } from './engine-port.ts'
import { targetOf } from './plan.ts'
import type { UnitState } from './state-lines.ts'

interface UnitSight {
  /** Undefined: a part of it was not converted yet. */
  readonly desired: Decimal | undefined
  readonly market: Market | undefined
  /** Why nothing is known of it now. */
  readonly whyStale: string | undefined
  readonly retry: CopierRetryState
}

export function showUnit(name: CopierName, { owned, paused }: UnitState, sight: UnitSight): CopierState {
  const { desired, market, retry } = sight
  const target = desired === undefined || market === undefined ? desired : targetOf(desired, market)
  const isInStep = target?.eq(owned) ?? false
  const said = reasonOf(paused, sight) ?? (isInStep ? undefined : retry.note)
  return {
    ...name,
    state: said?.state ?? (isInStep ? 'in-step' : 'behind'),
    desired: (target ?? new Decimal(owned)).toFixed(),
    owned,
    ...defined({ why: said?.why }),
  }
}

function reasonOf(paused: string | undefined, { whyStale, retry: { note, hold } }: UnitSight): Said | undefined {
  if (paused !== undefined) return { state: 'paused', why: paused }
  if (note?.state === 'unknown') return note
  if (hold !== undefined) return hold
  return whyStale === undefined ? undefined : { state: 'stale', why: whyStale }
}

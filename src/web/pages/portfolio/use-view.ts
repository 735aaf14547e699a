// What the page shows: whose money, since when, and which month of days. All of it is in the address; without an account there, it is the tab's own.
import { useSearchParams } from 'wouter'
import { scopeOf } from '../../console-state.ts'
import { usePreferences } from '../../shell/preferences.ts'
import { useDesk } from '../../use-console.ts'
import { monthIn, wallOf, zoneName } from './calendar.ts'
import { type Way, wayOf } from './pnl-breakdown.ts'

export interface View {
  /** undefined: hookline has not said which is in focus. */
  readonly account: string | undefined
  readonly span: Span
  readonly by: Way
  /** `2026-11` */
  readonly month: string
  /** In which days begin and end, as `Europe/Berlin`. */
  readonly zone: string
  readonly show: (change: Readonly<Partial<Record<'account' | 'span' | 'by' | 'month', string>>>) => void
}

export function useView(): View {
  const [parameters, setParameters] = useSearchParams()
  const own = useDesk((state) => scopeOf(state)?.account)
  const zone = zoneName(usePreferences((state) => state.timeZone))
  return {
    account: parameters.get('account') ?? own,
    span: spanOf(parameters.get('span')),
    by: wayOf(parameters.get('by')),
    month: monthIn(parameters.get('month')) ?? wallOf(Date.now(), zone).day.slice(0, 7),
    zone,
    show: (change) => setParameters((before) => ({ ...Object.fromEntries(before), ...change }), { replace: true }),
  }
}

// How far back the page looks. It is in the address, so that a link shows what its sender saw.
const DAY_MS = 86_400_000

export const SPANS = [
  { id: '1d', label: '1D', title: '1 day', ms: DAY_MS },
  { id: '1w', label: '1W', title: '1 week', ms: 7 * DAY_MS },
  { id: '1m', label: '1M', title: '1 month', ms: 30 * DAY_MS },
  { id: '3m', label: '3M', title: '3 months', ms: 91 * DAY_MS },
  { id: 'all', label: 'All', title: 'All', ms: undefined },
] as const

type Span = (typeof SPANS)[number]

const DEFAULT: Span = SPANS[2]

/** @param id as in the address; anything else is the default one */
export function spanOf(id: string | null): Span {
  return SPANS.find((span) => span.id === id) ?? DEFAULT
}

/** When it begins; nothing: with the first there is. */
export function startOf({ ms }: Pick<Span, 'ms'>, now: number): { readonly from?: number } {
  return ms === undefined ? {} : { from: now - ms }
}

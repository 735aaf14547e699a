// What the page shows: whose money, since when, and which month of days. All of it is in the address; without an account there, it is the tab's own.
import { useSearchParams } from 'wouter'
import { scopeOf } from '../../console-state.ts'
import { usePreferences } from '../../shell/preferences.ts'
import { useDesk } from '../../use-console.ts'
import { monthIn } from './calendar.ts'
import { type Way, wayOf } from './made-by.ts'
import { type Span, spanOf } from './spans.ts'
import { wallOf, zoneName } from './zones.ts'

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

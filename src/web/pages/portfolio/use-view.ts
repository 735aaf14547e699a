// The view of the page: account, span and month. All are in the address; without an account there, it is that of the tab.
import { useSearchParams } from 'wouter'
import type { Frame } from '../../../protocol/frames.ts'
import { scopeOf } from '../../state/console-state.ts'
import { usePreferences } from '../../state/preferences.ts'
import { useDesk } from '../../state/use-console.ts'
import { wallOf, zoneName } from '../../zoned-days.ts'
import { monthIn } from './calendar.ts'

// Profit as rows of a table: one for each key and currency, because currencies are never added to one another.

/** `trade`: each trade as a row, and no sums. */
const WAYS = ['day', 'symbol', 'hook', 'account', 'trade'] as const
export type Way = (typeof WAYS)[number]

type PnlPage = Frame<'pnl:page'>
export type Sums = PnlPage['total']['sums'][number]

export interface MadeRow extends Sums {
  readonly key: string
  readonly fills: number
}

export function wayOf(text: string | null): Way {
  return WAYS.find((way) => way === text) ?? 'symbol'
}

/** Fills of what others opened have no sums: their row is nothing in the first currency, so that the fills add up. */
export function madeRows({ groups, total }: Pick<PnlPage, 'groups' | 'total'>): readonly MadeRow[] {
  const currency = total.sums[0]?.currency ?? ''
  const nothing = { currency, realized: '0', funding: '0', fees: '0', net: '0' }
  return groups.flatMap(({ key, fills, sums }) =>
    (sums.length === 0 ? [nothing] : sums).map((sum) => ({ ...sum, key, fills })),
  )
}

/** How long the bar of each is, from 0 to 1 of the longest in its currency. Floats, because pixels are. */
export function barParts(rows: readonly MadeRow[]): ReadonlyMap<MadeRow, number> {
  const sizeOf = ({ net }: MadeRow) => Math.abs(Number(net))
  const most = new Map<string, number>()
  for (const row of rows) most.set(row.currency, Math.max(most.get(row.currency) ?? 0, sizeOf(row)))
  return new Map(rows.map((row) => [row, sizeOf(row) / (most.get(row.currency) || 1)]))
}

export interface View {
  /** undefined: the focus is not known yet. */
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

/** Whether a longer span has more. @param since of the first that there is */
export function hasOlder({ ms }: Pick<Span, 'ms'>, since: number | undefined, now: number): boolean {
  return ms !== undefined && since !== undefined && since < now - ms
}

/** When it begins; nothing: with the first there is. */
export function startOf({ ms }: Pick<Span, 'ms'>, now: number): { readonly from?: number } {
  return ms === undefined ? {} : { from: now - ms }
}

// How far back the page looks. It is in the address, so that a link shows what its sender saw.
const DAY_MS = 86_400_000

export const SPANS = [
  { id: '1d', label: '1D', title: '1 day', ms: DAY_MS },
  { id: '1w', label: '1W', title: '1 week', ms: 7 * DAY_MS },
  { id: '1m', label: '1M', title: '1 month', ms: 30 * DAY_MS },
  { id: '3m', label: '3M', title: '3 months', ms: 91 * DAY_MS },
  { id: 'all', label: 'All', title: 'All', ms: undefined },
] as const

export type Span = (typeof SPANS)[number]

const DEFAULT: Span = SPANS[2]

/** @param id as in the address; anything else is the default one */
export function spanOf(id: string | null): Span {
  return SPANS.find((span) => span.id === id) ?? DEFAULT
}

/** When it begins; nothing: with the first there is. */
export function startOf({ ms }: Pick<Span, 'ms'>, now: number): { readonly from?: number } {
  return ms === undefined ? {} : { from: now - ms }
}

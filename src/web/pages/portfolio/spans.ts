// How far back the page looks. It is in the address, so that a link shows what its sender saw.
const DAY_MS = 86_400_000

export const SPANS = [
  { id: '1d', title: '1 day', ms: DAY_MS },
  { id: '1w', title: '1 week', ms: 7 * DAY_MS },
  { id: '30d', title: '30 days', ms: 30 * DAY_MS },
  { id: '1y', title: '1 year', ms: 365 * DAY_MS },
  { id: 'all', title: 'All', ms: undefined },
] as const

export type Span = (typeof SPANS)[number]

const DEFAULT: Span = SPANS[2]

/** @param id as in the address; anything else is the default one */
export function spanOf(id: string | null): Span {
  return SPANS.find((span) => span.id === id) ?? DEFAULT
}

/** When it begins; nothing: with the first there is. */
export function startOf({ ms }: Span, now: number): { readonly from?: number } {
  return ms === undefined ? {} : { from: now - ms }
}

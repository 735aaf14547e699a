// Made by `npm run mutation`: of single changes to the profile of a venue, how many make a test fail.

export interface VenueScore {
  readonly killed: number
  readonly of: number
}

/** `lines`: a digest of the changes that were made. */
export const VENUE_SCORES: Readonly<Record<string, VenueScore & { readonly lines: string }>> = {
  hyperliquid: { killed: 48, of: 72, lines: '7953156c54c7' },
}

// Made by `npm run mutation`: of single changes to the profile of a venue, how many make a test fail.

export interface VenueScore {
  readonly killed: number
  readonly of: number
}

/** `lines`: a digest of the changes that were made. */
export const VENUE_SCORES: Readonly<Record<string, VenueScore & { readonly lines: string }>> = {
  kraken: { killed: 37, of: 91, lines: '598c1e128e37' },
  okx: { killed: 91, of: 197, lines: '33c6436b6d53' },
}

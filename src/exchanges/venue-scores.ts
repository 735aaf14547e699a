// Made by `npm run mutation`: of single changes to the profile of a venue, how many make a test fail.

export interface VenueScore {
  readonly killed: number
  readonly of: number
}

/** `lines`: a digest of the changes that were made. */
export const VENUE_SCORES: Readonly<Record<string, VenueScore & { readonly lines: string }>> = {
  binance: { killed: 89, of: 153, lines: '2c8fe8579241' },
  bitget: { killed: 90, of: 168, lines: '74fbb5fe5c7e' },
  bybit: { killed: 87, of: 183, lines: '427a56d40451' },
  coinbase: { killed: 47, of: 78, lines: '9cc9daa88872' },
  deribit: { killed: 62, of: 112, lines: '62a0997bd32c' },
  gate: { killed: 78, of: 171, lines: '72d363c8c790' },
  hyperliquid: { killed: 51, of: 76, lines: '0a416077cd10' },
  kraken: { killed: 37, of: 91, lines: '598c1e128e37' },
  krakenfutures: { killed: 59, of: 141, lines: 'd5ebec24f3e6' },
  kucoin: { killed: 61, of: 126, lines: '43840a922549' },
  mexc: { killed: 37, of: 90, lines: 'd31121ab940d' },
  okx: { killed: 102, of: 203, lines: 'c8a271c27ed5' },
}

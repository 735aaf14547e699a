// Which market a typed symbol means: its own name in any case, or a coin that has one market.
import type { VenueView } from '../exchange/exchange.ts'
import type { Market } from '../exchange/market.ts'
import { printable } from '../language/printable.ts'
import { nearest } from '../language/typo-match.ts'
import { TradingError } from './trading-error.ts'

const MAX_LISTED = 6

/**
 * `BTCUSDT`, `btcusdt`, and `btc` where BTC has one market.
 * @throws {TradingError} `ambiguous-symbol` for a coin with several markets, `unknown-symbol` with the nearest market as the hint
 */
export async function findMarket(venue: VenueView, symbol: string): Promise<Market> {
  const markets = await venue.loadMarkets()
  return matchMarket(markets, symbol) ?? refuseUnknown(venue.id, markets, symbol)
}

/** As `findMarket`, and undefined where it throws `unknown-symbol`. @throws {TradingError} `ambiguous-symbol` */
export function matchMarket(markets: readonly Market[], symbol: string): Market | undefined {
  const wanted = symbol.toUpperCase()
  const exact = markets.find((row) => row.symbol === wanted) ?? markets.find((row) => row.symbol === symbol)
  if (exact !== undefined) return exact
  const [only, ...others] = markets.filter((row) => row.base === wanted)
  if (only === undefined || others.length === 0) return only
  const names = [only, ...others].map((row) => row.symbol)
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : ''
  throw new TradingError('ambiguous-symbol', `${printable(wanted, 30)} has ${names.length} markets`, {
    hint: `type one of ${names.slice(0, MAX_LISTED).join(', ')}${more}`,
  })
}

/**
 * The markets of a list, as typed. Nothing is done with any of them where one is not known.
 * @throws {TradingError} as `findMarket`; `repeated-symbol` where two names mean one market
 */
export async function findMarkets(venue: VenueView, symbols: readonly string[]): Promise<readonly string[]> {
  const typedAs = new Map<string, string>()
  for (const typed of symbols) {
    const { symbol } = await findMarket(venue, typed)
    const before = typedAs.get(symbol)
    if (before !== undefined) {
      throw new TradingError('repeated-symbol', `${printable(before, 30)} and ${printable(typed, 30)} are one market`, {
        hint: 'name it once',
      })
    }
    typedAs.set(symbol, typed)
  }
  return [...typedAs.keys()]
}

function refuseUnknown(venue: string, markets: readonly Market[], symbol: string): never {
  const near = nearestMarket(markets, symbol.toUpperCase())
  throw new TradingError('unknown-symbol', `${venue} has no market ${printable(symbol, 30)}`, {
    hint: near === undefined ? '`markets` lists them' : `did you mean ${near}?`,
  })
}

/** Where the quote is typed in full only the coin is compared: NOPEUSDT is not nearly DOGEUSDT. */
function nearestMarket(markets: readonly Market[], symbol: string): string | undefined {
  const quoted = markets.filter((row) => symbol.endsWith(row.quote) && row.symbol === row.base + row.quote)
  const [first] = quoted
  if (first === undefined) {
    return nearest(
      symbol,
      markets.map((row) => row.symbol),
    )
  }
  const near = nearest(
    symbol.slice(0, -first.quote.length),
    quoted.map((row) => row.base),
  )
  return near === undefined ? undefined : near + first.quote
}

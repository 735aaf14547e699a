// What an order needs to know about one symbol at one moment.
import type { VenueView } from '../exchange/exchange.ts'
import type { Market, Ticker } from '../exchange/market.ts'
import type { Balance, Position, Side } from '../exchange/order.ts'
import { printable } from '../language/printable.ts'
import { nearest } from '../language/typo-match.ts'
import { currenciesOf, settleBalance } from './portfolio.ts'
import { SymbolError, TradingError } from './trading-error.ts'

export interface MarketView {
  readonly market: Market
  readonly ticker: Ticker
  /** Absent when the account is flat on this symbol. */
  readonly position: Position | undefined
}

/**
 * What streams have just told is not asked for.
 * @param held `known`: where no figure hangs on the position; a side: before an order of that side, too
 * @throws {TradingError} as `findMarket` @throws {ExchangeError}
 */
export async function viewSymbol(
  venue: VenueView,
  typed: string,
  held: 'asked' | 'known' | Side = 'asked',
): Promise<MarketView> {
  const market = await findMarket(venue, typed)
  const { symbol } = market
  const known =
    held === 'asked' ? undefined : venue.knownPositions?.(held === 'known' ? undefined : { symbol, side: held })
  const [ticker, positions] = await Promise.all([
    venue.knownTicker?.(symbol) ?? venue.fetchTicker(symbol),
    known ?? venue.fetchPositions(),
  ])
  return { market, ticker, position: positions.find((row) => row.symbol === symbol) }
}

/** What the account has, for sizes that are a share of it. Decimal strings. */
export interface Funds {
  /** Of a currency; `0` where none of it is held. Leverage does not multiply it. */
  free(currency: string): Promise<string>
  /**
   * In the currency in which the market settles, with what open positions have made or lost. Where that is dollars, those of other names count with it,
   * one for one; on spot, coins do not count.
   */
  equity(market: Market): Promise<string>
  /** Asks now, for what reads it later: the answer comes beside that for the price. */
  start?(): void
}

/** Reads the balances once, when first asked: several orders of one command share one picture of what is there. */
export function fundsOnce(venue: VenueView): Funds {
  let asked: Promise<readonly Balance[]> | undefined
  const balances = () => {
    asked ??= venue.fetchBalances()
    return asked
  }
  return {
    start: () => void balances().catch(() => {}),
    async free(currency) {
      return (await balances()).find((balance) => balance.currency === currency)?.free ?? '0'
    },
    async equity({ settle, quote }) {
      const rows = await balances()
      const [markets, currency] = [await venue.loadMarkets(), settle ?? quote]
      const others = currenciesOf(markets).filter((each) => each !== currency)
      return settleBalance(rows, [currency, ...others])?.total ?? '0'
    },
  }
}

// Which market a typed symbol means: its own name in any case, or a coin that has one market.

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
  const message = `${printable(wanted, 30)} has ${names.length} markets`
  throw new SymbolError(
    'ambiguous-symbol',
    message,
    symbol,
    `type one of ${names.slice(0, MAX_LISTED).join(', ')}${more}`,
  )
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
  const near = spelledElsewhere(markets, symbol.toUpperCase()) ?? nearestMarket(markets, symbol.toUpperCase())
  const hint = near === undefined ? '`markets` lists them' : `did you mean ${near}?`
  throw new SymbolError('unknown-symbol', `${venue} has no market ${printable(symbol, 30)}`, symbol, hint)
}

/** `BTC-PERP`, `BTC/USDT:USDT`, `BTCUSDT.P`; undefined: it means none of the markets, or several. */
function spelledElsewhere(markets: readonly Market[], symbol: string): string | undefined {
  const plain = symbol
    .replace(/:[A-Z]+$/, '')
    .replace(/[-_.]?(?:PERP|SWAP)$|\.P$/, '')
    .replaceAll(/[-_./]/g, '')
  const [only, ...others] = markets.filter((row) => row.symbol === plain || row.base === plain)
  return plain === symbol || others.length > 0 ? undefined : only?.symbol
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

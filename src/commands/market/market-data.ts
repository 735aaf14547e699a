// `markets`, `price` and `book`: what can be traded and at what.
import { Decimal } from 'decimal.js'

import type { VenueView } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { BookLevel, FundingRate, Market, MarketSummary, PriceGrid } from '../../exchange/market.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { parseSymbols } from '../../language/names.ts'
import { printable } from '../../language/printable.ts'
import { isDollars, showAmount, showDuration, showMoment, showPrice } from '../../trading/figures.ts'
import { findMarket } from '../../trading/market-view.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import { readInteger, readText, refuseMoreThan } from '../kit/read-arguments.ts'
import { forEachItem } from '../kit/running.ts'

export const markets: SingleCommand = {
  name: 'markets',
  group: 'market',
  usage: '[filter]',
  summary: 'markets of the venue, with tick, lot and smallest order',
  where: 'anywhere',
  rows: true,
  immediate: true,
  examples: [
    { line: 'markets', meaning: 'all of them' },
    { line: 'markets btc', meaning: 'those with BTC in the name' },
  ],
  async run(context, args) {
    refuseMoreThan(1, args)
    const filter = args[0] === undefined ? '' : readText(args[0]).toUpperCase()
    const { venue } = await context.account()
    const rows = (await venue.loadMarkets()).filter((market) => market.symbol.includes(filter))
    const data = { type: 'markets', markets: rows } as const
    if (rows.length === 0) return context.out.info(`no market has ${filter} in its name`, data)
    const columns = [
      { title: 'symbol' },
      { title: 'tick', align: 'right' },
      { title: 'lot', align: 'right' },
      { title: 'smallest', align: 'right' },
      { title: 'maker', align: 'right' },
      { title: 'taker', align: 'right' },
    ] as const
    const cells = rows.map((market) => [
      market.symbol,
      describeGrid(market.priceGrid),
      market.lotSize,
      describeSmallest(market),
      percent(market.makerFee),
      percent(market.takerFee),
    ])
    context.out.print(renderTable(columns, cells), data)
  },
}

export const price: SingleCommand = {
  name: 'price',
  group: 'market',
  usage: '[SYMBOL,…]',
  summary: 'last, bid and ask; mark, 24 h change and volume, and the next funding, where the venue has them',
  where: 'anywhere',
  rows: true,
  immediate: true,
  examples: [
    { line: 'price', meaning: 'the symbol in focus' },
    { line: 'price BTCUSDT,ETHUSDT', meaning: 'one line each' },
  ],
  complete: ({ symbols }) => symbols,
  async run(context, args) {
    refuseMoreThan(1, args)
    const [first] = args
    const symbols = first === undefined ? [context.symbol] : parseSymbols(readText(first), first.column)
    await forEachItem(context, symbols, (symbol) => printPrice(context, symbol))
  },
}

/** `0.1`; for a grid of significant digits `5 digits`. */
function describeGrid(grid: PriceGrid): string {
  return grid.kind === 'tick' ? grid.tick : `${grid.digits} digits`
}

function describeSmallest({ minNotional, minAmount }: Market): string {
  return minNotional === undefined ? showAmount(minAmount) : `$${minNotional} / ${showAmount(minAmount)}`
}

async function printPrice(context: CommandContext, typed: string): Promise<void> {
  const { venue } = await context.account()
  const market = await findMarket(venue, typed)
  const { symbol } = market
  const [ticker, summarised] = await Promise.all([venue.fetchTicker(symbol), summaryOf(context, venue, symbol)])
  const { last, bid, ask } = ticker
  const { symbol: _symbol, ...summary } = summarised
  const price = `${symbol} ${showPrice(last, market)}  bid ${showPrice(bid, market)}  ask ${showPrice(ask, market)}`
  const more = describeSummary(summarised, market, context.clock.now())
  context.out.print([price, ...(more === '' ? [] : [`  ${more}`])].join('\n'), {
    type: 'ticker',
    ...ticker,
    ...summary,
  })
}

/** The price does not depend on it. */
async function summaryOf({ out }: CommandContext, venue: VenueView, symbol: string): Promise<MarketSummary> {
  try {
    return (await venue.fetchMarketSummary?.(symbol)) ?? { symbol }
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    out.warn(`mark, change, volume and funding of ${symbol} are not known: ${printable(error.message, 160)}`)
    return { symbol }
  }
}

/** `mark 65,010.1  24 h +1.23%  volume $1,203,441,220  funding 0.01%: longs pay at 2026-11-28 16:00:00 UTC, in 1h 5m`. */
function describeSummary(summary: MarketSummary, market: Market, now: number): string {
  const { base, quote } = market
  const { mark, changePercent, volume, quoteVolume, funding } = summary
  const parts = [
    ...(mark === undefined ? [] : [`mark ${showPrice(mark, market)}`]),
    ...(changePercent === undefined ? [] : [`24 h ${signed(changePercent)}%`]),
    ...(quoteVolume !== undefined
      ? [`volume ${isDollars(quote) ? '$' : ''}${showWhole(quoteVolume)}${isDollars(quote) ? '' : ` ${quote}`}`]
      : volume !== undefined
        ? [`volume ${showWhole(volume)} ${base}`]
        : []),
    ...(funding === undefined ? [] : [describeFunding(funding, now)]),
  ]
  return parts.join('  ')
}

function describeFunding({ rate, at }: FundingRate, now: number): string {
  const percentage = new Decimal(rate).times(100)
  const who = percentage.isZero() ? 'no one pays' : percentage.gt(0) ? 'longs pay' : 'shorts pay'
  return `funding ${percentage.toDecimalPlaces(6).toFixed()}%: ${who} at ${showMoment(at)}, in ${showDuration(Math.max(0, at - now))}`
}

function signed(percentage: string): string {
  const value = new Decimal(percentage).toDecimalPlaces(2)
  return `${value.gt(0) ? '+' : ''}${value.toFixed()}`
}

function showWhole(figure: string): string {
  const value = new Decimal(figure)
  return showPrice(value.gte(100) ? value.toDecimalPlaces(0) : value.toSignificantDigits(3))
}

// `book`: what is offered and asked for.

const DEFAULT_DEPTH = 10
const MAX_DEPTH = 100

export const book: SingleCommand = {
  name: 'book',
  aliases: ['depth'],
  group: 'market',
  usage: '[SYMBOL] [depth]',
  summary: 'the order book: asks above, bids below, the best in the middle',
  where: 'anywhere',
  rows: true,
  immediate: true,
  examples: [
    { line: 'book', meaning: `${DEFAULT_DEPTH} levels of each side, of the symbol in focus` },
    { line: 'book ETHUSDT 5', meaning: 'five levels; `total` is the sum up to that level' },
  ],
  complete: ({ words, symbols }) => (words.length === 0 ? symbols : []),
  async run(context, args) {
    refuseMoreThan(2, args)
    const { typed, depth } = readBook(args)
    const { venue } = await context.account()
    const market = await findMarket(venue, typed ?? context.symbol)
    if (venue.fetchOrderBook === undefined) {
      throw new CommandError('not-supported', `${printable(venue.id, 32)} shows no order book`, {
        hint: '`price` has the best bid and ask',
      })
    }
    const found = await venue.fetchOrderBook(market.symbol)
    const [asks, bids] = [found.asks.slice(0, depth), found.bids.slice(0, depth)]
    context.out.print(renderBook(market, asks, bids), { type: 'book', ...found, asks, bids })
  },
}

function readBook(args: readonly Argument[]): { readonly typed: string | undefined; readonly depth: number } {
  const isDepth = (argument: Argument | undefined) => argument?.kind === 'word' && /^\d+$/.test(argument.text)
  const [first, second] = args
  const depthOf = (argument: Argument | undefined) =>
    argument === undefined ? DEFAULT_DEPTH : readInteger(argument, 1, MAX_DEPTH)
  if (first === undefined || isDepth(first)) {
    if (second !== undefined) refuseMoreThan(1, args)
    return { typed: undefined, depth: depthOf(first) }
  }
  const [typed = '', ...more] = parseSymbols(readText(first), first.column)
  if (more.length > 0) throw new LanguageError('bad-argument', 'a book shows one symbol', first.column)
  return { typed, depth: depthOf(second) }
}

function renderBook(market: Market, asks: readonly BookLevel[], bids: readonly BookLevel[]): string {
  const { symbol, amountUnit, base, quote } = market
  const unit = amountUnit === 'base' ? base : quote
  const columns = [
    { title: '' },
    { title: 'price', align: 'point' },
    { title: unit, align: 'point' },
    { title: 'total', align: 'point' },
  ] as const
  const rowsOf = (side: string, levels: readonly BookLevel[]) =>
    levels.map(([price, amount], index) => {
      const total = Decimal.sum(...levels.slice(0, index + 1).map((level) => level[1]))
      return [side, showPrice(price, market), showAmount(amount), showAmount(total)]
    })
  const rows = [...rowsOf('ask', asks).reverse(), ...rowsOf('bid', bids)]
  if (rows.length === 0) return `the book of ${symbol} is empty`
  return `${renderTable(columns, rows)}\n${describeSpread(market, asks[0]?.[0], bids[0]?.[0])}`
}

function describeSpread(market: Market, ask: string | undefined, bid: string | undefined): string {
  const { symbol } = market
  if (ask === undefined) return `${symbol}: no asks`
  if (bid === undefined) return `${symbol}: no bids`
  const spread = new Decimal(ask).minus(bid)
  const share = spread.div(new Decimal(ask).plus(bid).div(2)).times(100).toSignificantDigits(2)
  return `${symbol} spread ${showPrice(spread, market)} (${share.toFixed()}%)`
}

/** `0.0002` → `0.02%`. */
function percent(rate: string | undefined): string {
  if (rate === undefined) return ''
  return `${Number((Number(rate) * 100).toFixed(4))}%`
}

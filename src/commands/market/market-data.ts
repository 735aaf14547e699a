// `markets` and `price`: what can be traded and at what.

import type { Market, PriceGrid } from '../../exchange/market.ts'
import { parseSymbols } from '../../language/names.ts'
import { showAmount, showPrice } from '../../trading/figures.ts'
import { findMarket } from '../../trading/market-view.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { renderTable } from '../kit/lines.ts'
import { readText, refuseMoreThan } from '../kit/read-arguments.ts'
import { forEachItem } from '../kit/running.ts'

export const markets: SingleCommand = {
  name: 'markets',
  group: 'market',
  usage: '[filter]',
  summary: 'what can be traded, with tick, lot and smallest order',
  where: 'anywhere',
  rows: true,
  underPanic: true,
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
  summary: 'last, bid and ask',
  where: 'anywhere',
  rows: true,
  immediate: true,
  examples: [
    { line: 'price', meaning: 'of the symbol in focus' },
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
  const { symbol } = await findMarket(venue, typed)
  const ticker = await venue.fetchTicker(symbol)
  const { last, bid, ask } = ticker
  const text = `${symbol} ${showPrice(last)}  bid ${showPrice(bid)}  ask ${showPrice(ask)}`
  context.out.print(text, { type: 'ticker', ...ticker })
}

/** `0.0002` → `0.02%`. */
function percent(rate: string | undefined): string {
  if (rate === undefined) return ''
  return `${Number((Number(rate) * 100).toFixed(4))}%`
}

// All that rests on an account, trigger orders with the others, page after page.
import type { UnreadRow } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { type Order, symbolKey } from '../../exchange/order.ts'
import type { Params } from './ccxt-client.ts'
import { noteFired } from './fired-orders.ts'
import { type MarketBook, present, settlesOf } from './markets.ts'
import { listOf, readingOf, requireMarket, type VenueAccount, withKnown } from './order-lookup.ts'
import { type OrderReading, readRow } from './orders.ts'
import { askFirst } from './pacing.ts'
import { unreadRow } from './unread-rows.ts'

const MAX_PAGES = 50

export async function fetchOpenOrders(account: VenueAccount, symbol?: string): Promise<readonly Order[]> {
  const { profile, kind, connection } = account
  const ask = async (markets: MarketBook): Promise<readonly Order[]> => {
    const market = symbol === undefined ? undefined : requireMarket(markets, symbol)
    // Of a list of all symbols ccxt would leave out the rows without one, too.
    const asked = profile.openOrdersOfAllSymbols ? undefined : market
    const symbols = asked === undefined ? await symbolsToAsk(account, markets) : [asked.symbol]
    const triggers = profile.triggers(kind)
    const typed = profile.typedTriggers?.(kind)
    const ours = triggers === 'with-others' ? [] : (triggers.lists ?? [triggers.apart])
    const apart = typed === undefined ? ours : [...ours, typed.apart]
    // With a symbol one question is enough: the venue knows what it settles in.
    const usual =
      market === undefined
        ? profile.openOrdersScopes(kind, settlesOf(markets))
        : [profile.openOrdersScopes(kind, [])[0] ?? {}]
    const elsewhere = apart.flatMap((more) => usual.map((params) => ({ ...params, ...more })))
    const lists = await Promise.all([
      ...symbols.flatMap((each) => usual.map((params) => allPages(account, each, params))),
      // Where they are kept apart they are listed of all symbols at once.
      ...elsewhere.map((params) => allPages(account, asked?.symbol, params)),
    ])
    const reading = readingOf(account, markets)
    const rows = lists.flat().map((row) => readOpen(row, reading, account, asked?.market.symbol))
    account.unread.clear('order', asked?.market.symbol)
    for (const row of rows) if (row !== undefined && 'what' in row) account.unread.add(row)
    const orders = rows.flatMap((row) => (row === undefined || 'what' in row ? [] : [row]))
    const once = [...new Map(orders.map((order) => [symbolKey(order.symbol, order.id), order])).values()]
    return once.filter((order) => symbol === undefined || order.symbol === symbol).sort(byAge)
  }
  return askFirst(() => connection.ask(ask))
}

/** Undefined: of all symbols at once. @throws {ExchangeError} `not-supported` where the venue needs a symbol and nobody knows which */
async function symbolsToAsk(
  { client, profile, kind, connection }: VenueAccount,
  markets: MarketBook,
): Promise<readonly (string | undefined)[]> {
  if (!profile.openOrdersNeedSymbol(kind)) return [undefined]
  if (profile.symbolsWithOrders !== undefined) {
    const ask = profile.symbolsWithOrders
    return connection.nested(() => ask(client, markets))
  }
  throw new ExchangeError('not-supported', `${profile.name} lists orders of one symbol only`, { hint: 'name a symbol' })
}

async function allPages(
  { client, profile, connection }: VenueAccount,
  symbol: string | undefined,
  scope: Params,
): Promise<readonly unknown[]> {
  const { openOrdersPage: page } = profile
  const rows: unknown[] = []
  const seen = new Set<unknown>()
  let params = scope
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const batch = await connection.nested(async () =>
      listOf(await client.fetchOpenOrders(symbol, undefined, page?.size, params)),
    )
    // Some lists know no pages, and are the same again.
    const isSame = batch.every((row) => seen.has(idOf(row)))
    for (const row of batch) seen.add(idOf(row))
    if (!isSame) rows.push(...batch)
    const next = page === undefined || isSame || batch.length < page.size ? undefined : page.next(batch, count + 2)
    if (next === undefined) return rows
    params = { ...scope, ...next }
  }
  throw new ExchangeError('network', 'the venue lists more orders than can be read')
}

function idOf(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'id' in row ? row.id : row
}

/**
 * What is listed as open and is not of our markets, or has ended, is left out; what cannot be read is not: it may be an order of ours, and the
 * others are none the worse for it.
 */
function readOpen(
  row: unknown,
  reading: OrderReading,
  account: VenueAccount,
  asked: string | undefined,
): Order | UnreadRow | undefined {
  const { known } = account
  const order = readRow(row, reading)
  if (!('unread' in order)) {
    noteFired(account, row, order)
    return order.status === 'open' ? known.remember(withKnown(order, known)) : undefined
  }
  const found = unreadRow('order', row, reading.markets)
  return found === undefined
    ? undefined
    : { ...found, ...present({ symbol: found.symbol ?? asked }), why: order.unread }
}

function byAge(left: Order, right: Order): number {
  return left.timestamp - right.timestamp || (left.id < right.id ? -1 : 1)
}

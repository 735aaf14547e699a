// Fills as venues list them: page after page, in windows where a venue answers for so many days at a time. From when the list is whole is said
// with it, and a list that should be whole and is not is an error.
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { orderKey, type Trade, type TradeHistory, type TradeQuery } from '../../exchange/order.ts'
import type { CcxtClient, Params } from './ccxt-client.ts'
import { word } from './decimals.ts'
import { unreadRow } from './known-orders.ts'
import type { MarketBook, VenueMarket } from './markets.ts'
import { learnFired, listOf, readingOf, requireMarket, type VenueAccount } from './order-lookup.ts'
import { inOrder, readOrder, readTrade } from './orders.ts'
import type { VenueProfile } from './profile.ts'

const DAY_MS = 86_400_000
const DEFAULT_LIMIT = 50
const MAX_PAGES = 20
const MAX_WINDOWS = 110
/** Where no one says since when, and the venue answers for some days at a time. */
const LOOK_BACK_MS = 30 * DAY_MS
/** A venue whose clock is ahead of ours has fills of the next minute. */
const AHEAD_MS = 60_000

/** @throws {ExchangeError} `bad-symbol`, `network` where not all that was asked for can be read */
export async function fetchMyTrades(account: VenueAccount, query: TradeQuery): Promise<readonly Trade[]> {
  const { trades, isCut } = await readHistory(account, query)
  if (isCut) throw tooMany()
  return trades
}

/** @throws {ExchangeError} `bad-symbol` */
export async function fetchTradeHistory(account: VenueAccount, query: TradeQuery): Promise<TradeHistory> {
  const { trades, wholeSince } = await readHistory(account, query)
  return { trades, ...defined({ wholeSince }) }
}

async function readHistory(
  account: VenueAccount,
  { symbol, since, limit = DEFAULT_LIMIT }: TradeQuery,
): Promise<TradeHistory & { readonly isCut: boolean }> {
  const { causes, connection, known, fired } = account
  return connection.ask(async (markets) => {
    const market = requireMarket(markets, symbol)
    const list = await readList(account, market, since, Math.max(limit, 1))
    const read = readRows(account, list.rows, markets)
    await learnFired(account, market, read, (row) => readOrder(row, readingOf(account, markets)))
    await nameFired(account, market, read)
    const named = read.map((trade) => {
      const origin = fired.get(trade.orderId)
      const orderId = origin?.id ?? trade.orderId
      const clientOrderId =
        trade.clientOrderId ?? origin?.clientOrderId ?? known.find({ symbol, id: orderId })?.clientOrderId
      const cause = trade.cause ?? causes.get(orderKey(symbol, trade.orderId))
      return { ...trade, orderId, ...defined({ clientOrderId, cause }) }
    })
    const asked = named.filter((trade) => trade.symbol === symbol && (since === undefined || trade.timestamp >= since))
    const trades = inOrder(asked, limit)
    const isShort = list.isFull || new Set(asked.map(({ id }) => id)).size > limit
    const wholeSince = isShort ? trades[0]?.timestamp : list.wholeSince
    return { trades, isCut: list.isCut, ...defined({ wholeSince }) }
  })
}

/** What is a fill and cannot be read is set aside and named. */
function readRows(account: VenueAccount, rows: readonly unknown[], markets: MarketBook): readonly Trade[] {
  return rows.flatMap((row) => readFill(account, row, markets) ?? [])
}

/** @returns undefined for what fills nothing in this account's markets, and for what is set aside */
export function readFill(account: VenueAccount, row: unknown, markets: MarketBook): Trade | undefined {
  const { profile, unread } = account
  const info = fieldOf(row, 'info')
  if (isFields(info) && profile.isFill?.(info) === false) return undefined
  const trade = readTrade(row, readingOf(account, markets))
  const aside = trade === undefined ? unreadRow('fill', row, markets) : undefined
  if (aside !== undefined) unread.add(aside)
  return trade
}

const MOST_PLAIN = 5_000

/** Fills of an order that no one here has seen may be those of a trigger order that fired, maybe in another process. */
async function nameFired(account: VenueAccount, market: VenueMarket, trades: readonly Trade[]): Promise<void> {
  const { client, profile, kind, connection, known, fired, plain } = account
  const { symbol } = market.market
  if (profile.firedOrders === undefined) return
  const strange = trades.map(({ orderId }) => orderId).filter((id) => !fired.has(id) && !plain.has(id))
  const unseen = strange.filter((id) => known.find({ symbol, id }) === undefined)
  if (unseen.length === 0) return
  await nameForced(account, market)
  const found = await connection.nested(async () => profile.firedOrders?.(client, market, kind))
  for (const [id, { clientOrderId, ...order }] of found ?? []) {
    const ours = clientOrderId === undefined ? undefined : profile.clientOrderIds.fromVenue(clientOrderId)
    fired.set(id, { ...order, ...defined({ clientOrderId: ours }) })
  }
  if (plain.size > MOST_PLAIN) plain.clear()
  for (const id of unseen) if (!fired.has(id)) plain.add(id)
}

/** And of those, some may be orders that the venue made by itself. */
async function nameForced(account: VenueAccount, market: VenueMarket): Promise<void> {
  const { causes, client, profile, kind, connection } = account
  if (profile.venueOrders === undefined) return
  const found = await connection.nested(async () => profile.venueOrders?.(client, market, kind))
  if (causes.size > MOST_PLAIN) causes.clear()
  for (const [id, cause] of found ?? []) causes.set(orderKey(market.market.symbol, id), cause)
}

/** A list as it was read. */
interface List {
  readonly rows: readonly unknown[]
  /** There are as many as were asked for: older ones were not. */
  readonly isFull: boolean
  /** There are more than can be read. */
  readonly isCut: boolean
  /** ms since the epoch; absent: it is all that was asked for. */
  readonly wholeSince?: number
}

/** The newest window first: once there are as many fills as are wanted, older ones are not asked for. */
async function readList(
  account: VenueAccount,
  market: VenueMarket,
  since: number | undefined,
  limit: number,
): Promise<List> {
  const { profile, kind, now } = account
  const { ms: windowMs, needsEnd = false } = profile.tradesWindow(kind) ?? { ms: Number.POSITIVE_INFINITY }
  const begin = now()
  const oldest = oldestOf(account, since, windowMs, begin)
  const pages = new Pages(account, market, since ?? 0, limit)
  // The newest of all are what a list has that is not asked since when.
  const isPlain = since === undefined && !needsEnd && (profile.tradesNewestFirst || limit <= pages.most)
  let until = needsEnd ? begin + AHEAD_MS : begin
  for (let count = 0; count < MAX_WINDOWS && until > oldest && !pages.isDone; count += 1) {
    const isNewest = count === 0
    const from = Math.max(oldest, until - windowMs)
    await pages.read({ from: isNewest && isPlain ? undefined : from, until: isNewest && !needsEnd ? undefined : until })
    until = from
  }
  await readOlder(pages, profile, { from: oldest, until: begin + AHEAD_MS })
  await pages.readHandedOn({ from: oldest, until: begin + AHEAD_MS })
  if (pages.cutAt !== undefined) return { rows: pages.rows, isFull: false, isCut: true, wholeSince: pages.cutAt }
  if (pages.isFull) return { rows: pages.rows, isFull: true, isCut: false }
  const isWhole = until === 0 || (since !== undefined && until <= since)
  return { rows: pages.rows, isFull: false, isCut: until > oldest, ...(isWhole ? {} : { wholeSince: until }) }
}

/** What the venue keeps apart from its recent fills, where those are not enough. */
async function readOlder(pages: Pages, { tradesOlder }: VenueProfile, span: Span): Promise<void> {
  const { from = 0, until = 0 } = span
  if (tradesOlder === undefined || pages.isDone || from >= until - tradesOlder.ms) return
  pages.params = tradesOlder.params
  await pages.read(span)
}

/** From when on there may be fills that were asked for and are kept. */
function oldestOf({ profile, kind }: VenueAccount, since: number | undefined, windowMs: number, now: number): number {
  // Meanwhile the venue forgets on.
  const kept = now - (profile.tradesKeptMs(kind) ?? Number.POSITIVE_INFINITY) + AHEAD_MS
  const asked = since ?? (Number.isFinite(windowMs) ? now - LOOK_BACK_MS : 0)
  return Math.max(asked, kept, 0)
}

/** Either end may be left to the venue. */
interface Span {
  readonly from: number | undefined
  readonly until: number | undefined
}

class Pages {
  readonly rows: unknown[] = []
  /** So many rows are listed at once. */
  readonly most: number
  /** Which of a venue's lists is read, where it has two. */
  params: Params = {}
  /** From when it is whole, where there is more than can be read. */
  cutAt: number | undefined
  readonly #account: VenueAccount
  readonly #market: VenueMarket
  readonly #since: number
  readonly #limit: number
  readonly #seen = new Set<string>()
  #own = 0

  constructor(account: VenueAccount, market: VenueMarket, since: number, limit: number) {
    this.#account = account
    this.#market = market
    this.#since = since
    this.#limit = limit
    this.most = account.profile.tradesPerPage
  }

  get isFull(): boolean {
    return this.#own >= this.#limit
  }

  /** Nothing older is read. */
  get isDone(): boolean {
    return this.isFull || this.cutAt !== undefined
  }

  /** @throws {ExchangeError} `network` */
  async read(span: Span): Promise<void> {
    const { tradesNewestFirst } = this.#account.profile
    if (tradesNewestFirst || span.from === undefined) await this.#readBack(span)
    else await this.#readOn(span.from, span.until)
  }

  async readHandedOn(span: { readonly from: number; readonly until: number }): Promise<void> {
    const { client, connection, kind, profile } = this.#account
    if (profile.handedOn === undefined) return
    this.#keep(await connection.nested(async () => listOf(await profile.handedOn?.(client, this.#market, kind, span))))
  }

  async #readBack({ from, until }: Span): Promise<void> {
    const { tradesNewestFirst, tradesOfAllSymbols } = this.#account.profile
    const size = from === undefined && !tradesOfAllSymbols ? Math.min(this.#limit, this.most) : this.most
    let end = until
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const batch = await this.#ask(from, size, end)
      const times = timesOf(batch)
      const isNew = this.#keep(batch)
      if (batch.length < size || times.length === 0 || this.isFull) return
      const oldest = Math.min(...times)
      if (from !== undefined && oldest < from) return
      if (!isNew || !tradesNewestFirst) {
        this.cutAt = oldest
        return
      }
      end = oldest
    }
    this.cutAt = end
  }

  /** The oldest first: only once all pages were read the newest are among them. */
  async #readOn(start: number, until: number | undefined): Promise<void> {
    let from = start
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const batch = await this.#ask(from, this.most, until)
      const times = timesOf(batch)
      const isNew = this.#keep(batch)
      if (batch.length < this.most || times.length === 0) return
      const newest = Math.max(...times)
      if (until !== undefined && newest > until) return
      if (!isNew || newest < from) throw tooMany()
      from = newest
    }
    throw tooMany()
  }

  async #ask(from: number | undefined, size: number, until: number | undefined): Promise<readonly unknown[]> {
    const { client, connection, profile } = this.#account
    const before = until === undefined ? {} : profile.tradesBefore(until)
    const params = { ...profile.tradesParams, ...this.params, ...before }
    const symbol = profile.tradesOfAllSymbols ? undefined : this.#market.symbol
    return connection.nested(async () => listOf(await client.fetchMyTrades(symbol, from, size, params)))
  }

  /** @returns whether there was any that had not been read before */
  #keep(batch: readonly unknown[]): boolean {
    let isNew = false
    for (const row of batch) {
      const [symbol, id] = [word.parse(fieldOf(row, 'symbol')), word.parse(fieldOf(row, 'id'))]
      const key = orderKey(symbol ?? '', id ?? '')
      if (id !== undefined && this.#seen.has(key)) continue
      this.#seen.add(key)
      this.rows.push(row)
      isNew = true
      if (symbol === this.#market.symbol && Number(fieldOf(row, 'timestamp')) >= this.#since) this.#own += 1
    }
    return isNew
  }
}

/** ccxt leaves out of a list what has no time or no symbol: nothing of an answer goes missing before it was looked at. */
export function keepEveryTrade(client: CcxtClient): void {
  client.parseTrades = (rows, market) =>
    (Array.isArray(rows) ? rows : Object.values(rows ?? {})).map((info: unknown) => {
      try {
        return client.parseTrade(info, market)
      } catch {
        return { info, symbol: fieldOf(market, 'symbol') }
      }
    })
}

function tooMany(): ExchangeError {
  return new ExchangeError('network', 'the venue lists more fills than can be read', { hint: 'ask for fewer days' })
}

function timesOf(rows: readonly unknown[]): readonly number[] {
  return rows.map((row) => Number(fieldOf(row, 'timestamp') ?? Number.NaN)).filter((time) => Number.isFinite(time))
}

function fieldOf(row: unknown, name: string): unknown {
  return isFields(row) ? row[name] : undefined
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

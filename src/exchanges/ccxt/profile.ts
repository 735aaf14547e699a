// What differs between venues, as data: a file of `venues/` each, named in `profiles.ts`. What a profile leaves out is as in `default-profile.ts`.

import type { AccessReport, MarginSetting, WhenAttached } from '../../exchange/exchange.ts'
import type { ExchangeErrorCode } from '../../exchange/exchange-error.ts'
import type { MarketKind, PriceGrid } from '../../exchange/market.ts'
import type {
  Balance,
  FundingPayment,
  Order,
  OrderChange,
  OrderRef,
  OrderRequest,
  OrderStatus,
  OrderType,
  TimeInForce,
  VenueCause,
} from '../../exchange/order.ts'
import type { CcxtClient, Params } from './ccxt-client.ts'
import type { CcxtMarket, MarketBook, VenueMarket } from './markets.ts'
import type { OwnStreams } from './streams/own-streams.ts'
import type { WireExchange } from './wire-log.ts'

export type Environment = 'live' | 'demo'

/** The arguments of ccxt's `createOrder` that a venue wants for one of our orders. */
export interface OutgoingOrder {
  readonly type: string
  readonly price?: string
  readonly params: Params
}

export interface OrderContext {
  readonly client: CcxtClient
  readonly kind: MarketKind
  readonly market: VenueMarket
  /** The venue's form of the client order id. */
  readonly clientOrderId: string
  /** What the open position of the symbol was last seen in. */
  readonly marginMode?: 'cross' | 'isolated'
  /** The price now, for venues whose market orders are limit orders. */
  readonly last: () => Promise<string>
  /** What the symbol is set to, as it was last answered; asked behind the order where that is not new (`settings.ts`). */
  readonly setting: <T>(name: string, ask: () => Promise<T>) => Promise<T>
}

/** An order as it is to be. The amount is in the venue's units. */
export interface WantedOrder {
  readonly order: Order
  readonly amount: string
  /** What of it is new. */
  readonly change: OrderChange
}

/** The arguments of ccxt's `fetchOrder` and `cancelOrder`. */
export interface Reference {
  readonly id: string
  readonly params: Params
}

export interface VenueProfile {
  readonly id: string
  readonly name: string
  /** The class for each kind that is traded there. */
  readonly classes: Readonly<Partial<Record<MarketKind, string>>>
  readonly options: (kind: MarketKind) => Params
  /** ccxt's extra arguments of `loadMarkets`. */
  readonly marketsParams: Params
  /** How the place without real money is reached. */
  readonly demo: 'sandbox' | 'demo' | 'none'
  readonly clientOrderIds: ClientOrderIdForm
  readonly orderTypes: (kind: MarketKind) => readonly OrderType[]
  readonly timeInForce: (kind: MarketKind) => readonly TimeInForce[]
  /** Market orders are sent as limit orders that take, and their rows are those of such. */
  readonly marketIsLimit?: true
  /** An order of these that cannot fill is refused, and not taken and ended. */
  readonly refusesUnfilled?: (kind: MarketKind) => readonly TimeInForce[]
  readonly postOnly: boolean
  /** A resting order and a trigger order are changed in place, keeping their ids. */
  readonly editOrder: boolean
  /** Where it changes some types of orders only: which. */
  readonly editTypes?: (kind: MarketKind) => readonly OrderType[]
  /** `place` sends a `stop` with a `takeProfitPrice` as one order of the venue, and `hintsOf` says which rows are such. */
  readonly oco: (kind: MarketKind) => boolean
  /**
   * `place` sends the stop and the take-profit of an entry with it, and the venue places them, reduce-only and under ids of ours. Not where they get
   * none (Bybit knows its own by `parentOrderLinkId`; for Bitget and KuCoin no id was found in their documents): after a crash no question would tell ours from the trader's.
   */
  readonly attached: (kind: MarketKind) => WhenAttached | undefined
  readonly setLeverage: boolean
  readonly setMarginMode: boolean
  /** Each order says cross or isolated: one that said another than its position has would open a second one beside it. */
  readonly ordersNameMarginMode: boolean
  /** It is sent as text, not as a JSON number. */
  readonly leverageIsText: boolean
  /** ccxt's extra arguments of `setLeverage`. */
  readonly leverageParams: (
    marginMode: 'cross' | 'isolated' | undefined,
    client: CcxtClient,
    market: VenueMarket,
    leverage: string,
  ) => Params | Promise<Params>
  readonly place: (request: OrderRequest, context: OrderContext) => OutgoingOrder | Promise<OutgoingOrder>
  /** Sends a change where ccxt's `editOrder` does not do for such an order. @returns its row, with its id */
  readonly edit?: (wanted: WantedOrder, context: OrderContext) => (() => Promise<unknown>) | undefined
  /** ccxt's extra arguments of `editOrder`. */
  readonly editParams: (order: Order, context: OrderContext) => Params
  /** By our id where the venue's is not known; undefined where the venue cannot be asked by it. */
  readonly refer: (ref: OrderRef, venueId: string | undefined, context: RefContext) => Reference | undefined
  /**
   * A trigger order has no direction: it waits for its price from wherever last is. A stop that the price has passed on its way there would wait for
   * it to come back.
   */
  readonly triggersEitherWay: (kind: MarketKind) => boolean
  /** Trigger orders cannot be asked for one by one: they are looked for in the lists. */
  readonly triggersListedOnly: (kind: MarketKind) => boolean
  /** Where trigger orders are kept: with the others, or apart and asked for with these arguments. */
  readonly triggers: (
    kind: MarketKind,
  ) => 'with-others' | { readonly apart: Params; readonly lists?: readonly Params[] }
  /** Trigger orders that only a person places, kept apart from ours: what lists them, and what cancels such a one. */
  readonly typedTriggers?: (
    kind: MarketKind,
  ) => { readonly apart: Params; cancel(order: Pick<Order, 'type' | 'closesPosition'>): Params } | undefined
  /** The id of the order that a fired trigger order became, in its row; `''` where the row says that it has fired and not what it became. */
  readonly successorOf?: (row: unknown) => string | undefined
  /** Asks for what such a row leaves out. `failed`: the venue made no order of it. Undefined: it is not listed yet. */
  readonly askSuccessor?: (
    client: CcxtClient,
    row: unknown,
    market: VenueMarket,
    kind: MarketKind,
  ) => Promise<string | undefined>
  /** Of an order that a fired trigger order became, in its row: its own id; the row goes by the trigger order's. */
  readonly ownIdOf?: (row: unknown) => string | undefined
  /** Fills of such an order name neither the trigger order nor us: their order is asked for. */
  readonly asksOrdersOfFills: boolean
  /** A streamed fill as the venue's list has it, where the class tells it otherwise. */
  readonly streamedTrade?: (row: unknown) => unknown
  /** Trigger orders of a symbol that have fired, by the id of the order that each became, under the venue's names. */
  readonly firedOrders?: (
    client: CcxtClient,
    market: VenueMarket,
    kind: MarketKind,
  ) => Promise<ReadonlyMap<string, { readonly id: string; readonly clientOrderId?: string }>>
  /** Orders of a symbol that the venue made by itself, by id, where their fills do not say it. */
  readonly venueOrders?: (
    client: CcxtClient,
    market: VenueMarket,
    kind: MarketKind,
  ) => Promise<ReadonlyMap<string, VenueCause>>
  /** Venues that list open orders of one symbol only. */
  readonly openOrdersNeedSymbol: (kind: MarketKind) => boolean
  /** It lists them of all symbols, whichever is asked for. */
  readonly openOrdersOfAllSymbols: boolean
  /** Which symbols those are, in ccxt's words. */
  readonly symbolsWithOrders?: (client: CcxtClient, markets: MarketBook) => Promise<readonly string[]>
  /** How many it lists at once, and how page 2 and later ones are asked for. */
  readonly openOrdersPage?: { readonly size: number; next(rows: readonly unknown[], page: number): Params | undefined }
  /** One question each, where a venue answers for one settle currency or type of order at a time. */
  readonly openOrdersScopes: (kind: MarketKind, settles: readonly string[]) => readonly Params[]
  readonly positionsScopes: (kind: MarketKind, settles: readonly string[]) => readonly Params[]
  /** More positions than this are not listed at once: so many are not an answer. */
  readonly positionsPerPage?: number
  readonly balanceScopes: (kind: MarketKind, settles: readonly string[]) => readonly Params[]
  readonly tradesPerPage: number
  /** Fills are listed of all symbols only. */
  readonly tradesOfAllSymbols: boolean
  /** It answers for no more than this at a time, and `needsEnd`: for less where only its beginning is named. Undefined: for any time. */
  readonly tradesWindow: (kind: MarketKind) => { readonly ms: number; readonly needsEnd?: boolean } | undefined
  /** Older fills are not listed. Undefined: as far as is known, all are. */
  readonly tradesKeptMs: (kind: MarketKind) => number | undefined
  /** Fills from before so long ago are listed apart, and these arguments ask for them. Absent: one list has all. */
  readonly tradesOlder?: { readonly ms: number; readonly params: Params }
  /** ccxt's extra arguments of `fetchMyTrades`. */
  readonly tradesParams: Params
  /**
   * Fills that are in no list of fills, as ccxt's rows: of a position that the venue handed on or settled by itself. The id of each is that of its
   * order, which does not exist.
   */
  readonly handedOn?: (
    client: CcxtClient,
    market: VenueMarket,
    kind: MarketKind,
    span: { readonly from: number; readonly until: number },
  ) => Promise<readonly unknown[]>
  /** Rows of a list of fills that are none: funding is in some of them. */
  readonly isFill?: (info: Readonly<Record<string, unknown>>) => boolean
  /** What asks for the fills before a moment. */
  readonly tradesBefore: (ms: number) => Params
  /** How many ms of the venue's allowance may be used at once. */
  readonly burstMs: number
  /** A page of fills since a moment is the newest, not the oldest. */
  readonly tradesNewestFirst: boolean
  /** A venue's own rows of balances, where ccxt drops what we need; undefined: ccxt's. */
  readonly balances?: (info: unknown, kind: MarketKind) => readonly Balance[] | undefined
  /** Asked before the first order; for each symbol where the mode is a symbol's own. Undefined: the venue has no such thing, or does not say. */
  readonly positionMode: (
    client: CcxtClient,
    kind: MarketKind,
    market?: VenueMarket,
  ) => Promise<PositionMode | undefined>
  readonly isModeOfSymbol: boolean
  /** No one has looked: only what its class says that it can is used. */
  readonly isUnproven: boolean
  /** Requests are numbered, and one that overtakes another is refused. */
  readonly isOneAtATime: boolean
  /** What it is sent is not dated to the second. */
  readonly needsNoClock: boolean
  /** Once, before the first signed call: what ccxt would otherwise ask in the middle of an order, or guess when the question fails. */
  readonly prepare?: (client: CcxtClient, kind: MarketKind) => Promise<void>
  /** Right after the client was made: what ccxt adds that is not wanted. */
  readonly adjust?: (client: CcxtClient) => void
  /** The venue's rows of an order by our id, for venues whose class cannot ask by it. */
  readonly findByClientOrderId?: (
    client: CcxtClient,
    venueId: string,
    market: VenueMarket,
    kind: MarketKind,
  ) => Promise<unknown>
  /** The venue's rows of orders that ended, where ccxt's own list is not the one. @param scope as open ones are asked for */
  readonly listEnded?: (client: CcxtClient, market: VenueMarket, scope: Params) => Promise<unknown>
  /** Rows among which an order may be that the venue's question for one order no longer finds, or not yet. */
  readonly findEnded?: (
    client: CcxtClient,
    names: { readonly id?: string; readonly venueId?: string },
    market: VenueMarket,
    context: Pick<RefContext, 'kind' | 'isTrigger'>,
  ) => Promise<unknown>
  /**
   * For how long after its end an order is found by our id, in ms: by the venue's question, or in the lists that are asked for after it. Absent: for
   * months.
   */
  readonly findableMs?: (kind: MarketKind) => number | undefined
  /** Its orders do not say at what price they have filled: their fills do. */
  readonly averageInFills?: boolean
  /** An answer without an order in it says that there is none. */
  readonly answersNothing: boolean
  /** What the row's own word says has become of the order; undefined where it has none. Absent: as ccxt reads it. */
  readonly statusOf?: (info: Readonly<Record<string, unknown>>) => StatusMeaning | 'unlisted' | undefined
  /** Why the venue made or ended the order by itself, by the row's own markers. */
  readonly causeOf?: (info: Readonly<Record<string, unknown>>) => VenueCause | undefined
  /** What ccxt leaves out of an order's row. */
  readonly hintsOf?: (info: Readonly<Record<string, unknown>>) => OrderHints
  /** What ccxt leaves out of a fill's row. */
  readonly fillHintsOf?: (info: Readonly<Record<string, unknown>>, client: CcxtClient) => FillHints
  /** What a position's row says of its leverage, where ccxt reads it otherwise. */
  readonly leverageOf?: (info: Readonly<Record<string, unknown>>) => string | undefined
  /** The leverage of symbols whose positions do not say it. */
  readonly leverages?: (client: CcxtClient, kind: MarketKind) => Promise<ReadonlyMap<string, string>>
  /** How a symbol is margined, also without a position. @param mode what its position was last seen in */
  readonly margin?: (
    client: CcxtClient,
    market: VenueMarket,
    kind: MarketKind,
    mode: 'cross' | 'isolated' | undefined,
  ) => Promise<MarginSetting>
  /** What was paid and got for holding positions. */
  readonly funding?: {
    /** It answers for no more than this at a time. Absent: for any time. */
    readonly windowMs?: number
    readonly page: (
      client: CcxtClient,
      market: VenueMarket,
      kind: MarketKind,
      query: FundingQuery,
    ) => Promise<FundingPage>
  }
  /** A market buy there wants money to spend instead of an amount: it is sent as a limit order that fills at once or not at all. */
  readonly buysByCost: (kind: MarketKind) => boolean
  /** Asks what the keys are good for. Position mode is asked apart. */
  readonly access?: (client: CcxtClient, environment: Environment) => Promise<AccessReport>
  /** What its answers look like where they have an envelope; anything else is not an answer. */
  readonly isAnswer: (json: unknown, url: string) => boolean
  readonly codeOf: (json: unknown) => string | undefined
  readonly codes: Readonly<Record<string, ExchangeErrorCode>>
  /** What to do about a code, where its kind of error does not say. */
  readonly hints: Readonly<Record<string, string>>
  readonly unknownCodes: readonly string[]
  /** It refuses an order for a price or an amount that is off its grid: our markets are old. */
  readonly gridCodes: readonly string[]
  /** Statuses whose answers have no code of the venue's, where they mean something else than with most. */
  readonly statuses: Readonly<Record<number, { readonly code: ExchangeErrorCode; readonly retryAfterMs?: number }>>
  /** What a person should know who adds an account. */
  readonly remarks: readonly string[]
  /** Of leverage and margin mode: it is so already. */
  readonly unchangedCodes: readonly string[]
  readonly isRefusalCode: (code: string) => boolean
  readonly isQuestion: (exchange: WireExchange) => boolean
  readonly priceGridOf?: (market: CcxtMarket, kind: MarketKind) => PriceGrid | undefined
  readonly contractSizeOf?: (market: CcxtMarket) => string | undefined
  /** Own orders and fills by WebSocket; undefined: they are asked for. Each venue says what its rows lack. */
  readonly streams: (kind: MarketKind) => OwnStreams | undefined
  /** Before own orders and fills are subscribed to: what a subscription names. Called again before each attempt. */
  readonly prepareStreams?: (client: CcxtClient, kind: MarketKind) => Promise<void>
}

export interface FundingQuery {
  /** ms since the epoch, inclusive. */
  readonly from: number
  readonly until: number
  /** From the page before. */
  readonly cursor?: string
}

export interface FundingPage {
  readonly payments: readonly Omit<FundingPayment, 'symbol'>[]
  /** Where there is another. */
  readonly cursor?: string
}

export type PositionMode = 'one-way' | 'hedge'

/**
 * What a venue's word for the state of an order means. `triggered`: a trigger order is over and another order goes on in its place; one that goes
 * on under its own id is `open`.
 */
export type StatusMeaning = OrderStatus | 'triggered'

export interface OrderHints {
  /** The id it was placed under, where a trigger order that fires goes on under another. */
  readonly id?: string
  readonly type?: string
  readonly side?: Order['side']
  readonly amount?: unknown
  readonly filled?: unknown
  readonly price?: unknown
  readonly triggerPrice?: unknown
  readonly clientOrderId?: string
  /** What makes the row one that cannot be read. */
  readonly unread?: string
  readonly isTakeProfit?: boolean
  readonly takeProfitPrice?: unknown
  /** Its stop and take-profit prices are of orders that come once it fills. */
  readonly isAttached?: boolean
  /** The row is of a trigger alone, which has not become an order: its time in force is that of the order behind it. */
  readonly isTriggerAlone?: boolean
  /** It has no amount: it closes the whole position. */
  readonly closesPosition?: boolean
  /** A stop and a take-profit in one order. */
  readonly isPair?: boolean
  readonly reduceOnly?: boolean
}

export interface FillHints {
  readonly orderId?: string
  readonly clientOrderId?: string
  readonly realizedPnl?: string
  /** In the venue's units. */
  readonly amount?: unknown
  readonly fee?: unknown
  readonly cause?: VenueCause
}

interface RefContext {
  readonly kind: MarketKind
  readonly isTrigger: boolean
  /** It is canceled, not asked for. */
  readonly isCancel: boolean
}

// Our 32 hexadecimal characters in each venue's own form, and back. Every form holds all 128 bits, so an order found at the venue after a crash
// is known to be ours, and which of ours.

export interface ClientOrderIdForm {
  toVenue(id: string): string
  /** @returns undefined for an id that hookline did not make */
  fromVenue(id: string): string | undefined
}

const OURS = /^[0-9a-f]{32}$/

const whenOurs = (id: string): string | undefined => (OURS.test(id) ? id : undefined)

/** The characters as they are: 32 letters and digits. */
export const PLAIN: ClientOrderIdForm = { toVenue: (id) => id, fromVenue: (id) => whenOurs(id) }

/** 16 bytes as an Ethereum-like number. */
export const HEX: ClientOrderIdForm = {
  toVenue: (id) => `0x${id}`,
  fromVenue: (id) => (id.startsWith('0x') ? whenOurs(id.slice(2).toLowerCase()) : undefined),
}

/** With the dashes of a UUID, whatever the version bits say. */
export const UUID: ClientOrderIdForm = {
  toVenue: (id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  fromVenue: (id) =>
    /^.{8}-.{4}-.{4}-.{4}-.{12}$/.test(id) ? whenOurs(id.replaceAll('-', '').toLowerCase()) : undefined,
}

/** `t-` and 22 characters of base64: where there is room for 28 only. */
export const SHORT: ClientOrderIdForm = {
  toVenue: (id) => `t-${Buffer.from(id, 'hex').toString('base64url')}`,
  fromVenue: (id) => (/^t-[\w-]{22}$/.test(id) ? Buffer.from(id.slice(2), 'base64url').toString('hex') : undefined),
}

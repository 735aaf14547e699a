// What most venues of ccxt have in common, and what is taken of one that has no row of its own.
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { MarketKind } from '../../exchange/market.ts'
import type { OrderRef, OrderRequest } from '../../exchange/order.ts'
import type { CcxtClient, Params } from './ccxt-client.ts'
import {
  type OrderContext,
  type OutgoingOrder,
  PLAIN,
  type PositionMode,
  type Reference,
  type StatusMeaning,
  type VenueProfile,
} from './profile.ts'

const NONE: Params = {}

/**
 * How long after it was sent an order may still be taken, where an order can say so. Less than a lost one is waited for, and more than clocks are
 * usually off.
 */
export const ORDER_COMES_MS = 30_000

/** Until when an order that is made now may be taken, by the venue's clock as far as it is known. */
export function takenUntil(client: CcxtClient): number {
  const { timeDifference } = client.options
  return client.milliseconds() - (typeof timeDifference === 'number' ? timeDifference : 0) + ORDER_COMES_MS
}

/** What to do about a key that is right and is refused. */
export const KEY_HINTS = {
  address: "put this computer's address on the key's list at the venue",
  expired: 'the key has ended: make another at the venue',
  passphrase: 'check the passphrase of the key',
  rights: 'let the key trade, at the venue',
} as const

/** ccxt's unified words for one of our orders. */
export function placeUnified(request: OrderRequest, { clientOrderId }: OrderContext): OutgoingOrder {
  const { type, price, triggerPrice, reduceOnly, postOnly, timeInForce } = request
  const isLimit = type === 'limit' || type === 'stop-limit'
  return {
    type: isLimit ? 'limit' : 'market',
    ...defined({ price }),
    params: {
      clientOrderId,
      ...(reduceOnly === true ? { reduceOnly: true } : {}),
      ...(postOnly === true ? { postOnly: true } : {}),
      ...(type === 'limit' && postOnly !== true ? { timeInForce: (timeInForce ?? 'gtc').toUpperCase() } : {}),
      ...(triggerPrice === undefined
        ? {}
        : { [type === 'take-profit' ? 'takeProfitPrice' : 'triggerPrice']: triggerPrice }),
    },
  }
}

/** For venues where `GTC` is what is meant by nothing. */
export function placeWithoutGtc(request: OrderRequest, context: OrderContext): OutgoingOrder {
  const order = placeUnified(request, context)
  const { timeInForce, ...rest } = order.params
  return timeInForce === 'GTC' ? { ...order, params: rest } : order
}

/** Whether the trigger waits above the price: a buy stop and a sell take-profit do. */
export function waitsAbove({ type, side }: Pick<OrderRequest, 'type' | 'side'>): boolean {
  return (type === 'take-profit') === (side === 'sell')
}

/** By the venue's id where it is known, by ours as ccxt's `clientOrderId` elsewhere. */
export function referUnified({ id }: OrderRef, venueId: string | undefined): Reference | undefined {
  if (id !== undefined) return { id, params: NONE }
  return venueId === undefined ? undefined : { id: '', params: { clientOrderId: venueId } }
}

/** Only by the venue's own id: by ours it is searched for. */
function referById({ id }: OrderRef): Reference | undefined {
  return id === undefined ? undefined : { id, params: NONE }
}

export const isJson = (json: unknown): boolean => typeof json === 'object' && json !== null

/** Some venues take the time of a request for its number: no two may be the same. */
export function withRisingClock(client: CcxtClient): void {
  let last = 0
  client.milliseconds = () => {
    last = Math.max(Date.now(), last + 1)
    return last
  }
}

/** The field of an envelope that every answer of a venue has. */
export function hasField(...names: readonly string[]): (json: unknown) => boolean {
  return (json) => isJson(json) && names.some((name) => name in (json as object))
}

/** The code in one of the fields, as text. */
export function codeIn(...names: readonly string[]): (json: unknown) => string | undefined {
  return (json) => {
    if (!isJson(json)) return undefined
    const fields = json as Readonly<Record<string, unknown>>
    const found = names
      .map((name) => fields[name])
      .find((value) => typeof value === 'string' || typeof value === 'number')
    return found === undefined || found === '' ? undefined : String(found)
  }
}

/** A venue's words for the state of an order. */
export type StatusWords = Readonly<Record<string, StatusMeaning>>

/** What is meant by the first of the fields that says something. */
export function statusIn(words: StatusWords, ...fields: readonly string[]): NonNullable<VenueProfile['statusOf']> {
  return (info) => {
    const stated = fields.map((field) => info[field]).find((word) => isStated(word))
    return stated === undefined ? undefined : meaningOf(words, String(stated))
  }
}

export function meaningOf(words: StatusWords, word: string): StatusMeaning | 'unlisted' {
  return wordIn(words, word) ?? 'unlisted'
}

/** The entry of a word of the venue's. */
export function wordIn<T>(table: Readonly<Record<string, T>>, word: unknown): T | undefined {
  return typeof word === 'string' && Object.hasOwn(table, word) ? table[word] : undefined
}

function isStated(word: unknown): boolean {
  return typeof word === 'number' || (typeof word === 'string' && word !== '')
}

/** By ccxt's `fetchPositionMode`. */
export async function unifiedMode(client: CcxtClient): Promise<PositionMode> {
  const mode = await client.fetchPositionMode()
  const isHedged = isJson(mode) ? (mode as { readonly hedged?: unknown }).hedged : undefined
  if (typeof isHedged !== 'boolean') throw new ExchangeError('network', 'the venue does not report the position mode')
  return isHedged ? 'hedge' : 'one-way'
}

export const DEFAULT_PROFILE: Omit<VenueProfile, 'id' | 'name' | 'classes'> = {
  options: () => NONE,
  marketsParams: NONE,
  demo: 'sandbox',
  clientOrderIds: PLAIN,
  orderTypes: () => ['market', 'limit', 'stop', 'stop-limit', 'take-profit'],
  timeInForce: () => ['gtc', 'ioc', 'fok'],
  postOnly: true,
  editOrder: false,
  oco: () => false,
  attached: () => undefined,
  setLeverage: true,
  setMarginMode: false,
  ordersNameMarginMode: false,
  leverageIsText: false,
  leverageParams: () => NONE,
  place: placeUnified,
  editParams: ({ triggerPrice }) => (triggerPrice === undefined ? NONE : { triggerPrice }),
  refer: referById,
  triggersEitherWay: () => false,
  triggersListedOnly: () => false,
  triggers: () => 'with-others',
  openOrdersNeedSymbol: () => false,
  openOrdersOfAllSymbols: false,
  openOrdersScopes: () => [NONE],
  positionsScopes: () => [NONE],
  balanceScopes: () => [NONE],
  tradesPerPage: 100,
  tradesNewestFirst: false,
  tradesWindow: () => undefined,
  tradesKeptMs: () => undefined,
  tradesParams: NONE,
  positionMode: async () => undefined,
  isModeOfSymbol: false,
  needsNoClock: false,
  isOneAtATime: false,
  tradesOfAllSymbols: false,
  tradesBefore: (until) => ({ until }),
  isUnproven: false,
  answersNothing: false,
  asksOrdersOfFills: false,
  buysByCost: () => false,
  isAnswer: isJson,
  codeOf: codeIn('code', 'retCode', 'error_code'),
  codes: {},
  hints: {},
  unknownCodes: [],
  gridCodes: [],
  statuses: {},
  remarks: [],
  unchangedCodes: [],
  isRefusalCode: () => false,
  isQuestion: ({ request }) => request.method === 'GET',
  streams: () => undefined,
  burstMs: 3_000,
}

/**
 * A venue without a row of its own: as ccxt does, with the kinds that its class has, and nothing that some classes pass on to a venue that does not
 * know it. A stop would be a market order at once.
 */
export function unprovenProfile(id: string, name: string, kinds: readonly MarketKind[]): VenueProfile {
  const classes = Object.fromEntries(kinds.map((kind) => [kind, id]))
  return {
    ...DEFAULT_PROFILE,
    id,
    name,
    classes,
    options: optionsOf,
    isUnproven: true,
    orderTypes: () => ['market', 'limit'],
    timeInForce: () => ['gtc'],
    place: placeWithoutGtc,
    // Some venues take orders by GET: whatever left may have been one.
    isQuestion: () => false,
  }
}

/** Which of a venue's markets a class speaks of where it is not told a symbol. */
export function optionsOf(kind: MarketKind): Params {
  return kind === 'spot' ? { defaultType: 'spot' } : { defaultType: 'swap', defaultSubType: kind }
}

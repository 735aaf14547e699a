// What Binance's streams say otherwise than its answers: the last price and the best bid and ask come by two streams, and what an order or a
// fill is of has one letter each.
import type { VenueCause } from '../../../exchange/order.ts'
import type { CcxtClient } from '../ccxt-client.ts'
import { present } from '../markets.ts'
import type { FillHints, OrderHints } from '../profile.ts'

type Fields = Readonly<Record<string, unknown>>

/** The part of a class that streams prices. */
interface PriceStreams {
  watchTicker(symbol: string, params?: Fields): Promise<Fields>
  unWatchTicker(symbol: string, params?: Fields): Promise<unknown>
  watchBidsAsks(symbols: readonly string[]): Promise<Readonly<Record<string, Fields>>>
  unWatchBidsAsks(symbols: readonly string[]): Promise<unknown>
}

const LAST = { name: 'miniTicker' }
/** The best bid and ask of a busy market change hundreds of times a second: they are told this often. */
const PAUSE_MS = 200

interface Halves {
  last: Fields | undefined
  top: Fields | undefined
  waits: { last?: Promise<void>; top?: Promise<void> }
}

/** From now on the client's own `watchTicker` has all three prices. */
export function joinPrices(made: CcxtClient): void {
  const client = made as unknown as PriceStreams
  const watchLast = client.watchTicker.bind(client)
  const unWatchLast = client.unWatchTicker.bind(client)
  const known = new Map<string, Halves>()

  function wait(symbol: string, halves: Halves): readonly Promise<void>[] {
    const { waits } = halves
    const next = (half: 'last' | 'top', ask: () => Promise<Fields | undefined>): Promise<void> => {
      const asked = async () => {
        try {
          halves[half] = (await ask()) ?? halves[half]
        } finally {
          delete waits[half]
        }
      }
      waits[half] ??= asked()
      return waits[half]
    }
    return [
      next('last', () => watchLast(symbol, LAST)),
      next('top', async () => (await client.watchBidsAsks([symbol]))[symbol]),
    ]
  }

  client.watchTicker = async (symbol) => {
    const halves = known.get(symbol) ?? { last: undefined, top: undefined, waits: {} }
    // After the first time: what came meanwhile is told as one.
    if (known.has(symbol)) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref())
    known.set(symbol, halves)
    try {
      do await Promise.race(wait(symbol, halves).map(heard))
      while (halves.last === undefined || halves.top === undefined)
    } catch (error) {
      // What was known before a gap is not known after it.
      known.delete(symbol)
      throw error
    }
    const { bid, ask } = halves.top
    return { ...halves.last, bid, ask }
  }
  client.unWatchTicker = async (symbol) => {
    known.delete(symbol)
    await Promise.all([unWatchLast(symbol, LAST), client.unWatchBidsAsks([symbol])])
  }
}

/** Whichever fails second has nobody who waits for it. */
function heard(waiting: Promise<void>): Promise<void> {
  waiting.catch(() => {})
  return waiting
}

/** A trigger order that fires goes on as another, which names the one it comes from (`si`). */
function originOf({ si }: Fields): string | undefined {
  return si === undefined || Number(si) === 0 ? undefined : String(si)
}

/** ccxt says `market` or `limit` of a trigger order; answers name it in `orderType` or `origType`, streams in `o` or `ot`. */
export function orderHintsOf(info: Fields): OrderHints {
  const id = originOf(info)
  const { orderType, origType, ot, o } = info
  const isTakeProfit = [orderType, origType, ot, o].some(
    (type) => typeof type === 'string' && /^TAKE_PROFIT/.test(type),
  )
  return { ...(id === undefined ? {} : { id }), ...(isTakeProfit ? { isTakeProfit } : {}) }
}

export function fillHintsOf(info: Fields): FillHints {
  const { c, rp } = info
  const orderId = originOf(info)
  return {
    ...(orderId === undefined ? {} : { orderId }),
    ...(typeof c === 'string' && c !== '' ? { clientOrderId: c } : {}),
    ...(typeof rp === 'string' ? { realizedPnl: rp } : {}),
    ...present({ cause: causeOf(c) }),
  }
}

/** Names of orders that the venue makes by itself (Event: Order Update). */
export function causeOf(clientOrderId: unknown): VenueCause | undefined {
  if (typeof clientOrderId !== 'string') return undefined
  if (clientOrderId.startsWith('autoclose-')) return 'liquidation'
  if (clientOrderId.startsWith('adl_autoclose')) return 'deleveraging'
  return clientOrderId.startsWith('settlement_autoclose-') ? 'settlement' : undefined
}

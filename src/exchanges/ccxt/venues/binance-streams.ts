// What Binance's streams say otherwise than its answers: the last price and the best bid and ask come by two streams, and what an order or a
// fill is of has one letter each.
import * as z from 'zod/mini'
import type { CcxtClient } from '../ccxt-client.ts'
import { word } from '../decimals.ts'
import type { FillHints, OrderHints } from '../profile.ts'
import { joinPrices, withBidsAsks } from '../streams/joined-prices.ts'
import type { OwnStreams } from '../streams/own-streams.ts'

type Fields = Readonly<Record<string, unknown>>

/** The last price comes without the best bid and ask. */
export function joinLast(client: CcxtClient): void {
  joinPrices(client, withBidsAsks({ name: 'miniTicker' }))
}

/** Words of a conditional order that say nothing of what has filled: the order that it became says that. */
const FIRED: ReadonlySet<unknown> = new Set(['TRIGGERING', 'TRIGGERED', 'FINISHED'])

const algoUpdate = z.object({ info: z.looseObject({ aid: word, X: z.string() }) })

/** ccxt takes a conditional order that has fired for filled whole. */
function isFiredAlgo(row: unknown): boolean {
  const { info } = z.safeParse(algoUpdate, row).data ?? {}
  return info?.aid !== undefined && FIRED.has(info.X)
}

export const LINEAR_STREAMS: OwnStreams = {
  orders: [{ isHint: isFiredAlgo }],
  fills: [{}],
  triggers: 'streamed',
  isProven: true,
}

/** Of spot and of inverse contracts nothing has shown the rows: each says that its order has changed. */
export const HINT_STREAMS: OwnStreams = { orders: [{ isHint: true }], fills: [], triggers: 'streamed' }

const successor = z.object({ info: z.object({ actualOrderId: z.optional(word), ai: z.optional(word) }) })

/** `actualOrderId` in answers, `ai` in streams; nothing, or `0`, before it has fired. */
export function successorOf(row: unknown): string | undefined {
  const { actualOrderId, ai } = z.safeParse(successor, row).data?.info ?? {}
  return [actualOrderId, ai].find((id) => id !== undefined && id !== '' && id !== '0')
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
  }
}

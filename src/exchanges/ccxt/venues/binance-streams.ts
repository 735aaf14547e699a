// What Binance's streams say otherwise than its answers: the last price and the best bid and ask come by two streams, and what an order or a
// fill is of has one letter each.

import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import type { VenueCause } from '../../../exchange/order.ts'
import type { CcxtClient } from '../ccxt-client.ts'
import { idWord } from '../decimals.ts'
import type { FillHints, OrderHints } from '../profile.ts'
import { joinPrices, withBidsAsks } from '../streams/joined-prices.ts'
import type { OwnStreams } from '../streams/own-streams.ts'

type Fields = Readonly<Record<string, unknown>>

/** The last price comes without the best bid and ask. */
export function joinLast(client: CcxtClient): void {
  joinPrices(client, withBidsAsks({ name: 'miniTicker' }))
}

/** Words of a conditional order that say nothing of what has filled: the order that it became says that. */
export const FIRED: ReadonlySet<unknown> = new Set(['TRIGGERING', 'TRIGGERED', 'FINISHED'])

const algoUpdate = z.object({ info: z.looseObject({ aid: idWord, X: z.string() }) })

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
  const closesPosition = [info.closePosition, info.cp].some((value) => value === true || value === 'true')
  return {
    ...defined({ id }),
    ...(isTakeProfit ? { isTakeProfit } : {}),
    ...(closesPosition ? { closesPosition } : {}),
    // Of an algo order's event: what the order that it became has filled.
    ...(typeof info.aq === 'string' ? { filled: info.aq } : {}),
  }
}

/** Ids that the venue gives to orders of its own. */
export const OWN_IDS: readonly (readonly [start: string, cause: VenueCause])[] = [
  ['adl_autoclose', 'deleveraging'],
  ['autoclose-', 'liquidation'],
  ['settlement_autoclose-', 'settlement'],
  ['delivery_autoclose-', 'settlement'],
]

export function causeOf(info: Fields): VenueCause | undefined {
  const { c, clientOrderId = c, X, status = X, algoStatus, x } = info
  const own = OWN_IDS.find(([start]) => typeof clientOrderId === 'string' && clientOrderId.startsWith(start))
  if (own !== undefined) return own[1]
  if (status === 'NEW_ADL') return 'deleveraging'
  if (status === 'NEW_INSURANCE' || x === 'CALCULATED') return 'liquidation'
  if (status === 'EXPIRED_IN_MATCH') return 'self-trade'
  const isAlgo = algoStatus !== undefined || info.aid !== undefined
  return isAlgo && [algoStatus, status].includes('REJECTED') ? 'trigger-failed' : undefined
}

export function fillHintsOf(info: Fields): FillHints {
  const { c, rp } = info
  const orderId = originOf(info)
  return {
    ...defined({ orderId }),
    ...(typeof c === 'string' && c !== '' ? { clientOrderId: c } : {}),
    ...(typeof rp === 'string' ? { realizedPnl: rp } : {}),
    ...defined({ cause: causeOf({ c }) }),
  }
}

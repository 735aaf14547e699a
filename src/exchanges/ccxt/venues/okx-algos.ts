// Orders of OKX that wait for a price, `algo orders` there: what one leaves as, how it is changed, and what it becomes when it fires.
import * as z from 'zod/mini'
import type { MarketKind } from '../../../exchange/market.ts'
import type { OrderRequest } from '../../../exchange/order.ts'
import type { Params } from '../ccxt-client.ts'
import type { OrderContext, OrderHints, WantedOrder } from '../profile.ts'

/**
 * A contract's stop is `conditional`: only there may an order be reduce-only. ccxt would make such an order on spot one on margin: there it is a
 * `trigger`, which has one price to wait for.
 */
export function triggersOf({ type, triggerPrice, takeProfitPrice }: OrderRequest, kind: MarketKind): Params {
  if (kind === 'spot') return { triggerPrice, triggerPxType: 'last' }
  const profit = type === 'take-profit' ? triggerPrice : takeProfitPrice
  return {
    ...(type === 'take-profit' ? {} : { stopLossPrice: triggerPrice, slTriggerPxType: 'last' }),
    ...(profit === undefined ? {} : { takeProfitPrice: profit, tpTriggerPxType: 'last' }),
  }
}

/** `attachAlgoClOrdId` is the `algoClOrdId` of what the venue places then (Place order, `attachAlgoOrds`). */
export function attachedTo({ attached }: OrderRequest): readonly Params[] | undefined {
  return attached?.map(({ clientOrderId, type, triggerPrice, takeProfitPrice }) => {
    const profit = type === 'take-profit' ? triggerPrice : takeProfitPrice
    return {
      attachAlgoClOrdId: clientOrderId,
      ...(type === 'stop' ? { slTriggerPx: triggerPrice, slOrdPx: '-1', slTriggerPxType: 'last' } : {}),
      ...(profit === undefined ? {} : { tpTriggerPx: profit, tpOrdPx: '-1', tpTriggerPxType: 'last' }),
    }
  })
}

const amended = z.object({ data: z.array(z.object({ algoId: z.string() })) })

/** ccxt knows another type of order where stops are changed. */
export async function amendTrigger(wanted: WantedOrder, { client, kind, market }: OrderContext): Promise<unknown> {
  const { order, amount } = wanted
  const request = { instId: market.id, algoId: order.id, newSz: amount, ...newTermsOf(wanted, kind) }
  const answer = await client.request('trade/amend-algos', 'private', 'POST', request)
  return { id: z.parse(amended, answer).data[0]?.algoId }
}

/** Of an order with two triggers only what changes: one that a person placed may have a limit behind each. */
function newTermsOf({ order, change }: WantedOrder, kind: MarketKind): Params {
  const { type, triggerPrice, takeProfitPrice, price = '-1' } = order
  if (kind === 'spot') return { newTriggerPx: triggerPrice, newOrdPx: price, newTriggerPxType: 'last' }
  const stop = { newSlTriggerPx: triggerPrice, newSlOrdPx: price, newSlTriggerPxType: 'last' }
  const profitAt = (at: string | undefined, newTpOrdPx: string): Params => {
    return { newTpTriggerPx: at, newTpOrdPx, newTpTriggerPxType: 'last' }
  }
  if (type === 'take-profit') return profitAt(triggerPrice, price)
  if (takeProfitPrice === undefined) return stop
  return {
    ...(change.triggerPrice === undefined && change.price === undefined ? {} : stop),
    ...(change.takeProfitPrice === undefined ? {} : profitAt(takeProfitPrice, '-1')),
  }
}

/** An order that is none of those has prices of stops that come with it, once it fills. */
export function hintsOf(info: Readonly<Record<string, unknown>>): OrderHints {
  const { algoId, algoClOrdId, accFillSz, closeFraction, ordPx, ordType, orderPx, slOrdPx } = info
  return {
    ...(typeof algoClOrdId === 'string' && algoClOrdId !== '' ? { clientOrderId: algoClOrdId } : {}),
    ...(ordType === 'trigger' ? { type: [ordPx, orderPx].includes('-1') ? 'market' : 'limit' } : {}),
    ...(ordType === 'conditional' || ordType === 'oco' ? { price: slOrdPx, isPair: ordType === 'oco' } : {}),
    ...(closeFraction === '1' ? { closesPosition: true } : {}),
    ...(accFillSz !== undefined && (algoId === undefined || algoId === '') ? { isAttached: true } : {}),
  }
}

const fired = z.object({
  info: z.looseObject({
    algoId: z.string(),
    state: z.string(),
    ordId: z.optional(z.string()),
    ordIdList: z.optional(z.array(z.string())),
  }),
})

/** Of the states in which an order has been made of it, or a part of it: another part may have failed. */
export const FIRED: ReadonlySet<string> = new Set(['effective', 'partially_failed'])

export function firedAs(row: unknown): string | undefined {
  const { info } = fired.safeParse(row).data ?? {}
  if (info === undefined || !FIRED.has(info.state)) return undefined
  return info.ordIdList?.[0] ?? info.ordId ?? ''
}

/** The row of an order that says which algo order it was; the class goes by that one's id. */
const became = z.object({
  info: z.looseObject({ algoId: z.string().check(z.minLength(1)), ordId: z.string(), accFillSz: z.string() }),
})

export function ownIdOfFired(row: unknown): string | undefined {
  return became.safeParse(row).data?.info.ordId
}

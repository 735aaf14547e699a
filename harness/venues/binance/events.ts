// What the private stream says, and the rows that the REST answers are made of.
import { Decimal } from 'decimal.js'
import type { Account, AlgoOrder, Fill, VenueOrder } from './account.ts'
import type { Listed } from './symbols.ts'

export type Execution =
  | { readonly type: 'NEW' | 'CANCELED' | 'EXPIRED' | 'AMENDMENT' }
  | { readonly type: 'TRADE' | 'CALCULATED'; readonly fill: Fill }

export function priceText(price: Decimal, { tick }: Listed): string {
  return price.isZero() ? '0' : price.toFixed(new Decimal(tick).decimalPlaces())
}

export function amountText(amount: Decimal, { lot }: Listed): string {
  return amount.isZero() ? '0' : amount.toFixed(new Decimal(lot).decimalPlaces())
}

export function averageOf({ cost, filled }: Pick<VenueOrder, 'cost' | 'filled'>): string {
  return filled.isZero() ? '0.00000' : cost.div(filled).toFixed(8)
}

/** `ACK` says no more than that it has come. */
export function orderRow(order: VenueOrder, isAck = false): Record<string, unknown> {
  const { listed } = order
  const none = { avgPrice: '0.00', executedQty: '0', cumQty: '0', cumQuote: '0', status: 'NEW' }
  const cost = order.cost.toFixed(8)
  const executed = amountText(order.filled, listed)
  const state = {
    avgPrice: averageOf(order),
    executedQty: executed,
    cumQty: executed,
    cumQuote: cost,
    status: order.status,
  }
  return {
    orderId: order.id,
    symbol: listed.symbol,
    clientOrderId: order.clientId,
    price: priceText(order.price, listed),
    origQty: amountText(order.amount, listed),
    ...(isAck ? none : state),
    timeInForce: order.timeInForce,
    type: order.type,
    reduceOnly: order.reduceOnly,
    closePosition: false,
    side: order.side,
    positionSide: 'BOTH',
    stopPrice: '0',
    workingType: 'CONTRACT_PRICE',
    priceProtect: false,
    origType: order.originalType,
    priceMatch: 'NONE',
    selfTradePreventionMode: 'EXPIRE_MAKER',
    goodTillDate: 0,
    updateTime: order.updateTime,
  }
}

export function algoRow(algo: AlgoOrder): Record<string, unknown> {
  const { listed, child } = algo
  return {
    algoId: algo.id,
    clientAlgoId: algo.clientId,
    algoType: 'CONDITIONAL',
    orderType: algo.type,
    symbol: listed.symbol,
    side: algo.side,
    positionSide: 'BOTH',
    timeInForce: algo.timeInForce,
    quantity: amountText(algo.amount, listed),
    algoStatus: algo.status,
    actualOrderId: child === undefined ? '' : String(child.id),
    actualPrice: child === undefined ? '0.00000' : averageOf(child),
    triggerPrice: priceText(algo.trigger, listed),
    price: priceText(algo.price, listed),
    icebergQuantity: null,
    selfTradePreventionMode: 'EXPIRE_MAKER',
    workingType: 'CONTRACT_PRICE',
    priceMatch: 'NONE',
    closePosition: algo.closePosition,
    priceProtect: false,
    reduceOnly: algo.reduceOnly,
    createTime: algo.time,
    updateTime: algo.updateTime,
    triggerTime: algo.triggerTime,
    goodTillDate: 0,
  }
}

export function algoEvent(algo: AlgoOrder, time: number, why = ''): Record<string, unknown> {
  const { listed, child } = algo
  const o = {
    caid: algo.clientId,
    aid: algo.id,
    at: 'CONDITIONAL',
    o: algo.type,
    s: listed.symbol,
    S: algo.side,
    ps: 'BOTH',
    f: algo.timeInForce,
    q: amountText(algo.amount, listed),
    X: algo.status,
    ai: child === undefined ? '' : String(child.id),
    ap: child === undefined ? '0.00000' : averageOf(child),
    aq: child === undefined ? '0.00000' : amountText(child.filled, listed),
    act: child?.type ?? '0',
    tp: priceText(algo.trigger, listed),
    p: priceText(algo.price, listed),
    V: 'EXPIRE_MAKER',
    wt: 'CONTRACT_PRICE',
    pm: 'NONE',
    cp: algo.closePosition,
    pP: false,
    R: algo.reduceOnly,
    tt: algo.triggerTime,
    gtd: 0,
    rm: why,
  }
  return { e: 'ALGO_UPDATE', T: time, E: time, o }
}

/** A fill changes the account too, which is told first. */
export function orderEvent(account: Account, order: VenueOrder, execution: Execution, time: number) {
  const update = { e: 'ORDER_TRADE_UPDATE', E: time, T: order.updateTime, o: orderFields(order, execution) }
  return 'fill' in execution ? [accountEvent(account, order.listed, time, 'ORDER'), update] : [update]
}

function orderFields(order: VenueOrder, execution: Execution): Record<string, unknown> {
  const { listed } = order
  const fill = 'fill' in execution ? execution.fill : undefined
  const money = fill === undefined ? {} : { N: 'USDT', n: fill.fee.toFixed() }
  return {
    s: listed.symbol,
    c: order.clientId,
    S: order.side,
    o: order.type,
    f: order.timeInForce,
    q: amountText(order.amount, listed),
    p: priceText(order.price, listed),
    ap: averageOf(order),
    sp: order.algo === undefined ? '0' : priceText(order.algo.trigger, listed),
    x: execution.type,
    X: order.status,
    i: order.id,
    l: amountText(fill?.amount ?? new Decimal(0), listed),
    z: amountText(order.filled, listed),
    L: priceText(fill?.price ?? new Decimal(0), listed),
    ...money,
    T: order.updateTime,
    t: fill?.id ?? 0,
    b: '0',
    a: '0',
    m: fill?.isMaker ?? false,
    R: order.reduceOnly,
    wt: 'CONTRACT_PRICE',
    ot: order.originalType,
    ps: 'BOTH',
    cp: false,
    rp: fill?.realized.toFixed() ?? '0',
    pP: false,
    si: order.algo?.id ?? 0,
    ss: 0,
    V: 'EXPIRE_MAKER',
    pm: 'NONE',
    gtd: 0,
  }
}

export function accountEvent(account: Account, listed: Listed, time: number, reason: string): Record<string, unknown> {
  const { amount, entry } = account.held(listed.symbol)
  const wallet = account.wallet.toFixed(8)
  const mode = account.isolated.has(listed.symbol) ? 'isolated' : 'cross'
  const position = { s: listed.symbol, pa: amountText(amount, listed), ep: entry.toFixed(8), bep: entry.toFixed(8) }
  const money = { cr: '0', up: '0', mt: mode, iw: '0', ps: 'BOTH' }
  const B = [{ a: 'USDT', wb: wallet, cw: wallet, bc: '0' }]
  return { e: 'ACCOUNT_UPDATE', E: time, T: time, a: { m: reason, B, P: [{ ...position, ...money }] } }
}

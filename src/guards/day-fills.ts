// What the fills of one symbol made or lost on one day. Where the venue says so with each fill, that counts; elsewhere what was bought that
// day is set against what was sold that day at average cost, and nothing is said of what was held before.
import { Decimal } from 'decimal.js'
import type { Trade } from '../exchange/order.ts'

export interface SymbolFills {
  /** In what the market settles in; fees not taken off. */
  readonly pnl: Decimal
  /** By currency; `''` where the venue does not say which. */
  readonly fees: ReadonlyMap<string, Decimal>
  /** Bought less sold that day, and at what on average, where the venue does not say what a fill made. */
  readonly net: Decimal
  readonly cost: Decimal
  readonly lastPrice: string
}

const ZERO = new Decimal(0)
const NONE: SymbolFills = { pnl: ZERO, fees: new Map(), net: ZERO, cost: ZERO, lastPrice: '0' }

/** A line that a person has written may be anything. */
export function isReadable({ amount, price, fee, realizedPnl }: Trade): boolean {
  return [amount, price, fee ?? '0', realizedPnl ?? '0'].every(
    (text) => typeof text === 'string' && /^-?\d+(?:\.\d+)?$/.test(text),
  )
}

export function addFill(before: SymbolFills = NONE, trade: Trade): SymbolFills {
  const fees = trade.fee === undefined ? before.fees : withFee(before.fees, trade.feeCurrency ?? '', trade.fee)
  const known = { ...before, fees, lastPrice: trade.price }
  if (trade.realizedPnl !== undefined) return { ...known, pnl: before.pnl.plus(trade.realizedPnl) }
  const signed = new Decimal(trade.amount).times(trade.side === 'buy' ? 1 : -1)
  return { ...known, ...matched(before, signed, new Decimal(trade.price)) }
}

function matched({ pnl, net, cost }: SymbolFills, signed: Decimal, price: Decimal) {
  const next = net.plus(signed)
  if (net.isZero() || net.s === signed.s) {
    return { pnl, net: next, cost: net.abs().times(cost).plus(signed.abs().times(price)).div(next.abs()) }
  }
  const closed = Decimal.min(net.abs(), signed.abs())
  const made = price.minus(cost).times(closed).times(net.s)
  // What is left turned round: it began at this price.
  const isTurned = signed.abs().gt(net.abs())
  return { pnl: pnl.plus(made), net: next, cost: next.isZero() ? ZERO : isTurned ? price : cost }
}

function withFee(fees: ReadonlyMap<string, Decimal>, currency: string, fee: string): ReadonlyMap<string, Decimal> {
  return new Map(fees).set(currency, (fees.get(currency) ?? ZERO).plus(fee))
}

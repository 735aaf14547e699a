// What an account has lost since 00:00 UTC: what its fills in the order journal made, less their fees, and on request what its open positions
// have lost by now. What the venue closed by itself is in it; fills of other programs, and of times when no hookline followed the account, are not.
import { Decimal } from 'decimal.js'
import type { Market } from '../exchange/market.ts'
import type { Position } from '../exchange/order.ts'
import { isDollars } from '../trading/figures.ts'
import type { SymbolFills } from './day-fills.ts'

export interface LossInput {
  readonly fills: ReadonlyMap<string, SymbolFills>
  /** Absent: what they have lost does not count. */
  readonly positions?: readonly Position[]
  readonly market: (symbol: string) => Promise<Market | undefined>
  /** Dollars for one of the currency. */
  readonly rate: (currency: string) => Promise<Decimal | undefined>
}

export interface DayLoss {
  /** In dollars; zero and less: nothing was lost. */
  readonly lost: Decimal
  /** Currencies that no price was found for: they are not in it. */
  readonly without: readonly string[]
}

export async function lossOf({ fills, positions = [], market, rate }: LossInput): Promise<DayLoss> {
  const without = new Set<string>()
  let made = new Decimal(0)
  const add = async (amount: Decimal, currency: string, of?: { readonly market: Market; readonly price: string }) => {
    if (amount.isZero()) return
    // The symbol's own price does for its own coin, and asks nobody.
    const isBase = of !== undefined && currency === of.market.base && isDollars(of.market.quote)
    const dollars = isBase ? new Decimal(of.price) : await rate(currency)
    if (dollars === undefined) without.add(currency)
    else made = made.plus(amount.times(dollars))
  }
  for (const [symbol, { pnl, fees, lastPrice }] of fills) {
    const found = await market(symbol)
    const own = found?.settle ?? found?.quote ?? 'USD'
    const of = found === undefined ? undefined : { market: found, price: lastPrice }
    await add(pnl, own, of)
    for (const [currency, fee] of fees) await add(fee.neg(), currency === '' ? own : currency, of)
  }
  for (const { unrealizedPnl, settle } of positions) await add(new Decimal(unrealizedPnl ?? 0), settle)
  return { lost: made.neg(), without: [...without] }
}

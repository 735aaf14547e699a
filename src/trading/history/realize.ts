// What each execution realised: as the venue says, else by average cost of all executions before it.
import { defined } from '../../base/defined.ts'
import type { Market, MarketKind } from '../../exchange/market.ts'
import type { Trade } from '../../exchange/order.ts'
import { applyTrade, Exact, type Holding, NOTHING, release } from './average-cost.ts'
import type { Execution, Gap } from './executions.ts'

/** Further digits would say nothing, and rounding each execution once keeps every sum of them the same. */
const PNL_DECIMALS = 12

export interface RealizedExecution extends Execution {
  /** Before fees. Absent where nothing says what it was: the market is gone, or the coins were never seen to be bought. */
  readonly pnl?: string
  /** That of `pnl`. */
  readonly currency?: string
  /** What was held before and after it, as far as the executions tell; absent where the market is gone. */
  readonly before?: Holding
  readonly after?: Holding
}

interface Realized {
  /** Oldest first. */
  readonly executions: readonly RealizedExecution[]
  readonly holdings: ReadonlyMap<string, Holding>
  readonly gaps: readonly Gap[]
}

/** @param executions all there are, oldest first: what they add up to decides what the next one realises */
export function realize(executions: readonly Execution[], markets: readonly Market[]): Realized {
  const bySymbol = new Map(markets.map((market) => [market.symbol, market]))
  const holdings = new Map<string, Holding>()
  const unknown = new Map<string, Exact>()
  const gone = new Set<string>()
  const realized = executions.map((execution): RealizedExecution => {
    const { trade } = execution
    const market = bySymbol.get(trade.symbol)
    if (market === undefined) {
      gone.add(trade.symbol)
      return execution
    }
    const before = holdings.get(trade.symbol) ?? NOTHING
    const step = applyTrade(market.kind, before, trade)
    const after = withoutFee(step.after, market, trade)
    holdings.set(trade.symbol, after)
    const pnl = pnlOf(market.kind, trade, step)
    if (!step.unknown.isZero() && trade.realizedPnl === undefined) {
      unknown.set(trade.symbol, step.unknown.plus(unknown.get(trade.symbol) ?? 0))
    }
    return { ...execution, before, after, currency: currencyOf(market), ...defined({ pnl }) }
  })
  return { executions: realized, holdings, gaps: gapsOf(unknown, gone) }
}

/** What profits are counted in. */
function currencyOf({ settle, quote }: Market): string {
  return settle ?? quote
}

function pnlOf(kind: MarketKind, trade: Trade, step: ReturnType<typeof applyTrade>): string | undefined {
  if (kind !== 'spot' && trade.realizedPnl !== undefined) return trade.realizedPnl
  // None of it was seen to be bought.
  if (step.closed.isZero() && !step.unknown.isZero()) return undefined
  return step.pnl.toDecimalPlaces(PNL_DECIMALS).toFixed()
}

/** A fee in the coins that were bought is not held any more, and is counted as a fee. */
function withoutFee(holding: Holding, market: Market, { fee, feeCurrency }: Trade): Holding {
  const isOfCoins = market.kind === 'spot' && feeCurrency === market.base && fee !== undefined
  if (!isOfCoins) return holding
  return release(holding, Exact.min(new Exact(fee).abs(), holding.amount.abs()))
}

function gapsOf(unknown: ReadonlyMap<string, Exact>, gone: ReadonlySet<string>): readonly Gap[] {
  return [
    ...[...unknown].map(([symbol, amount]): Gap => ({ kind: 'cost-unknown', symbol, amount: amount.toFixed() })),
    ...[...gone].map((symbol): Gap => ({ kind: 'market-unknown', symbol })),
  ]
}

// What an account holds, from ccxt's balance or from the venue's own rows, where ccxt drops unrealised profit.

import * as z from 'zod/mini'
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Balance, Position } from '../../exchange/order.ts'
import { Decimal, figure, isPlainWord, isPositive, word } from './decimals.ts'
import { fromContracts, type MarketBook, notionalOf, type VenueMarket } from './markets.ts'
import { isFields } from './orders.ts'
import type { VenueProfile } from './profile.ts'

const amounts = z.object({ free: z.optional(figure), used: z.optional(figure), total: z.optional(figure) })

/** Fields of ccxt's balance beside the currencies. */
const NOT_CURRENCIES: ReadonlySet<string> = new Set(['info', 'free', 'used', 'total', 'debt', 'timestamp', 'datetime'])

/** Currencies of which there is any, by name. */
export function readBalances(balance: unknown): readonly Balance[] {
  if (typeof balance !== 'object' || balance === null) return []
  const rows = Object.entries(balance).flatMap(([currency, row]) => {
    if (NOT_CURRENCIES.has(currency) || !isPlainWord(currency)) return []
    const read = z.safeParse(amounts, row)
    return read.success ? [balanceOf(currency, read.data)] : []
  })
  return held(rows)
}

function balanceOf(currency: string, { free, used, total }: z.output<typeof amounts>): Balance {
  const whole = new Decimal(total ?? new Decimal(free ?? 0).plus(used ?? 0))
  const available = Decimal.max(free ?? whole.minus(used ?? 0), 0)
  const locked = Decimal.max(used ?? whole.minus(available), 0)
  const text = whole.toFixed()
  return { currency, wallet: text, total: text, used: locked.toFixed(), free: available.toFixed() }
}

/** What a venue tells of one currency of a contract account; what it leaves out follows from the others. */
interface ReportedBalance {
  readonly currency: string | undefined
  /** Without unrealised profit. */
  readonly wallet?: string | undefined
  /** With it. */
  readonly total?: string | undefined
  readonly unrealized?: string | undefined
  readonly used?: string | undefined
  readonly free?: string | undefined
}

/** @throws {ExchangeError} `network` where one does not say how much there is: an account without money says 0 */
export function contractBalances(rows: readonly ReportedBalance[]): readonly Balance[] {
  return held(rows.map(contractBalance))
}

function contractBalance({ currency, unrealized = '0', ...reported }: ReportedBalance): Balance {
  const { wallet = reported.total && new Decimal(reported.total).minus(unrealized).toFixed() } = reported
  if (wallet === undefined || currency === undefined) {
    throw new ExchangeError('network', 'the venue does not report the value of the account')
  }
  const { total = new Decimal(wallet).plus(unrealized).toFixed() } = reported
  const free = Decimal.max(reported.free ?? new Decimal(total).minus(reported.used ?? 0), 0)
  const used = Decimal.max(reported.used ?? new Decimal(total).minus(free), 0)
  return { currency, wallet, total, used: used.toFixed(), free: free.toFixed() }
}

export function held(rows: readonly Balance[]): readonly Balance[] {
  const any = rows.filter(({ total, wallet, used }) =>
    [total, wallet, used].some((each) => !new Decimal(each).isZero()),
  )
  return [...any].sort((left, right) => (left.currency < right.currency ? -1 : 1))
}

/** With the currencies that are always listed. */
export function withAlways(balances: readonly Balance[], always: readonly string[]): readonly Balance[] {
  const missing = always.filter((currency) => !balances.some((each) => each.currency === currency))
  const none = missing.map((currency) => ({ currency, wallet: '0', total: '0', used: '0', free: '0' }))
  return [...balances, ...none].sort((left, right) => (left.currency < right.currency ? -1 : 1))
}

// Open positions as ccxt returns them, as ours: one a symbol, without sign, never of nothing.

const ccxtPosition = z.object({
  symbol: z.string(),
  side: z.optional(word),
  contracts: z.optional(figure),
  entryPrice: z.optional(figure),
  markPrice: z.optional(figure),
  notional: z.optional(figure),
  unrealizedPnl: z.optional(figure),
  realizedPnl: z.optional(figure),
  leverage: z.optional(figure),
  marginMode: z.optional(word),
  liquidationPrice: z.optional(figure),
  info: z.optional(z.unknown()),
})
type CcxtPosition = z.output<typeof ccxtPosition>

/**
 * @throws {ExchangeError} `network` for a row that cannot be read: a position that is left out would read as flat; `wrong-account-mode` for two of
 * one symbol
 */
export function readPositions(
  rows: readonly unknown[],
  markets: MarketBook,
  leverageOf?: VenueProfile['leverageOf'],
): readonly Position[] {
  const positions = rows.flatMap((row) => {
    const read = z.safeParse(ccxtPosition, row)
    if (!read.success) throw unreadable()
    const market = markets.bySymbol(read.data.symbol)
    // Of another kind, or of a contract that is not traded here.
    if (market === undefined) return []
    const position = readPosition(read.data, market, leverageOf)
    return position === undefined ? [] : [position]
  })
  const symbols = new Set(positions.map(({ symbol }) => symbol))
  if (symbols.size < positions.length) {
    throw new ExchangeError('wrong-account-mode', 'the account holds a long and a short position of one symbol', {
      hint: 'switch the account to one-way mode at the venue',
    })
  }
  return positions.sort((left, right) => (left.symbol < right.symbol ? -1 : 1))
}

function readPosition(
  row: CcxtPosition,
  market: VenueMarket,
  leverageOf: VenueProfile['leverageOf'],
): Position | undefined {
  if (row.contracts === undefined || new Decimal(row.contracts).isZero()) return undefined
  const isShort = row.side === 'short' || (row.side !== 'long' && new Decimal(row.contracts).isNegative())
  const amount = fromContracts(new Decimal(row.contracts).abs().toFixed(), market)
  const { entryPrice } = row
  if (!isPositive(entryPrice)) throw unreadable()
  const markPrice = isPositive(row.markPrice) ? row.markPrice : undefined
  const { marginMode } = row
  return {
    symbol: market.market.symbol,
    side: isShort ? 'short' : 'long',
    amount,
    entryPrice,
    settle: market.market.settle ?? market.market.quote,
    notional: markPrice === undefined ? reportedWorth(row, amount, market) : notionalOf(amount, markPrice, market),
    ...(marginMode === 'cross' || marginMode === 'isolated' ? { marginMode } : {}),
    ...defined({
      markPrice,
      unrealizedPnl: row.unrealizedPnl,
      realizedPnl: row.realizedPnl,
      leverage: [row.leverage, isFields(row.info) ? leverageOf?.(row.info) : undefined].find(isPositive),
      liquidationPrice: isPositive(row.liquidationPrice) ? row.liquidationPrice : undefined,
    }),
  }
}

/** Where the venue tells no mark price it may tell what the position is worth. */
function reportedWorth({ notional, entryPrice }: CcxtPosition, amount: string, market: VenueMarket): string {
  const reported =
    market.market.amountUnit === 'base' && notional !== undefined ? new Decimal(notional).abs() : undefined
  return reported?.gt(0) === true ? reported.toFixed() : notionalOf(amount, entryPrice ?? '0', market)
}

function unreadable(): ExchangeError {
  return new ExchangeError('network', 'the venue listed a position that cannot be read', {
    hint: 'look at your positions at the venue',
  })
}

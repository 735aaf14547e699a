// Open positions as ccxt tells them, as ours: one a symbol, without sign, never of nothing.
import * as z from 'zod/mini'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Position } from '../../exchange/order.ts'
import { fromContracts, notionalOf } from './amounts.ts'
import { Decimal, figure, isPositive, word } from './decimals.ts'
import { type MarketBook, present, type VenueMarket } from './markets.ts'
import { isFields } from './orders.ts'
import type { VenueProfile } from './profile.ts'

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
    notional: markPrice === undefined ? toldWorth(row, amount, market) : notionalOf(amount, markPrice, market),
    ...(marginMode === 'cross' || marginMode === 'isolated' ? { marginMode } : {}),
    ...present({
      markPrice,
      unrealizedPnl: row.unrealizedPnl,
      realizedPnl: row.realizedPnl,
      leverage: [row.leverage, isFields(row.info) ? leverageOf?.(row.info) : undefined].find(isPositive),
      liquidationPrice: isPositive(row.liquidationPrice) ? row.liquidationPrice : undefined,
    }),
  }
}

/** Where the venue tells no mark price it may tell what the position is worth. */
function toldWorth({ notional, entryPrice }: CcxtPosition, amount: string, market: VenueMarket): string {
  const told = market.market.amountUnit === 'base' && notional !== undefined ? new Decimal(notional).abs() : undefined
  return told?.gt(0) === true ? told.toFixed() : notionalOf(amount, entryPrice ?? '0', market)
}

function unreadable(): ExchangeError {
  return new ExchangeError('network', 'the venue listed a position that cannot be read', {
    hint: 'look at your positions at the venue',
  })
}

// Candles as ccxt tells them, as ours: oldest first, the one that forms last.
import * as z from 'zod/mini'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Candle, CandleInterval } from '../../exchange/market.ts'
import type { CcxtClient } from './ccxt-client.ts'
import { figure, isPositive, moment } from './decimals.ts'
import type { VenueMarket } from './markets.ts'

const rows = z.array(z.unknown())

/** @throws {ExchangeError} `not-supported` */
export async function fetchCandles(
  client: CcxtClient,
  { symbol, contractSize, market }: VenueMarket,
  interval: CandleInterval,
  limit: number,
): Promise<readonly Candle[]> {
  if (client.fetchOHLCV === undefined || client.has.fetchOHLCV === false || client.timeframes?.[interval] === undefined)
    throw new ExchangeError('not-supported', `${client.id} has no candles of ${interval}`)
  const answer = z.safeParse(rows, await client.fetchOHLCV(symbol, interval, undefined, limit))
  if (!answer.success) throw new ExchangeError('unavailable', `there are no candles of ${market.symbol} now`)
  // Other venues count contracts of their own size.
  const isInBase = contractSize === '1' && market.amountUnit === 'base'
  return answer.data
    .flatMap((row) => candleOf(row, isInBase))
    .sort((a, b) => a.at - b.at)
    .slice(-limit)
}

function candleOf(row: unknown, isInBase: boolean): Candle[] {
  if (!Array.isArray(row)) return []
  const at = z.parse(moment, row[0])
  const [open, high, low, close, volume] = row.slice(1, 6).map((value: unknown) => z.parse(figure, value))
  if (at === undefined || !isPositive(open) || !isPositive(high) || !isPositive(low) || !isPositive(close)) return []
  return [{ at, open, high, low, close, ...(isInBase && volume !== undefined ? { volume } : {}) }]
}

// Candles of a market that is made here: its price looked at a few times in each. Between two looks it may have gone further than a candle says,
// so they are a picture, and nothing is filled or counted by them.

import { ExchangeError } from '../../exchange/exchange-error.ts'
import { CANDLE_MS, type Candle, type CandleInterval } from '../../exchange/market.ts'
import { decimal } from './decimal.ts'
import type { Quotes } from './market.ts'

const LOOKS = 6
/** So many are made without a pause. */
const AT_ONCE = 25

export interface CandlesAsked {
  readonly symbol: string
  readonly interval: CandleInterval
  /** The newest so many, the one that forms included. */
  readonly limit: number
  readonly now: number
}

/** @param at the market at a time @param pause lets others have their turn */
export async function sampledCandles(
  at: (ms: number) => { readonly quotes: Quotes },
  { symbol, interval, limit, now }: CandlesAsked,
  pause: () => Promise<void>,
): Promise<readonly Candle[]> {
  const length = CANDLE_MS[interval]
  const newest = Math.floor(now / length) * length
  const candles: Candle[] = []
  for (let index = 0; index < limit; index += 1) {
    const begin = newest - index * length
    const candle = begin < 0 ? undefined : sampled(at, symbol, begin, Math.min(begin + length - 1, now))
    // Before there was a price.
    if (candle === undefined) break
    candles.push(candle)
    if (index % AT_ONCE === AT_ONCE - 1) await pause()
  }
  return candles.reverse()
}

function sampled(
  at: (ms: number) => { readonly quotes: Quotes },
  symbol: string,
  begin: number,
  end: number,
): Candle | undefined {
  try {
    const step = (end - begin) / LOOKS
    const looks = Array.from({ length: LOOKS + 1 }, (_, look) => {
      return at(Math.round(begin + look * step)).quotes(symbol).last
    })
    const [open = ''] = looks
    const close = looks.at(-1) ?? open
    const high = looks.reduce((most, price) => (decimal(price).gt(most) ? price : most))
    const low = looks.reduce((least, price) => (decimal(price).lt(least) ? price : least))
    return { at: begin, open, high, low, close }
  } catch (error) {
    if (error instanceof ExchangeError) return undefined
    throw error
  }
}

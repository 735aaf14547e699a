// Prices of coins that move together: one factor that is the market's, and noise of each coin's own. As `random-walk.ts`, a function of seed,
// symbol and second: computed, never stored, the same bits in every engine.
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { decimal, decimalText } from './decimal.ts'
import type { PriceSource } from './market.ts'
import { findMarket, START_PRICES } from './markets.ts'
import { hashText, noise } from './noise.ts'
import { displacementAt, HOURLY_VOLATILITY } from './random-walk.ts'

interface Coin {
  /** Standard deviation of an hour's return. */
  readonly volatility: number
  /** Correlation with the market's factor. Between two coins it is the product of theirs. */
  readonly together: number
  /** From last to bid and ask, on average, in basis points. */
  readonly halfSpread: number
}

/** Small coins move more, follow the market less closely, and cost more to trade. */
const COINS: Readonly<Record<string, Coin>> = {
  BTCUSDT: { volatility: 0.005, together: 0.93, halfSpread: 0.1 },
  ETHUSDT: { volatility: 0.0065, together: 0.9, halfSpread: 0.15 },
  SOLUSDT: { volatility: 0.0085, together: 0.84, halfSpread: 0.7 },
  XRPUSDT: { volatility: 0.008, together: 0.76, halfSpread: 1.8 },
  DOGEUSDT: { volatility: 0.0095, together: 0.78, halfSpread: 1.2 },
  BNBUSDT: { volatility: 0.006, together: 0.82, halfSpread: 1.7 },
  ADAUSDT: { volatility: 0.0085, together: 0.82, halfSpread: 2.4 },
  AVAXUSDT: { volatility: 0.009, together: 0.82, halfSpread: 1.5 },
  LINKUSDT: { volatility: 0.0085, together: 0.82, halfSpread: 1.5 },
  LTCUSDT: { volatility: 0.0075, together: 0.78, halfSpread: 1.8 },
  DOTUSDT: { volatility: 0.008, together: 0.82, halfSpread: 2.5 },
  ARBUSDT: { volatility: 0.01, together: 0.8, halfSpread: 3 },
}

/** No price leaves its start price by more than this share of it. */
const BAND = 0.4

/**
 * @param seed any text; the same seed gives the same prices for ever
 * @returns prices that throw {ExchangeError} `bad-symbol` for a symbol that the offline market has not
 */
export function createJointWalk(seed: string): PriceSource {
  const marketKey = hashText(`${seed}/market`)
  const factor = remember((second) => displacementAt(marketKey, second))
  const walks = new Map(Object.entries(COINS).map(([symbol, coin]) => [symbol, walkOf(seed, symbol, coin, factor)]))
  function find(symbol: string): Walk {
    const walk = walks.get(symbol)
    if (walk === undefined) throw new ExchangeError('bad-symbol', `no start price for ${symbol}`)
    return walk
  }
  return {
    lastPrice: (symbol, atMs) => find(symbol).price(Math.floor(atMs / 1000)),
    halfSpread: (symbol, atMs) => find(symbol).halfSpread(Math.floor(atMs / 1000)),
  }
}

interface Walk {
  price(second: number): string
  /** In ticks. */
  halfSpread(second: number): number
}

function walkOf(seed: string, symbol: string, coin: Coin, factor: (second: number) => number): Walk {
  const { tick } = findMarket(symbol).priceGrid
  const startTicks = Number(START_PRICES[symbol]) / Number(tick)
  const [ownKey, spreadKey] = [hashText(`${seed}/${symbol}`), hashText(`${seed}/${symbol}/spread`)]
  const alone = Math.sqrt(1 - coin.together ** 2)
  const ticksAt = remember((second) => {
    const drift = coin.together * factor(second) + alone * displacementAt(ownKey, second)
    const scaled = drift * (coin.volatility / HOURLY_VOLATILITY)
    const kept = scaled / Math.sqrt(1 + (scaled / BAND) ** 2)
    return Math.max(1, Math.round(startTicks * (1 + kept)))
  })
  return {
    price: (second) => decimalText(decimal(tick).times(ticksAt(second))),
    halfSpread(second) {
      const average = (ticksAt(second) * coin.halfSpread) / 10_000
      return Math.max(1, Math.round(average * (1 + noise(spreadKey, second) / 2)))
    },
  }
}

/** The last answer, which is asked for again many times within its second. */
function remember(compute: (second: number) => number): (second: number) => number {
  let known: { readonly second: number; readonly value: number } | undefined
  return (second) => {
    if (known?.second !== second) known = { second, value: compute(second) }
    return known.value
  }
}

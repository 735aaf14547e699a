// Candles of a random walk, the same for the same seed.
import type { Bar } from '../../src/triggers/indicators.ts'

export function randomBars(count: number, seed: number, frameMs = 60_000, from = Date.UTC(2026, 0, 1)): Bar[] {
  let state = seed >>> 0 || 1
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const bars: Bar[] = []
  let close = 100
  for (let index = 0; index < count; index += 1) {
    const open = close
    close = Math.max(1, open * (1 + (random() - 0.5) / 50))
    const high = Math.max(open, close) * (1 + random() / 100)
    const low = Math.min(open, close) * (1 - random() / 100)
    bars.push({ at: from + index * frameMs, open, high, low, close, volume: 1 + random() * 10 })
  }
  return bars
}

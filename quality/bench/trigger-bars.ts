// Closed bars judged by the product's own evaluator: `triggers.mjs` bundles this and runs it.
// Usage: node <bundle> <conditions> <bars>; prints the time of each bar in ms, as JSON.
import { createEvaluator } from '../../src/triggers/evaluator.ts'
import type { Bar } from '../../src/triggers/indicators.ts'
import { parseTrigger } from '../../src/triggers/trigger.ts'

const MINUTE_MS = 60_000
const START = Date.UTC(2026, 0, 1)
/** Enough that each indicator has its values. */
const WARM_UP = 300

const [conditions, bars] = process.argv.slice(2)

/** As people write them: each with one to three indicators of its own. */
const TEMPLATES: readonly ((n: number) => string)[] = [
  (n) => `rsi(${5 + (n % 30)}, 1m) crosses above ${20 + (n % 60)}`,
  (n) => `close(1m) crosses above ema(${10 + (n % 150)}) and rsi(14) < ${40 + (n % 30)}`,
  (n) => `macd.histogram(12, 26, ${5 + (n % 9)}, 1m) > 0`,
  (n) => `close(1m) < bb.lower(${10 + (n % 40)}, 2) or close(1m) > bb.upper(${10 + (n % 40)}, 2)`,
  (n) => `close(1m) > highest(high, ${5 + (n % 100)})[1] and volume(1m) > sma(volume, 20)`,
  (n) => `atr(${7 + (n % 20)}, 1m) > ${n % 50} and change(${1 + (n % 10)}) < -0.2`,
]

function evaluated(count: number, bars: number): number[] {
  const all = Array.from({ length: count }, (_, index) => {
    const trigger = parseTrigger(TEMPLATES[index % TEMPLATES.length]?.(index) ?? '')
    if (trigger.kind !== 'condition') throw new Error('a condition is expected')
    const evaluator = createEvaluator(trigger.condition)
    return { evaluator, state: evaluator.initial() }
  })
  const times: number[] = []
  let edges = 0
  for (let index = 0; index < WARM_UP + bars; index += 1) {
    const price = 50_000 + 500 * Math.sin(index / 17) + 90 * Math.cos(index * 2.3)
    const bar: Bar = {
      at: START + index * MINUTE_MS,
      open: price - 5,
      high: price + 20,
      low: price - 20,
      close: price,
      volume: 5 + (index % 7),
    }
    const startedAt = performance.now()
    for (const { evaluator, state } of all) {
      evaluator.take(state, '1m', bar)
      if (evaluator.judge(state, {}, bar.at + MINUTE_MS).isEdge) edges += 1
    }
    if (index >= WARM_UP) times.push(performance.now() - startedAt)
  }
  if (edges === 0) throw new Error('nothing became so')
  return times
}

console.log(JSON.stringify(evaluated(Number(conditions), Number(bars))))

// The candles in examples/ are what their script makes, to the byte.
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CandleReader } from '../../src/exchanges/paper/candles.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const script = (await import(`${ROOT}/scripts/make-candles.mjs`)) as {
  readonly NAMES: readonly string[]
  makeCandles(name: string): string
}
const committed = (name: string): string => readFileSync(`${ROOT}/examples/candles/${name}.csv`, 'utf8')

function closes(name: string): readonly number[] {
  const reader = new CandleReader('0.1')
  for (const line of committed(name).split('\n')) reader.take(line)
  const { ticks, gaps } = reader.end()
  expect(gaps.count).toBe(0)
  return Array.from({ length: ticks.length / 4 }, (_, index) => (ticks[4 * index + 3] ?? 0) / 10)
}

describe('the candles to try a replay with', () => {
  it('are those that the script makes, and no others', () => {
    expect(readdirSync(`${ROOT}/examples/candles`).sort()).toEqual(script.NAMES.map((name) => `${name}.csv`).sort())
    for (const name of script.NAMES) expect(script.makeCandles(name), name).toBe(committed(name))
  })

  it('are what their names say', () => {
    const [crash, trend, chop] = ['crash', 'trend', 'chop'].map(closes)
    expect(Math.min(...(crash ?? []))).toBeLessThan(65_000 * 0.82)
    expect(trend?.at(-1)).toBeGreaterThan(65_000 * 1.08)
    expect(Math.max(...(chop ?? []))).toBeLessThan(65_000 * 1.02)
    expect(Math.min(...(chop ?? []))).toBeGreaterThan(65_000 * 0.98)
  })
})

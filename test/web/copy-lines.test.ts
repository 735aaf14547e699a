import { describe, expect, it } from 'vitest'
import { disableLine, linesToType, rowName } from '../../src/web/pages/copy/pairs.ts'

const row = (id: string, enabled: boolean) => ({
  id,
  enabled,
  masterAccount: 'paper',
  masterSymbol: 'BTCUSDT',
  masterWeight: 1,
  updatedAt: 1,
  copiers: [{ account: 'swing', weight: 0.5, mode: 'Market' }],
})
const copier = (state: string) => ({
  configId: 'a',
  account: 'swing',
  symbol: 'BTCUSDT',
  state,
  desired: '1',
  owned: '0',
})
const linesOf = (...about: Parameters<typeof linesToType>) => linesToType(...about).map(({ line }) => line)

describe('what the copy page says to type', () => {
  it('is how to begin, and how to turn on what is off', () => {
    expect(linesOf({ running: false, configs: [row('a', true), row('b', false)] })).toEqual([
      'cross-trade start',
      'cross-trade enable b',
    ])
  })

  it('is nothing while all copies, or where there is nothing to copy by', () => {
    expect(linesOf({ running: true, configs: [row('a', true)], copiers: [copier('in-step')] })).toEqual([])
    expect(linesOf({ running: false, configs: [] })).toEqual([])
  })

  it('wakes what paused itself', () => {
    expect(linesOf({ running: true, configs: [row('a', true)], copiers: [copier('paused')] })).toEqual([
      'cross-trade enable a',
    ])
  })

  it('names a row by who copies whom, and turns it off by its whole id', () => {
    expect(rowName(row('a', true))).toBe('paper BTCUSDT → swing')
    expect(disableLine(row('b1f2c3d4', true))).toBe('cross-trade disable b1f2c3d4')
  })
})

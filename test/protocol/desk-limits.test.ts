// What a page asks is bounded before anything is looked for.
import { describe, expect, it } from 'vitest'
import { decodeClientFrame } from '../../src/protocol/decode.ts'
import { WIRE_LIMITS } from '../../src/protocol/frames.ts'

const decode = (frame: object) => decodeClientFrame(JSON.stringify(frame))

describe('a question', () => {
  it.each([
    ['rows', { t: 'runs:query', id: 'a' }, 'limit', WIRE_LIMITS.pageRows],
    ['rows of fills', { t: 'fills:query', id: 'a' }, 'limit', WIRE_LIMITS.pageRows],
    [
      'minutes',
      { t: 'propose', id: 'a', line: 'buy 1', account: 'paper', reason: 'dip' },
      'untilMinutes',
      WIRE_LIMITS.proposalMinutes,
    ],
    ['orders', { t: 'orders:query', id: 'a' }, 'limit', WIRE_LIMITS.pageRows],
    ['points', { t: 'equity:query', id: 'a' }, 'points', WIRE_LIMITS.equityPoints],
  ])('asks for so many %s and no more', (_what, frame, field, most) => {
    expect(decode({ ...frame, [field]: most })).toMatchObject({ ok: true })
    for (const wrong of [most + 1, 0, -1, 1.5, '5']) expect(decode({ ...frame, [field]: wrong }).ok).toBe(false)
  })

  it('watches so many symbols and no more', () => {
    const ask = (count: number) => decode({ t: 'markets:query', id: 'a', symbols: Array(count).fill('BTCUSDT') }).ok
    expect([0, 1, WIRE_LIMITS.watchlist, WIRE_LIMITS.watchlist + 1].map(ask)).toEqual([false, true, true, false])
  })

  it('has a cursor and filters of a bounded length', () => {
    const ask = (cursor: string, text: string) => decode({ t: 'runs:query', id: 'a', cursor, filters: { text } }).ok
    expect(ask('c'.repeat(WIRE_LIMITS.cursorLength), 'f'.repeat(WIRE_LIMITS.filterLength))).toBe(true)
    expect(ask('c'.repeat(WIRE_LIMITS.cursorLength + 1), 'f')).toBe(false)
    expect(ask('c', 'f'.repeat(WIRE_LIMITS.filterLength + 1))).toBe(false)
  })

  it('has a reason of a bounded length', () => {
    const ask = (reason: string) => decode({ t: 'propose', id: 'a', line: 'buy 1', account: 'paper', reason }).ok
    expect(ask('r'.repeat(WIRE_LIMITS.reasonLength))).toBe(true)
    expect(ask('r'.repeat(WIRE_LIMITS.reasonLength + 1))).toBe(false)
    expect(ask('')).toBe(false)
  })

  it('drops filters that it does not know', () => {
    const decoded = decode({
      t: 'runs:query',
      id: 'a',
      filters: { __proto__: { x: 1 }, constructor: 1, source: 'web' },
    })
    expect(decoded).toEqual({ ok: true, frame: { t: 'runs:query', id: 'a', filters: { source: 'web' } } })
  })
})

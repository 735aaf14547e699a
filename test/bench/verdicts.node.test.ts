// What the bench says of what it measured: whether a claim holds, why not, and how a cost grew.
import { describe, expect, it } from 'vitest'
import {
  chooseGroups,
  countVerdicts,
  formatPanel,
  formatTable,
  frameSplitter,
  judge,
  linesOf,
  skip,
} from './bench-parts.mjs'

const got = (median: number) => ({ median, min: median / 2, max: median * 2 })

describe('a claim', () => {
  it.each([
    ['at least, above', { atLeast: 0.6 }, 0.7, 'holds'],
    ['at least, met', { atLeast: 0.6 }, 0.6, 'holds'],
    ['at least, below', { atLeast: 0.6 }, 0.59, 'short'],
    ['at most, below', { atMost: 2.5 }, 2.4, 'holds'],
    ['at most, above', { atMost: 2.5 }, 2.6, 'short'],
  ] as const)('is judged by its median: %s', (_, wanted, median, verdict) => {
    expect(judge('claim', wanted, got(median), 'details')).toMatchObject({ verdict, got: got(median) })
  })

  it('tells its reason only where it falls short', () => {
    expect(judge('claim', { atLeast: 1 }, got(0.5), '', 'because').reason).toBe('because')
    expect(judge('claim', { atLeast: 1 }, got(2), '', 'because')).not.toHaveProperty('reason')
  })

  it('that was skipped stands in the table with its reason, and is counted', () => {
    const rows = [
      judge('fast', { atLeast: 1 }, got(2), 'quick'),
      judge('small', { atMost: 1 }, got(20), 'large', 'too many parts'),
      skip('peer', { atLeast: 20 }, 'not installed'),
    ]
    expect(formatTable(rows).split('\n')).toEqual([
      'claim  wanted  got (min–max)     holds    medians  reason',
      'fast   ≥ 1     2.00 (1.00–4.00)  yes      quick',
      'small  ≤ 1     20 (10–40)        NO       large    too many parts',
      'peer   ≥ 20    –                 skipped           not installed',
    ])
    expect(countVerdicts(rows)).toBe('3 rows: 1 hold, 1 fall short, 1 skipped')
  })
})

describe('growth', () => {
  it('is set against the smallest size of the same round', () => {
    const [line] = linesOf([1, 10], {
      1: [{ fire: 10 }, { fire: 20 }, { fire: 40 }],
      10: [{ fire: 30 }, { fire: 40 }, { fire: 40 }],
    })
    expect(line?.points).toEqual([
      { size: 1, got: { median: 20, min: 10, max: 40 }, ratio: { median: 1, min: 1, max: 1 } },
      { size: 10, got: { median: 40, min: 30, max: 40 }, ratio: { median: 2, min: 1, max: 3 } },
    ])
  })

  it('says what happened where there is no figure, and in how many rounds', () => {
    const hungUp = { clock: 'hung up on' }
    const [line] = linesOf([1, 10, 100], {
      1: [{ clock: 1 }, { clock: 2 }],
      10: [hungUp, { clock: 8 }],
      100: [hungUp, hungUp],
    })
    const once = (value: number) => ({ median: value, min: value, max: value })
    expect(line?.points.slice(1)).toEqual([
      { size: 10, got: once(8), ratio: once(4), cut: 'hung up on (1 of 2 rounds)' },
      { size: 100, cut: 'hung up on (2 of 2 rounds)' },
    ])
    expect(() => linesOf([1], { 1: [hungUp] })).toThrow('clock, size 1: hung up on')
  })

  it('is a table with a line per size', () => {
    const lines = linesOf([1, 10_000], { 1: [{ fire: 10 }], 10000: [{ fire: 'cut off' }] })
    expect(formatPanel({ title: 'a fire', grows: 'hooks', unit: 'µs', lines, remark: 'so' }).split('\n')).toEqual([
      'a fire',
      'hooks   fire, µs (min–max)       × 1 (min–max)',
      '1       10 (10–10)               1.00 (1.00–1.00)',
      '10 000  cut off (1 of 1 rounds)',
      '(so)',
    ])
  })
})

describe('groups', () => {
  it('are chosen by name, `growth` for all that grow, and none for all', () => {
    const all = chooseGroups([])
    expect(chooseGroups(['exec'])).toEqual(['exec'])
    expect(chooseGroups(['growth', 'exec'])).toEqual(['exec', ...all.filter((name) => name.startsWith('growth-'))])
    expect(() => chooseGroups(['nope'])).toThrow('there is no group nope')
  })
})

describe('what a server sends', () => {
  const frame = (text: string): Buffer => {
    const length = Buffer.byteLength(text)
    const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
    head[0] = 0x81
    head[1] = head.length === 2 ? length : head.length === 4 ? 126 : 127
    if (head.length === 4) head.writeUInt16BE(length, 2)
    if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2)
    return Buffer.concat([head, Buffer.from(text)])
  }

  it.each([1, 7, 1_000, 1_000_000])(
    'is cut into its frames, short and long, however it comes: %i bytes at a time',
    (size) => {
      const texts = ['', 'a', 'b'.repeat(125), 'c'.repeat(126), 'd'.repeat(65_535), 'e'.repeat(65_536), 'f']
      const bytes = Buffer.concat(texts.map(frame))
      const cut: string[] = []
      const split = frameSplitter((text) => cut.push(text))
      for (let at = 0; at < bytes.length; at += size) split(bytes.subarray(at, at + size))
      expect(cut.map((text) => text.length)).toEqual(texts.map((text) => text.length))
      expect(cut).toEqual(texts)
    },
  )
})

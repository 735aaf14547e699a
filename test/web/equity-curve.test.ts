import { describe, expect, it } from 'vitest'
import { curveOf, gapsOf, piecesOf, ticksBetween, tickText } from '../../src/web/components/equity-curve.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOW = 1_790_000_000_000
const at = (...minutes: readonly number[]) => minutes.map((minute) => ({ at: NOW - HOUR + minute * MINUTE }))

describe('the equity curve', () => {
  it('tells how far below the last high each point is', () => {
    const falls = curveOf([
      [1, '100', '100'],
      [2, '80', '100'],
      [3, '200', '100'],
      [4, '150', '100'],
    ]).map(({ fall }) => fall)
    expect(falls).toEqual([0, 0.2, 0, 0.25])
  })

  it('has no fall of an account that was never worth anything', () => {
    expect(
      curveOf([
        [1, '0', '0'],
        [2, '-5', '0'],
      ]).map(({ fall }) => fall),
    ).toEqual([0, 0])
  })

  it('is broken where nothing was written down, and the gap is told', () => {
    const points = at(0, 1, 2, 30, 31)
    expect(piecesOf(points, NOW).map((piece) => piece.length)).toEqual([3, 2])
    expect(gapsOf(points, NOW)).toEqual([{ from: points[2]?.at, to: points[3]?.at }])
  })

  it('is whole where points are as far apart as all of them, or one an hour and old', () => {
    expect(piecesOf(at(0, 20, 40, 60), NOW)).toHaveLength(1)
    const old = [0, HOUR, 2 * HOUR, 2 * HOUR + MINUTE, 2 * HOUR + 2 * MINUTE, 2 * HOUR + 3 * MINUTE]
    expect(
      piecesOf(
        old.map((time) => ({ at: NOW - 30 * 24 * HOUR + time })),
        NOW,
      ),
    ).toHaveLength(1)
  })

  it('of one point, or none, is that', () => {
    expect(piecesOf([], NOW)).toEqual([])
    expect(piecesOf(at(3), NOW)).toEqual([at(3)])
    expect(gapsOf([], NOW)).toEqual([])
  })
})

describe('the lines behind it', () => {
  it('are at a few round values inside', () => {
    expect(ticksBetween(9_982, 10_021, 5)).toEqual([9_990, 10_000, 10_010, 10_020])
    expect(ticksBetween(5, 5, 5)).toEqual([5])
  })

  it('say as many digits as their distance needs', () => {
    expect(tickText(9_990, [9_990, 10_000])).toBe('9990')
    expect(tickText(0.25, [0.25, 0.3])).toBe('0.25')
  })
})

// The picture of what grows shows what was measured: every point, where a logarithmic axis puts it, and nothing that could break out
// of its text.
import { describe, expect, it } from 'vitest'
import type { Panel, Point } from '../../quality/bench/shapes.ts'
import { drawGrowth } from './bench-parts.mjs'

const spread = (median: number) => ({ median, min: median * 0.9, max: median * 1.2 })

function pointsOf(sizes: readonly number[], costs: readonly number[]): Point[] {
  return sizes.map((size, index) => {
    const cost = costs[index] ?? 0
    return { size, got: spread(cost), ratio: spread(cost / (costs[0] ?? 1)) }
  })
}

const FIRES: Panel = {
  title: 'a fire',
  grows: 'hooks',
  unit: 'µs',
  whole: true,
  lines: [{ name: 'fire', points: pointsOf([10, 1_000, 100_000], [20, 24, 31]) }],
}
const ACCOUNTS: Panel = {
  title: 'accounts',
  grows: 'accounts',
  unit: 'ms',
  lines: [
    { name: 'snapshot', points: pointsOf([1, 100, 10_000], [0.3, 0.6, 12]) },
    { name: 'mutation', points: pointsOf([1, 100, 10_000], [2, 4, 40]) },
  ],
}

interface Circle {
  readonly x: number
  readonly y: number
  readonly says: string
}

function circlesIn(svg: string): Circle[] {
  const found = svg.matchAll(/<circle class="point [^"]*" cx="([\d.]+)" cy="([\d.]+)" r="4"><title>([^<]*)<\/title>/g)
  return [...found].map(([, x, y, says = '']) => ({ x: Number(x), y: Number(y), says }))
}

describe('the picture', () => {
  it('has a point for every cost measured, with its figures', () => {
    expect(circlesIn(drawGrowth([FIRES, ACCOUNTS], 'here')).map(({ says }) => says)).toEqual([
      'fire, 10 hooks: 20 µs (18 µs to 24 µs)',
      'fire, 1k hooks: 24 µs (22 µs to 29 µs)',
      'fire, 100k hooks: 31 µs (28 µs to 37 µs)',
      'snapshot, 1 accounts: 300 µs (270 µs to 360 µs)',
      'snapshot, 100 accounts: 600 µs (540 µs to 720 µs)',
      'snapshot, 10k accounts: 12 ms (11 ms to 14 ms)',
      'mutation, 1 accounts: 2 ms (1.8 ms to 2.4 ms)',
      'mutation, 100 accounts: 4 ms (3.6 ms to 4.8 ms)',
      'mutation, 10k accounts: 40 ms (36 ms to 48 ms)',
    ])
  })

  it('puts equal factors at equal distances, more to the right and higher up', () => {
    const growing = { ...FIRES, lines: [{ name: 'fire', points: pointsOf([1, 10, 100, 1_000], [5, 10, 20, 40]) }] }
    const points = circlesIn(drawGrowth([growing], 'here'))
    const steps = points
      .slice(1)
      .map(({ x, y }, index) => ({ x: x - (points[index]?.x ?? 0), y: (points[index]?.y ?? 0) - y }))
    for (const step of steps) {
      expect(step.x).toBeGreaterThan(30)
      expect(step.x).toBeCloseTo(steps[0]?.x ?? 0, 0)
      expect(step.y).toBeGreaterThan(10)
      expect(step.y).toBeCloseTo(steps[0]?.y ?? 0, 0)
    }
  })

  it('shows a factor of ten at least, so that noise does not look like growth', () => {
    const flat = { ...FIRES, lines: [{ name: 'fire', points: pointsOf([10, 1_000], [24, 25]) }] }
    const [first, last] = circlesIn(drawGrowth([flat], 'here'))
    expect(Math.abs((first?.y ?? 0) - (last?.y ?? 0))).toBeLessThan(5)
  })

  it('labels sizes and costs with their units', () => {
    const journal: Panel = {
      title: 'a start',
      grows: 'journal',
      sizeUnit: 'MB',
      unit: 'ms',
      lines: [{ name: 'start', points: pointsOf([0, 2.5, 10], [60, 90, 200]) }],
    }
    const svg = drawGrowth([journal], 'here')
    for (const label of ['0 MB', '2.5 MB', '10 MB', '50 ms', '100 ms', '200 ms', 'journal']) {
      expect(svg).toContain(`>${label}</text>`)
    }
    expect(circlesIn(svg)).toHaveLength(3)
  })

  it('marks a size that could not be measured, and says why', () => {
    const points: Point[] = [...pointsOf([1, 10], [100, 20]), { size: 100, cut: 'hung up on with 1013' }]
    const svg = drawGrowth([{ ...FIRES, lines: [{ name: 'clock', points }] }], 'here')
    expect(circlesIn(svg)).toHaveLength(2)
    expect(svg).toContain('<title>clock, 100 hooks: hung up on with 1013</title>')
    expect(svg).toContain('cut off by a limit')
    expect(drawGrowth([FIRES], 'here')).not.toContain('cut off by a limit')
  })

  it('escapes all text', () => {
    const hostile = '<script>"&'
    const panel: Panel = {
      title: hostile,
      grows: hostile,
      unit: 'µs',
      sizeUnit: hostile,
      lines: [{ name: hostile, points: [...pointsOf([1, 10], [1, 2]), { size: 100, cut: hostile }] }],
    }
    const svg = drawGrowth([panel], hostile)
    expect(svg).not.toContain('<script')
    expect(svg.replaceAll(/&(amp|lt|gt|quot);/g, '')).not.toContain('&')
    expect(svg).toContain('&lt;script&gt;&quot;&amp;')
  })

  it('has a title, a description with every figure, a dark scheme, and nothing from elsewhere', () => {
    const svg = drawGrowth([FIRES], 'here')
    expect(svg).toMatch(/<svg [^>]*role="img" aria-labelledby="growth-title growth-figures"/)
    expect(/<desc id="growth-figures">([^<]*)</.exec(svg)?.[1]).toBe(
      'a fire. fire: 10 hooks 20 µs (18 µs to 24 µs), 1k hooks 24 µs (22 µs to 29 µs), 100k hooks 31 µs (28 µs to 37 µs).',
    )
    expect(svg).toContain('prefers-color-scheme: dark')
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|@import|NaN|undefined/)
  })
})

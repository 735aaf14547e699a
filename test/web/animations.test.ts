// An animation draws the page for each of its frames. The page of a quiet market is drawn as prices come, and no more often.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../src/web')
const FRAME_MS = 16

/** Of an `animation`: `300ms ease-out` lasts 300, `1ms 300ms` begins late and lasts 1. */
function durationOf(value: string): number {
  const [, figure = '0', unit] = /(?:^|\s)([\d.]+)(ms|s)\b/.exec(value) ?? []
  return Number(figure) * (unit === 's' ? 1_000 : 1)
}

it('no animation of the page lasts longer than one frame', () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'))
  const styles = files.map((file) => readFileSync(join(ROOT, file), 'utf8'))
  const animations = styles.flatMap((text) =>
    [...text.matchAll(/\banimation(?:-duration)?: ([^;]+);/g)].map(([, value = '']) => value),
  )
  expect(animations.length).toBeGreaterThan(1)
  expect(animations.filter((value) => durationOf(value) > FRAME_MS)).toEqual([])
})

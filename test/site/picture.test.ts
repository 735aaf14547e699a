// The moving picture of the README, as `npm run picture` has drawn it: of a bounded size, of twenty seconds, still for those who want no motion, and
// with nothing that is fetched or run.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const picture = readFileSync('docs/terminal.svg', 'utf8')

/** Without the bytes of the desk. */
const drawn = picture.replace(/href="data:image\/jpeg;base64,[^"]*"/, '')

it('is at most 200 kB, with the desk in it', () => {
  expect(picture.length).toBeLessThanOrEqual(200_000)
  expect(picture.length - drawn.length).toBeGreaterThan(20_000)
})

it('takes twenty seconds, and shows its last screen where motion is not wanted', () => {
  const [, ms] = /animation:(\d+)ms/.exec(drawn) ?? []
  expect(Number(ms)).toBeGreaterThan(18_000)
  expect(Number(ms)).toBeLessThan(22_000)
  expect(drawn).toContain('@media (prefers-reduced-motion:reduce){.s{animation:none}.last{visibility:visible}}')
  expect(drawn).toMatch(/<g class="s k\d+ last">[\s\S]*?\] &gt;/)
})

it('shows an order with its stop, a fire and an approved page', () => {
  expect(drawn).toMatch(/bought [\d.]+ BTCUSDT/)
  expect(drawn).toMatch(/order p2: stop sell/)
  expect(drawn).toMatch(/\[hook:dip\]<\/text><text[^>]*>bought/)
  expect(drawn).toContain('approved console in ')
})

it('fetches nothing, and runs nothing', () => {
  expect(drawn.match(/<script|on\w+=|href=|url\(|@import/g)).toBe(null)
})

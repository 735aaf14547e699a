// What the chart writes is on a canvas, out of reach of axe: its colours are read from the tokens and from the code that draws with them.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type ChartColours, MARK_COLOURS, styleOf, TOKENS } from '../../../src/web/pages/trade/chart/chart-drawing.ts'

const CSS = readFileSync(new URL('../../../src/web/style/tokens.css', import.meta.url), 'utf8')
const LEAST = 4.5
const LOOKS = ['long', 'short', 'stop', 'limit', 'draft', 'waiting', 'alert', 'liquidation', 'own'] as const

/** The later wins, as in the browser. */
function coloursOf(theme: 'light' | 'dark', contrast: 'usual' | 'more'): ChartColours {
  const [usual = '', more = ''] = CSS.split(':root[data-contrast="more"]')
  const text = contrast === 'more' ? usual + more : usual
  const found = new Map<string, string>()
  for (const [, name = '', light = '', dark = ''] of text.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g))
    found.set(name, theme === 'light' ? light : dark)
  return Object.fromEntries(TOKENS.map((token) => [token, found.get(token) ?? ''])) as ChartColours
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrastOf(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((one, other) => one - other)
  return (light + 0.05) / (dark + 0.05)
}

const THEMES = (['light', 'dark'] as const).flatMap((theme) => [[theme, 'usual'] as const, [theme, 'more'] as const])

describe.each(THEMES)('the chart in %s, contrast %s', (theme, contrast) => {
  const colours = coloursOf(theme, contrast)

  it('has every colour that it draws with', () => {
    for (const token of TOKENS) expect(colours[token], token).toMatch(/^#[0-9a-f]{6}$/)
  })

  it.each(LOOKS)('writes the price of a %s line in a colour that can be read', (look) => {
    expect(contrastOf(styleOf({ look }, colours).color, colours.surface)).toBeGreaterThanOrEqual(LEAST)
  })

  it('writes who ordered, and how a fire ended, in colours that can be read', () => {
    for (const [who, token] of MARK_COLOURS)
      expect(contrastOf(colours[token], colours.surface), who).toBeGreaterThanOrEqual(LEAST)
  })

  it('writes labels, axes and the last price in colours that can be read', () => {
    expect(contrastOf(colours.text, colours.surface)).toBeGreaterThanOrEqual(LEAST)
    expect(contrastOf(colours.muted, colours.surface)).toBeGreaterThanOrEqual(LEAST)
    // The library writes the last price in black or white, on the colour of its line.
    const onLast = ['#000000', '#ffffff'].map((each) => contrastOf(each, colours.muted))
    expect(Math.max(...onLast)).toBeGreaterThanOrEqual(LEAST)
  })
})

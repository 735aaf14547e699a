import xterm from '@xterm/headless'
import { describe, expect, it } from 'vitest'
import { cellWidth, cutCells, padCells } from '../../src/terminal/width.ts'

describe('cellWidth', () => {
  it.each([
    ['abc', 3],
    ['日本', 4],
    ['한국어', 6],
    ['ｆｕｌｌ', 8],
    ['e\u0301', 1],
    ['का', 2],
    ['🚀', 2],
    ['👍\ufe0f', 2],
    ['', 0],
  ])('counts the terminal cells of %j as %i', (text, width) => {
    expect(cellWidth(text)).toBe(width)
  })

  it.each([
    ['Latin, Greek and Cyrillic', 0x20, 0x482],
    ['Hangul syllables', 0xac00, 0xd7a3],
    ['kana', 0x3041, 0x30ff],
    ['Han', 0x4e00, 0x9fff],
    ['fullwidth forms', 0xff01, 0xffe6],
    ['rarer Han', 0x20000, 0x2a6df],
  ])('is what a terminal draws: %s', async (_name, first, last) => {
    const drawn = await drawnWidths(first, last)
    const wrong = [...drawn].filter(([character, width]) => cellWidth(character) !== width)
    expect(drawn.size).toBeGreaterThan(80)
    expect(wrong).toEqual([])
  })
})

describe('padCells', () => {
  it('fills up to cells, on the side that is asked for, and cuts nothing', () => {
    expect([padCells('日本', 6), padCells('日本', 6, 'right'), padCells('日本', 3)]).toEqual([
      '日本  ',
      '  日本',
      '日本',
    ])
  })
})

/** Of the assigned characters that print: where xterm.js leaves the cursor after an `x` and the character. */
async function drawnWidths(first: number, last: number): Promise<Map<string, number>> {
  const terminal = new xterm.Terminal({ cols: 10, rows: 1, allowProposedApi: true })
  const widths = new Map<string, number>()
  for (let code = first; code <= last; code++) {
    const character = String.fromCodePoint(code)
    if (/[\p{C}\p{Zl}\p{Zp}]/u.test(character)) continue
    terminal.write(`\rx${character}`, () => widths.set(character, terminal.buffer.active.cursorX - 1))
  }
  await new Promise<void>((resolve) => terminal.write('', resolve))
  terminal.dispose()
  return widths
}

describe('cutCells', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('cuts %j to %i cells: %j', (text, width, cut) => {
    expect(cutCells(text, width)).toBe(cut)
    expect(cellWidth(cut)).toBeLessThanOrEqual(width)
  })
})

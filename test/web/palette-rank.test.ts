import { describe, expect, it } from 'vitest'
import { lineId, rankOf } from '../../src/web/palette/palette.tsx'

type Entry = readonly [id: string, ...keywords: string[]]

const CLOSE: Entry = [lineId('close BTCUSDT'), 'Close the BTCUSDT long, 0.001', 'close BTCUSDT']
const HALF: Entry = [lineId('close BTCUSDT 50%'), 'Close half of BTCUSDT', 'close BTCUSDT 50%']
const READ: Entry = [lineId('positions'), 'Show positions', 'positions']
const PAGE: Entry = ['page journal', 'Journal', 'G J']
const HOOK: Entry = ['hook 7', 'dip', 'buy $500 BTCUSDT; stop at -2%']
const RUN: Entry = ['run 8', '12:00 dip', 'buy $50 BTCUSDT']
const ENTRIES = [CLOSE, HALF, READ, PAGE, HOOK, RUN]

/** What is shown, the first being what Enter takes. */
function found(typed: string): readonly string[] {
  const own: readonly Entry[] = typed.includes(' ') ? [[lineId(typed.trim()), typed, typed]] : []
  return [...own, ...ENTRIES]
    .map(([id, ...keywords]) => ({ id, rank: rankOf(id, typed, keywords) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .map(({ id }) => id)
}

describe('what Enter takes in the palette', () => {
  it.each([
    ['close the btc', lineId('close BTCUSDT')],
    ['close half', lineId('close BTCUSDT 50%')],
    ['show pos', lineId('positions')],
    ['buy $50', lineId('buy $50')],
    ['buy $500 BTCUSDT; stop at -2%', lineId('buy $500 BTCUSDT; stop at -2%')],
    ['journal', 'page journal'],
    ['dip', 'hook 7'],
  ])('of %s is %s', (typed, id) => {
    expect(found(typed)[0]).toBe(id)
  })

  it('is never a page, a hook or a run before the line as it was typed', () => {
    expect(found('buy $50').indexOf(lineId('buy $50'))).toBeLessThan(found('buy $50').indexOf('run 8'))
    expect(found('buy $50')).toContain('run 8')
  })
})

// What becomes of the line being typed: pasted text, lines typed before, and the keys of the terminal.
import { describe, expect, it } from 'vitest'
import { inputAction } from '../../src/web/terminal/input-line.tsx'
import {
  describeEnd,
  MAX_LENGTH,
  readPasted,
  runPasted,
  shownWhole,
  stopPasted,
  usePasteRun,
} from '../../src/web/terminal/paste.ts'
import { ghostOf, matching, NOT_RECALLING, recalled } from '../../src/web/terminal/typed-history.ts'

describe('pasted text', () => {
  it('of one line is the field’s, and of several is shown first, without the empty ones', () => {
    expect(readPasted('buy $1\n', 0)).toEqual({ kind: 'text' })
    expect(readPasted('buy $1\r\n\r\n\tstop at -2%\n', 0)).toEqual({
      kind: 'lines',
      lines: ['buy $1', ' stop at -2%'],
    })
  })

  it('that is too long is refused whole, with what is typed already counted', () => {
    expect(readPasted('x'.repeat(MAX_LENGTH), 0)).toEqual({ kind: 'text' })
    expect(readPasted('x'.repeat(MAX_LENGTH), 1)).toEqual({ kind: 'too-long', length: MAX_LENGTH + 1 })
    expect(readPasted(`a\n${'x'.repeat(MAX_LENGTH + 1)}`, 0)).toEqual({ kind: 'too-long', length: MAX_LENGTH + 1 })
  })
})

describe('pasted lines under way', () => {
  const runWith = (outcome: (line: string) => boolean) => {
    const ran: string[] = []
    const end = runPasted(['one', 'two', 'three'], (line) => {
      ran.push(line)
      return Promise.resolve(outcome(line))
    })
    return { ran, end }
  }

  it('run one after the other', async () => {
    const { ran, end } = runWith(() => true)
    expect([await end, ran]).toEqual([{ kind: 'done' }, ['one', 'two', 'three']])
    expect(usePasteRun.getState().run).toBeUndefined()
  })

  it('end with one that fails, and say how many were not run', async () => {
    const { ran, end } = runWith((line) => line === 'one')
    expect([await end, ran]).toEqual([{ kind: 'failed', left: 1 }, ['one', 'two']])
    expect(describeEnd(await end)).toBe('1 pasted line was not run: the one before failed')
  })

  it('end before the next once a person stops them', async () => {
    const { ran, end } = runWith((line) => {
      if (line === 'one') stopPasted()
      return true
    })
    expect([await end, ran]).toEqual([{ kind: 'stopped', left: 2 }, ['one']])
  })
})

describe('lines typed before', () => {
  const history = ['positions', 'buy $250 BTCUSDT stop -2%', 'positions']

  it('come one by one, and what was being typed comes back', () => {
    const first = recalled('bu', NOT_RECALLING, 1, history)
    expect(first?.text).toBe('positions')
    const second = recalled('positions', first?.recall ?? NOT_RECALLING, 1, history)
    expect(second?.text).toBe('buy $250 BTCUSDT stop -2%')
    const back = recalled('', { back: 1, draft: 'bu' }, -1, history)
    expect(back).toEqual({ text: 'bu', recall: { back: 0, draft: 'bu' } })
    expect(recalled('', { back: 3, draft: '' }, 1, history)).toBeUndefined()
    expect(recalled('', NOT_RECALLING, -1, history)).toBeUndefined()
  })

  it('are found by any piece, newest first and each once', () => {
    expect(matching(history, 'POS')).toEqual(['positions'])
    expect(matching(history, '')).toEqual(['positions', 'buy $250 BTCUSDT stop -2%'])
  })

  it('stand as a ghost behind their beginning', () => {
    expect(ghostOf('buy $250', history)).toBe(' BTCUSDT stop -2%')
    expect([ghostOf('', history), ghostOf('positions', history), ghostOf('sell', history)]).toEqual(['', '', ''])
  })
})

describe('a key in the terminal’s field', () => {
  const press = (key: string, modifiers: Partial<Parameters<typeof inputAction>[0]> = {}) =>
    inputAction({ key, ctrlKey: false, altKey: false, metaKey: false, shiftKey: false, ...modifiers })

  it('means what it means in a terminal, and otherwise what the browser makes of it', () => {
    expect([press('Enter'), press('Tab'), press('ArrowUp')]).toEqual(['enter', 'complete', 'older'])
    expect([press('r', { ctrlKey: true }), press('R', { ctrlKey: true })]).toEqual(['search', 'search'])
    expect([press('a'), press('v', { ctrlKey: true }), press('Tab', { shiftKey: true })]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('pasted lines in the question', () => {
  it('show what turns text round, and what cannot be seen, by its code', () => {
    expect(shownWhole('echo "\u202eohce ;\u2066 price\u200b\u0007"')).toBe(
      'echo "⟨U+202E⟩ohce ;⟨U+2066⟩ price⟨U+200B⟩⟨U+0007⟩"',
    )
    expect(shownWhole('buy $250 BTCUSDT; stop at -2%')).toBe('buy $250 BTCUSDT; stop at -2%')
  })
})

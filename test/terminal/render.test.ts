import { describe, expect, it } from 'vitest'
import { promptText } from '../../src/repl/prompt.ts'
import { mayColour, mirrorPrefix, renderLines } from '../../src/terminal/render.ts'

describe('the look of a line', () => {
  it.each([
    ['print', 'text'],
    ['success', '\u001b[32mtext\u001b[39m'],
    ['info', '\u001b[90mtext\u001b[39m'],
    ['warn', '\u001b[33mtext\u001b[39m'],
    ['error', '\u001b[31mtext\u001b[39m'],
  ] as const)('colours %s', (kind, expected) => {
    expect(renderLines(kind, 'text', { coloured: true })).toEqual([expected])
  })

  it.each([
    ['print', 'text'],
    ['success', 'text'],
    ['info', 'text'],
    ['warn', 'warning: text'],
    ['error', 'error: text'],
  ] as const)('says %s in words where it cannot colour', (kind, expected) => {
    expect(renderLines(kind, 'text', { coloured: false })).toEqual([expected])
  })

  it('prefixes every line and says the kind once', () => {
    const lines = renderLines('error', 'one\n  two\r\nthree', { coloured: false, prefix: '[hook:dip] ' })
    expect(lines).toEqual(['[hook:dip] error: one', '[hook:dip]   two', '[hook:dip] three'])
  })

  it('lets no control or bidi character of the text through, and keeps its columns', () => {
    const [line] = renderLines('print', '  a\u001b[2J\u001b]0;title\u0007b\u202ec\u009b31m', { coloured: true })
    expect(line).toBe('  a [2J ]0;title b c 31m')
  })

  it('cuts long lines', () => {
    expect(renderLines('print', 'x'.repeat(50), { coloured: false, maxLength: 10 })).toEqual([`${'x'.repeat(9)}…`])
  })

  it('names the hook or the web client, without what a terminal would obey', () => {
    expect(mirrorPrefix({ source: 'hook', origin: 'dip' })).toBe('[hook:dip] ')
    expect(mirrorPrefix({ source: 'hook', origin: 'dip' }, 'swing', 'paper')).toBe('[hook:dip on swing] ')
    expect(mirrorPrefix({ source: 'hook', origin: 'dip' }, 'swing', 'swing')).toBe('[hook:dip] ')
    expect(mirrorPrefix({ source: 'web', origin: 'my\u001b[31m laptop\n' })).toBe('[web:my [31m laptop ] ')
  })
})

it('shows the name of a hook whole, and cuts what a page calls itself', () => {
  const longest = '🎣'.repeat(64)
  expect(mirrorPrefix({ source: 'hook', origin: longest })).toBe(`[hook:${longest}] `)
  expect(mirrorPrefix({ source: 'hook', origin: 'n'.repeat(64) })).toBe(`[hook:${'n'.repeat(64)}] `)
  expect(mirrorPrefix({ source: 'hook', origin: 'n'.repeat(500) })).toBe(`[hook:${'n'.repeat(127)}…] `)
  expect(mirrorPrefix({ source: 'web', origin: 'n'.repeat(64) })).toBe(`[web:${'n'.repeat(39)}…] `)
})

describe('whether colours are shown', () => {
  it.each([
    ['a terminal', true, {}, true],
    ['a pipe', false, {}, false],
    ['NO_COLOR set', true, { NO_COLOR: '1' }, false],
    ['NO_COLOR empty', true, { NO_COLOR: '' }, true],
    ['a dumb terminal', true, { TERM: 'dumb' }, false],
  ])('%s', (_name, isTTY, env, expected) => {
    expect(mayColour({ isTTY }, env)).toBe(expected)
  })
})

describe('the prompt', () => {
  it.each([
    [{ account: 'paper', symbol: 'BTCUSDT', last: '65012.50' }, 'paper [BTCUSDT 65,012.5] > '],
    [{ account: 'paper', symbol: 'BTCUSDT', last: '0.00001234' }, 'paper [BTCUSDT 0.00001234] > '],
    [{ account: 'paper', symbol: 'BTCUSDT' }, 'paper [BTCUSDT] > '],
    [{ account: 'main', symbol: 'BTCUSDT', last: '65012.50', isStale: true }, 'main [BTCUSDT stale] > '],
    [{ account: 'a\u001b[2J', symbol: 'X' }, 'a [2J [X] > '],
  ])('%j', (state, expected) => {
    expect(promptText(state)).toBe(expected)
  })
})

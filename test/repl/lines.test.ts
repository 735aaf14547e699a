// What a typed line is before it runs: with or without a comment, at once or in its turn.
import { describe, expect, it } from 'vitest'
import { lookup } from '../../src/commands/catalogue.ts'
import { withoutComment } from '../../src/repl/comment.ts'
import { findLine } from '../../src/repl/history-search.ts'
import { isImmediateLine } from '../../src/repl/immediate.ts'
import { promptText } from '../../src/repl/prompt.ts'

describe('a comment', () => {
  it.each([
    ['# all of it', ''],
    ['   # all of it', '   '],
    ['price # the rest', 'price '],
    ['price;# the rest', 'price;'],
    ['echo a#b', 'echo a#b'],
    ['echo "a # b"', 'echo "a # b"'],
    ["echo 'a # b' # c", "echo 'a # b' "],
    ['alias x="a # b"', 'alias x="a # b"'],
    ["price # don't", 'price '],
    ['echo "unclosed # b', 'echo "unclosed # b'],
    ['price', 'price'],
  ])('%s', (line, expected) => {
    expect(withoutComment(line)).toBe(expected)
  })
})

describe('a line typed while another runs', () => {
  const aliases = () => ({
    panicking: 'cancel all; close all',
    deeper: 'panicking & status',
    entry: 'close; buy $100',
    around: 'around',
  })

  it.each([
    ['close', true],
    ['close all & cancel all; positions', true],
    ['CLOSE 50%', true],
    ['price', true],
    ['orders', true],
    ['runs', true],
    ['help buy', true],
    ['panicking', true],
    ['deeper', true],
    ['buy $100', false],
    ['close; buy $100', false],
    ['entry', false],
    ['around', false],
    ['repeat 3 (close)', false],
    ['hook list', false],
    ['clsoe', false],
    ['close "', false],
    ['', false],
  ])('%s runs at once: %s', (line, expected) => {
    expect(isImmediateLine(line, { lookup, aliases })).toBe(expected)
  })
})

describe('a search of the history', () => {
  const lines = ['buy $250', 'sell all', 'Buy $100']

  it.each([
    ['buy', 0, 1, 0],
    ['buy', 1, 1, 2],
    ['BUY', 2, -1, 2],
    ['sell', 2, -1, 1],
    ['sell', 2, 1, -1],
    ['', 0, 1, -1],
  ] as const)('for %j from %i in steps of %i', (query, from, step, expected) => {
    expect(findLine(lines, query, from, step)).toBe(expected)
  })
})

describe('the prompt of a busy terminal', () => {
  const state = { account: 'paper', symbol: 'BTCUSDT' }

  it.each([
    [{ running: 1, queued: 0 }, 80, 'paper [BTCUSDT] (1 running, Ctrl-C stops it) > '],
    [{ running: 2, queued: 3 }, 80, 'paper [BTCUSDT] (2 running, 3 queued, Ctrl-C stops them) > '],
    [{ running: 2, queued: 3 }, 78, 'paper [BTCUSDT] (2 running, 3 queued) > '],
    [{ running: 2, queued: 3 }, 50, 'paper [BTCUSDT] (2 running, 3 queued) > '],
    [{ running: 0, queued: 0 }, 80, 'paper [BTCUSDT] > '],
  ])('%j at %i columns', (counts, columns, expected) => {
    expect(promptText(state, counts, columns)).toBe(expected)
  })
})

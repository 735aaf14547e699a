// What a typed line is before it runs: with or without a comment, at once or in its turn.
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { lookup } from '../../src/commands/catalogue.ts'
import { withoutComment } from '../../src/repl/comment.ts'
import { findLine } from '../../src/repl/history-search.ts'
import { ordersTwice, overQuestion, type Urgency, urgencyOf } from '../../src/repl/immediate.ts'
import { promptText } from '../../src/repl/prompt.ts'
import { startRepl } from '../../src/repl/repl.ts'

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
    ['buy $250 stop -2% #breakout', 'buy $250 stop -2% #breakout'],
    ['buy $250 #a #b-2; close # done', 'buy $250 #a #b-2; close '],
    ['#breakout', ''],
    ['price;#rest', 'price;'],
    ['buy $250 #ä', 'buy $250 '],
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
    bare: 'stop at -2%',
  })

  it.each<[string, Urgency]>([
    ['price', 'at-once'],
    ['orders', 'at-once'],
    ['runs', 'at-once'],
    ['help buy', 'at-once'],
    ['panic', 'at-once'],
    ['halt', 'at-once'],
    ['nuke', 'at-once'],
    ['price; positions', 'at-once'],
    ['close', 'asks'],
    ['close all & cancel all; positions', 'asks'],
    ['CLOSE 50%', 'asks'],
    ['price || cancel', 'asks'],
    ['panicking', 'asks'],
    ['deeper', 'asks'],
    ['stop at -2%', 'protects'],
    ['take at +4%', 'protects'],
    ['move p1 to $entry', 'protects'],
    ['amend p1 at -1%', 'protects'],
    ['oco at +4% stop -2%', 'protects'],
    ['trail 1%', 'protects'],
    ['position flat', 'asks'],
    ['positions; stop at -2%', 'protects'],
    ['bare', 'protects'],
    ['buy $100', 'in-turn'],
    ['close; buy $100', 'in-turn'],
    ['stop at -2%; buy $100', 'in-turn'],
    ['price || buy $100', 'in-turn'],
    ['entry', 'in-turn'],
    ['around', 'in-turn'],
    ['repeat 3 (close)', 'in-turn'],
    ['hook list', 'in-turn'],
    ['clsoe', 'in-turn'],
    ['close "', 'in-turn'],
    ['', 'in-turn'],
  ])('%s: %s', (line, expected) => {
    expect(urgencyOf(line, { lookup, aliases })).toBe(expected)
  })
})

describe('a line typed over a question', () => {
  const aliases = () => ({ out: 'cancel all; close all', entry: 'close; buy $100' })

  it.each<[string, ReturnType<typeof overQuestion>]>([
    ['close', 'answers'],
    ['close 50% BTCUSDT', 'answers'],
    ['position flat', 'answers'],
    ['position flat BTCUSDT', 'answers'],
    ['position long $100 from flat', undefined],
    ['position flat long $100', undefined],
    ['cancel all', 'answers'],
    ['cancel; close', 'answers'],
    ['positions; close', 'answers'],
    ['nuke', 'answers'],
    ['panic', 'answers'],
    ['halt', 'answers'],
    ['kill all', 'answers'],
    ['runs stop --all', 'answers'],
    ['tasks cancel 1a2b3c4d', 'answers'],
    ['switch off remoteExec', 'answers'],
    ['out', 'answers'],
    ['stop at -2%', 'protects'],
    ['tp 5%', 'protects'],
    ['trail 1%', 'protects'],
    ['positions; stop at -2%', 'protects'],
    ['positions', 'looks'],
    ['orders', 'looks'],
    ['help buy', 'looks'],
    ['status', 'looks'],
    ['price; fills', 'looks'],
    ['account', 'looks'],
    ['account use paper', undefined],
    ['history', 'looks'],
    ['markets btc', 'looks'],
    ['entry', undefined],
    ['buy 0.01', undefined],
    ['close; buy 0.01', undefined],
    ['close || sell 0.01', undefined],
    ['stop at -2%; buy 0.01', undefined],
    ['repeat 2 (buy 0.01)', undefined],
    ['sleep 5s', undefined],
    ['flip', undefined],
    ['resume', undefined],
    ['clsoe', undefined],
    ['', undefined],
  ])('`%s`: %s', (line, expected) => {
    expect(overQuestion(line, { lookup, aliases })).toBe(expected)
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

describe('a line that is entered twice', () => {
  const aliases = () => ({ entry: 'close; buy $100', out: 'cancel all; close all' })

  it.each([
    ['buy $100', true],
    ['price; sell 0.01', true],
    ['entry', true],
    ['repeat 3 (buy $100)', true],
    ['close 50%', true],
    ['stop buy $250 at +100', true],
    ['close', false],
    ['out', false],
    ['cancel', false],
    ['positions', false],
    ['nuke', false],
    ['clsoe', false],
  ])('%s does more the second time: %s', (line, expected) => {
    expect(ordersTwice(line, { lookup, aliases })).toBe(expected)
  })
})

describe('the width of what is printed', () => {
  /** A repl fed by a pipe. @returns the width of its tables, and what it prints of a line of 60 cells */
  async function fed(output: { readonly isTTY?: boolean; readonly columns?: number }, json = false) {
    const input = new PassThrough()
    const written: string[] = []
    const sink = new Writable({ write: (chunk, _encoding, done) => done(void written.push(String(chunk))) })
    const repl = startRepl({
      input,
      output: Object.assign(sink, output),
      env: {},
      json,
      run: async () => ({ success: true }),
      addSink: () => () => {},
      completion: () => ({}) as never,
      promptState: () => ({}) as never,
      historyFile: '',
    })
    repl.print('info', Array(12).fill('word').join(' '))
    input.end()
    await repl.closed
    await repl.finish()
    return [repl.terminal.columns?.(), written.join('').trimEnd().split('\n').length]
  }

  it('is that of standard output where that is a terminal, wherever lines come from', async () => {
    expect(await fed({ isTTY: true, columns: 40 })).toEqual([40, 2])
  })

  it('is none where it is not one, does not say how wide it is, or is for data', async () => {
    expect(await fed({ columns: 40 })).toEqual([undefined, 1])
    expect(await fed({ isTTY: true, columns: 0 })).toEqual([undefined, 1])
    expect(await fed({ isTTY: true, columns: 40 }, true)).toEqual([undefined, 1])
  })
})

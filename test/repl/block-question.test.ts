// A question that one key answers: a command that is typed over it answers nothing, whatever letters are in it.
import { EventEmitter } from 'node:events'
import type { Key } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { askAboutBlock, dropRestOfAnswer, READING_MS } from '../../src/repl/block-question.ts'

interface Pressed {
  readonly answer: boolean | undefined
  readonly lines: readonly string[]
}

/** @param early pressed before the question could be read */
function press(keys: string, early = ''): Pressed {
  const input = new EventEmitter()
  let answer: boolean | undefined
  const lines: string[] = []
  askAboutBlock(
    input,
    (isYes) => {
      answer = isYes
    },
    (line) => lines.push(line),
  )
  const send = (text: string) => {
    if (answer === undefined) input.emit('keypress', text, keyOf(text))
  }
  for (const key of early) send(key)
  vi.advanceTimersByTime(READING_MS)
  for (const key of keys) send(key)
  return { answer, lines }
}

function keyOf(text: string): Key {
  const names: Record<string, string> = { '\r': 'return', '\u007f': 'backspace', '\u001b': 'escape' }
  return { sequence: text, name: names[text] ?? text, ctrl: false, meta: false, shift: false }
}

describe('a question that one key answers', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each<[string, Partial<Pressed>]>([
    ['y', { answer: true }],
    ['Y', { answer: true }],
    ['n', { answer: false }],
    ['\r', { answer: undefined, lines: [] }],
    ['\ry', { answer: true }],
    ['buy $100\r', { answer: undefined, lines: ['buy $100'] }],
    ['buy $100\ry', { answer: true, lines: ['buy $100'] }],
    ['clos\u007fse\r', { answer: undefined, lines: ['close'] }],
    ['positions\r', { answer: undefined, lines: ['positions'] }],
    ['buy', { answer: undefined }],
    ['b\u007fy', { answer: true }],
    ['buy\u001b', { answer: false }],
  ])('%j', (keys, outcome) => {
    expect(press(keys)).toMatchObject(outcome)
  })

  it.each<[string, string, Partial<Pressed>]>([
    ['bu', 'y', { answer: undefined }],
    ['bu', 'y $100\r', { answer: undefined, lines: ['buy $100'] }],
    ['y', 'y', { answer: true }],
    ['n', 'y', { answer: true }],
    ['y', '', { answer: undefined }],
  ])('%j before it can be read, then %j', (early, keys, outcome) => {
    expect(press(keys, early)).toMatchObject(outcome)
  })
})

describe('the rest of an answer', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** @returns the keys that come through to the line */
  function typeAfter(answer: 'y' | 'n', keys: string, laterMs = 0): string {
    const input = new EventEmitter()
    let typed = ''
    input.on('keypress', (text: string) => {
      typed += text
    })
    dropRestOfAnswer(input, answer === 'y', () => {})
    vi.advanceTimersByTime(laterMs)
    for (const key of keys) input.emit('keypress', key, keyOf(key))
    return typed
  }

  it.each([
    ['n', '\r', ''],
    ['n', '\r\r', '\r'],
    ['y', '\r', ''],
    ['y', 'es\r', ''],
    ['y', 'ES\r', ''],
    ['n', 'o\r', ''],
    ['n', 'orders\r', 'orders\r'],
    ['y', 'exit\r', 'exit\r'],
    ['y', 'e\r', 'e\r'],
    ['n', 'buy\r', 'buy\r'],
  ] as const)('after %j, of %j the line gets %j', (answer, keys, expected) => {
    expect(typeAfter(answer, keys)).toBe(expected)
  })

  it('is over after a second, but for Enter, which would run a line that was typed before', () => {
    expect(typeAfter('n', 'o\r', 1_001)).toBe('o\r')
    expect(typeAfter('n', '\r', 60_000)).toBe('')
  })
})

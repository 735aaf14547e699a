// A question that one key answers: a command that is typed over it answers nothing, whatever letters are in it.
import { EventEmitter } from 'node:events'
import type { Key } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { askAboutBlock, READING_MS } from '../../src/repl/block-question.ts'

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
    const names: Record<string, string> = { '\r': 'return', '\u007f': 'backspace', '\u001b': 'escape' }
    const key: Key = { sequence: text, name: names[text] ?? text, ctrl: false, meta: false, shift: false }
    if (answer === undefined) input.emit('keypress', text, key)
  }
  for (const key of early) send(key)
  vi.advanceTimersByTime(READING_MS)
  for (const key of keys) send(key)
  return { answer, lines }
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

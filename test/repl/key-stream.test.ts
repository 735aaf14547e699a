// What comes through to a question: one key at a time, and pieces of a line that cannot be its answer.
import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { KeyStream } from '../../src/repl/key-stream.ts'

/** @param asking what holds while the chunks come @returns what comes through, and how often something was taken for a paste */
async function through(asking: 'no' | 'key' | 'line', chunks: readonly string[]) {
  const input = new PassThrough()
  let pastes = 0
  const pieces: string[] = []
  const keys = new KeyStream({
    input,
    onBlock: () => {},
    onTooLong: () => {},
    onPieceOverQuestion: (text) => pieces.push(text),
    onPastedOverQuestion: () => {
      pastes += 1
    },
  })
  let read = ''
  keys.on('data', (text: string) => {
    read += text
  })
  keys.asking = asking
  for (const chunk of chunks) {
    input.write(chunk)
    await new Promise(setImmediate)
  }
  keys.close()
  return { read, pastes, ...(pieces.length === 0 ? {} : { pieces }) }
}

describe('over a question', () => {
  it.each<[readonly string[], string, number]>([
    [['p', 'a', 'nic\r'], 'panic\r', 0],
    [['panic\r'], 'panic\r', 0],
    [['pa', 'nic\r'], 'panic\r', 0],
    [['y'], 'y', 0],
    [['yes\r'], 'y', 0],
    [['Y\r'], 'y', 0],
    [['y\r'], 'y', 0],
    [['yes\rbuy 1\r'], '', 1],
    [['y\ry\r'], '', 1],
    [['yes'], '', 0],
    [['yes', '\r'], 'y', 0],
    [['no', '\r'], 'n', 0],
    [['yes', '\u007f', '\r'], '\u007f\r', 0],
    [['yes', ' buy 1\r'], ' buy 1\r', 0],
    [['y $100\r'], '', 1],
    [['bu', 'y\r'], 'buy\r', 0],
    [['\u001b[200~y\r\u001b[201~'], '', 1],
    [['n\r'], 'n', 0],
    [['no\r'], 'n', 0],
    [['NO\r'], 'n', 0],
    [['n\ry\r'], '', 1],
    [['bo', 'n\r'], 'bon\r', 0],
    [['y', 'yes\r'], 'y', 1],
    [['n', 'y\r'], 'n', 1],
    [['p', '\u007f', 'yes\r'], 'p\u007fy', 0],
    [['p', '\r', 'yes\r'], 'p\ry', 0],
    [['buy\ry\r'], '', 1],
    [['b\u007fy'], '', 1],
    [['\u001b[200~panic\u001b[201~'], '', 1],
  ])('of %j comes through %j', async (chunks, read, pastes) => {
    expect(await through('line', chunks)).toEqual({ read, pastes })
  })
})

describe('a line that begins with the letter of an answer', () => {
  it.each<[readonly string[], string, readonly string[]]>([
    [['nuke\r'], '', ['nuke\r']],
    [['nuke --yes\r'], '', ['nuke --yes\r']],
    [['nu', 'ke\r', 'y'], 'ke\ry', ['nu']],
    [['nbuy 1\r', 'n'], 'n', ['nbuy 1\r']],
  ])('answers nothing, in one piece: %j', async (chunks, read, pieces) => {
    expect(await through('line', chunks)).toEqual({ read, pastes: 0, pieces })
  })
})

describe('in a view', () => {
  it.each<[readonly string[], string, number]>([
    [['c', '\r'], 'c\r', 0],
    [['c\r'], '', 1],
    [['panic\r'], '', 1],
    [['n\r'], '', 1],
  ])('of %j comes through %j', async (chunks, read, pastes) => {
    expect(await through('key', chunks)).toEqual({ read, pastes })
  })
})

it.each(['\u001b[A\r\u001b[A\r', '\u001bOA\r\u001bOA\r'])(
  'Up and Enter, twice in one piece, are keys: %j',
  async (keys) => {
    expect(await through('no', [keys])).toEqual({ read: keys, pastes: 0 })
  },
)

it('text behind an arrow is a paste all the same', async () => {
  expect((await through('no', ['\u001b[Abuy 1\rbuy 2\r'])).read).toBe('')
})

it('at the prompt all of it comes through', async () => {
  expect(await through('no', ['yes', '\r'])).toEqual({ read: 'yes\r', pastes: 0 })
})

/** Between two chunks as little time passes as the test says. */
async function blocksOf(chunks: readonly (string | number)[]) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const input = new PassThrough()
  const blocks: (readonly string[])[] = []
  const none = () => {}
  const keys = new KeyStream({
    input,
    onBlock: (lines) => blocks.push(lines),
    onTooLong: none,
    onPieceOverQuestion: none,
    onPastedOverQuestion: none,
  })
  let read = ''
  keys.on('data', (text: string) => {
    read += text
  })
  for (const chunk of chunks) {
    if (typeof chunk === 'number') vi.advanceTimersByTime(chunk)
    else input.write(chunk)
    await new Promise(setImmediate)
  }
  keys.close()
  return { read, blocks }
}

describe('a paste that arrives torn', () => {
  const PIECES = ['\u001b[20', 40, '0~echo o', 900, 'ne\necho two\n'] as const
  const WHOLE = { read: '', blocks: [['echo one', 'echo two']] }

  it('is one all the same', async () => {
    expect(await blocksOf([...PIECES, '\u001b[20', 900, '1~'])).toEqual(WHOLE)
  })

  it('does not have to end', async () => {
    expect(await blocksOf([...PIECES, 999])).toEqual({ read: '', blocks: [] })
    expect(await blocksOf([...PIECES, 1_000])).toEqual(WHOLE)
  })

  it('is keys where the rest of its mark comes late', async () => {
    expect((await blocksOf(['\u001b[20', 60, '0~echo one'])).read).toContain('echo one')
  })
})

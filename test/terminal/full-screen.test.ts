import type { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import xterm from '@xterm/headless'
import { describe, expect, it, vi } from 'vitest'
import { changedRows, FullScreen, type FullView, type ViewHost } from '../../src/terminal/full-screen.ts'

const ENTER = '\u001b[?1049h'
const LEAVE = '\u001b[?1049l'

function terminalOf(rows: number, columns: number) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))
  return {
    /** As a terminal without wrapping: the cursor after a full row is on its last cell, where xterm.js has it beside the row. */
    async write(text: string) {
      for (const piece of text.split(/(?=\u001b\[K)/)) {
        if (terminal.buffer.active.cursorX === columns) await write('\b\u001b[C')
        await write(piece)
      }
    },
    rows: () =>
      Array.from({ length: rows }, (_, row) => terminal.buffer.active.getLine(row)?.translateToString(true) ?? ''),
  }
}

function output() {
  const stream = Object.assign(new PassThrough(), { columns: 40, rows: 5, written: '' })
  stream.on('data', (chunk: Buffer) => {
    stream.written += chunk.toString()
  })
  return stream
}

function view(draw: FullView['draw']): FullView & { host: ViewHost | undefined; ended: number; keys: string[] } {
  return {
    host: undefined,
    ended: 0,
    keys: [],
    open(host) {
      this.host = host
      return () => {
        this.ended += 1
      }
    },
    draw,
    onKey(text) {
      this.keys.push(text ?? '')
    },
    received() {},
  }
}

describe('changedRows', () => {
  it.each([
    [undefined, ['a', 'b']],
    [
      ['a', 'b'],
      ['a', 'c'],
    ],
    [['a', 'b', 'c'], ['a']],
    [['a'], ['a', 'long row', '日本']],
    [['long row'], ['x']],
    [['x'], ['a row of 20 cells 12']],
    [['a row of 20 cells 12'], ['another of 20 cells!']],
  ])('turns %j into %j on a terminal', async (before, after) => {
    const terminal = terminalOf(4, 20)
    await terminal.write(changedRows(undefined, before ?? ['old', 'old', 'old', 'old']))
    await terminal.write(changedRows(before, after))
    expect(terminal.rows()).toEqual([...after, '', '', '', ''].slice(0, 4))
  })

  it('writes nothing where nothing changed, and one row where one did', () => {
    expect(changedRows(['a', 'b'], ['a', 'b'])).toBe('')
    expect(changedRows(['first', 'b'], ['first', 'c'])).not.toContain('first')
    expect(changedRows(['a', 'b'], ['a', 'c'])).toMatch(/^\u001b\[\?2026h.*\u001b\[\?2026l$/)
  })
})

describe('a view of the whole terminal', () => {
  it('takes the terminal, draws, and gives it back once', () => {
    const stream = output()
    const closed = vi.fn()
    const shown = view(() => ['one'])
    const screen = new FullScreen({ output: stream, view: shown, coloured: false, onClosed: closed })
    screen.open()
    expect(stream.written).toContain(ENTER)
    expect(stream.written).toContain('one')
    screen.close()
    screen.close()
    expect(stream.written.endsWith(LEAVE)).toBe(true)
    expect(stream.written.split(LEAVE)).toHaveLength(2)
    expect(closed.mock.calls).toEqual([[undefined]])
    expect(shown.ended).toBe(1)
  })

  it.each(['draw', 'onKey', 'received', 'open'] as const)('gives it back when `%s` throws', (part) => {
    const stream = output()
    const closed = vi.fn()
    const bug = new Error('bug')
    const shown = Object.assign(
      view(() => []),
      {
        [part]: () => {
          throw bug
        },
      },
    )
    const screen = new FullScreen({ output: stream, view: shown, coloured: false, onClosed: closed })
    screen.open()
    screen.onKey('x', { name: 'x', ctrl: false, meta: false, shift: false, sequence: 'x' })
    screen.received(['line'])
    expect(closed.mock.calls).toEqual([[bug]])
    expect(stream.written.endsWith(LEAVE)).toBe(true)
  })

  it('gives it back when the process ends', () => {
    const stream = output()
    const screen = new FullScreen({ output: stream, view: view(() => ['one']), coloured: false, onClosed: () => {} })
    screen.open()
    const others = process.listeners('exit').length
    // The newest listener is that of this screen.
    process.listeners('exit').at(-1)?.call(process, 0)
    expect(stream.written.endsWith(LEAVE)).toBe(true)
    screen.close()
    expect(process.listeners('exit')).toHaveLength(others - 1)
  })

  it('draws everything anew at another size, and leaves the other listeners of the size where they were', () => {
    vi.useFakeTimers()
    const stream = output()
    const owner = vi.fn()
    stream.on('resize', owner)
    const screen = new FullScreen({
      output: stream,
      view: view(({ columns, rows }) => [`${columns}x${rows}`]),
      coloured: false,
      onClosed: () => {},
    })
    screen.open()
    stream.columns = 20
    ;(stream as EventEmitter).emit('resize')
    vi.advanceTimersByTime(100)
    expect(stream.written).toContain('20x5')
    expect(owner).not.toHaveBeenCalled()
    screen.close()
    stream.emit('resize')
    expect(owner).toHaveBeenCalledOnce()
    vi.useRealTimers()
  })

  it.each([0, undefined])('takes a size of %s for 80 by 24', (size) => {
    const stream = Object.assign(output(), { columns: size, rows: size })
    const shown = view(({ columns, rows }) => [`${columns}x${rows}`])
    const screen = new FullScreen({ output: stream as never, view: shown, coloured: false, onClosed: () => {} })
    screen.open()
    expect(stream.written).toContain('80x24')
    screen.close()
  })

  it('draws at most every 50 ms, and not before a slow terminal has taken the last frame', () => {
    vi.useFakeTimers()
    const stream = output()
    let frames = 0
    const shown = view(() => [`frame ${++frames}`])
    const screen = new FullScreen({ output: stream, view: shown, coloured: false, onClosed: () => {} })
    screen.open()
    vi.advanceTimersByTime(50)
    const before = frames
    for (let news = 0; news < 100; news++) shown.host?.redraw()
    vi.advanceTimersByTime(50)
    expect(frames).toBe(before + 1)
    Object.defineProperty(stream, 'writableNeedDrain', { value: true, configurable: true })
    shown.host?.redraw()
    vi.advanceTimersByTime(500)
    expect(frames).toBe(before + 1)
    screen.close()
    vi.useRealTimers()
  })
})

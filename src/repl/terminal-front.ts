// A person at a terminal: lines typed ahead wait their turn, an answer to a pending question does not, and Ctrl-C means the
// nearest thing it can (the typed line, the running line, the program).
import type { Readable, Writable } from 'node:stream'
import type { Footer } from '../terminal/screen.ts'
import type { Completion } from './completer.ts'
import type { Front, FrontPorts } from './front.ts'
import type { History } from './history.ts'
import { createLineQueue } from './line-queue.ts'
import { TerminalLine } from './terminal-line.ts'

export interface TerminalFrontPorts extends FrontPorts {
  readonly input: Readable
  readonly output: Writable
  readonly history: History
  prompt(): string
  complete(beforeCursor: string): Completion
  /** Cuts the running line short. */
  interrupt?(): void
}

export interface TerminalFront extends Front {
  /** The line being edited, below the output. */
  readonly footer: Footer
}

const QUIT_WINDOW_MS = 2_000

export function openTerminalFront(ports: TerminalFrontPorts): TerminalFront {
  let interrupted = false
  let quitAskedAt = Number.NEGATIVE_INFINITY
  const queue = createLineQueue(async (line) => {
    await ports.execute(line)
    interrupted = false
  })

  const interruptRun = (interrupt: () => void) => {
    interrupted = true
    const dropped = queue.drop()
    if (dropped > 0) ports.print('warn', `${dropped} ${dropped === 1 ? 'line' : 'lines'} typed ahead dropped`)
    interrupt()
  }
  const onInterrupt = () => {
    if (queue.busy && !interrupted && ports.interrupt) return interruptRun(ports.interrupt)
    const now = performance.now()
    if (now - quitAskedAt < QUIT_WINDOW_MS) return ports.end('interrupt')
    quitAskedAt = now
    ports.print('info', 'press Ctrl-C again or type exit to quit')
  }
  const submit = (line: string) => {
    if (line.trim() === '') return false
    if (ports.answer(line)) return false
    queue.add(line)
    return true
  }

  const editor = new TerminalLine({
    input: ports.input,
    output: ports.output,
    history: ports.history,
    prompt: ports.prompt,
    complete: ports.complete,
    submit,
    onInterrupt,
    onEnd: () => ports.end('end'),
  })
  return {
    footer: editor,
    askHidden: (question) => editor.askHidden(question),
    refresh: () => editor.refresh(),
    close() {
      queue.drop()
      editor.close()
    },
  }
}

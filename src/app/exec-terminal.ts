// The terminal of `hookline exec` and of the commands that are run by it: for questions whose answers are secrets, and for a view that only
// looks. Taken at the first one.
import { createInterface, emitKeypressEvents, type Interface, type Key } from 'node:readline'
import { defined } from '../base/defined.ts'
import { CommandError } from '../commands/kit/errors.ts'
import type { Terminal } from '../commands/kit/ports.ts'
import { printable } from '../language/printable.ts'
import { type HiddenAnswer, readHiddenAnswer } from '../repl/hidden-answer.ts'
import { FullScreen, type FullView } from '../terminal/full-screen.ts'

interface ExecTerminal extends Terminal {
  close(): void
}

interface ExecTerminalPorts {
  /** Opened by the first call: most lines ask nothing. */
  readonly openInput: () => NodeJS.ReadStream
  /** Questions go here: output stays what the command prints. */
  readonly questions: { write(text: string): unknown }
  /** Of the terminal that output goes to, if it is one. */
  readonly columns?: () => number | undefined
  /** The terminal that a view may have; absent: there is none. */
  readonly screen?: { readonly output: NodeJS.WriteStream; readonly coloured: boolean }
}

/** To the end of the row. */
const CLEAR = '\u001b[K'

export function createExecTerminal({ openInput, questions, columns, screen }: ExecTerminalPorts): ExecTerminal {
  let lines: PipedLines | undefined
  let asked: HiddenAnswer | undefined

  async function askAtTerminal(input: NodeJS.ReadStream, question: string, isShown: boolean): Promise<string> {
    emitKeypressEvents(input)
    // Before the question can be seen: who answers at once must not be echoed.
    input.setRawMode(true)
    questions.write(question)
    input.resume()
    asked = readHiddenAnswer(
      input,
      isShown ? (typed) => questions.write(`\r${question}${printable(typed, 200)}${CLEAR}`) : undefined,
    )
    try {
      return await asked.answer
    } finally {
      asked = undefined
      input.setRawMode(false)
      input.pause()
      questions.write('\n')
    }
  }

  async function ask(question: string, isShown: boolean): Promise<string> {
    const input = openInput()
    if (input.isTTY) return askAtTerminal(input, question, isShown)
    questions.write(`${question.trimEnd()}\n`)
    lines ??= new PipedLines(input)
    const answer = await lines.next()
    if (answer === undefined) throw new CommandError('cancelled', 'canceled: the input ended before the answer')
    return answer
  }

  return {
    askHidden: (question) => ask(question, false),
    ask: (question) => ask(question, true),
    ...defined({ columns }),
    ...(screen === undefined || !openInput().isTTY
      ? {}
      : { show: (view: FullView, signal: AbortSignal) => showView(openInput(), { ...screen, view }, signal) }),
    clear: () => {},
    history: () => [],
    quit: () => {},
    close() {
      // Of a run that was stopped while it asked: the terminal must not be left as it is, nor keep the process alive.
      asked?.cancel()
      lines?.close()
    },
  }
}

/** @throws whatever the view threw */
function showView(
  input: NodeJS.ReadStream,
  shown: { readonly output: NodeJS.WriteStream; readonly coloured: boolean; readonly view: FullView },
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const screen = new FullScreen({
      ...shown,
      onClosed(bug) {
        process.off('SIGCONT', comeBack)
        signal.removeEventListener('abort', close)
        input.off('keypress', onKey)
        input.off('end', close)
        input.setRawMode(false)
        input.pause()
        if (bug === undefined) resolve()
        else reject(bug)
      },
    })
    const close = () => screen.close()
    const comeBack = () => {
      input.setRawMode(false)
      input.setRawMode(true)
      screen.suspend()
      screen.resume()
    }
    const onKey = (text: string | undefined, key: Key) => {
      if (!key.ctrl || key.name !== 'z' || process.platform === 'win32') return screen.onKey(text, key)
      screen.suspend()
      input.setRawMode(false)
      process.kill(0, 'SIGTSTP')
    }
    emitKeypressEvents(input)
    input.setRawMode(true)
    input.on('keypress', onKey)
    input.on('end', close)
    process.on('SIGCONT', comeBack)
    signal.addEventListener('abort', close)
    input.resume()
    screen.open()
    if (signal.aborted) close()
  })
}

/** Lines of a pipe, as they are wanted. */
class PipedLines {
  readonly #reader: Interface
  readonly #lines: AsyncIterator<string>

  constructor(input: NodeJS.ReadStream) {
    this.#reader = createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  /** @returns undefined when no line will follow */
  async next(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next()
    return done ? undefined : value
  }

  close(): void {
    this.#reader.close()
  }
}

// The terminal of `hookline exec` and of the commands that are run by it: only for questions whose answers are secrets. Made at the first one.
import { createInterface, emitKeypressEvents, type Interface } from 'node:readline'
import type { ReadStream } from 'node:tty'
import { CommandError } from '../commands/kit/command-error.ts'
import type { Terminal } from '../commands/kit/ports.ts'
import { readHiddenAnswer } from '../repl/hidden-answer.ts'

export interface ExecTerminal extends Terminal {
  close(): void
}

export interface ExecTerminalPorts {
  readonly input: NodeJS.ReadStream
  /** Questions go here: output stays what the command prints. */
  readonly questions: { write(text: string): unknown }
}

export function createExecTerminal({ input, questions }: ExecTerminalPorts): ExecTerminal {
  let lines: PipedLines | undefined
  return {
    async askHidden(question) {
      questions.write(input.isTTY ? question : `${question.trimEnd()}\n`)
      if (input.isTTY) return askTerminal(input, questions)
      lines ??= new PipedLines(input)
      const answer = await lines.next()
      if (answer === undefined) throw new CommandError('cancelled', 'canceled: the input ended before the answer')
      return answer
    },
    clear: () => {},
    history: () => [],
    quit: () => {},
    close: () => lines?.close(),
  }
}

async function askTerminal(input: ReadStream, questions: ExecTerminalPorts['questions']): Promise<string> {
  emitKeypressEvents(input)
  input.setRawMode(true)
  input.resume()
  try {
    return await readHiddenAnswer(input).answer
  } finally {
    input.setRawMode(false)
    input.pause()
    questions.write('\n')
  }
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

// Commands from a pipe or a file, one per line: a line is run when the one before has finished, so that their order and
// their output's order hold (behaviour 35). Nothing is edited, coloured or kept in the history.
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { CommandError } from '../commands/kit/errors.ts'
import { withoutComment } from './comment.ts'
import type { Front, FrontPorts } from './front.ts'

interface PipeFrontPorts extends FrontPorts {
  readonly input: Readable & { readonly isTTY?: boolean }
  /** Stop at the first line that fails. */
  readonly strict: boolean
}

/** Lines read ahead of the one that runs: an answer to a question is among them, and may be wanted before their turn. */
const MAX_AHEAD = 1_000

const SECRETS_FOLLOW = 'stopped: the lines that follow may be keys or a passphrase; none of them is run'

/** Reads until the end of input, also a last line without newline. A hidden question is answered by the next line. */
export function openPipeFront(ports: PipeFrontPorts): Front {
  const front = new PipeFront(ports)
  void front.runAll()
  return front
}

class PipeFront implements Front {
  readonly #ports: PipeFrontPorts
  readonly #rl
  readonly #ahead: string[] = []
  #open = true
  #inputEnded = false
  #isRunning = false
  #wake = (): void => {}

  constructor(ports: PipeFrontPorts) {
    this.#ports = ports
    this.#rl = createInterface({ input: ports.input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY })
    this.#rl.on('line', (line) => this.#onLine(line))
    this.#rl.on('error', (error: Error) => {
      ports.print('error', `reading commands failed: ${error.message}`)
      this.#rl.close()
    })
    this.#rl.on('close', () => {
      this.#inputEnded = true
      this.#wake()
    })
  }

  async runAll(): Promise<void> {
    const { answer, strict, print, end, input, asks } = this.#ports
    let mayBeSecret = false
    for (let line = await this.#next(); line !== undefined; line = await this.#next()) {
      // It must not be run as a command, and so be shown and recorded.
      if (mayBeSecret) {
        print('error', SECRETS_FOLLOW)
        return end('failed')
      }
      if (line.trim() === '' || answer(line)) continue
      const command = withoutComment(line)
      if (command.trim() === '' || (await this.#run(command)) || !this.#open) continue
      if (strict) {
        print('error', describeRest(this.#ahead))
        return end('failed')
      }
      mayBeSecret = !input.isTTY && asks(command)
    }
    end('end')
  }

  async askHidden(question: string): Promise<string> {
    // A terminal that we do not edit on would show what is typed.
    if (this.#ports.input.isTTY) {
      throw new CommandError('no-terminal', 'this terminal cannot hide what is typed', {
        hint: 'use a terminal that is not TERM=dumb and do not redirect the output',
      })
    }
    return this.ask(question)
  }

  async ask(question: string): Promise<string> {
    this.#ports.print('info', question)
    const answer = await this.#next()
    if (answer === undefined) throw new CommandError('cancelled', 'canceled: the input ended before the answer')
    return answer
  }

  refresh(): void {}

  close(): void {
    this.#open = false
    this.#rl.close()
    this.#wake()
  }

  #onLine(line: string): void {
    if (!this.#open || (this.#isRunning && this.#ports.answer(line))) return
    this.#ahead.push(line)
    if (this.#ahead.length >= MAX_AHEAD) this.#rl.pause()
    this.#wake()
  }

  /** @returns undefined when no line will follow */
  async #next(): Promise<string | undefined> {
    while (this.#open && this.#ahead.length === 0 && !this.#inputEnded) {
      this.#rl.resume()
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.#open ? this.#ahead.shift() : undefined
  }

  async #run(line: string): Promise<boolean> {
    this.#isRunning = true
    const succeeded = await this.#ports.execute(line)
    this.#isRunning = false
    return succeeded
  }
}

function describeRest(ahead: readonly string[]): string {
  const count = ahead.filter((line) => withoutComment(line).trim() !== '').length
  const rest = count === 0 ? 'no line was left' : count === 1 ? '1 line was not run' : `${count} lines were not run`
  return `stopped at the first failed line (--strict); ${rest}`
}

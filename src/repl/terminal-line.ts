// The line being typed on a terminal: node:readline plus what it lacks, which is output above the line, a prompt that changes
// while one types, and answers that are not shown.
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { CommandError } from '../commands/kit/command-error.ts'
import { printable } from '../language/printable.ts'
import type { Footer } from '../terminal/screen.ts'
import type { Completion } from './completer.ts'
import { type HiddenAnswer, readHiddenAnswer } from './hidden-answer.ts'
import { HISTORY_LINES, type History } from './history.ts'
import { repairReadline, startAtThisRow } from './readline-repairs.ts'

export interface TerminalLinePorts {
  readonly input: Readable
  readonly output: Writable
  readonly history: History
  /** The prompt as it should be now. */
  prompt(): string
  complete(beforeCursor: string): Completion
  /** Takes a line. @returns whether it belongs in the history */
  submit(line: string): boolean
  /** Ctrl-C on an empty line; on any other it clears the line. */
  onInterrupt(): void
  /** Ctrl-D on an empty line, or the terminal is gone. */
  onEnd(): void
}

const REFRESH_MS = 1_000
/** The prompt stays as it is while keys come. */
const TYPING_MS = 250
const MAX_QUESTION = 200

export class TerminalLine implements Footer {
  readonly #ports: TerminalLinePorts
  readonly #rl: Interface
  readonly #refreshing: NodeJS.Timeout
  #shown: string
  #lastKeyAt = 0
  #closed = false
  #hidden: HiddenAnswer | undefined
  #lastQuestion: Promise<unknown> = Promise.resolve()
  /** Readline's own list of lines, youngest first. */
  #recent: string[] = []

  /** Puts the terminal in raw mode and draws the prompt. */
  constructor(ports: TerminalLinePorts) {
    const { input, output, history } = ports
    this.#ports = ports
    this.#shown = ports.prompt()
    this.#rl = createInterface({
      input,
      output,
      terminal: true,
      prompt: this.#shown,
      history: history.lines().toReversed(),
      historySize: HISTORY_LINES,
      completer: (beforeCursor: string) => ports.complete(beforeCursor),
    })
    repairReadline(this.#rl, input)
    this.#listen()
    this.#refreshing = setInterval(() => this.#refreshWhenIdle(), REFRESH_MS).unref()
    this.#rl.prompt()
  }

  erase(): void {
    const { output } = this.#ports
    moveCursor(output, 0, -this.#rl.getCursorPos().rows)
    cursorTo(output, 0)
    clearScreenDown(output)
  }

  draw(): void {
    if (this.#closed) return
    startAtThisRow(this.#rl)
    this.#rl.prompt(true)
  }

  /** Shows the prompt as it should be now, if it looks different. */
  refresh(): void {
    const prompt = this.#ports.prompt()
    if (this.#closed || this.#hidden || prompt === this.#shown) return
    this.#shown = prompt
    this.#redraw(prompt)
  }

  /**
   * Shows `question`, and nothing of what is typed. The line typed so far comes back afterwards. One question at a time.
   * @throws {CommandError} `cancelled`
   */
  askHidden(question: string): Promise<string> {
    const answer = this.#lastQuestion.then(() => this.#ask(question))
    // The asker handles a canceled question; the next one is asked all the same.
    this.#lastQuestion = answer.catch(() => {})
    return answer
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#refreshing)
    this.#hidden?.cancel()
    this.#rl.close()
  }

  #listen(): void {
    const { input } = this.#ports
    const rl = this.#rl
    const end = () => this.#end()
    input.on('keypress', () => {
      this.#lastKeyAt = performance.now()
    })
    // Readline takes a half-typed line for a whole one when the terminal goes away. Enter was not pressed: it must not run.
    input.prependOnceListener('end', end)
    rl.on('error', end)
    rl.on('close', end)
    rl.on('history', (lines) => {
      this.#recent = lines
    })
    rl.on('line', (line) => this.#submit(line))
    rl.on('SIGINT', () => {
      if (rl.line === '') this.#ports.onInterrupt()
      else this.#clearLine()
    })
  }

  #submit(line: string): void {
    if (this.#closed) return
    const { submit, history, prompt } = this.#ports
    if (submit(line)) history.add(line)
    // Readline keeps every line; ours leaves some out.
    this.#recent.splice(0, this.#recent.length, ...history.lines().toReversed())
    this.#shown = prompt()
    this.#rl.setPrompt(this.#shown)
    this.draw()
  }

  async #ask(question: string): Promise<string> {
    if (this.#closed) throw new CommandError('cancelled', 'canceled: the terminal is closed')
    const typedSoFar = this.#rl.line
    this.#clearLine()
    this.#redraw(`${printable(question, MAX_QUESTION).trimEnd()} `)
    this.#hidden = readHiddenAnswer(this.#ports.input)
    try {
      return await this.#hidden.answer
    } finally {
      this.#hidden = undefined
      this.#ports.output.write('\n')
      this.#rl.setPrompt(this.#shown)
      this.draw()
      if (!this.#closed) this.#rl.write(typedSoFar)
    }
  }

  #refreshWhenIdle(): void {
    const typing = performance.now() - this.#lastKeyAt < TYPING_MS
    if (!typing && !this.#ports.output.writableNeedDrain) this.refresh()
  }

  #redraw(prompt: string): void {
    const { output } = this.#ports
    output.cork()
    this.erase()
    this.#rl.setPrompt(prompt)
    this.draw()
    output.uncork()
  }

  #clearLine(): void {
    this.#rl.write(null, { ctrl: true, name: 'e' })
    this.#rl.write(null, { ctrl: true, name: 'u' })
  }

  #end(): void {
    if (this.#closed) return
    this.close()
    this.#ports.onEnd()
  }
}

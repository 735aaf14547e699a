// A program in a real pseudo-terminal, and what its screen looks like to a person.
import { setTimeout as sleep } from 'node:timers/promises'
import { type IPty, spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { READING_MS } from '../../src/repl/block-question.ts'
import { PATIENCE_MS } from '../patience.ts'

export interface PseudoTerminalOptions {
  /** What Node runs: the program's file and its arguments. */
  readonly argv: readonly string[]
  /** Another program to run with `argv`, such as a shell. Default: Node. */
  readonly file?: string
  readonly env: Readonly<Record<string, string>>
  /** Default 80. */
  readonly columns?: number
  /** Default 24. */
  readonly rows?: number
}

const UNSEEN_MS = 3_000

export class PseudoTerminal {
  readonly #pty: IPty
  readonly #terminal: xterm.Terminal
  readonly #exit: Promise<number>
  /** Everything the program ever wrote. */
  raw = ''

  constructor({ argv, file = process.execPath, env, columns = 80, rows = 24 }: PseudoTerminalOptions) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 20_000 })
    this.#pty = spawn(file, [...argv], {
      name: 'xterm-256color',
      cols: columns,
      rows,
      env: { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', ...env },
    })
    this.#pty.onData((data) => {
      this.raw += data
      this.#terminal.write(data)
    })
    this.#exit = new Promise((resolve) => this.#pty.onExit(({ exitCode }) => resolve(exitCode)))
  }

  /** Sends keys or text in one piece, as a paste does. */
  send(text: string): void {
    this.#pty.write(text)
  }

  /** Forgets all that was written, but for the line that the cursor is in. */
  forget(): void {
    this.raw = ''
    this.#terminal.clear()
  }

  /** All lines from the top of the scrollback, wrapped ones joined, without the empty ones below the last. */
  lines(): string[] {
    const buffer = this.#terminal.buffer.active
    const lines: string[] = []
    for (let row = 0; row < buffer.length; row++) {
      const line = buffer.getLine(row)
      if (!line) continue
      const text = line.translateToString(!buffer.getLine(row + 1)?.isWrapped)
      if (line.isWrapped) lines.push((lines.pop() ?? '') + text)
      else lines.push(text)
    }
    while (lines.at(-1) === '') lines.pop()
    return lines
  }

  /** Rows that go on in the next because the terminal had no more room. */
  brokenRows(): string[] {
    const buffer = this.#terminal.buffer.active
    return Array.from({ length: buffer.length }, (_, row) => row)
      .filter((row) => buffer.getLine(row + 1)?.isWrapped)
      .map((row) => buffer.getLine(row)?.translateToString() ?? '')
  }

  /** The line that the cursor is in: the prompt and what is typed. Empty while a prompt is erased and the next is not drawn. */
  typed(): string {
    const buffer = this.#terminal.buffer.active
    let row = buffer.baseY + buffer.cursorY
    while (row > 0 && buffer.getLine(row)?.isWrapped) row--
    let text = ''
    for (let line = buffer.getLine(row); line; line = buffer.getLine(row)) {
      const isContinued = buffer.getLine(++row)?.isWrapped === true
      text += line.translateToString(!isContinued)
      if (!isContinued) break
    }
    return text
  }

  /** Resolves once the screen is as expected; looks after every change. */
  until(isSo: (screen: this) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!isSo(this)) return
        done()
        resolve()
      }
      const timer = setTimeout(() => {
        done()
        reject(new Error(`the screen never came to be as expected; it shows:\n${this.lines().join('\n')}`))
      }, PATIENCE_MS)
      const written = this.#terminal.onWriteParsed(look)
      const done = () => {
        clearTimeout(timer)
        written.dispose()
      }
      look()
    })
  }

  /** Sends one key at a time and waits until the line shows them all. */
  async type(text: string): Promise<void> {
    for (const key of text) this.#pty.write(key)
    await this.until((screen) => screen.typed().includes(text))
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows)
    this.#pty.resize(columns, rows)
  }

  /** The cursor's place on the screen, 0-based. */
  cursor(): { readonly row: number; readonly column: number } {
    const { cursorY, cursorX } = this.#terminal.buffer.active
    return { row: cursorY, column: cursorX }
  }

  /** The palette number of the colour in which a row begins, counted from the scrollback's top; undefined: the terminal's own. */
  colourAt(row: number): number | undefined {
    const cell = this.#terminal.buffer.active.getLine(row)?.getCell(0)
    return cell?.isFgPalette() ? cell.getFgColor() : undefined
  }

  shows(text: string): Promise<void> {
    return this.until((screen) => screen.lines().some((line) => line.includes(text)))
  }

  /** Resolves with the exit code. */
  exit(): Promise<number> {
    return this.#exit
  }

  /** Closes our end, as a closed window or a lost connection does. */
  hangUp(): void {
    ;(this.#pty as IPty & { destroy(): void }).destroy()
  }

  signal(name: NodeJS.Signals): void {
    this.#pty.kill(name)
  }

  /** Resolves once the program is gone: the next test finds its ports free. One that has hung up may end unseen. */
  async close(): Promise<void> {
    this.#pty.kill('SIGKILL')
    await Promise.race([this.#exit, sleep(UNSEEN_MS, undefined, { ref: false })])
  }
}

/** Answers the question about a paste, once it takes keys: what is pressed as it comes was meant for something else. */
export async function answerBlock(terminal: PseudoTerminal, key: string): Promise<void> {
  await terminal.until((screen) => screen.typed().includes('lines? y or n > '))
  const question = terminal.typed()
  await sleep(2 * READING_MS)
  terminal.send(key)
  await terminal.until((screen) => screen.typed() !== question)
}

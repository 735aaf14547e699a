// The test program in a real pseudo-terminal, and what its screen looks like to a person.
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type IPty, spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import type { Happening, Report } from './program.ts'

export interface TerminalOptions {
  readonly program: string
  readonly directory: string
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
}

export const KEY = {
  enter: '\r',
  tab: '\t',
  up: '\u001b[A',
  left: '\u001b[D',
  home: '\u001b[H',
  backspace: '\u007f',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlU: '\u0015',
  ctrlY: '\u0019',
} as const

const PATIENCE_MS = 6_000
let opened = 0

export class PseudoTerminal {
  readonly #pty: IPty
  readonly #terminal: xterm.Terminal
  #control: Socket | undefined
  #replies: AsyncIterator<string> | undefined
  readonly #exit: Promise<number>
  /** Everything the program ever wrote. */
  raw = ''

  static async open(options: TerminalOptions): Promise<PseudoTerminal> {
    const socketPath = join(options.directory, `control-${++opened}`)
    const server = createServer().listen(socketPath)
    await once(server, 'listening')
    const connected = once(server, 'connection')
    const { columns = 80, rows = 24 } = options
    const pty = spawn(process.execPath, [options.program], {
      name: 'xterm-256color',
      cols: columns,
      rows,
      env: {
        PATH: process.env.PATH ?? '',
        TERM: 'xterm-256color',
        HISTORY_FILE: join(options.directory, 'history'),
        CONTROL_SOCKET: socketPath,
        ...options.env,
      },
    })
    const terminal = new PseudoTerminal(pty, columns, rows)
    const [control] = (await connected) as [Socket]
    server.close()
    terminal.#control = control
    terminal.#replies = createInterface({ input: control })[Symbol.asyncIterator]()
    return terminal
  }

  private constructor(pty: IPty, columns: number, rows: number) {
    this.#pty = pty
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 20_000 })
    pty.onData((data) => {
      this.raw += data
      this.#terminal.write(data)
    })
    this.#exit = new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))
  }

  /** Sends keys or text in one piece, as a paste does. */
  send(text: string): void {
    this.#pty.write(text)
  }

  /** Sends one key at a time and waits until the line shows them all. */
  async type(text: string): Promise<void> {
    for (const key of text) this.#pty.write(key)
    await this.until((screen) => screen.typed().includes(text))
  }

  /** Makes something happen that nobody typed. */
  async happen(happening: Happening): Promise<Report> {
    this.#control?.write(`${JSON.stringify(happening)}\n`)
    const reply = await this.#replies?.next()
    if (!reply || reply.done) throw new Error('the program is gone')
    return JSON.parse(reply.value)
  }

  /** Output of a hook's run, in one event-loop turn. */
  async hookSays(text: string, times = 1): Promise<void> {
    const run = { runId: 'r1', source: 'hook', command: '', origin: 'dip' } as const
    await this.happen({ do: 'output', run, kind: 'print', text, times })
  }

  /** Resolves once the program has seen its REPL close; needs `STAY=yes`. */
  async closedReport(): Promise<Report> {
    for (;;) {
      const report = await this.happen({ do: 'report' })
      if (report.closed) return report
    }
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows)
    this.#pty.resize(columns, rows)
  }

  /** Closes our end of the terminal, as a lost connection does. */
  hangUp(): void {
    ;(this.#pty as IPty & { destroy(): void }).destroy()
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

  /** The last line: the prompt and what is typed. */
  typed(): string {
    return this.lines().at(-1) ?? ''
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

  /** Resolves once the screen is as expected; looks after every change. */
  until(isSo: (screen: PseudoTerminal) => boolean): Promise<void> {
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

  shows(text: string): Promise<void> {
    return this.until((screen) => screen.lines().some((line) => line.includes(text)))
  }

  /** Resolves with the exit code. */
  exit(): Promise<number> {
    return this.#exit
  }

  close(): void {
    this.#control?.destroy()
    this.#pty.kill('SIGKILL')
  }
}

// The test program in a real pseudo-terminal, and what happens to it that nobody types.
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PseudoTerminal } from '../../harness/process/pseudo-terminal.ts'
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
  ctrlG: '\u0007',
  ctrlR: '\u0012',
  ctrlU: '\u0015',
  ctrlY: '\u0019',
  ctrlZ: '\u001a',
  escape: '\u001b',
} as const

let opened = 0

export class DrivenTerminal extends PseudoTerminal {
  #control: Socket | undefined
  #replies: AsyncIterator<string> | undefined

  static async open({ program, directory, env, ...size }: TerminalOptions): Promise<DrivenTerminal> {
    const socketPath = join(directory, `control-${++opened}`)
    const server = createServer().listen(socketPath)
    await once(server, 'listening')
    const connected = once(server, 'connection')
    const terminal = new DrivenTerminal({
      argv: [program],
      env: { HISTORY_FILE: join(directory, 'history'), CONTROL_SOCKET: socketPath, ...env },
      ...size,
    })
    const ended = terminal.exit().then((code) => {
      throw new Error(`the program ended with ${code}: ${terminal.lines().join(' ')}`)
    })
    const [control] = (await Promise.race([connected, ended])) as [Socket]
    ended.catch(() => {})
    server.close()
    terminal.#control = control
    terminal.#replies = createInterface({ input: control })[Symbol.asyncIterator]()
    return terminal
  }

  /** Types a line once the one before has been read: lines that arrive in one piece are a paste. */
  async enter(line: string): Promise<void> {
    await this.type(line)
    this.send(KEY.enter)
  }

  /** As a terminal that marks pastes does it. */
  paste(text: string): void {
    this.send(`\u001b[200~${text}\u001b[201~`)
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

  override close(): Promise<void> {
    this.#control?.destroy()
    return super.close()
  }
}

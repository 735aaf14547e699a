// A person at the built binary, on the venues' own host names: types a line, looks at the screen, answers what is asked.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { BINARY, environmentOf } from '../process/built-hookline.mjs'
import { PseudoTerminal } from '../process/pseudo-terminal.ts'

type Said = string | RegExp

const PROMPT = /^\w+ \[\w+( [\d,.]+| stale)?\] > ?$/

export class Seat {
  readonly terminal: PseudoTerminal

  private constructor(terminal: PseudoTerminal) {
    this.terminal = terminal
  }

  /** @param env what makes it trust the stand-in */
  static async take(directory: string, env: Readonly<Record<string, string>>): Promise<Seat> {
    const terminal = new PseudoTerminal({
      argv: [BINARY],
      columns: 110,
      rows: 40,
      env: { ...environmentOf(directory), ...env },
    })
    onTestFinished(() => terminal.close())
    await terminal.until((screen) => PROMPT.test(screen.typed()))
    return new Seat(terminal)
  }

  /**
   * @param says what comes of it: that it is shown is awaited
   * @param answers to what is asked meanwhile
   * @returns what the screen shows of it
   */
  async types(line: string, says: Said | readonly Said[], ...answers: readonly string[]): Promise<string> {
    const { terminal } = this
    const from = terminal.lines().length - 1
    terminal.send(line)
    await terminal.until((screen) => screen.typed().endsWith(`> ${line}`))
    terminal.send('\r')
    for (const answer of answers) {
      await terminal.until((screen) => /: ?$/.test(screen.typed()))
      const question = terminal.typed().trimEnd()
      // A question that was answered stays where it was asked; what is printed meanwhile moves it and proves nothing.
      const answered = () =>
        terminal
          .lines()
          .slice(0, -1)
          .filter((text) => text.startsWith(question)).length
      const before = answered()
      terminal.send(`${answer}\r`)
      await terminal.until(() => answered() > before)
    }
    const wanted = [says].flat() as readonly Said[]
    const shown = () => terminal.lines().slice(from + 1)
    await terminal.until(
      (screen) => wanted.every((each) => shown().some((text) => matches(text, each))) && PROMPT.test(screen.typed()),
    )
    return shown().join('\n')
  }

  /** Waits until the screen shows it. */
  sees(expected: Said): Promise<void> {
    return this.terminal.until((screen) => screen.lines().some((line) => matches(line, expected)))
  }

  /** Everything the program ever wrote. */
  get raw(): string {
    return this.terminal.raw
  }

  /** kill -9. */
  async dies(): Promise<void> {
    await this.terminal.close()
    await this.terminal.exit()
  }
}

function matches(line: string, expected: Said): boolean {
  return typeof expected === 'string' ? line.includes(expected) : expected.test(line)
}

/** The command lines of all processes that run over this directory. */
export function commandLines(directory: string): string {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids
    .flatMap((pid) => {
      try {
        const isOurs = readFileSync(join('/proc', pid, 'environ'), 'latin1').includes(directory)
        return isOurs ? [readFileSync(join('/proc', pid, 'cmdline'), 'latin1')] : []
      } catch {
        // It has ended meanwhile.
        return []
      }
    })
    .join('\n')
}

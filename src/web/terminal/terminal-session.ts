// The terminal's behaviour: keys become an edited line, a line becomes a run, output is shown above what is typed. Knows neither
// React nor the DOM; terminal-panel.tsx gives it a screen.
import type { OutputLine } from '../console-state.ts'
import { complete, type SeenNames, type TypeableCommand } from './completion.ts'
import { type Key, readKey } from './keys.ts'
import { type EditedLine, EMPTY_LINE, edit, insert, MAX_LENGTH, replaced } from './line-editor.ts'
import { muted, renderOutput } from './output-text.ts'
import type { TypedHistory } from './typed-history.ts'

export interface Screen {
  print(lines: readonly string[]): void
  show(prompt: string, line: EditedLine): void
  commit(): void
  clear(): void
}

export interface TerminalPorts {
  readonly screen: Screen
  readonly history: TypedHistory
  readonly commands: readonly TypeableCommand[]
  prompt(): string
  seen(): SeenNames
  /** Settles when the run has ended; never rejects. */
  run(line: string): Promise<void>
  runsUnderWay(): number
  /** Several lines were pasted. @returns whether to run them, one after the other */
  confirmPaste(lines: readonly string[]): Promise<boolean>
}

export class TerminalSession {
  readonly #ports: TerminalPorts
  #line = EMPTY_LINE
  #prompt: string

  constructor(ports: TerminalPorts) {
    this.#ports = ports
    this.#prompt = ports.prompt()
    this.#show()
  }

  /** Nothing is typed. */
  get isEmpty(): boolean {
    return this.#line.text === ''
  }

  /** One `onData` of the terminal. */
  take(data: string): void {
    const key = readKey(data)
    if (key !== undefined) this.#take(key)
  }

  print(line: OutputLine, prefix?: string): void {
    this.#ports.screen.print(renderOutput(line, prefix))
  }

  /** A command that a button runs is shown as if typed; what is being typed stays. */
  echo(command: string): void {
    this.#ports.screen.print([`${muted(this.#prompt)}${command}`])
  }

  /** The prompt's words may have changed. */
  refreshPrompt(): void {
    const prompt = this.#ports.prompt()
    if (prompt === this.#prompt) return
    this.#prompt = prompt
    this.#show()
  }

  #take(key: Key): void {
    switch (key.kind) {
      case 'text':
        return this.#insert(key.text)
      case 'paste':
        return void this.#paste(key.lines)
      case 'enter':
        return void this.#enter(this.#line.text)
      case 'complete':
        return this.#complete()
      case 'clear-screen':
        return this.#ports.screen.clear()
      case 'interrupt':
        return this.#interrupt()
      default:
        return this.#set(edit(this.#line, key.kind, this.#ports.history.lines()))
    }
  }

  async #enter(text: string): Promise<void> {
    this.#ports.screen.commit()
    this.#line = EMPTY_LINE
    const command = text.trim()
    if (command === '') return
    this.#ports.history.add(text)
    // The screen is this page's own; hookline would refuse it.
    if (/^(clear|cls)$/i.test(command)) return this.#ports.screen.clear()
    await this.#ports.run(command)
  }

  /** A line that is too long is refused as a whole. */
  #insert(text: string): void {
    const line = insert(this.#line, text)
    if (line === undefined) return this.#refuseLong(this.#line.text.length + text.length)
    this.#set(line)
  }

  #refuseLong(length: number): void {
    const text = `nothing was pasted: the line would have ${count(length)} characters, and hookline takes ${count(MAX_LENGTH)}`
    this.print({ kind: 'warn', text })
  }

  async #paste(lines: readonly string[]): Promise<void> {
    const longest = Math.max(...lines.map(({ length }) => length))
    if (longest > MAX_LENGTH) return this.#refuseLong(longest)
    if (!(await this.#ports.confirmPaste(lines))) return
    for (const line of lines) {
      this.#set(insert(EMPTY_LINE, line) ?? EMPTY_LINE)
      await this.#enter(this.#line.text)
    }
  }

  #complete(): void {
    const { text, cursor } = this.#line
    const completion = complete(text.slice(0, cursor), this.#ports.commands, this.#ports.seen())
    if (completion === undefined) return
    const before = this.#line
    this.#set(replaced(before, completion.start, cursor, completion.text))
    const isStuck = this.#line.text === before.text
    if (isStuck && completion.choices.length > 0) this.#ports.screen.print([muted(completion.choices.join('  '))])
  }

  #interrupt(): void {
    const hadText = this.#line.text !== ''
    this.#set({ ...this.#line, text: `${this.#line.text}^C` })
    this.#ports.screen.commit()
    this.#set(EMPTY_LINE)
    if (!hadText && this.#ports.runsUnderWay() > 0) {
      this.print({ kind: 'info', text: 'a run cannot be called back; `cancel` and `close` undo what it placed' })
    }
  }

  #set(line: EditedLine): void {
    this.#line = line
    this.#show()
  }

  #show(): void {
    this.#ports.screen.show(this.#prompt, this.#line)
  }
}

function count(characters: number): string {
  return characters.toLocaleString('en-US')
}

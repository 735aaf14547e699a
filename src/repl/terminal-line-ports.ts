// What the line being typed needs from its surroundings.
import type { Readable, Writable } from 'node:stream'
import type { OutputKind } from '../runs/run.ts'
import type { Completion } from './completer.ts'
import type { History } from './history.ts'

export interface TerminalLinePorts {
  readonly input: Readable
  readonly output: Writable
  readonly history: History
  /** The prompt as it should be now. */
  prompt(): string
  complete(beforeCursor: string): Completion
  print(kind: OutputKind, text: string): void
  /** Takes a line. @returns whether it belongs in the history */
  submit(line: string): boolean
  /** Takes the lines of a paste, once the operator wants them run. */
  submitBlock(lines: readonly string[]): void
  /** Ctrl-C: stops what runs. @returns whether there was anything; if not, the typed line is cleared */
  stopRunning(): boolean
  /** Ctrl-C on an empty line, while nothing runs. */
  onInterrupt(): void
  /** Ctrl-D on an empty line, or the terminal is gone. */
  onEnd(): void
}

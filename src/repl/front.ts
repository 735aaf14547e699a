// Where lines come from, as the REPL sees it: a person at a terminal, or a pipe.
import type { OutputKind } from '../runs/run.ts'
import type { FullView } from '../terminal/full-screen.ts'

/** `failed`: a line of a pipe failed, under `--strict` any, otherwise one that asks for secrets. */
export type EndReason = 'exit' | 'end' | 'interrupt' | 'failed'

/** What a front tells the REPL. */
export interface FrontPorts {
  /**
   * Executes one line; resolves when it has finished, never rejects.
   * @param onWait called when a `wait` of it begins
   * @param account where it runs; default: the one in focus
   * @returns whether it succeeded
   */
  execute(line: string, onWait?: () => void, account?: string): Promise<boolean>
  /** Offers the line to the pending question. @returns whether it was taken as the answer */
  answer(line: string): boolean
  /** Whether the line may ask for secrets. */
  asks(line: string): boolean
  print(kind: OutputKind, text: string): void
  /** No line will follow. */
  end(reason: EndReason): void
}

export interface Front {
  /** @throws {CommandError} `cancelled`, `no-terminal` */
  askHidden(question: string): Promise<string>
  /** As `askHidden`, and shows what is typed. */
  ask(question: string): Promise<string>
  /** Absent where nobody sits at it. */
  confirm?(question: string): Promise<boolean>
  /** Gives the terminal to a view until that closes. Absent where nobody sits at it. */
  show?(view: FullView): void
  /** The account, the symbol or the price may have changed. */
  refresh(): void
  /** Takes no more lines and forgets those not yet started. */
  close(): void
}

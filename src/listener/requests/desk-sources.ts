// What pages ask, and where it is known.
import type { CompletionNames } from '../../commands/kit/command.ts'
import type { CommandPorts } from '../../commands/kit/ports.ts'
import type { RunPages } from '../../runtime/run-pages.ts'
import type { FillTail } from '../../trading/fill-tail.ts'
import type { CopyRecord } from '../../trading/history/copies.ts'
import type { EquitySource } from '../topics/topic-sources.ts'

export interface DeskSources {
  readonly runPages: Pick<RunPages, 'page' | 'find'>
  readonly runArchive: Pick<CommandPorts['runArchive'], 'output' | 'orders'>
  readonly orderHistory: CommandPorts['orderHistory']
  readonly fills: FillTail
  readonly equity: EquitySource
  /** What copiers ordered, newest first, of every process. */
  readonly copies: (limit: number) => Promise<readonly CopyRecord[]>
  /** What completion offers for lines on this account. */
  readonly names: (account: string) => CompletionNames
}

// What pages ask about the past and the present of this hookline: its journals, and what its accounts are worth.
import { join } from 'node:path'
import { isRefusal } from '../commands/kit/errors.ts'
import type { CommandPorts } from '../commands/kit/ports.ts'
import type { DeskSources } from '../listener/sessions/sessions-options.ts'
import { RunPages } from '../runtime/run-pages.ts'
import { openEquityLog } from '../stores/equity-log.ts'
import { isAlive } from '../stores/kernel-files.ts'
import { linesBackwards, withBackup } from '../stores/placed-lines.ts'
import type { FillTail } from '../trading/fill-tail.ts'
import { readCopies } from '../trading/history/copies.ts'
import type { Accounts } from './accounts.ts'
import { createCompletionNames } from './completion-names.ts'
import { EquityRecorder } from './equity-recorder.ts'
import type { Log } from './log.ts'
import { describeEquityProblem } from './warnings.ts'

export interface OwnDeskSources extends DeskSources {
  readonly equity: EquityRecorder
}

/** The hookline that is asked. */
interface DeskOwner {
  readonly directory: string
  readonly ports: CommandPorts
  readonly log: Pick<Log, 'bug'>
}

export function createDeskSources(
  { directory, ports, log }: DeskOwner,
  accounts: Pick<Accounts, 'connect' | 'connected'>,
  fills: FillTail,
  warn: (text: string) => void,
): OwnDeskSources {
  const equity = new EquityRecorder({
    log: openEquityLog({
      path: join(directory, 'equity.jsonl'),
      onProblem: (error) => warn(describeEquityProblem(error)),
    }),
    accounts: accounts.connected,
    connect: accounts.connect,
    now: Date.now,
    isRefusal,
    onBug: (error) => log.bug(error),
    isOurs: () => ports.listenerStatus().state === 'listening',
  })
  const { runArchive, orderHistory } = ports
  return {
    runArchive,
    orderHistory,
    fills,
    equity,
    runPages: new RunPages({
      path: join(directory, 'runs.jsonl'),
      ownRuns: () => ports.runs(),
      // A pid of ours in a line that is not of ours is a pid that has come round again.
      isRunning: (pid) => pid !== process.pid && isAlive({ pid }),
    }),
    copies: (limit) => readCopies(linesBackwards(withBackup(join(directory, 'orders.jsonl'))), limit),
    names: createCompletionNames({ ports, connect: accounts.connect }),
  }
}

// Whether what was written is traded by anybody.
import { printable } from '../../language/printable.ts'
import { showTime } from '../../trading/figures.ts'
import type { CommandContext } from '../kit/command.ts'
import type { CommandPorts } from '../kit/ports.ts'

export const START_HINT =
  'start it with `hookline cross-trade run` in a shell, or with `cross-trade start` at the prompt'

/** One line: `the engine runs (pid 4711) since …`. */
export function describeEngine({ crossTradeEngine }: Pick<CommandPorts, 'crossTradeEngine'>): string {
  const { running, pid, startedAt } = crossTradeEngine.read()
  if (!running) return 'no engine runs, so nothing is copied'
  const who = pid === undefined ? '' : pid === process.pid ? ' in this process' : ` with pid ${pid}`
  return `the engine runs${who}${startedAt === undefined ? '' : ` since ${showTime(startedAt)} UTC`}`
}

/** After a row was turned on. */
export function sayWhetherItRuns({ ports, out }: CommandContext<'crossTradeEngine'>): void {
  if (!ports.crossTradeEngine.read().running) out.warn(`no engine runs, so nothing is copied yet; ${START_HINT}`)
}

/** Labels come from pages. */
export function namePages(labels: readonly string[]): string {
  return labels.map((label) => printable(label === '' ? 'a page without a label' : label, 40)).join(', ')
}

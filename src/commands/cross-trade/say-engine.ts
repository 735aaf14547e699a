// Whether what was written is traded by anybody.
import { engineOf } from '../../cross-trade/engine-lease.ts'
import { printable } from '../../language/printable.ts'
import type { CrossTradeConfig } from '../../stores/cross-trade.ts'
import { showTime } from '../../trading/figures.ts'
import type { CommandContext } from '../kit/command.ts'
import { describeRow, describeWaiting, shortId } from './row-words.ts'

export const START_HINT =
  'start it with `hookline cross-trade run` in a shell, or with `cross-trade start` at the prompt'

/** One line: `the engine runs with pid 4711 since …`. */
export function describeEngine({ ports, clock }: CommandContext<'crossTradeEngine'>): string {
  const { running, pid, startedAt } = ports.crossTradeEngine.read()
  const since = startedAt === undefined ? '' : ` since ${showTime(startedAt)} UTC`
  if (running) return `the engine runs${whoIs(pid)}${since}`
  if (engineOf(ports.crossTradeEngine.readFile(), clock.now()) === undefined)
    return 'no engine runs, so nothing is copied'
  return `the engine${whoIs(pid)} is silent, so nothing is copied: its accounts do not answer, or it hangs`
}

/** To be told, and to whom: an engine that runs is nothing to warn of. */
export function sayEngine(context: CommandContext<'crossTradeEngine'>): void {
  const { out, ports, clock } = context
  const text = describeEngine(context)
  if (ports.crossTradeEngine.read().running) out.info(text)
  else if (engineOf(ports.crossTradeEngine.readFile(), clock.now()) !== undefined) out.warn(text)
  else out.warn(`${text}; ${START_HINT}`)
}

/** After a row was turned on. */
export function sayWhetherItRuns(context: CommandContext<'crossTradeEngine'>): void {
  if (!context.ports.crossTradeEngine.read().running) sayEngine(context)
}

/** What a page wrote, and what copies it. */
export function sayWhatWaits({ out, ports }: CommandContext<'crossTrade'>, ...rows: readonly CrossTradeConfig[]): void {
  const waiting = ports.crossTrade.waiting()
  for (const row of rows) {
    const what = waiting.get(row.id)
    if (what !== undefined)
      out.warn(`${describeRow(row)} ${describeWaiting(what)}: \`cross-trade enable ${shortId(row.id)}\``)
  }
}

function whoIs(pid: number | undefined): string {
  if (pid === undefined) return ''
  return pid === process.pid ? ' in this process' : ` with pid ${pid}`
}

/** Labels come from pages. */
export function namePages(labels: readonly string[]): string {
  return labels.map((label) => printable(label === '' ? 'a page without a label' : label, 40)).join(', ')
}

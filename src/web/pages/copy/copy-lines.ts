// What this page may do about copying, and what it can only say: turning off is for anybody, turning on takes the terminal.
import { typedLine } from '../../../language/print.ts'
import type { CrossTrade } from '../../console-state.ts'
import { showFigure } from '../../figures.ts'
import { MODES } from './pair-draft.ts'

export interface ToType {
  /** undefined: it cannot be typed. */
  readonly line: string | undefined
  readonly says: string
}

type Row = CrossTrade['configs'][number]

export const STOP_LINE = 'cross-trade stop'

export function disableLine({ id }: Pick<Row, 'id'>): string | undefined {
  return typedLine`cross-trade disable ${id}`
}

export function enableLine({ id }: Pick<Row, 'id'>): string | undefined {
  return typedLine`cross-trade enable ${id}`
}

/** `paper BTCUSDT → swing, bybit-2` */
export function rowName({ masterAccount, masterSymbol, copiers }: Row): string {
  const master = masterSymbol === undefined ? masterAccount : `${masterAccount} ${masterSymbol}`
  return `${master} → ${copiers.map(({ account }) => account).join(', ')}`
}

/** The lines for the hookline terminal that would begin, or go on with, what does not copy now. */
export function linesToType({ running, configs, copiers = [], waiting = [] }: CrossTrade): readonly ToType[] {
  const waits = new Set(waiting.map(({ configId }) => configId))
  const isPaused = ({ id }: Row) => copiers.some(({ configId, state }) => configId === id && state === 'paused')
  return [
    ...(running || configs.length === 0 ? [] : [{ line: 'cross-trade start', says: 'To begin copying:' }]),
    ...configs
      .filter(({ enabled }) => !enabled)
      .map((row) => ({ line: enableLine(row), says: `To turn on ${rowName(row)}:` })),
    ...configs
      .filter(({ id, enabled }) => enabled && waits.has(id))
      .map((row) => ({ line: enableLine(row), says: `To say yes to what a page changed of ${rowName(row)}:` })),
    ...configs
      .filter((row) => row.enabled && !waits.has(row.id) && isPaused(row))
      .map((row) => ({ line: enableLine(row), says: `To wake what is paused of ${rowName(row)}:` })),
  ]
}

/** `× 0.5`; where the master's own weight is not 1, it is named: `× 0.5 of 2`. */
export function weightText(
  { masterWeight }: Pick<Row, 'masterWeight'>,
  { weight }: Pick<Row['copiers'][number], 'weight'>,
) {
  const of = masterWeight === 1 ? '' : ` of ${showFigure(String(masterWeight))}`
  return `× ${showFigure(String(weight))}${of}`
}

/** A later mode is shown as it is. */
export function modeTitle(mode: string): string {
  return MODES.find(({ id }) => id === mode)?.title ?? mode
}

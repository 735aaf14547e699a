// Lines that the palette offers: what is typed, and what can be done with what is held.
import type { Portfolio } from '../../protocol/frames.ts'
import { showFigure } from '../figures.ts'
import { closeLine } from '../pages/trade/position-lines.ts'

export interface OfferedLine {
  readonly title: string
  readonly line: string
}

const READING: readonly OfferedLine[] = [
  { title: 'Show positions', line: 'positions' },
  { title: 'Show orders', line: 'orders' },
  { title: 'Show the last runs', line: 'runs' },
  { title: 'Show what is switched off', line: 'status' },
]

export function linesFor(typed: string, portfolio: Portfolio | undefined): readonly OfferedLine[] {
  const own = typed.trim()
  const held = (portfolio?.positions ?? []).flatMap(({ symbol, side, amount }) => [
    ...offered(`Close the ${symbol} ${side}, ${showFigure(amount)}`, closeLine({ symbol })),
    ...offered(`Close half of ${symbol}`, closeLine({ symbol }, '50')),
  ])
  // Only what could be a command: a word alone is more likely looked for.
  const asTyped = own.includes(' ') ? [{ title: own, line: own }] : []
  return [...asTyped.filter(({ line }) => held.every((each) => each.line !== line)), ...held, ...READING]
}

/** What cannot be typed is not offered. */
function offered(title: string, line: string | undefined): readonly OfferedLine[] {
  return line === undefined ? [] : [{ title, line }]
}

// The prompt's words, those of hookline's own terminal: `paper [BTCUSDT] > `. The price is in the header,
// where it may move without disturbing what is typed.
import { printable } from '../../language/printable.ts'
import { type ConsoleState, focusOf, isLive } from '../console-state.ts'

const MAX_NAME = 24

export function promptText(state: Pick<ConsoleState, 'connection' | 'focus' | 'portfolio'>): string {
  if (!isLive(state)) return 'not connected > '
  const focus = focusOf(state)
  if (focus === undefined) return 'hookline > '
  const { account, symbol } = focus
  return `${printable(account, MAX_NAME)} [${printable(symbol, MAX_NAME)}] > `
}

// The prompt's words, those of hookline's own terminal: `paper [BTCUSDT] > `. The price is in the header,
// where it may move without disturbing what is typed.
import { printable } from '../../language/printable.ts'
import { type ConsoleState, isLive, scopeOf } from '../console-state.ts'

const MAX_NAME = 24

type Shown = Pick<ConsoleState, 'connection' | 'focus' | 'portfolio' | 'chosen'>

/** @param scope of one line; default what commands of this tab run on */
export function promptText(state: Shown, scope: { account?: string; symbol?: string } = scopeOf(state) ?? {}): string {
  if (!isLive(state)) return 'not connected > '
  const { account, symbol } = scope
  if (account === undefined || symbol === undefined) return 'hookline > '
  return `${printable(account, MAX_NAME)} [${printable(symbol, MAX_NAME)}] > `
}

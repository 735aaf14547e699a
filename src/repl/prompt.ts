// The prompt's words: `paper [BTCUSDT 65,012.5] > `.

import { printable } from '../language/printable.ts'
import { showPrice } from '../trading/figures.ts'

export interface PromptState {
  readonly account: string
  readonly symbol: string
  /** The symbol's last price, a decimal string; absent until one is known. */
  readonly last?: string
}

const MAX_NAME = 24

export function promptText({ account, symbol, last }: PromptState): string {
  const market = printable(symbol, MAX_NAME)
  return `${printable(account, MAX_NAME)} [${last === undefined ? market : `${market} ${showPrice(last)}`}] > `
}

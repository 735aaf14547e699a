// The prompt's words: `paper [BTCUSDT 65,012.5] > `, `main [BTCUSDT stale] halted > `, and while lines run `paper [BTCUSDT] (1 running, Ctrl-C stops it) > `.

import { printable } from '../language/printable.ts'
import { showPrice } from '../trading/figures.ts'

export interface PromptState {
  readonly account: string
  readonly symbol: string
  /** The symbol's last price, a decimal string; absent until one is known. */
  readonly last?: string
  /** Of the symbol. */
  readonly market?: Parameters<typeof showPrice>[1]
  /** What holds orders up: `halted`, `reducing`, `sim`, `panic`. */
  readonly words?: readonly string[]
  /** Nothing has come from the venue for too long: no price is shown, and fills may not have been told. */
  readonly isStale?: boolean
}

/** Lines typed at this prompt. */
export interface LineCounts {
  readonly running: number
  /** They wait for the running ones. */
  readonly queued: number
}

const MAX_NAME = 24
/** Cells that are left for what is typed, or the prompt says less. */
const MIN_TYPED = 20
const IDLE: LineCounts = { running: 0, queued: 0 }

/** @param columns of the terminal; default: wide enough */
export function promptText(
  { account, symbol, last, market, isStale = false, words = [] }: PromptState,
  counts: LineCounts = IDLE,
  columns = Number.POSITIVE_INFINITY,
): string {
  const price = isStale ? ' stale' : last === undefined ? '' : ` ${showPrice(last, market)}`
  const held = words.length === 0 ? '' : ` ${words.join(', ')}`
  const focus = `${printable(account, MAX_NAME)} [${printable(symbol, MAX_NAME)}${price}]${held}`
  if (counts.running === 0) return `${focus} > `
  const queued = counts.queued === 0 ? '' : `, ${counts.queued} queued`
  const text = `${counts.running} running${queued}`
  const stops = `Ctrl-C stops ${counts.running + counts.queued === 1 ? 'it' : 'them'}`
  const whole = `${focus} (${text}, ${stops}) > `
  return whole.length + MIN_TYPED <= columns ? whole : `${focus} (${text}) > `
}

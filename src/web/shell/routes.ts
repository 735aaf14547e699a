// The pages of the rail: their names, keys and addresses.
import { CONSOLE_PAGES, type ConsolePage } from '../../protocol/console.ts'
import type { IconName } from '../components/icon.tsx'

export interface Place {
  readonly id: ConsolePage
  readonly title: string
  readonly icon: IconName
  /** After G. */
  readonly key: string
}

const TITLES: Readonly<Record<ConsolePage, string>> = {
  trade: 'Trade',
  hooks: 'Hooks',
  journal: 'Journal',
  portfolio: 'Portfolio',
  copy: 'Copy',
  settings: 'Settings',
}

export const PLACES: readonly Place[] = CONSOLE_PAGES.map((id) => ({
  id,
  title: TITLES[id],
  icon: id,
  key: id.charAt(0),
}))

/** @param path as in the address bar */
export function placeOf(path: string): ConsolePage {
  const first = path.split('/')[1] ?? ''
  return CONSOLE_PAGES.find((page) => page === first) ?? 'trade'
}

/** @param interval of the chart; absent: as it is */
export function tradePath(symbol: string | undefined, interval?: string): string {
  const path = symbol === undefined ? '/trade' : `/trade/${encodeURIComponent(symbol)}`
  return interval === undefined ? path : `${path}?interval=${interval}`
}

/** @param search without `?` @param account undefined: the tab follows the operator's focus */
export function withAccount(search: string, account: string | undefined): string {
  const parameters = new URLSearchParams(search)
  if ((parameters.get('account') ?? undefined) === account) return search
  if (account === undefined) parameters.delete('account')
  else parameters.set('account', account)
  return String(parameters)
}

/** Of `/trade/BTCUSDT`. */
export function symbolIn(path: string): string | undefined {
  const symbol = /^\/trade\/([^/]+)/.exec(path)?.[1]
  try {
    return symbol === undefined ? undefined : decodeURIComponent(symbol).toUpperCase()
  } catch {
    // A percent sign that stands for nothing.
    return undefined
  }
}

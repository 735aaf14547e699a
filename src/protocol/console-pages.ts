// The addresses of the console's pages: the page goes by them, and its web server answers each with the same file.

export const CONSOLE_PAGES = ['trade', 'hooks', 'journal', 'portfolio', 'copy', 'settings'] as const
export type ConsolePage = (typeof CONSOLE_PAGES)[number]

/** `/copy/<master>/<copier>` is the longest. */
const MAX_PARTS = 3

/** @param path as in a URL, without its query: `/`, `/trade/BTCUSDT` */
export function isConsolePage(path: string): boolean {
  if (path === '/') return true
  const [, ...parts] = path.replace(/\/$/, '').split('/')
  const [page = ''] = parts
  const isKnown = (CONSOLE_PAGES as readonly string[]).includes(page)
  return isKnown && parts.length <= MAX_PARTS && parts.every((part) => part !== '')
}

// The addresses of the console's pages: the page goes by them, and its web server answers each with the same file.
import { LISTENER_HOST, LISTENER_PORT } from './address.ts'

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

// What the console's server and its worker both answer a visit with. Pure.

const LISTENER = `${LISTENER_HOST}:${LISTENER_PORT}`

/** The one policy of trusted types that a page may make: it lets the page's own worker be registered, and nothing else become code. */
export const WORKER_POLICY = 'hookline-worker'

/**
 * `style-src` allows inline styles: libraries of the console put `<style>` elements of their own making into the page, whose texts change, so
 * that no hash fits, and take no nonce. Styles run no code, and with `default-src 'none'` there is no foreign address that one could load
 * or leak to.
 *
 * @param inline the hashes of what is inlined, as `sha256-…`
 */
export function pagePolicy(inline: readonly string[] = []): string {
  return [
    "default-src 'none'",
    `script-src 'self'${inline.map((hash) => ` '${hash}'`).join('')}`,
    "style-src 'self' 'unsafe-inline'",
    `connect-src 'self' ws://${LISTENER} http://${LISTENER}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${WORKER_POLICY}`,
  ].join('; ')
}

/** The `<meta>` of a document that holds its ticket. */
export const TICKET_META = 'hookline-ticket'

/** In the console's page: which hash each script of the build has, so that the browser runs no other. */
export const IMPORT_MAP = /<script type="importmap">([^<]*)<\/script>/

/** Of pages that are text alone. */
export const PLAIN_STYLE = 'body{max-width:40rem;margin:2rem;font:15px/1.5 system-ui,sans-serif}h1{font-size:18px}'

const ENTRY_SCRIPT = 'const [form]=document.forms;form.action=location.href;form.submit()'
/** Of the script above; test/web-server/entry.test.ts works it out. */
const ENTRY_HASH = 'sha256-LnoEGae1RO/yAFk7m7t1yDWQhTWEwkXRmjoc4fkGQRk='

/**
 * Answers a visit: it asks for the same page by POST. What a browser loads so is not shown to any service worker, whereas a GET may be
 * (navigation preload, static routing), and the document that follows holds a ticket.
 */
export const ENTRY_PAGE = {
  html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>hookline</title>
<style>${PLAIN_STYLE}</style>
<noscript>The hookline console needs JavaScript.</noscript>
<form method="post"></form>
<script>${ENTRY_SCRIPT}</script>
</html>
`,
  script: ENTRY_SCRIPT,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; script-src '${ENTRY_HASH}'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
    // With none at all, the POST would name no origin.
    'Referrer-Policy': 'same-origin',
  },
} as const

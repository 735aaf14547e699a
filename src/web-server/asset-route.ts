// The routes of the console's files and pages. Nothing is served with an `ETag`: a program that once had this address could have left a file
// of its own in the browser's cache under that of ours, and be confirmed by a 304.
import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { Hono } from 'hono/tiny'
import { ENTRY_PAGE, IMPORT_MAP, isConsolePage, pagePolicy, TICKET_META } from '../protocol/console.ts'
import type { AssetSource } from './assets.ts'
import { answerRefusal } from './refusal-page.ts'

interface Issued {
  readonly ticket: string
  /** On the answer besides. */
  readonly headers: Readonly<Record<string, string>>
}

/** @returns a ticket for the document that is asked for; undefined: it is not to have one */
export type IssueTicket = (context: Context) => Promise<Issued | undefined>

/** Takes every GET that no other route takes, and a POST to a page. @param issueTicket absent: no document has one, and none is asked for by POST */
export function serveAssets(app: Hono, assets: AssetSource, issueTicket?: IssueTicket): void {
  app.get('*', async (context) => {
    const { path } = context.req
    const asset = await assets.find(path)
    if (!asset) return isConsolePage(path) ? context.html(NOT_BUILT, 503, NO_STORE) : context.notFound()
    if (!isConsolePage(path)) return context.body(asset.bytes, 200, fileHeaders(asset))
    if (issueTicket !== undefined && isNavigation(context))
      return context.body(ENTRY_PAGE.html, 200, { ...ENTRY_PAGE.headers })
    return document(context, asset.bytes, undefined)
  })
  app.post('*', async (context) => {
    const { path } = context.req
    const asset = isConsolePage(path) ? await assets.find(path) : undefined
    if (!asset) return context.notFound()
    return document(context, asset.bytes, await issueTicket?.(context))
  })
}

/** A browser's window is to show what is answered. */
function isNavigation(context: Context): boolean {
  return context.req.header('sec-fetch-mode') === 'navigate'
}

export function notFound(context: Context): Response {
  return answerRefusal(context, 404, { error: 'not found' })
}

const NO_STORE = { 'Cache-Control': 'no-store' }

function fileHeaders({ bytes, type, isHashed }: { bytes: Uint8Array; type: string; isHashed: boolean }) {
  return {
    'Content-Type': type,
    'Content-Length': String(bytes.length),
    'Cache-Control': isHashed ? 'max-age=31536000, immutable' : 'no-cache',
  }
}

function document(context: Context, bytes: Uint8Array<ArrayBuffer>, issued: Issued | undefined): Response {
  const html = new TextDecoder().decode(bytes)
  const [, map] = IMPORT_MAP.exec(html) ?? []
  const inline = map === undefined ? [] : [`sha256-${createHash('sha256').update(map).digest('base64')}`]
  const meta = issued === undefined ? '' : `<meta name="${TICKET_META}" content="${issued.ticket}">`
  return context.body(html.replace('<head>', `<head>${meta}`), 200, {
    ...issued?.headers,
    ...NO_STORE,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': pagePolicy(inline),
    'Cross-Origin-Opener-Policy': openerPolicy(context.req.header('user-agent') ?? ''),
  })
}

/**
 * A window of this same origin that opened the page could reach into it: one that another program served. Chromium since 131 cuts it off;
 * a browser that does not know the word would have no policy at all.
 */
function openerPolicy(userAgent: string): string {
  const [, version = '0'] = /Chrom(?:e|ium)\/(\d+)/.exec(userAgent) ?? []
  return Number(version) >= 131 ? 'noopener-allow-popups' : 'same-origin'
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>hookline: the console is not built</title>
<h1>The console is not built yet</h1>
<p>In the folder of hookline's source, run <code>npm run build</code>, then reload this page.</p>
</html>
`

// The console as a site on the internet would serve it, for a Chromium that is told that the site's address is a public one: such pages need
// their user's permission before they may reach this machine (Local Network Access).
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'

const BUILT = resolve(import.meta.dirname, '../dist/web')
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}
const PORT = 53_230

export const PUBLIC_ORIGIN = `http://console.example:${PORT}`

/** What makes of a server on this machine a public site with a certificate, to the browser. */
export const PUBLIC_SITE_ARGS = [
  '--host-resolver-rules=MAP console.example 127.0.0.1',
  `--ip-address-space-overrides=127.0.0.1:${PORT}=public`,
  `--unsafely-treat-insecure-origin-as-secure=${PUBLIC_ORIGIN}`,
]

export async function servePublicSite(): Promise<void> {
  const server = createServer((request, response) => {
    const file = request.url === '/' ? 'index.html' : (request.url ?? '').slice(1)
    const type = TYPES[extname(file)] ?? 'application/octet-stream'
    readFile(join(BUILT, file)).then(
      (bytes) => response.setHeader('Content-Type', type).end(bytes),
      () => response.writeHead(404).end('{}'),
    )
  })
  server.listen(PORT, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
}

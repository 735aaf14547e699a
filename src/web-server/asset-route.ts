// The route of the console's files.
import { etag } from 'hono/etag'
import type { Hono } from 'hono/tiny'
import { isConsolePage } from '../protocol/console-pages.ts'
import type { AssetSource } from './assets.ts'

/** Takes every GET that no other route takes. */
export function serveAssets(app: Hono, assets: AssetSource): void {
  app.get('*', etag(), async (context) => {
    const { path } = context.req
    const asset = await assets.find(path)
    if (!asset)
      return isConsolePage(path) ? context.html(NOT_BUILT, 503, { 'Cache-Control': 'no-store' }) : context.notFound()
    return context.body(asset.bytes, 200, {
      'Content-Type': asset.type,
      'Content-Length': String(asset.bytes.length),
      'Cache-Control': asset.isHashed ? 'max-age=31536000, immutable' : 'no-cache',
    })
  })
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

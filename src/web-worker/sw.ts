// The console's service worker: keeps one build of it, so that an installed console opens while its server does not run. It never answers for
// hookline or for /api, and never holds a new build back: a visit goes to the server while that answers, and past this worker, so that the
// document is for the window alone. What it answers by itself is checked against the hashes that it was built with: any page of this origin can write into its cache.
import { defined } from '../base/defined.ts'
import { ENTRY_PAGE, IMPORT_MAP, pagePolicy } from '../protocol/console.ts'
import {
  CONFIRMED_CACHE,
  cacheNameOf,
  isOfBuild,
  type KeptFile,
  mayOpenKept,
  outdated,
  pathsOf,
  typeOf,
  wayOf,
} from './kept-build.ts'

// What is shown instead of a copy that no web server has confirmed for a month.
const HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>hookline: the server does not answer</title>
<h1>The server of this page does not answer</h1>
<p>The copy of the console that this browser keeps is more than 30 days old, and a newer one may have fixed something.
Where it is on this machine, start <code>hookline</code> in a terminal; then reload this page.</p>
</html>
`

const TOO_OLD_PAGE = (): Response =>
  new Response(HTML, {
    status: 503,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    },
  })

declare const self: ServiceWorkerGlobalScope & { readonly __WB_MANIFEST: readonly KeptFile[] }

const FILES = self.__WB_MANIFEST
const HASHES = new Map(pathsOf(FILES).map((path, index) => [path, FILES[index]?.integrity]))
const CACHE = cacheNameOf(FILES)
const PAGE = '/index.html'
/** Asked to learn whether the server answers: any answer says so. */
const ANSWERING = '/api/settings'
/** A web server that has stopped without closing its port. */
const SILENCE_MS = 4_000

self.addEventListener('install', (event) => {
  event.waitUntil(keepBuild())
  // Pages that are open go on with the files of their own build, by name.
  void self.skipWaiting()
})

self.addEventListener('activate', (event) => event.waitUntil(takeOver()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const way = wayOf(request, self.location.origin, FILES)
  if (way === 'page') event.respondWith(openPage(event))
  else if (way === 'file') event.respondWith(answerFile(request))
  else if (way === 'fresh') event.respondWith(fetch(request).catch((error) => keptOr(request, error)))
})

/** A page asks whether it is of the build that is kept; what a browser has thrown away meanwhile is kept anew. */
self.addEventListener('message', (event) => {
  const known = new Set(pathsOf(FILES))
  const files: readonly unknown[] = Array.isArray(event.data?.files) ? event.data.files : []
  event.ports[0]?.postMessage({ isCurrent: files.every((path) => known.has(String(path))) })
  event.waitUntil(caches.has(CACHE).then((isKept) => (isKept ? undefined : keepBuild().catch(() => {}))))
})

/** All of it or none. @throws the build changes at this moment: the browser tries again at the next look */
async function keepBuild(): Promise<void> {
  const cache = await caches.open(CACHE)
  try {
    await Promise.all([...HASHES].map(async ([path, integrity]) => cache.put(path, await fetchFile(path, integrity))))
    const page = await cache.match(PAGE)
    if (!isOfBuild((await page?.text()) ?? '', FILES)) throw new Error('the page is of another build')
  } catch (error) {
    await caches.delete(CACHE)
    throw error
  }
  await confirm()
}

/** Past what the browser has in its cache, and no other file than the one of the build. @throws {TypeError} */
async function fetchFile(path: string, integrity: string | undefined): Promise<Response> {
  const answer = await fetch(new Request(path, { cache: 'reload', ...defined({ integrity }) }))
  if (!answer.ok) throw new TypeError(`${path}: ${answer.status}`)
  return answer
}

async function takeOver(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(outdated(names, CACHE).map((name) => caches.delete(name)))
  await self.clients.claim()
}

/** Whose server does not answer gets what is kept. */
async function openPage(event: FetchEvent): Promise<Response> {
  const answered = fetch(ANSWERING, { cache: 'no-store' })
  const silent = new Promise<undefined>((resolve) => setTimeout(resolve, SILENCE_MS))
  const isThere = await Promise.race([answered, silent]).catch(() => undefined)
  const kept = isThere === undefined ? await keptPage() : undefined
  if (kept !== undefined) return kept
  if (isThere?.ok) event.waitUntil(confirm())
  return new Response(ENTRY_PAGE.html, { headers: ENTRY_PAGE.headers })
}

async function keptPage(): Promise<Response | undefined> {
  const page = await verified(PAGE)
  if (page === undefined) return undefined
  return mayOpenKept(await confirmedAt(), Date.now()) ? page : TOO_OLD_PAGE()
}

/** Files of another build are for a page of that build, which checks them itself. */
async function answerFile(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (!HASHES.has(pathname)) return (await caches.match(request)) ?? fetch(request)
  return (await verified(pathname)) ?? fetchFile(pathname, HASHES.get(pathname))
}

async function keptOr(request: Request, error: unknown): Promise<Response> {
  const kept = await verified(new URL(request.url).pathname)
  if (kept === undefined) throw error
  return kept
}

/** What is kept of this build, with headers of ours: any page of this origin can write into the cache. @returns undefined: not it, or none */
async function verified(path: string): Promise<Response | undefined> {
  const kept = await caches.match(path, { cacheName: CACHE })
  const bytes = await kept?.arrayBuffer()
  if (bytes === undefined || (await hashOf(bytes)) !== HASHES.get(path)) return undefined
  const headers: Record<string, string> = { 'Content-Type': typeOf(path), 'X-Content-Type-Options': 'nosniff' }
  if (path === PAGE) {
    const [, map] = IMPORT_MAP.exec(new TextDecoder().decode(bytes)) ?? []
    const inline = map === undefined ? [] : [await hashOf(new TextEncoder().encode(map))]
    headers['Content-Security-Policy'] = pagePolicy(inline)
    headers['Referrer-Policy'] = 'no-referrer'
  }
  return new Response(bytes, { headers })
}

async function hashOf(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `sha256-${btoa(String.fromCharCode(...digest))}`
}

/** A page that forgets everything deletes the caches while this worker still answers other tabs: it must not make one anew. */
async function confirm(): Promise<void> {
  if (!(await caches.has(CACHE))) return
  const cache = await caches.open(CONFIRMED_CACHE)
  await cache.put('/confirmed', new Response(String(Date.now())))
  // Deleted between the look and the note.
  if (!(await caches.has(CACHE))) await caches.delete(CONFIRMED_CACHE)
}

async function confirmedAt(): Promise<number> {
  const noted = await caches.match('/confirmed', { cacheName: CONFIRMED_CACHE })
  return Number((await noted?.text()) ?? 0)
}

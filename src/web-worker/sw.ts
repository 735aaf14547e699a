// The console's service worker: keeps one build of it, so that an installed console opens while `hookline web` is not running. It never
// answers for hookline or for /api, and never holds a new build back: pages come from the web server first, and what it serves by itself
// is named by a hash of its content.
import {
  CONFIRMED_CACHE,
  cacheNameOf,
  isOfBuild,
  type KeptFile,
  mayOpenKept,
  outdated,
  pathsOf,
  wayOf,
} from './kept-build.ts'
import { TOO_OLD_PAGE } from './too-old-page.ts'

declare const self: ServiceWorkerGlobalScope & { readonly __WB_MANIFEST: readonly KeptFile[] }

const FILES = self.__WB_MANIFEST
const CACHE = cacheNameOf(FILES)
const PAGE = '/index.html'
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
  else if (way === 'file') event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)))
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
    await cache.addAll(pathsOf(FILES).map((path) => new Request(path, { cache: 'no-cache' })))
    const page = await cache.match(PAGE)
    if (!isOfBuild((await page?.text()) ?? '', FILES)) throw new Error('the page is of another build')
  } catch (error) {
    await caches.delete(CACHE)
    throw error
  }
  await confirm()
}

async function takeOver(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(outdated(names, CACHE).map((name) => caches.delete(name)))
  await self.clients.claim()
}

async function openPage(event: FetchEvent): Promise<Response> {
  const answered = fetch(event.request)
  const silent = new Promise<undefined>((resolve) => setTimeout(resolve, SILENCE_MS))
  try {
    const answer = await Promise.race([answered, silent])
    if (answer?.ok) event.waitUntil(confirm())
    return answer ?? (await keptPage()) ?? (await answered)
  } catch (error) {
    const kept = await keptPage()
    if (kept === undefined) throw error
    return kept
  }
}

async function keptPage(): Promise<Response | undefined> {
  const kept = await (await caches.open(CACHE)).match(PAGE)
  if (kept === undefined) return undefined
  return mayOpenKept(await confirmedAt(), Date.now()) ? kept : TOO_OLD_PAGE()
}

async function keptOr(request: Request, error: unknown): Promise<Response> {
  const kept = await (await caches.open(CACHE)).match(request)
  if (kept === undefined) throw error
  return kept
}

async function confirm(): Promise<void> {
  const cache = await caches.open(CONFIRMED_CACHE)
  await cache.put('/confirmed', new Response(String(Date.now())))
}

async function confirmedAt(): Promise<number> {
  const noted = await (await caches.open(CONFIRMED_CACHE)).match('/confirmed')
  return Number((await noted?.text()) ?? 0)
}

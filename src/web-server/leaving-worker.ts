// A service worker outlives the server that gave it out: a program that once had this port, or an older hookline, may have left
// one in the browser, which would go on answering in our name. Browsers ask the server for a worker's script anew at every visit, past all
// workers and caches; for any but our own the answer is this one, which takes itself away and what it kept.

/** The console's own, as src/web-worker is built. */
export const WORKER = '/sw.js'

export const LEAVING_WORKER = `self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(leave()))
async function leave() {
  for (const name of await caches.keys()) await caches.delete(name)
  await self.registration.unregister()
  for (const page of await self.clients.matchAll({ type: 'window' })) await page.navigate(page.url).catch(() => {})
}
`

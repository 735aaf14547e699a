// A page that hookline's operator has approved before the test begins, for tests whose subject is not how that came about (pairing.e2e): hookline
// finds it in its file, and the browser has its id, its key and the hookline that it knows, as the client keeps them.
import { randomUUID, webcrypto } from 'node:crypto'
import type { Page } from 'playwright-core'
import { keysOf } from '../src/client/client-keys.ts'
import type { Pin } from '../src/client/pinned-listener.ts'
import { openIdentity, openListenerKey } from '../src/stores/identity.ts'
import { openTrustedClients } from '../src/stores/trusted-clients.ts'
import { CONSOLE_URL } from './console-page.ts'

/** What a page is to each hookline that approves it. */
interface PageIdentity {
  readonly clientId: string
  /** As hookline keeps it. */
  readonly key: string
  readonly privateKey: webcrypto.JsonWebKey
  readonly publicKey: webcrypto.JsonWebKey
}

export interface ApprovedPage extends PageIdentity {
  readonly listener: Pin
}

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' }

async function newIdentity(): Promise<PageIdentity> {
  const pair = await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  return {
    clientId: randomUUID(),
    key: (await keysOf(pair)).publicKey,
    privateKey: await webcrypto.subtle.exportKey('jwk', pair.privateKey),
    publicKey: await webcrypto.subtle.exportKey('jwk', pair.publicKey),
  }
}

/** Of all pages of a worker that are approved before. */
let ofWorker: Promise<PageIdentity> | undefined

/** @param directory of a hookline, which may not have run yet */
export async function approvePage(directory: string): Promise<ApprovedPage> {
  ofWorker ??= newIdentity()
  const page = await ofWorker
  const { clientId, key } = page
  await openTrustedClients(directory).add({ clientId, key, label: 'console in Chrome on Linux', origin: CONSOLE_URL })
  const { listenerId } = await openIdentity(directory).load()
  const listenerKey = await openListenerKey(directory).load()
  return { ...page, listener: { listenerId, key: listenerKey.publicKey } }
}

const STILL_URL = `${CONSOLE_URL}/still`

/** Leaves the page at an address of the console where nothing runs, whoever serves there. */
export async function standStill(page: Page): Promise<void> {
  if (page.url() === STILL_URL) return
  const blank = {
    contentType: 'text/html',
    headers: { 'Cross-Origin-Opener-Policy': 'same-origin' },
    body: '<!doctype html><link rel="icon" href="data:,">',
  }
  await page.route(STILL_URL, (route) => route.fulfill(blank))
  await page.goto(STILL_URL)
  await page.unroute(STILL_URL)
}

/** Before the page loads the console; of what the browser kept for another hookline nothing is left. */
export async function becomeApproved(page: Page, approved: ApprovedPage): Promise<void> {
  await standStill(page)
  await page.evaluate(`(${KEEP})(${JSON.stringify(approved)})`)
}

/** As `storedKeys`, `storedClientId` and `createStoredPin` do. */
const KEEP = `async ({ clientId, privateKey, publicKey, listener }) => {
  const curve = ${JSON.stringify(CURVE)}
  const pair = {
    privateKey: await crypto.subtle.importKey('jwk', privateKey, curve, false, ['sign']),
    publicKey: await crypto.subtle.importKey('jwk', publicKey, curve, true, ['verify']),
  }
  await new Promise((resolve, reject) => {
    const opening = indexedDB.open('hookline.client', 1)
    opening.onerror = () => reject(opening.error)
    opening.onupgradeneeded = () => opening.result.createObjectStore('keys')
    opening.onsuccess = () => {
      const keeping = opening.result.transaction('keys', 'readwrite')
      keeping.objectStore('keys').put(pair, clientId)
      keeping.onerror = () => reject(keeping.error)
      keeping.oncomplete = () => resolve(opening.result.close())
    }
  })
  sessionStorage.clear()
  localStorage.clear()
  localStorage.setItem('hookline.client', JSON.stringify([clientId]))
  localStorage.setItem('hookline.listener', JSON.stringify(listener))
}`

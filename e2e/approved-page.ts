// A page that hookline's operator has approved before the test begins, for tests whose subject is not how that came about (pairing.e2e): hookline
// finds it in its file, and the browser has its id, its key and the hookline that it knows, as the client keeps them.
import { randomUUID, webcrypto } from 'node:crypto'
import type { Page } from 'playwright-core'
import { keysOf } from '../src/client/client-keys.ts'
import type { Pin } from '../src/client/pinned-listener.ts'
import { openIdentity, openListenerKey } from '../src/stores/identity.ts'
import { openTrustedClients } from '../src/stores/trusted-clients.ts'
import { CONSOLE_URL } from './console-page.ts'

export interface ApprovedPage {
  readonly clientId: string
  readonly privateKey: webcrypto.JsonWebKey
  readonly publicKey: webcrypto.JsonWebKey
  readonly listener: Pin
}

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' }

/** @param directory of a hookline, which may not have run yet */
export async function approvePage(directory: string): Promise<ApprovedPage> {
  const clientId = randomUUID()
  const pair = await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  await openTrustedClients(directory).add({
    clientId,
    label: 'console in Chrome on Linux',
    origin: CONSOLE_URL,
    key: (await keysOf(pair)).publicKey,
  })
  const { listenerId } = await openIdentity(directory).load()
  const { publicKey: key } = await openListenerKey(directory).load()
  return {
    clientId,
    privateKey: await webcrypto.subtle.exportKey('jwk', pair.privateKey),
    publicKey: await webcrypto.subtle.exportKey('jwk', pair.publicKey),
    listener: { listenerId, key },
  }
}

/** Before the page loads the console. */
export async function becomeApproved(page: Page, approved: ApprovedPage): Promise<void> {
  const address = `${CONSOLE_URL}/approved`
  const blank = {
    contentType: 'text/html',
    headers: { 'Cross-Origin-Opener-Policy': 'same-origin' },
    body: '<!doctype html><link rel="icon" href="data:,">',
  }
  await page.route(address, (route) => route.fulfill(blank))
  await page.goto(address)
  await page.evaluate(`(${KEEP})(${JSON.stringify(approved)})`)
  await page.unroute(address)
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
  localStorage.setItem('hookline.client', JSON.stringify([clientId]))
  localStorage.setItem('hookline.listener', JSON.stringify(listener))
}`

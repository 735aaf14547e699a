// Whose browser this is, in a console for many: ids, keys, pin, history and copy belong to who signed in. They are deleted as that person signs out, is
// removed, or another one comes; every tab then begins anew.

import { readText, writeText } from '../../client/text-storage.ts'
import { dropCopy } from '../offline-copy.ts'
import { readSettings } from '../settings.ts'

const OWNER = 'hookline.owner'
const EVERY_MS = 15_000

interface OpenTab {
  /** No later command of the tab reaches hookline. */
  disconnect(): void
}

const CHANNEL = 'hookline.forgotten'
const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(CHANNEL)

/** Every tab: what is deleted in one is not kept alive by another. */
export function followForgetting(tab: OpenTab): void {
  channel?.addEventListener('message', () => {
    tab.disconnect()
    // Each tab has storage of its own besides.
    forgetStorage()
    location.replace('/')
  })
}

/** Deletes all that this browser keeps, and has the other tabs begin anew. */
export async function forgetEverywhere(): Promise<void> {
  channel?.postMessage('')
  await forgetBrowser()
}

/** Deletes data of any other person. @param account who is signed in; undefined: signed out */
export async function claimBrowser(account: string | undefined): Promise<void> {
  if (readText(OWNER) === account) return
  await forgetEverywhere()
  if (account !== undefined) writeText(OWNER, account)
}

/** Ends this tab as soon as its person is signed out or removed, or another person is signed in. */
export function watchSession(account: string, tab: OpenTab): void {
  let isLooking = false
  const look = async () => {
    if (isLooking) return
    isLooking = true
    const { settings, isServed, hosted } = await readSettings()
    isLooking = false
    if (!isServed || hosted === 'away' || settings.account?.id === account) return
    // An answer without a name comes from a broken server.
    if (hosted !== 'sign-in' && settings.account === undefined) return
    tab.disconnect()
    await claimBrowser(settings.account?.id)
    location.replace('/')
  }
  setInterval(() => void look(), EVERY_MS)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void look())
}

// --- everything that the console keeps in this browser, gone: keys, pin, settings, what was typed, the copy of the console.

const PREFIX = 'hookline.'

async function forgetBrowser(): Promise<void> {
  forgetStorage()
  await Promise.all([dropKeys(), dropCopy()])
}

/** Of this tab, and what it shares with the others. */
function forgetStorage(): void {
  for (const storage of [localStorage, sessionStorage]) {
    for (const key of Object.keys(storage)) if (key.startsWith(PREFIX)) storage.removeItem(key)
  }
}

/** Another tab that uses them may hold them a moment longer; they go when it is gone. */
function dropKeys(): Promise<void> {
  return new Promise((resolve) => {
    const dropping = indexedDB.deleteDatabase('hookline.client')
    dropping.onsuccess = () => resolve()
    dropping.onerror = () => resolve()
    dropping.onblocked = () => resolve()
  })
}

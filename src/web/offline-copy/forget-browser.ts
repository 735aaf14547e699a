// Everything that the console keeps in this browser, gone: keys, pin, settings, what was typed, the copy of the console.
import { dropCopy } from './keep-copy.ts'

const PREFIX = 'hookline.'

export async function forgetBrowser(): Promise<void> {
  forgetStorage()
  await Promise.all([dropKeys(), dropCopy()])
}

/** Of this tab, and what it shares with the others. */
export function forgetStorage(): void {
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

// Who this tab is to hookline: a UUID that the operator approves once (behaviour 110).
//
// No two living tabs may share one. A duplicated tab starts with a copy of the first one's sessionStorage, so what is found there is only
// a wish; it counts once the tab holds the lock of that name, which the browser grants to one tab and frees when the tab is gone. In
// this order a tab takes
//   1. the id it had before: it was reloaded or restored;
//   2. an id that a closed tab has left behind: the operator is not asked anew every morning;
//   3. a new one.
import { readJson, readText, type TextStorage, writeJson, writeText } from './text-storage.ts'

/** Exclusive claims among the living tabs of an origin, held until the tab is gone. */
export interface Claims {
  /** @returns whether the claim is ours; false when another tab still holds it after `patienceMs`, 0 for at once */
  take(name: string, patienceMs: number): Promise<boolean>
}

/** What is needed of `navigator.locks`. */
export interface LockManagerLike {
  request(name: string, options: LockOptionsLike, callback: LockCallback): Promise<unknown>
}

export type LockOptionsLike = { readonly signal: AbortSignal } | { readonly ifAvailable: true }
/** Held until what it returns settles; called with null when `ifAvailable` and it is not. */
export type LockCallback = (lock: object | null) => Promise<void> | undefined

export interface ClientIdOptions {
  /** `sessionStorage`. */
  readonly tab: TextStorage
  /** `localStorage`. */
  readonly device: TextStorage
  /** undefined where there are no locks: every load of the page then is a client of its own. */
  readonly claims: Claims | undefined
  /** Default `hookline.client`: of the storage keys and the locks. */
  readonly namespace?: string
  readonly newId?: () => string
}

/** A reloaded page may start before the one that it replaces is quite gone. */
const OWN_PATIENCE_MS = 1_000
/** The most recently used of this device. */
const MAX_REMEMBERED = 16

export async function claimClientId(options: ClientIdOptions): Promise<string> {
  const { tab, device, claims, namespace = 'hookline.client', newId = () => crypto.randomUUID() } = options
  const own = readText(namespace, tab)
  const remembered = readIds(device, namespace)
  const claim = async (id: string, patienceMs: number) =>
    (await claims?.take(`${namespace}.${id}`, patienceMs)) === true
  const keep = (id: string) => {
    writeText(namespace, id, tab)
    const others = readIds(device, namespace).filter((other) => other !== id)
    writeJson(namespace, [id, ...others].slice(0, MAX_REMEMBERED), device)
    return id
  }
  if (own !== undefined && (await claim(own, OWN_PATIENCE_MS))) return keep(own)
  for (const id of remembered) {
    if (id !== own && (await claim(id, 0))) return keep(id)
  }
  const id = newId()
  return (await claim(id, 0)) ? keep(id) : id
}

/** @returns undefined where the browser has no locks, as on pages without a secure context */
export function lockClaims(locks: LockManagerLike | undefined = globalThis.navigator?.locks): Claims | undefined {
  if (locks === undefined) return undefined
  return {
    take: (name, patienceMs) =>
      new Promise((resolve) => {
        const hold: LockCallback = (lock) => {
          resolve(lock !== null)
          return lock === null ? undefined : new Promise(() => {})
        }
        const options: LockOptionsLike =
          patienceMs === 0 ? { ifAvailable: true } : { signal: AbortSignal.timeout(patienceMs) }
        // Rejects when the patience is over, and where locks are forbidden: either way the claim is not ours.
        locks.request(name, options, hold).catch(() => resolve(false))
      }),
  }
}

function readIds(storage: TextStorage, key: string): string[] {
  const ids = readJson(key, storage)
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string' && id.length === 36) : []
}

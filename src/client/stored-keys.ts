// The key pair of a page, kept by the browser in IndexedDB: the private key never becomes bytes that a script could read or send away.
import { type ClientKeys, hasWebCrypto, keysOf, newKeyPair } from './client-keys.ts'

export interface StoredKeysOptions {
  /** Whose key it is: a client has one of its own. */
  readonly clientId: string
  /** Default the page's `indexedDB`. */
  readonly database?: IDBFactory | undefined
  /** Default `hookline.client`: the database's name. */
  readonly namespace?: string
}

const STORE = 'keys'

/**
 * The pair that this browser has for the client, made at the first call.
 *
 * @returns undefined where a key can be neither made nor kept: no secure context, no IndexedDB, storage forbidden. The client then has no
 *   key, and hookline's operator is told that it cannot prove itself.
 */
export async function storedKeys(options: StoredKeysOptions): Promise<ClientKeys | undefined> {
  const { clientId, database = globalThis.indexedDB, namespace = 'hookline.client' } = options
  if (!hasWebCrypto() || database === undefined) return undefined
  try {
    const opened = await open(database, namespace)
    try {
      const known = await completed<CryptoKeyPair | undefined>(opened, 'readonly', (keys) => keys.get(clientId))
      return await keysOf(known ?? (await keepFirst(opened, clientId, await newKeyPair())))
    } finally {
      opened.close()
    }
  } catch {
    // A key that is gone with the next visit would be a new client each time under an old name: better none.
    return undefined
  }
}

/** Two tabs that start together agree on one. */
async function keepFirst(opened: IDBDatabase, clientId: string, made: CryptoKeyPair): Promise<CryptoKeyPair> {
  const transaction = opened.transaction(STORE, 'readwrite')
  const keys = transaction.objectStore(STORE)
  const known = keys.get(clientId)
  known.onsuccess = () => {
    if (known.result === undefined) keys.put(made, clientId)
  }
  await ended(transaction)
  return (known.result as CryptoKeyPair | undefined) ?? made
}

function open(database: IDBFactory, name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = database.open(name, 1)
    request.onupgradeneeded = () => void request.result.createObjectStore(STORE)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(new Error('the database is in use'))
  })
}

async function completed<R>(
  opened: IDBDatabase,
  mode: IDBTransactionMode,
  ask: (keys: IDBObjectStore) => IDBRequest,
): Promise<R> {
  const transaction = opened.transaction(STORE, mode)
  const request = ask(transaction.objectStore(STORE))
  await ended(transaction)
  return request.result as R
}

function ended(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onerror = () => reject(transaction.error)
    transaction.onabort = () => reject(transaction.error)
  })
}

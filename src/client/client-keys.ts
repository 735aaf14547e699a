// The key pair by which a client proves that it is the one that was approved, and the check of hookline's own proof (behaviour 48). With
// WebCrypto alone, so that pages and Node do the same.

/** A client's key pair. */
export interface ClientKeys {
  /** The uncompressed point of P-256 in base64url. */
  readonly publicKey: string
  /** ECDSA with SHA-256. @returns r‖s, 64 bytes */
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array>
}

/** A `CryptoKeyPair` of ECDSA on P-256, by whatever name the environment's types have for it. */
export interface KeyPairLike {
  readonly publicKey: object
  /** Need not be extractable, and should not be. */
  readonly privateKey: object
}

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const

/** Whether this environment can make and check signatures: a page needs a secure context, as those of this machine are. */
export function hasWebCrypto(): boolean {
  return globalThis.crypto?.subtle !== undefined
}

/** A new pair whose private key no one can read. It lives as long as it is kept (`storedKeys` keeps it in a browser). */
export async function newKeyPair(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(CURVE, false, ['sign', 'verify'])
}

/** @throws {TypeError} the pair is not of ECDSA on P-256 */
export async function keysOf({ publicKey, privateKey }: KeyPairLike): Promise<ClientKeys> {
  const point = await crypto.subtle.exportKey('raw', publicKey as CryptoKey)
  if (point.byteLength !== POINT_BYTES) throw new TypeError('the key pair is not of ECDSA on P-256')
  return {
    publicKey: toBase64Url(new Uint8Array(point)),
    sign: async (bytes) => new Uint8Array(await crypto.subtle.sign(SIGNING, privateKey as CryptoKey, bytes)),
  }
}

const POINT_BYTES = 65

/** @param key the signer's public key, and `signature`, both in base64url. @returns false for a key that is none, too */
export async function isSignedBy(key: string, signature: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  try {
    const point = await crypto.subtle.importKey('raw', fromBase64Url(key), CURVE, false, ['verify'])
    return await crypto.subtle.verify(SIGNING, point, fromBase64Url(signature), bytes)
  } catch {
    // Not on the curve, or not base64url.
    return false
  }
}

/** 32 random bytes. */
export function newNonce(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
}

export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
}

// The key pair of a page, kept by the browser in IndexedDB: the private key never becomes bytes that a script could read or send away.

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

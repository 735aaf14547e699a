// Keys in the system's keychain: macOS Keychain, Windows Credential Manager, the Secret Service of a Linux desktop. The package is optional
// and native, and so is loaded by its name when it is first needed.
import { randomBytes } from 'node:crypto'
import { defined } from '../base/defined.ts'
import { CredentialsError, hasKeys, type Keys, keysIn, parseRecord } from './keys.ts'

/** What is used of `@napi-rs/keyring`. */
export interface KeychainPackage {
  readonly AsyncEntry: new (
    service: string,
    name: string,
  ) => {
    setPassword(text: string, signal?: AbortSignal): Promise<void>
    getPassword(signal?: AbortSignal): Promise<string | null | undefined>
    deletePassword(signal?: AbortSignal): Promise<boolean>
  }
}

const PACKAGE: string = '@napi-rs/keyring'
const SERVICE = 'hookline'
/** A desktop may be asking its user for a password. */
const PATIENCE_MS = 60_000

const NEXT_BEST = 'keep the keys in the vault, or in a file'

interface Account {
  readonly name: string
  readonly exchange: string
}

export class Keychain {
  readonly #load: () => Promise<KeychainPackage>

  constructor(load: () => Promise<KeychainPackage> = () => import(PACKAGE)) {
    this.#load = load
  }

  /** Stores a random text and reads it back. @throws {CredentialsError} `keychain-unavailable` */
  async test(): Promise<void> {
    const text = randomBytes(16).toString('hex')
    const entry = await this.#entry(`test ${randomBytes(8).toString('hex')}`)
    const read = await this.#ask(async (signal) => {
      await entry.setPassword(text, signal)
      return entry.getPassword(signal).finally(() => entry.deletePassword(signal))
    })
    if (read !== text) throw unavailable('it does not give back what was stored', NEXT_BEST)
  }

  /** @returns the name of the entry @throws {CredentialsError} `keychain-unavailable` */
  async write({ name, exchange }: Account, keys: Keys): Promise<string> {
    await this.test()
    // Two installations of one user may have accounts of one name.
    const place = `${name} on ${exchange} ${randomBytes(4).toString('hex')}`
    const entry = await this.#entry(place)
    await this.#ask((signal) => entry.setPassword(JSON.stringify({ account: name, venue: exchange, keys }), signal))
    return place
  }

  /** @throws {CredentialsError} `missing-keys`, `bad-keys`, `keychain-unavailable` */
  async read({ name, exchange }: Account, place: string | undefined): Promise<Keys> {
    const missing = new CredentialsError('missing-keys', `the keychain has no keys of account ${name}`, {
      hint: 'remove the account and add it again',
    })
    if (place === undefined) throw missing
    const entry = await this.#entry(place)
    const text = await this.#ask((signal) => entry.getPassword(signal))
    if (text === null || text === undefined) throw missing
    const record = parseRecord(text, 'the entry in the keychain') as Readonly<Record<string, unknown>>
    if (record.account !== name || record.venue !== exchange) {
      throw new CredentialsError(
        'bad-keys',
        `the entry in the keychain is not that of account ${name} on ${exchange}`,
        {
          hint: 'correct `credentials` in accounts.json',
        },
      )
    }
    const keys = typeof record.keys === 'object' && record.keys !== null ? keysIn(record.keys) : {}
    if (!hasKeys(keys)) throw missing
    return keys
  }

  /** @returns whether there was one @throws {CredentialsError} `keychain-unavailable` */
  async remove(place: string | undefined): Promise<boolean> {
    if (place === undefined) return false
    const entry = await this.#entry(place)
    return this.#ask((signal) => entry.deletePassword(signal))
  }

  async #entry(name: string) {
    let loaded: KeychainPackage
    try {
      loaded = await this.#load()
    } catch (cause) {
      throw unavailable(
        `the package ${PACKAGE} is not installed`,
        `install it beside hookline, \`npm install -g ${PACKAGE}\`, or keep the keys in the vault`,
        cause,
      )
    }
    try {
      return new loaded.AsyncEntry(SERVICE, name)
    } catch (cause) {
      throw unavailable('the system gives no access to it', NEXT_BEST, cause)
    }
  }

  async #ask<R>(question: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const timedOut = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(unavailable('it did not answer', NEXT_BEST)), { once: true })
    })
    try {
      return await Promise.race([question(signal), timedOut])
    } catch (error) {
      throw error instanceof CredentialsError
        ? error
        : unavailable('the system gives no access to it', NEXT_BEST, error)
    }
  }
}

/** The cause stays inside: its text is the system's, and may name what was stored. */
function unavailable(reason: string, hint: string, cause?: unknown): CredentialsError {
  return new CredentialsError('keychain-unavailable', `no keychain can be used: ${reason}`, {
    hint,
    ...defined({ cause }),
  })
}

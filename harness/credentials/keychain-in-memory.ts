// The keychain package, with a keychain that ends with the test.
import type { KeychainPackage } from '../../src/credentials/keychain.ts'

export interface KeychainInMemory extends KeychainPackage {
  /** By `<service>/<name>`. */
  readonly entries: Map<string, string>
}

export function keychainInMemory(): KeychainInMemory {
  const entries = new Map<string, string>()
  return {
    entries,
    AsyncEntry: class {
      readonly #place: string
      constructor(service: string, name: string) {
        this.#place = `${service}/${name}`
      }
      async setPassword(text: string) {
        entries.set(this.#place, text)
      }
      async getPassword() {
        return entries.get(this.#place) ?? null
      }
      async deletePassword() {
        return entries.delete(this.#place)
      }
    },
  }
}

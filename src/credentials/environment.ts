// Keys in the environment: `HOOKLINE_MAIN_API_KEY`, `HOOKLINE_MAIN_SECRET` for the account `main`. They are taken out of it at the start, so
// that no child process gets them. What the system shows of a process's first environment (`/proc/<pid>/environ`) it goes on showing to its user.
import type { Credential } from '../protocol/rows.ts'
import { CredentialsError, hasKeys, KEY_NAMES, type Keys, keysIn } from './keys.ts'

export interface EnvironmentKeys {
  /** @throws {CredentialsError} `missing-keys`, `unsuitable-source` */
  read(account: string): Keys
}

/** `walletAddress` → `WALLET_ADDRESS`. */
const variableOf = (name: Credential): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

const VARIABLE = new RegExp(`^HOOKLINE_[A-Z0-9_]+_(${KEY_NAMES.map(variableOf).join('|')})$`)

/** Takes every variable with a key out of `env`, and keeps it for the account that it names. */
export function takeEnvironmentKeys(env: NodeJS.ProcessEnv): EnvironmentKeys {
  const taken = new Map<string, string>()
  for (const [name, value] of Object.entries(env)) {
    if (!VARIABLE.test(name)) continue
    if (value !== undefined) taken.set(name, value.trim())
    delete env[name]
  }
  return {
    read(account) {
      const prefix = prefixOf(account)
      const keys = keysIn(Object.fromEntries(KEY_NAMES.map((name) => [name, taken.get(prefix + variableOf(name))])))
      if (hasKeys(keys)) return keys
      throw new CredentialsError('missing-keys', `the environment has no keys of account ${account}`, {
        hint: `set ${prefix}API_KEY and ${prefix}SECRET before hookline starts`,
      })
    },
  }
}

/** @throws {CredentialsError} `unsuitable-source`: `a-b` and `a_b` would share their variables */
function prefixOf(account: string): string {
  if (!account.includes('-')) return `HOOKLINE_${account.toUpperCase()}_`
  throw new CredentialsError('unsuitable-source', `a variable cannot be named after account ${account}: it has a -`, {
    hint: 'use _ in the name, or keep its keys elsewhere',
  })
}

// The stages of examples about who is signed in.
import { keychainInMemory } from '../../harness/credentials/keychain-in-memory.ts'
import { Keychain } from '../../src/credentials/keychain.ts'
import type { ExampleStage } from './example-stage.ts'

const keychain = keychainInMemory()
const LOGIN = 'login --issuer https://id.example.com'

export const SIGN_IN_STAGES: Readonly<Record<string, ExampleStage>> = {
  [LOGIN]: {
    after: ['whoami'],
    prints: [
      /^print open +https:\/\/id\.example\.com\/device$/m,
      /^print enter +WDJB-MJHT$/m,
      /^success signed in as ana@example\.com; its token serves until [-0-9: ]+ UTC and is renewed then$/m,
      /^print tokens +in the file$/m,
    ],
  },
  'login --keys keychain': {
    options: { keychain: new Keychain(async () => keychain) },
    before: [LOGIN],
    after: ['whoami'],
    prints: [/^success signed in as ana@example\.com;/m, /^print tokens +in the keychain$/m],
  },
  logout: {
    before: [LOGIN],
    after: ['whoami'],
    prints: [/^success signed out ana@example\.com$/m, /^info no sign-in found; type `login`$/m],
  },
  whoami: { before: [LOGIN], prints: [/signed in +ana@example\.com$/m, /^print issuer +https:\/\/id\.example\.com$/m] },
}

// The sources of keys of this process. What the environment has is taken out of it here, before anything is started that would inherit it.

import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import { FileKeys, passphraseFile } from '../credentials/credential-file.ts'
import { Credentials, type LeftFile, movePlainKeys, rowsWithPlainKeys } from '../credentials/credentials.ts'
import { takeEnvironmentKeys } from '../credentials/environment.ts'
import { Keychain } from '../credentials/keychain.ts'
import { type DeriveKey, Vault } from '../credentials/vault.ts'
import { printable } from '../language/printable.ts'
import type { AccountRow, AccountStore } from '../stores/accounts.ts'
import type { VaultFile } from '../stores/vault-file.ts'
import type { AuditTrail } from './audit.ts'

interface CredentialsPlaces {
  readonly env: NodeJS.ProcessEnv
  readonly directory: string
  readonly file: VaultFile
  /** Default: the system's. */
  readonly keychain?: Keychain
  /** Default: scrypt, which takes a second. */
  readonly deriveKey?: DeriveKey
}

export function openCredentials({
  env,
  directory,
  file,
  keychain = new Keychain(),
  deriveKey,
}: CredentialsPlaces): Credentials {
  const credentialsDirectory = env.CREDENTIALS_DIRECTORY === '' ? undefined : env.CREDENTIALS_DIRECTORY
  return new Credentials({
    environment: takeEnvironmentKeys(env),
    files: new FileKeys({ directory, credentialsDirectory }),
    keychain,
    vault: new Vault({ file, now: Date.now, passphrase: passphraseFile(env), ...(deriveKey && { deriveKey }) }),
  })
}

// Keys that came in as plain text, from pages and from earlier versions, go to the vault as soon as it is unlocked; until then a line says that
// they are plain. Keys of accounts that pages delete or send elsewhere leave the vault with them.

const LOOK_MS = 500

interface KeysAtRestOptions {
  readonly accounts: AccountStore
  readonly credentials: Credentials
  readonly audit: Pick<AuditTrail, 'record'>
  readonly disconnect: (accountName: string) => Promise<void>
  readonly warn: (text: string) => void
  readonly bug: (error: unknown) => void
}

export interface KeysAtRest {
  /** Sees to the keys there are, and says what is plain or locked. Never rejects. */
  settle(): Promise<void>
  /** Lets go of the vault, and of its accounts, when another process has locked it. @returns ends that */
  followLock(): () => void
  /** The accounts as pages edit them: what an edit does to keys is seen to. */
  watched(): AccountStore
}

export function createKeysAtRest(options: KeysAtRestOptions): KeysAtRest {
  const { accounts, warn, bug } = options
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (isRefusal(error)) warn(`keys of accounts: ${describeRefusal(error)}`)
      else bug(error)
    }
  }
  return {
    settle: () =>
      guarded(async () => {
        await accounts.finishErasing()
        await warnLocked(options)
        await movePlain(options)
        await eraseLeft(options)
      }),
    followLock() {
      // A watcher is only a hint, and a process that slept has missed it.
      const timer = setInterval(() => void guarded(() => leaveVault(options)), LOOK_MS).unref()
      return () => clearInterval(timer)
    },
    watched: () => ({
      ...accounts,
      async merge(edit, maxRows) {
        const before = accounts.find(edit.name)
        const row = await accounts.merge(edit, maxRows)
        if (row !== undefined) await guarded(() => afterEdit(options, before, row))
        return row
      },
    }),
  }
}

async function leaveVault({ accounts, credentials, disconnect, warn }: KeysAtRestOptions): Promise<void> {
  if (!credentials.vault.noticeLock()) return
  const names = accounts.list().flatMap(({ name, credentials: place }) => (place?.from === 'vault' ? [name] : []))
  const listed = names.map((name) => printable(name, 40)).join(', ')
  warn(`the vault was locked: runs on ${listed} are refused until \`vault unlock\``)
  await Promise.all(names.map((name) => disconnect(name)))
}

async function afterEdit(options: KeysAtRestOptions, before: AccountRow | undefined, row: AccountRow): Promise<void> {
  const place = before?.credentials
  const isKept = row.deletedAt === undefined && row.exchange === before?.exchange && row.credentials !== undefined
  if (before !== undefined && place !== undefined && !isKept) await options.credentials.remove(before, place)
  if (row.deletedAt === undefined) await movePlain(options, row.name)
}

async function movePlain({ accounts, credentials, audit, warn }: KeysAtRestOptions, name?: string): Promise<void> {
  const isMeant = (row: AccountRow) => name === undefined || row.name === name
  const names = rowsWithPlainKeys(accounts)
    .filter(isMeant)
    .map((row) => row.name)
  if (names.length === 0) return
  const listed = names.map((each) => printable(each, 40)).join(', ')
  if (!(await isOpen(credentials))) {
    return warn(
      `the keys of ${listed} are plain text in accounts.json until \`vault unlock\` moves them into the vault`,
    )
  }
  const moved = await movePlainKeys(accounts, credentials, isMeant)
  if (moved.length === 0) return
  await audit.record('account keys', { names: moved, from: 'plain text', to: 'vault' }, { source: 'file' })
  warn(`moved the keys of ${listed} out of accounts.json into the vault`)
}

/** A crash between two places leaves the keys in both. */
async function eraseLeft({ accounts, credentials, audit, warn }: KeysAtRestOptions): Promise<void> {
  for (const left of credentials.leftFiles(accounts.list())) {
    const [name, path] = [printable(left.name, 40), printable(left.path, 300)]
    const isErased = await credentials.eraseLeft(left).catch((error: unknown) => {
      if (!isRefusal(error)) throw error
      warn(`${path} has keys of ${name} in plain text and is still there: ${describeRefusal(error)}`)
      return undefined
    })
    if (isErased === undefined) continue
    if (!isErased) warn(leftForAPerson(left))
    else {
      await audit.record(
        'account keys',
        { name: left.name, from: 'a file left over', to: 'erased' },
        { source: 'file' },
      )
      warn(`erased ${path}: the keys of ${name} are elsewhere`)
    }
  }
}

/** No one else can know whether they are kept anywhere else. */
function leftForAPerson({ name, path, row }: LeftFile): string {
  const why = row === undefined ? `no account ${printable(name, 40)} found` : 'the account has others'
  return `${printable(path, 300)} has keys in plain text that nothing uses, for ${why}: remove it, or \`shred -u\` it`
}

async function isOpen({ vault }: Credentials): Promise<boolean> {
  const state = vault.state()
  if (state === 'absent') return vault.openByFile()
  if (state === 'locked' && vault.mayOpenByFile()) await vault.requireUnlocked()
  return vault.state() === 'unlocked'
}

async function warnLocked({ accounts, credentials, warn }: KeysAtRestOptions): Promise<void> {
  const names = accounts.list().flatMap(({ name, credentials: place }) => (place?.from === 'vault' ? [name] : []))
  if (names.length === 0 || (await isOpen(credentials))) return
  const listed = names.map((name) => printable(name, 40)).join(', ')
  warn(`the vault is locked: runs on ${listed} are refused until \`vault unlock\``)
}

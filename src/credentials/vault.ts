// The vault (behaviour 43): keys in one encrypted file, unlocked once per process. While it is locked no one waits for it: what needs its keys is
// refused in words.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { startUnheldTimer } from '../base/concurrency.ts'
import { StoreError } from '../stores/store-error.ts'
import { type Sealed, VAULT_KDF, type VaultContent, type VaultEntry, type VaultFile } from '../stores/vault-file.ts'
import { CredentialsError, type Keys, keysIn, parseRecord } from './keys.ts'

const VERSION = 1
const CHECK = 'this passphrase opens the vault'
const MIN_PASSPHRASE = 8
/** Every try costs a second and 128 MiB; a wrong passphrase in a file would cost them at each fire. */
const FAILED_STAYS_MS = 10_000

type VaultState = 'absent' | 'locked' | 'unlocked'

interface VaultOptions {
  readonly file: VaultFile
  /** ms since the epoch. */
  readonly now: () => number
  /** The passphrase where no one is asked for it, from a file; undefined: there is none. @throws {CredentialsError} */
  readonly passphrase: () => string | undefined
  /** Default: scrypt. */
  readonly deriveKey?: DeriveKey
  /** Default: a timer that keeps no process alive. */
  readonly after?: (ms: number, run: () => void) => () => void
}

interface Unlocked {
  /** As the file had it. */
  readonly locks: number
  /** Of the file that the key opens: another process may have changed the passphrase. */
  readonly salt: string
  readonly key: Buffer
}

export class Vault {
  readonly #options: VaultOptions
  readonly #deriveKey: DeriveKey
  #unlocked: Unlocked | undefined
  #isLockedByHand = false
  /** How often it was locked: what is under way while it is locked leaves it locked. */
  #locks = 0
  /** Called whenever it was unlocked: what waited for its keys need not wait longer. */
  onUnlocked: () => void = () => {}
  #unlocking: Promise<void> | undefined
  #lockTimer: { readonly at: number; readonly stop: () => void } | undefined
  #failed: { readonly error: unknown; readonly until: number } | undefined

  constructor(options: VaultOptions) {
    this.#options = options
    this.#deriveKey = options.deriveKey ?? deriveKey
  }

  /** @throws {StoreError} the file is not valid */
  state(): VaultState {
    const content = this.#options.file.read()
    if (content === undefined) return 'absent'
    return this.#opens(content) ? 'unlocked' : 'locked'
  }

  /** Names of accounts in it, by no means secret. @throws {StoreError} */
  accounts(): readonly string[] {
    return (this.#options.file.read()?.entries ?? []).map(({ account }) => account)
  }

  /** Makes an empty one and leaves it unlocked. @throws {CredentialsError} `weak-passphrase`, `vault-exists` @throws {StoreError} */
  async create(passphrase: string): Promise<void> {
    requireStrong(passphrase)
    const locks = this.#locks
    const { content, unlocked } = await newVault(this.#deriveKey, passphrase)
    await this.#options.file.update((found) => {
      if (found === undefined) return content
      throw new CredentialsError('vault-exists', 'there is a vault already', { hint: '`vault unlock` opens it' })
    })
    this.#keep(unlocked, locks)
  }

  /** By a person: what locked it for every process ends. @throws {CredentialsError} `no-vault`, `wrong-passphrase` @throws {StoreError} */
  async unlock(passphrase: string): Promise<void> {
    const locks = this.#locks
    const unlocked = await openWith(this.#deriveKey, this.#require(), passphrase)
    if (this.#require().isLocked === true && locks === this.#locks) {
      await this.#options.file.update((found = this.#require()) => openedFrom(found, unlocked.locks))
    }
    this.#keep(unlocked, locks)
  }

  /** Forgets the key, here and in every process, until a person unlocks it. @throws {StoreError} it is locked in this process alone */
  async lockEverywhere(): Promise<void> {
    this.lock()
    await this.#options.file.update((found = this.#require()) => {
      return { ...found, locks: (found.locks ?? 0) + 1, isLocked: true }
    })
  }

  /** Whether another process has locked it since this one has its key, which is forgotten with that. */
  noticeLock(): boolean {
    const content = this.#unlocked === undefined ? undefined : this.#known()
    if (content === undefined) return false
    if ((content.locks ?? 0) === this.#unlocked?.locks && content.isLocked !== true) return false
    this.#forget()
    return true
  }

  /** Asked before anything is sent with its keys. @throws {CredentialsError} `vault-locked` */
  requireHeld(): void {
    this.noticeLock()
    if (this.#unlocked === undefined) throw locked()
  }

  /** A file that cannot be read, or is gone, has locked nothing. */
  #known(): VaultContent | undefined {
    try {
      return this.#options.file.read()
    } catch (error) {
      if (error instanceof StoreError) return undefined
      throw error
    }
  }

  /** Forgets the key. The passphrase file is not looked at again until `unlock`. */
  lock(): void {
    this.#forget()
    this.#isLockedByHand = true
  }

  #forget(): void {
    this.#stopTimer()
    this.#unlocked?.key.fill(0)
    this.#unlocked = undefined
    this.#locks += 1
  }

  #opens({ salt, locks = 0, isLocked }: VaultContent): boolean {
    return isLocked !== true && this.#unlocked?.salt === salt && this.#unlocked.locks === locks
  }

  /** Locks after a while, unless it is unlocked or locked before. `then` is called right after. */
  lockAfter(ms: number, then: () => void): void {
    this.#stopTimer()
    const { now, after = startUnheldTimer } = this.#options
    const stop = after(ms, () => {
      this.lock()
      then()
    })
    this.#lockTimer = { at: now() + ms, stop }
  }

  /** When it locks by itself, in ms since the epoch. */
  locksAt(): number | undefined {
    return this.#lockTimer?.at
  }

  /**
   * Seals everything anew under another passphrase, in one write; all is refused when one entry cannot be read.
   * @throws {CredentialsError} `no-vault`, `wrong-passphrase`, `weak-passphrase`, `vault-damaged`, `vault-locked`: another process changed it
   * @throws {StoreError}
   */
  async change(passphrase: string, next: string): Promise<void> {
    requireStrong(next)
    const locks = this.#locks
    const before = await openWith(this.#deriveKey, this.#require(), passphrase)
    const { content, unlocked } = await newVault(this.#deriveKey, next)
    let locksThen = 0
    try {
      await this.#options.file.update((found) => {
        if (found?.salt !== before.salt) throw changedElsewhere()
        const entries = found.entries.map((entry) => {
          const { account, venue } = entry
          return sealEntry(unlocked.key, { account, venue, updatedAt: entry.updatedAt }, readEntry(before.key, entry))
        })
        locksThen = found.locks ?? 0
        return { ...openedFrom(found, before.locks), ...content, entries }
      })
    } finally {
      before.key.fill(0)
    }
    this.#keep({ ...unlocked, locks: locksThen }, locks)
  }

  /** @throws {CredentialsError} the file that is named may not be used */
  hasPassphraseFile(): boolean {
    return this.#options.passphrase() !== undefined
  }

  /** Whether a file names the passphrase and no one has locked the vault by hand. @throws as `hasPassphraseFile` */
  mayOpenByFile(): boolean {
    return !this.#isLockedByHand && this.#options.file.read()?.isLocked !== true && this.hasPassphraseFile()
  }

  /** Unlocks, or makes, the vault with the passphrase of a file. @returns false where none is named @throws {CredentialsError} {StoreError} */
  async openByFile(): Promise<boolean> {
    const passphrase = this.#options.passphrase()
    if (passphrase === undefined) return false
    await (this.state() === 'absent' ? this.create(passphrase) : this.unlock(passphrase))
    return true
  }

  /** Unlocks with the passphrase of a file, where there is one and no one has locked it. @throws {CredentialsError} {StoreError} */
  async requireUnlocked(): Promise<void> {
    if (this.state() === 'unlocked') return
    this.#unlocking ??= this.#unlockByFile().finally(() => {
      this.#unlocking = undefined
    })
    await this.#unlocking
  }

  /** @throws {CredentialsError} `vault-locked`, `missing-keys`, `vault-damaged`, and what the passphrase file causes @throws {StoreError} */
  async read(account: string, venue: string): Promise<Keys> {
    await this.requireUnlocked()
    const { content, key } = this.#open()
    const entry = content.entries.find((one) => one.account === account && one.venue === venue)
    if (entry !== undefined) return readEntry(key, entry)
    throw new CredentialsError('missing-keys', `the vault has no keys of account ${account} on ${venue}`, {
      hint: 'remove the account and add it again',
    })
  }

  /** @throws as `read` */
  async write(account: string, venue: string, keys: Keys): Promise<void> {
    await this.requireUnlocked()
    await this.#options.file.update((found) => {
      const { content, key } = this.#open(found)
      const others = content.entries.filter((entry) => entry.account !== account)
      return {
        ...content,
        entries: [...others, sealEntry(key, { account, venue, updatedAt: this.#options.now() }, keys)],
      }
    })
  }

  /** Needs no passphrase. @param venue default: whichever @returns whether there was one @throws {StoreError} */
  async remove(account: string, venue?: string): Promise<boolean> {
    const isIt = (entry: VaultEntry) => entry.account === account && (venue === undefined || entry.venue === venue)
    const { file } = this.#options
    if (!file.read()?.entries.some(isIt)) return false
    await file.update((found = this.#require()) => ({
      ...found,
      entries: found.entries.filter((entry) => !isIt(entry)),
    }))
    return true
  }

  #stopTimer(): void {
    this.#lockTimer?.stop()
    this.#lockTimer = undefined
  }

  /** @param locks as they were when the passphrase was given @throws {CredentialsError} `vault-locked`: someone has locked it since */
  #keep(unlocked: Unlocked, locks: number): void {
    if (locks !== this.#locks) {
      unlocked.key.fill(0)
      throw locked()
    }
    this.#stopTimer()
    if (this.#unlocked?.key !== unlocked.key) this.#unlocked?.key.fill(0)
    this.#unlocked = unlocked
    this.#isLockedByHand = false
    this.#failed = undefined
    this.onUnlocked()
  }

  #require(): VaultContent {
    const content = this.#options.file.read()
    if (content !== undefined) return content
    throw new CredentialsError('no-vault', 'there is no vault yet', { hint: '`vault unlock` makes one' })
  }

  #open(content: VaultContent = this.#require()): { readonly content: VaultContent; readonly key: Buffer } {
    const unlocked = this.#unlocked
    if (unlocked !== undefined && this.#opens(content)) return { content, key: unlocked.key }
    throw unlocked === undefined || unlocked.salt === content.salt ? locked() : changedElsewhere()
  }

  async #unlockByFile(): Promise<void> {
    if (this.#isLockedByHand || this.#require().isLocked === true) throw locked()
    const now = this.#options.now()
    if (this.#failed !== undefined && now < this.#failed.until) throw this.#failed.error
    try {
      const passphrase = this.#options.passphrase()
      if (passphrase === undefined) throw this.#unlocked === undefined ? locked() : changedElsewhere()
      await this.unlock(passphrase)
    } catch (error) {
      if (error instanceof CredentialsError && error.code === 'wrong-passphrase') {
        this.#failed = { error, until: now + FAILED_STAYS_MS }
      }
      throw error
    }
  }
}

/** A lock that came after the passphrase was given stays. */
function openedFrom(found: VaultContent, locks: number): VaultContent {
  const { isLocked: _, ...rest } = found
  return (found.locks ?? 0) === locks ? rest : found
}

async function newVault(
  derive: DeriveKey,
  passphrase: string,
): Promise<{ readonly content: VaultContent; readonly unlocked: Unlocked }> {
  const salt = randomBytes(SALT_BYTES).toString('hex')
  const key = await derive(passphrase, salt)
  const check = seal(key, CHECK, headOf(salt))
  return { content: { kdf: VAULT_KDF, salt, check, entries: [] }, unlocked: { salt, key, locks: 0 } }
}

async function openWith(
  derive: DeriveKey,
  { salt, check, locks = 0 }: VaultContent,
  passphrase: string,
): Promise<Unlocked> {
  const key = await derive(passphrase, salt)
  if (unseal(key, check, headOf(salt)) === CHECK) return { salt, key, locks }
  key.fill(0)
  throw new CredentialsError('wrong-passphrase', 'this passphrase does not open the vault', {
    hint: 'type it again; if it is right, the head of vault.json was changed: put a backup in its place',
  })
}

const headOf = (salt: string) => [VERSION, 'check', VAULT_KDF, salt]

type Owner = Pick<VaultEntry, 'account' | 'venue' | 'updatedAt'>

const ownerOf = ({ account, venue, updatedAt }: Owner) => [VERSION, 'keys', account, venue, updatedAt]

function sealEntry(key: Buffer, owner: Owner, keys: Keys): VaultEntry {
  return { ...owner, ...seal(key, JSON.stringify(keys), ownerOf(owner)) }
}

/** The passphrase is right by now: what does not open was changed. */
function readEntry(key: Buffer, entry: VaultEntry): Keys {
  const text = unseal(key, entry, ownerOf(entry))
  if (text !== undefined) return keysIn(parseRecord(text, 'the entry in the vault'))
  throw new CredentialsError('vault-damaged', `the keys of account ${entry.account} in vault.json were changed`, {
    hint: `put a backup of vault.json in its place, or \`account remove ${entry.account}\``,
  })
}

/** @throws {CredentialsError} `weak-passphrase` */
export function requireStrong(passphrase: string): void {
  if (passphrase.length >= MIN_PASSPHRASE) return
  throw new CredentialsError('weak-passphrase', `a passphrase has at least ${MIN_PASSPHRASE} characters`, {
    hint: 'use several words',
  })
}

// How the vault encrypts: scrypt makes a key of the passphrase, AES-256-GCM seals one text under it. What a text belongs to is sealed with it,
// so that no entry can be moved to another account, venue or version of the file.

const SCRYPT = { N: 2 ** 17, r: 8, p: 1 }
const SCRYPT_MEMORY = 128 * SCRYPT.N * SCRYPT.r
const TAG_BYTES = 16
const SALT_BYTES = 32

export type DeriveKey = (passphrase: string, salt: string) => Promise<Buffer>

/** Off the event loop; about a second and 128 MiB. */
function deriveKey(passphrase: string, salt: string): Promise<Buffer> {
  const options = { ...SCRYPT, maxmem: SCRYPT_MEMORY + 2 ** 20 }
  return new Promise((resolve, reject) => {
    // One passphrase typed on two keyboards is one passphrase.
    scrypt(passphrase.normalize('NFC'), Buffer.from(salt, 'hex'), 32, options, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
}

/** @param belongsTo read back with the same, or not at all */
export function seal(key: Uint8Array, text: string, belongsTo: readonly (string | number)[]): Sealed {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(bytesOf(belongsTo))
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return { nonce: nonce.toString('hex'), data: data.toString('hex') }
}

/** @returns undefined: another key, another owner, or one bit is not as it was sealed */
export function unseal(key: Uint8Array, sealed: Sealed, belongsTo: readonly (string | number)[]): string | undefined {
  const data = Buffer.from(sealed.data, 'hex')
  const end = data.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(sealed.nonce, 'hex'), { authTagLength: TAG_BYTES })
  decipher.setAAD(bytesOf(belongsTo))
  decipher.setAuthTag(data.subarray(end))
  try {
    return Buffer.concat([decipher.update(data.subarray(0, end)), decipher.final()]).toString('utf8')
  } catch {
    // `final` throws for nothing but a tag that does not fit.
    return undefined
  }
}

/** As JSON, so that no two owners read alike. */
function bytesOf(belongsTo: readonly (string | number)[]): Buffer {
  return Buffer.from(JSON.stringify(['hookline vault', ...belongsTo]))
}

// Why the keys of the vault cannot be had now, for people.

function locked(): CredentialsError {
  return new CredentialsError('vault-locked', 'the vault is locked', {
    hint: 'type `vault unlock` at the prompt, or set HOOKLINE_VAULT_PASSPHRASE_FILE',
  })
}

function changedElsewhere(): CredentialsError {
  return new CredentialsError('vault-locked', 'another process changed the passphrase of the vault', {
    hint: '`vault unlock` asks for the new one',
  })
}

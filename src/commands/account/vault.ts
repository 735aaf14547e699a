// `vault`: the encrypted file with keys of accounts. It is unlocked once per process, by a person or a file; locked, in all of
// them, it takes its accounts with it.
import { movePlainKeys, rowsWithPlainKeys } from '../../credentials/credentials.ts'
import { printable } from '../../language/printable.ts'
import { parseDuration } from '../../language/time.ts'
import { showMoment } from '../../trading/figures.ts'
import type { CommandContext, CommandFamily, CommandForm } from '../kit/command.ts'
import { refuseMoreThan, takeOption } from '../kit/read-arguments.ts'
import { count } from './confirmation.ts'
import { askNewPassphrase, askSecret, prepareVault } from './dialog.ts'

const status: CommandForm<'accounts' | 'credentials'> = {
  name: 'status',
  usage: '',
  summary: 'state of the vault, and the accounts with keys in it',
  where: 'trusted',
  rows: true,
  immediate: true,
  examples: [{ line: 'vault', meaning: 'locked or unlocked, and the accounts whose keys it keeps' }],
  run({ out, ports: { accounts, credentials } }, args) {
    refuseMoreThan(0, args)
    const state = credentials.vault.state()
    const names = credentials.vault.accounts()
    const plain = rowsWithPlainKeys(accounts).map(({ name }) => name)
    const locksAt = credentials.vault.locksAt()
    const data = { type: 'vault', state, ...(locksAt && { locksAt }), accounts: names, plain } as const
    const until = locksAt === undefined ? '' : ` until ${showMoment(locksAt)}`
    if (state === 'absent') out.info('there is no vault yet; `vault unlock` makes one', data)
    else out.print(`the vault is ${state}${until}; it keeps the keys of ${listed(names)}`, data)
    if (plain.length > 0)
      out.warn(`plain text in accounts.json: the keys of ${listed(plain)}; \`vault unlock\` moves them`)
  },
}

const unlock: CommandForm<'accounts' | 'credentials' | 'disconnect' | 'terminal'> = {
  name: 'unlock',
  usage: '[--for <time>]',
  summary: 'open the vault for this process; the first time it creates one',
  where: 'trusted',
  asks: true,
  underPanic: true,
  examples: [
    { line: 'vault unlock', meaning: 'asks for the passphrase without echo' },
    { line: 'vault unlock --for 60m', meaning: 'locks itself after an hour, as `vault lock` does' },
  ],
  complete: ({ words }) => (words.length === 0 ? ['--for'] : []),
  async run(context, args) {
    const { rest, value } = takeOption(args, '--for', 'how long it stays open')
    refuseMoreThan(0, rest)
    const forMs = value === undefined ? undefined : parseDuration(value, args[0]?.column ?? 1, { maxMs: MAX_OPEN_MS })
    const { vault } = context.ports.credentials
    const before = vault.state()
    // Keeping it open for longer takes the passphrase.
    if (vault.locksAt() !== undefined) await vault.unlock(await askSecret(context, 'passphrase of the vault: '))
    const { opened, make } = await prepareVault(context)
    await opened
    await make()
    await context.audit('vault unlock', before === 'absent' ? { made: true } : {})
    const until = forMs === undefined ? '' : ` until ${showMoment(lockLater(context, forMs))}`
    context.out.success(`${before === 'absent' ? 'made the vault; it' : 'the vault'} is unlocked${until}`)
    await movePlain(context)
  },
}

const MAX_OPEN_MS = 24 * 3_600_000

/** @returns when */
function lockLater(context: CommandContext<'accounts' | 'credentials' | 'disconnect'>, ms: number): number {
  const { vault } = context.ports.credentials
  const locked = async () => {
    context.out.warn(`the vault is locked again; ${describeLocked(await leaveVault(context))}`)
  }
  vault.lockAfter(ms, () => void locked())
  return vault.locksAt() ?? 0
}

/** Disconnects the accounts whose keys the vault keeps. @returns their names */
async function leaveVault(context: CommandContext<'accounts' | 'disconnect'>): Promise<readonly string[]> {
  const { accounts, disconnect } = context.ports
  const names = accounts.list().flatMap(({ name, credentials: place }) => (place?.from === 'vault' ? [name] : []))
  await Promise.all(names.map((name) => disconnect(name)))
  await context.audit('vault lock', { names })
  return names
}

function describeLocked(names: readonly string[]): string {
  return `${count(names.length, 'account')} disconnected, in this process`
}

/** What older versions and pages left as plain text. */
async function movePlain(context: CommandContext<'accounts' | 'credentials'>): Promise<void> {
  const { accounts, credentials } = context.ports
  const moved = await movePlainKeys(accounts, credentials)
  if (moved.length === 0) return
  await context.audit('account keys', { names: moved, from: 'plain text', to: 'vault' })
  context.out.info(`moved the keys of ${listed(moved)} out of accounts.json into the vault`)
  context.out.warn('other copies of accounts.json still have them: replace keys that others may have seen')
}

const lock: CommandForm<'accounts' | 'credentials' | 'disconnect'> = {
  name: 'lock',
  usage: '',
  summary: 'close the vault in every process and disconnect its accounts; resting orders stay',
  where: 'trusted',
  immediate: true,
  examples: [{ line: 'vault lock', meaning: 'runs on its accounts are refused until `vault unlock`' }],
  async run(context, args) {
    refuseMoreThan(0, args)
    const { vault } = context.ports.credentials
    if (vault.state() === 'absent') return context.out.info('there is no vault to lock; `vault unlock` makes one')
    const unsaved = await vault.lockEverywhere().catch((error: unknown) => error)
    const names = await leaveVault(context)
    if (unsaved !== undefined) throw unsaved
    context.out.success(`the vault is locked in every process; ${describeLocked(names)}`)
  },
}

const change: CommandForm<'credentials' | 'terminal'> = {
  name: 'change',
  usage: '',
  summary: 'give the vault another passphrase',
  where: 'trusted',
  asks: true,
  examples: [
    { line: 'vault change', meaning: 'asks for the old one and twice for the new one; everything is encrypted again' },
  ],
  async run(context, args) {
    refuseMoreThan(0, args)
    const { vault } = context.ports.credentials
    const before = await askSecret(context, 'passphrase of the vault: ')
    await vault.change(before, await askNewPassphrase(context))
    await context.audit('vault change', { accounts: vault.accounts().length })
    context.out.success('the vault has a new passphrase; other processes ask for it again')
  },
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'no account' : names.map((name) => printable(name, 40)).join(', ')
}

export const vault: CommandFamily = {
  name: 'vault',
  group: 'account',
  summary: 'the encrypted file with the keys of accounts: unlock, lock, change',
  bare: 'status',
  forms: [status, unlock, lock, change],
}

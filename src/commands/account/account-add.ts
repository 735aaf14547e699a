// `account add`: keys are asked for without echo, checked by a call that needs them, and stored only if they are good for trading and nothing more.
import type { Keys } from '../../credentials/keys.ts'
import { paperControls } from '../../exchanges/paper/paper-controls.ts'
import type { Venue } from '../../exchanges/venues.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable } from '../../language/printable.ts'
import { KEY_SOURCES, type KeySource, MARKET_KINDS } from '../../protocol/rows.ts'
import { requireAccountName } from '../../stores/account-name.ts'
import type { AccountRow, KeyPlace, NewAccount } from '../../stores/accounts.ts'
import { showMoney } from '../../trading/figures.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/command-error.ts'
import { readText, requireText, takeFlag, takeOption } from '../kit/read-arguments.ts'
import { type Access, askAccess, describeAccess, requireUsable, withinPatience } from './access.ts'
import { prepareVault } from './dialog.ts'
import { askKeys, requireAllKeys } from './key-questions.ts'

type Need = 'accounts' | 'connect' | 'credentials' | 'terminal' | 'tryAccount'

/** Asks for the limits of a new account, at the terminal. @returns keeps them, once the account is there */
export type AskLimits = (context: CommandContext<'terminal'>, account: NewAccount) => Promise<() => Promise<void>>

/** @param venues those that accounts can be made on */
export function addForm(venues: readonly Venue[], askLimits?: AskLimits): CommandForm<Need> {
  return {
    name: 'add',
    usage: '<name> <venue> [spot|linear|inverse] [--demo] [--keys vault|environment|file|keychain]',
    summary: 'add an account; its keys are asked for without echo, and checked at the venue',
    where: 'trusted',
    examples: [
      { line: 'account add practice paper', says: 'a second paper account with its own balance' },
      { line: 'account add main binance linear', says: 'asks for the keys, checks them, and keeps them in the vault' },
    ],
    complete: ({ words }) => candidates(words, venues),
    async run(context, args) {
      const { account, venue, source } = readAccount(args, venues)
      const { name } = account
      requireAccountName(name)
      if (context.ports.accounts.find(name) !== undefined) {
        throw new CommandError('already-exists', `there is an account ${printable(name, 40)} already`, {
          hint: '`account` lists them',
        })
      }
      if (venue.needsCredentials) await addWithKeys(context, { account, venue, source }, askLimits)
      else await context.ports.accounts.add(account)
      await context.audit('account add', { ...account, ...(venue.needsCredentials && { keys: source }) })
      const where = [venue.id, account.kind, account.demo && 'demo'].filter(Boolean).join(' ')
      context.out.success(`added account ${printable(name, 40)} on ${where}; \`account use ${name}\` trades on it`)
      if (venue.id === 'paper') await tellWhatIsLeft(context, name)
    },
  }
}

interface Wanted {
  readonly account: NewAccount
  readonly venue: Venue
  readonly source: KeySource
}

async function addWithKeys(context: CommandContext<Need>, wanted: Wanted, askLimits?: AskLimits): Promise<void> {
  const { account, venue, source } = wanted
  const { accounts, credentials } = context.ports
  const makeVault = source === 'vault' ? await prepareVault(context) : undefined
  if (source === 'keychain') await credentials.testKeychain()
  const keys = await keysFor(context, wanted)
  const access = await tryKeys(context, account, keys)
  requireUsable(access, venue.id)
  context.out.info(`checked: ${describeAccess(access.report)}`)
  for (const remark of access.report.remarks) context.out.warn(printable(remark, 200))
  const keepLimits = await askLimits?.(context, account)
  await makeVault?.()
  const owner = { name: account.name, exchange: venue.id }
  const place = await credentials.write(owner, keys, source)
  try {
    await accounts.add({ ...account, credentials: place })
  } catch (error) {
    await credentials.remove(owner, place)
    throw error
  }
  await keepLimits?.()
  context.out.info(whereKeysAre(place))
}

async function keysFor(context: CommandContext<Need>, { account, venue, source }: Wanted): Promise<Keys> {
  const { credentials } = context.ports
  if (!credentials.isGiven(source, account)) return askKeys(context, venue)
  const keys = await credentials.read(account, { from: source })
  requireAllKeys(venue, keys, source === 'environment' ? 'the environment' : 'the file')
  return keys
}

/** @throws {ExchangeError} the venue's own no, or none @throws {CommandError} `interrupted` */
async function tryKeys(context: CommandContext<Need>, account: NewAccount, keys: Keys): Promise<Access> {
  const row: AccountRow = { ...account, createdAt: 0, updatedAt: 0 }
  context.out.info(`asking ${account.exchange} what these keys may do`)
  const opening = context.ports.tryAccount(row, keys)
  try {
    const asking = opening.then((venue) => askAccess(context, venue))
    return await withinPatience(context, account.exchange, asking)
  } finally {
    // Whatever it still does, nobody waits for it; one that never opened has nothing to close.
    void opening.then((venue) => venue.close()).catch(() => {})
  }
}

export function whereKeysAre({ from, path }: KeyPlace): string {
  switch (from) {
    case 'vault':
      return 'its keys are in the vault'
    case 'keychain':
      return "its keys are in the system's keychain"
    case 'environment':
      return 'its keys are read from the environment, at each start'
    case 'file':
      return path === undefined ? 'its keys are read from the file that systemd hands over' : `its keys are in ${path}`
  }
}

function candidates(words: readonly string[], venues: readonly Venue[]): readonly string[] {
  if (words.length === 1) return venues.map((venue) => venue.id)
  if (words.at(-1) === '--keys') return KEY_SOURCES
  return words.length === 2 ? [...MARKET_KINDS, '--demo', '--keys'] : ['--demo', '--keys']
}

function readAccount(args: readonly Argument[], venues: readonly Venue[]): Wanted {
  const { rest: withoutDemo, given: demo } = takeFlag(args, '--demo')
  const { rest, value = 'vault' } = takeOption(withoutDemo, '--keys', 'where its keys are kept')
  const name = requireText(rest, 0, "the account's name")
  const kind = MARKET_KINDS.find((each) => each === kindTyped(rest))
  // Not shown: what follows here by mistake are keys.
  if (rest.length > (kind === undefined ? 2 : 3)) {
    throw new CommandError('unexpected-argument', 'an account has a name, a venue and a kind, and nothing after them', {
      hint: 'leave keys out, hookline asks for them; the history file has what you typed',
    })
  }
  const venue = findTradable(venues, requireText(rest, 1, 'the exchange'))
  if (!venue.needsCredentials && (demo || kind !== undefined)) {
    throw new CommandError('not-supported', `an account on ${venue.id} has neither a kind nor a demo`, {
      hint: `type \`account add ${printable(name, 40)} ${venue.id}\``,
    })
  }
  requireKind(venue, kind)
  const source = KEY_SOURCES.find((each) => each === value)
  if (source === undefined) {
    throw new LanguageError('bad-argument', 'keys cannot be kept there', 1, `use ${KEY_SOURCES.join(', ')}`)
  }
  const account = { name, exchange: venue.id, ...(kind && { kind }), ...(demo && { demo }) }
  return { account, venue, source }
}

function kindTyped(rest: readonly Argument[]): string | undefined {
  return rest[2] === undefined ? undefined : readText(rest[2]).toLowerCase()
}

function requireKind(venue: Venue, kind: string | undefined): void {
  if (kind === undefined || venue.kinds === undefined || venue.kinds.some((each) => each === kind)) return
  throw new CommandError('not-supported', `hookline trades no ${kind} markets on ${venue.id}`, {
    hint: `use ${venue.kinds.join(' or ')}`,
  })
}

function findTradable(venues: readonly Venue[], id: string): Venue {
  const venue = venues.find((candidate) => candidate.id === id.toLowerCase())
  if (venue !== undefined) return venue
  throw new CommandError('not-supported', `hookline cannot trade on ${printable(id, 40)}`, {
    hint: `use ${venues.map((candidate) => candidate.id).join(', ')}: no other exchange works yet`,
  })
}

/** A paper account has its file for as long as the file is there, whatever became of its row. */
async function tellWhatIsLeft(context: CommandContext<'connect'>, name: string): Promise<void> {
  const { venue } = await context.ports.connect(name)
  if (paperControls(venue)?.isUsed() !== true) return
  const [money] = await venue.fetchBalances()
  const wallet = money === undefined ? '' : `: ${showMoney(money.wallet)}`
  context.out.info(
    `it goes on where an account of this name was left${wallet}; \`account reset ${name} --yes\` starts it again`,
  )
}

// The arguments of `account add`, read. Keys are none of them.
import { defined } from '../../base/defined.ts'
import type { Keys } from '../../credentials/keys.ts'
import { paperControls } from '../../exchanges/paper/paper-controls.ts'
import type { Venue } from '../../exchanges/venues.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { nearest } from '../../language/typo-match.ts'
import { type Credential, KEY_SOURCES, type KeySource, MARKET_KINDS } from '../../protocol/rows.ts'
import { type AccountRow, type KeyPlace, type NewAccount, requireAccountName } from '../../stores/accounts.ts'
import { showMoney } from '../../trading/figures.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { readText, requireText, takeFlag, takeOption } from '../kit/read-arguments.ts'
import { type Access, askAccess, describeAccess, notAdded, requireUsable, withinPatience } from './access.ts'
import { dropLooserLimits } from './account-users.ts'
import { credentialWords, describeVenue } from './account-words.ts'
import { askSecret, prepareVault } from './dialog.ts'

interface WantedAccount {
  readonly account: NewAccount
  readonly venue: Venue
  readonly source: KeySource
}

/** @throws {LanguageError} {CommandError} `unexpected-argument`, `not-supported` */
function readNewAccount(args: readonly Argument[], venues: readonly Venue[]): WantedAccount {
  const { rest: withoutDemo, given: demo } = takeFlag(args, '--demo')
  const { rest: withoutKeys, value: keys } = takeOption(withoutDemo, '--keys', 'where its keys are kept')
  const { rest, value: followed } = takeOption(withoutKeys, '--prices', 'whose prices it follows')
  const name = requireText(rest, 0, "the account's name")
  const kind = MARKET_KINDS.find((each) => each === kindTyped(rest))
  refuseNearWords(rest, kind)
  refuseKeys(rest, kind === undefined ? 2 : 3)
  const venue = findTradable(venues, requireText(rest, 1, 'the exchange'))
  if (venue.id === 'paper' && (demo || keys !== undefined || kind !== undefined)) {
    throw new CommandError('not-supported', `a paper account has no kind, no demo and no keys`, {
      hint: `type \`account add ${printable(name, 40)} paper\``,
    })
  }
  requireKind(venue, kind)
  if (demo && !venue.demo) {
    throw new CommandError('not-supported', `${venue.id} has no demo accounts`, {
      hint: 'leave --demo out, or practice on paper',
    })
  }
  const prices = followed === undefined ? undefined : readPrices(followed, venue, venues)
  const account = {
    name,
    exchange: venue.id,
    // Written down: another version may have another default.
    ...(venue.id !== 'paper' && { kind: kind ?? venue.kinds[0] ?? 'spot' }),
    ...(demo && { demo }),
    ...defined({ prices }),
  }
  return { account, venue, source: readSource(keys, args) }
}

function newAccountCandidates(words: readonly string[], venues: readonly Venue[]): readonly string[] {
  const last = words.at(-1)
  if (last === '--keys') return KEY_SOURCES
  if (last === '--prices') return venues.flatMap(pricesOf)
  if (words.length === 1) return venues.map((venue) => venue.id)
  if (words[1] === 'paper') return ['--prices']
  return words.length === 2 ? [...MARKET_KINDS, '--demo', '--keys'] : ['--demo', '--keys']
}

/** Not shown: what follows here by mistake are keys. */
function refuseKeys(rest: readonly Argument[], most: number): void {
  if (rest.length <= most) return
  throw new CommandError('unexpected-argument', 'an account has a name, a venue and a kind, nothing more', {
    hint: 'leave keys out, hookline asks for them; the history file has what you typed: replace keys that were in it',
  })
}

/** A slip in a word is named; anything else there may be a key. */
function refuseNearWords(rest: readonly Argument[], kind: string | undefined): void {
  for (const argument of rest.slice(kind === undefined ? 2 : 3)) {
    const word = readText(argument)
    const near = nearest(word, word.startsWith('--') ? OPTIONS : MARKET_KINDS)
    if (near === undefined) continue
    const what = word.startsWith('--') ? 'an option' : 'a kind of market'
    throw new LanguageError('bad-argument', `${shown(word)} is not ${what}`, argument.column, `did you mean ${near}?`)
  }
}

const OPTIONS = ['--demo', '--keys', '--prices']

function kindTyped(rest: readonly Argument[]): string | undefined {
  return rest[2] === undefined ? undefined : readText(rest[2]).toLowerCase()
}

/** Not shown: by mistake it is a key. */
function readSource(typed = 'vault', args: readonly Argument[] = []): KeySource {
  const source = KEY_SOURCES.find((each) => each === typed)
  if (source !== undefined) return source
  const near = nearest(typed, KEY_SOURCES)
  const hint = near === undefined ? `type one of ${KEY_SOURCES.join(', ')}` : `did you mean ${near}?`
  const at = args.find((argument) => argument.kind === 'word' && /^--keys(?:=|$)/.test(argument.text))
  throw new LanguageError('bad-argument', 'keys cannot be stored there', at?.column ?? 1, hint)
}

function requireKind(venue: Venue, kind: string | undefined): void {
  if (kind === undefined || venue.kinds.some((each) => each === kind)) return
  throw new CommandError('not-supported', `hookline trades no ${kind} markets on ${venue.id}`, {
    hint: `type ${venue.kinds.join(' or ')}`,
  })
}

/** Of a live venue, as `--prices` names them: a paper account trades linear contracts. */
function pricesOf(venue: Venue): readonly string[] {
  if (venue.id === 'paper') return []
  return venue.kinds.filter((kind) => kind === 'linear').map((kind) => `${venue.id}:${kind}`)
}

/** `binance:linear`. @throws {CommandError} `not-supported` */
function readPrices(typed: string, venue: Venue, venues: readonly Venue[]): string {
  if (venue.id !== 'paper') {
    throw new CommandError('not-supported', `an account on ${venue.id} uses the prices of ${venue.id}`, {
      hint: 'leave --prices out',
    })
  }
  const wanted = typed.toLowerCase()
  const known = venues.flatMap(pricesOf)
  if (known.includes(wanted)) return wanted
  throw new CommandError('not-supported', `a paper account cannot follow ${printable(typed, 40)}`, {
    hint: 'name a venue and its linear contracts, such as binance:linear',
  })
}

function findTradable(venues: readonly Venue[], id: string): Venue {
  const venue = venues.find((candidate) => candidate.id === id.toLowerCase())
  if (venue !== undefined) return venue
  // One edit only: exchanges have names that are like each other, and keys must not go to another one.
  const near = nearest(id, new Set(venues.map((candidate) => candidate.id)), 1)
  throw new CommandError('not-supported', `hookline cannot trade on ${printable(id, 40)}`, {
    hint: near === undefined ? '`exchanges` lists where it can' : `did you mean ${near}?`,
  })
}

// The keys that a venue wants, asked for by the names that they have there.

/** @throws {CommandError} `no-credentials`, `bad-keys`, `no-terminal`, `cancelled` */
async function askKeys(context: CommandContext<'terminal'>, venue: Venue): Promise<Keys> {
  const keys: Partial<Record<Credential, string>> = {}
  for (const name of venue.credentials) {
    const answer = (await askSecret(context, `${credentialWords(venue, name)} (${venue.id}): `)).trim()
    if (answer === '') throw new CommandError('no-credentials', 'no key was given; the account was not added')
    requireForm(venue, name, answer)
    keys[name] = answer
  }
  return keys
}

/** Says nothing of what was given. @throws {CommandError} `bad-keys` */
function requireForm(venue: Venue, name: Credential, given: string): void {
  const form = venue.credentialForms[name]
  if (form === undefined || form.pattern.test(given)) return
  const what = credentialWords(venue, name).split(',')[0]
  throw new CommandError(
    'bad-keys',
    `the ${what?.replace(/^the /, '')} has ${form.words}, and what was given has not; nothing was stored`,
    {
      hint: `copy it from ${venue.name} again`,
    },
  )
}

/** @throws {CommandError} `no-credentials`: a source has some of the keys only; `bad-keys` */
function requireAllKeys(venue: Venue, keys: Keys, where: string): void {
  const missing = venue.credentials.filter((name) => keys[name] === undefined)
  if (missing.length === 0) {
    for (const name of venue.credentials) requireForm(venue, name, keys[name] ?? '')
    return
  }
  const names = missing.map((name) => `\`${name}\``).join(' and ')
  throw new CommandError('no-credentials', `${where} has no ${names}, which ${venue.id} requires`, {
    hint: 'add it there',
  })
}

// `account add`: keys are asked for without echo, checked by a call that needs them, and stored only if they are good for trading and nothing more.

type Need = 'accounts' | 'connect' | 'credentials' | 'guards' | 'terminal' | 'tryAccount'

/** Asks for the limits of a new account, at the terminal. @returns keeps them, once the account is there */
export type AskLimits = (
  context: CommandContext<'terminal' | 'guards'>,
  account: NewAccount,
) => Promise<() => Promise<void>>

/** @param venues those that accounts can be made on */
export function addForm(venues: () => readonly Venue[], askLimits?: AskLimits): CommandForm<Need> {
  return {
    name: 'add',
    usage:
      '<name> <venue> [spot|linear|inverse] [--demo] [--keys vault|environment|file|keychain]\n<name> paper [--prices <venue>:<kind>]',
    summary: 'add an account; its keys are asked for without echo, and checked at the venue',
    where: 'trusted',
    asks: true,
    examples: [
      { line: 'account add practice paper', meaning: 'a second paper account with its own balance' },
      { line: 'account add practice paper --prices binance:linear', meaning: 'practice money at real prices' },
      {
        line: 'account add main binance linear',
        meaning: 'asks for the keys, checks them, and keeps them in the vault',
      },
    ],
    complete: ({ words }) => newAccountCandidates(words, venues()),
    async run(context, args) {
      const { account, venue, source } = readNewAccount(args, venues())
      const { name } = account
      requireAccountName(name)
      requireNew(context, name)
      await dropLooserLimits(context.ports.guards, name, venue.id)
      if (venue.needsCredentials) await addWithKeys(context, { account, venue, source }, askLimits)
      else await context.ports.accounts.add(account)
      await context.audit('account add', { ...account, ...(venue.needsCredentials && { keys: source }) })
      context.out.success(
        `added account ${printable(name, 40)} on ${describeVenue(account)}; \`account use ${name}\` trades on it`,
      )
      if (venue.proof === 'unproven')
        context.out.warn(`${venue.name} is unproven: begin with its smallest order, and compare what the venue shows`)
      if (venue.id === 'paper') await reportRemaining(context, name)
    },
  }
}

async function addWithKeys(context: CommandContext<Need>, wanted: WantedAccount, askLimits?: AskLimits): Promise<void> {
  const { account, venue, source } = wanted
  const { accounts, credentials } = context.ports
  if (source === 'keychain') await credentials.testKeychain()
  const vault = source === 'vault' ? await prepareVault(context) : undefined
  const keys = await keysFor(context, wanted)
  await vault?.opened
  const access = await tryKeys(context, account, keys)
  requireUsable(access, venue.id)
  context.out.info(`checked: ${describeAccess(access.report)}`)
  for (const remark of access.report.remarks) context.out.warn(printable(remark, 200))
  const keepLimits = await askLimits?.(context, account)
  await vault?.make()
  // Another process may have been quicker; its keys must not be replaced.
  requireNew(context, account.name)
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

async function keysFor(context: CommandContext<Need>, { account, venue, source }: WantedAccount): Promise<Keys> {
  const { credentials } = context.ports
  if (!credentials.isGiven(source, account)) return askKeys(context, venue)
  const keys = await credentials.read(account, { from: source })
  requireAllKeys(venue, keys, source === 'environment' ? 'the environment' : 'the file')
  return keys
}

function requireNew({ ports }: CommandContext<'accounts'>, name: string): void {
  if (ports.accounts.find(name) === undefined) return
  throw new CommandError('already-exists', `account ${printable(name, 40)} already exists`, {
    hint: '`account` lists them',
  })
}

/** @throws {ExchangeError} the venue's own no, or none @throws {CommandError} `interrupted` */
async function tryKeys(context: CommandContext<Need>, account: NewAccount, keys: Keys): Promise<Access> {
  const row: AccountRow = { ...account, createdAt: 0, updatedAt: 0 }
  context.out.info(`asking ${account.exchange} what these keys may do`)
  const opening = context.ports.tryAccount(row, keys)
  try {
    const asking = opening.then((venue) => askAccess(context, venue))
    return await withinPatience(context, account.exchange, asking)
  } catch (error) {
    throw notAdded(error, account.exchange)
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
      return path === undefined
        ? 'its keys are read from the file that systemd hands over'
        : `its keys are in ${printable(path, 200)}, in plain text, readable only by you`
  }
}

/** A paper account has its file for as long as the file is there, whatever became of its row. */
async function reportRemaining(context: CommandContext<'connect'>, name: string): Promise<void> {
  const { venue } = await context.ports.connect(name)
  if (paperControls(venue)?.isUsed() !== true) return
  const [money] = await venue.fetchBalances()
  const wallet = money === undefined ? '' : `: ${showMoney(money.wallet)}`
  context.out.info(
    `it continues where an earlier account of this name ended${wallet}; \`account reset ${name} --yes\` starts it again`,
  )
}

// `account add`: keys are asked for without echo, checked by a call that needs them, and stored only if they are good for trading and nothing more.
import type { Keys } from '../../credentials/keys.ts'
import { paperControls } from '../../exchanges/paper/paper-controls.ts'
import type { Venue } from '../../exchanges/venues.ts'
import { printable } from '../../language/printable.ts'
import { type AccountRow, type KeyPlace, type NewAccount, requireAccountName } from '../../stores/accounts.ts'
import { showMoney } from '../../trading/figures.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { type Access, askAccess, describeAccess, notAdded, requireUsable, withinPatience } from './access.ts'
import { dropLooserLimits } from './account-users.ts'
import { describeVenue } from './account-words.ts'
import { prepareVault } from './dialog.ts'
import { askKeys, requireAllKeys } from './key-questions.ts'
import { newAccountCandidates, readNewAccount, type WantedAccount } from './new-account.ts'

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
      { line: 'account add practice paper', says: 'a second paper account with its own balance' },
      { line: 'account add practice paper --prices binance:linear', says: 'practice money at real prices' },
      { line: 'account add main binance linear', says: 'asks for the keys, checks them, and keeps them in the vault' },
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
      if (venue.id === 'paper') await tellWhatIsLeft(context, name)
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
  throw new CommandError('already-exists', `there is an account ${printable(name, 40)} already`, {
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
        : `its keys are in ${printable(path, 200)}, as plain text that you alone may read`
  }
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

// `account`: which accounts there are and which one is traded on. Keys come in by hidden input only, never as an
// argument, so that no history, journal or hook has them.

import { paperControls } from '../../exchanges/paper/paper-controls.ts'
import { allVenues, type Venue } from '../../exchanges/venues.ts'
import { printable } from '../../language/printable.ts'
import { type AccountRow, type ScrubbedAccount, scrubAccount } from '../../stores/accounts.ts'
import { showZonedTime } from '../../trading/figures.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { type CommandContext, type CommandFamily, type CommandForm, mayShowSecrets } from '../kit/command.ts'
import { CommandError, describeRefusal, isRefusal } from '../kit/errors.ts'
import { printFocus, renderTable } from '../kit/lines.ts'
import { refuseMoreThan } from '../kit/read-arguments.ts'
import { askLimitsOf } from '../session/ask-limits.ts'
import { type AskLimits, addForm } from './account-add.ts'
import { balances } from './account-balances.ts'
import { check } from './account-check.ts'
import { keys } from './account-keys.ts'
import { requireAccount } from './account-name.ts'
import { prove } from './account-prove.ts'
import { reset } from './account-reset.ts'
import { endUsers, forgetLimits, usersOf } from './account-users.ts'
import { describeKeys, describeVenue } from './account-words.ts'
import { count, describeHoldings, holdingsOf, needsYes, takeYes } from './confirmation.ts'

const list: CommandForm<'accounts' | 'config'> = {
  name: 'list',
  usage: '',
  summary: 'accounts; a star marks the one in focus',
  where: 'anywhere',
  rows: true,
  immediate: true,
  examples: [{ line: 'account', meaning: 'lists them; keys are never shown' }],
  run(context, args) {
    refuseMoreThan(0, args)
    // Pages are shown no accounts in this way either, be it through a hook's output (behaviour 136).
    if (!mayShowSecrets(context.source) && !context.ports.config.read().listener.accountSync) {
      throw new CommandError('disabled', 'accountSync disabled')
    }
    const rows = context.ports.accounts.list()
    const accounts = rows.map((row) => ({
      ...withoutTime(scrubAccount(row)),
      keys: describeKeys(row),
      inFocus: row.name === context.accountName,
    }))
    const data = { type: 'accounts', accounts } as const
    if (rows.length === 0) return context.out.info('no accounts; `account add <name> paper` makes one', data)
    const columns = [
      { title: '' },
      { title: 'name' },
      { title: 'exchange' },
      { title: 'keys' },
      { title: 'since', isTime: true },
    ] as const
    const cells = rows.map((row) => [
      row.name === context.accountName ? '*' : '',
      printable(row.name, 40),
      describeVenue(row),
      describeKeys(row),
      showZonedTime(row.createdAt),
    ])
    context.out.print(renderTable(columns, cells), data)
  },
}

const use: CommandForm<'accounts' | 'focus' | 'hooks'> = {
  name: 'use',
  usage: '<name>',
  summary: 'trade on this account from now on',
  where: 'trusted',
  underPanic: true,
  examples: [{ line: 'account use paper', meaning: 'brings paper into focus' }],
  complete: ({ words, accounts }) => (words.length === 0 ? accounts : []),
  async run(context, args) {
    const name = requireAccount(context.ports.accounts, args)
    const isOther = context.ports.focus.account() !== name
    const kept = await context.ports.focus.set({ account: name })
    await context.audit('account use', { name })
    printFocus(context, kept, `trading on ${printable(name, 40)}`)
    // Where another hookline holds the port its hooks keep its focus.
    if (isOther && kept.isDefault) reportMovedHooks(context, name)
  },
}

const MAX_NAMED = 10

/** Hooks without an account trade on the one in focus when they fire. */
function reportMovedHooks({ ports, out }: CommandContext<'hooks'>, name: string): void {
  const moved = ports.hooks.list().filter(({ account }) => account === undefined)
  if (moved.length === 0) return
  const names = moved.slice(0, MAX_NAMED).map((hook) => printable(hook.name, 40))
  const more = moved.length > MAX_NAMED ? ` and ${moved.length - MAX_NAMED} more` : ''
  const what =
    moved.length === 1 ? '1 hook without an account now trades' : `${moved.length} hooks without an account now trade`
  out.warn(`${what} on ${printable(name, 40)}: ${names.join(', ')}${more}`)
}

type Removing =
  | ('accounts' | 'config' | 'credentials' | 'focus' | 'hooks' | 'connect' | 'disconnect')
  | ('tasks' | 'crossTrade' | 'guards' | 'stops')

const remove: CommandForm<Removing> = {
  name: 'remove',
  usage: '<name> [--yes]',
  summary: 'remove an account, its keys and its limits; one in use only with --yes',
  where: 'trusted',
  examples: [{ line: 'account remove practice', meaning: 'hooks pinned to it fail from now on' }],
  complete: ({ words, accounts }) => (words.length === 0 ? accounts : ['--yes']),
  async run(context, args) {
    const { rest, isSure } = takeYes(args)
    const name = requireAccount(context.ports.accounts, rest)
    const { config, focus } = context.ports
    // The default is the focus of the process that holds the port, which may be another.
    if (name === focus.account() || name === config.read().defaultAccount || name === context.accountName) {
      throw new CommandError('account-in-use', `${printable(name, 40)} is the account in focus`, {
        hint: '`account use <name>` another one first',
      })
    }
    const users = await usersOf(context, name)
    if (!isSure && users.length > 0) {
      throw needsYes(`${printable(name, 40)} is traded on by ${users.join(', ')}`, `account remove ${name} --yes`)
    }
    const account = await connectTo(context, name, isSure)
    if (account !== undefined) await giveUp(context, account, isSure)
    await endUsers(context, name)
    const row = context.ports.accounts.find(name)
    // What runs on it ends, and does not go on with an account that is added under its name.
    await context.ports.stops.stopScope(`account:${name}`, context.runId)
    await context.ports.accounts.remove(name)
    await context.audit('account remove', { name })
    await context.ports.disconnect(name)
    if (row !== undefined) await forgetKeys(context, row)
    await forgetLimits(context, name)
    const isLeft = account !== undefined && paperControls(account.venue)?.isUsed() === true
    const stays = isLeft ? `; its balance, positions and history stay in paper-${name}.json` : ''
    context.out.success(`removed account ${printable(name, 40)}${stays}`)
    const pinned = context.ports.hooks.list().filter((hook) => hook.account === name)
    if (pinned.length > 0) context.out.warn(`pinned to it, and failing now: ${describeHooks(pinned)}`)
  },
}

/** Undefined where this build cannot trade, and where what it holds cannot be read and that does not matter. */
async function connectTo(
  context: CommandContext<'connect'>,
  name: string,
  isSure: boolean,
): Promise<TradingAccount | undefined> {
  try {
    return await context.ports.connect(name)
  } catch (error) {
    if (error instanceof CommandError && error.code === 'not-supported') return undefined
    if (!isSure || !isRefusal(error)) throw error
    context.out.warn(describeRefusal(error))
    return undefined
  }
}

/** Asks where something is held. Resting paper orders are taken back: while no account has their file, nothing fills or ends them. */
async function giveUp(
  context: CommandContext,
  { name, venue, orders }: TradingAccount,
  isSure: boolean,
): Promise<void> {
  const holdings = await holdingsOf(venue)
  const isPaper = paperControls(venue) !== undefined
  if (!isSure && holdings.positions + holdings.orders > 0) {
    const stays = isPaper ? 'orders are canceled, positions stay in its file' : 'they stay at the exchange'
    throw needsYes(`${printable(name, 40)} has ${describeHoldings(holdings)}: ${stays}`, `account remove ${name} --yes`)
  }
  if (!isPaper || holdings.orders === 0) return
  await orders.recover()
  const canceled = await orders.cancelAll(undefined, context.orderedBy())
  context.out.info(`${count(canceled.length, 'order')} canceled`)
}

/** Keys that hookline keeps elsewhere go with the account. */
async function forgetKeys({ ports, out }: CommandContext<'credentials'>, row: AccountRow): Promise<void> {
  if (row.credentials === undefined) return
  try {
    await ports.credentials.remove(row, row.credentials)
  } catch (error) {
    if (!isRefusal(error)) throw error
    out.warn(`its keys are in the ${row.credentials.from} still: ${describeRefusal(error)}`)
  }
}

/** @param venues the venues that accounts can be made on */
export function accountFamily(venues: () => readonly Venue[], askLimits?: AskLimits): CommandFamily {
  return {
    name: 'account',
    aliases: ['accounts'],
    group: 'account',
    summary: 'accounts: list, add, check, use, balances, keys, reset, remove',
    bare: 'list',
    forms: [list, addForm(venues, askLimits), check, prove, use, balances, keys, reset, remove],
  }
}

export const account: CommandFamily = accountFamily(() => allVenues().filter((venue) => venue.canTrade), askLimitsOf)

function withoutTime({ updatedAt: _, ...row }: ScrubbedAccount): Omit<ScrubbedAccount, 'updatedAt'> {
  return row
}

function describeHooks(hooks: readonly { readonly name: string }[]): string {
  return hooks.map((hook) => printable(hook.name, 40)).join(', ')
}

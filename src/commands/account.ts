// `account`: which accounts there are and which one is traded on. Keys come in by hidden input only, never as an
// argument, so that they stand in no history, journal or hook.
import type { Argument } from '../language/chain.ts'
import { printable } from '../language/printable.ts'
import { type CommandContext, CommandError, type CommandFamily, type CommandForm, type Terminal } from './command.ts'
import { type ExchangeKind, exchangeKinds } from './exchanges.ts'
import { showTime } from './figures.ts'
import { refuseMoreThan, requireText } from './read-arguments.ts'
import { renderTable } from './table.ts'

const list: CommandForm = {
  name: 'list',
  usage: '',
  summary: 'accounts; the one traded on has a star',
  where: 'anywhere',
  examples: [{ line: 'account', says: 'lists them; keys are never shown' }],
  run(context, args) {
    refuseMoreThan(0, args)
    const rows = context.services.accounts.list()
    if (rows.length === 0) return context.out.info('no accounts; `account add <name> paper` makes one')
    const columns = [
      { title: '' },
      { title: 'name' },
      { title: 'exchange' },
      { title: 'keys' },
      { title: 'since (UTC)' },
    ]
    const cells = rows.map((row) => [
      row.name === context.accountName ? '*' : '',
      printable(row.name, 40),
      printable(row.exchange, 20),
      row.apiKey === undefined ? 'none' : '<hidden>',
      showTime(row.createdAt),
    ])
    context.out.print(renderTable(columns, cells))
  },
}

/** @param kinds the exchanges that accounts can be made on */
function addForm(kinds: readonly ExchangeKind[]): CommandForm {
  return {
    name: 'add',
    usage: '<name> <exchange>',
    summary: 'add an account; asks for its keys where the exchange has keys',
    where: 'repl',
    examples: [{ line: 'account add practice paper', says: 'a second paper account with its own balance' }],
    complete: ({ words }) => (words.length === 1 ? kinds.map((kind) => kind.id) : []),
    async run(context, args) {
      const name = requireText(args, 0, "the account's name")
      const kind = findKind(kinds, requireText(args, 1, 'the exchange'))
      refuseMoreThan(2, args)
      if (context.services.accounts.find(name) !== undefined) {
        throw new CommandError('already-exists', `there is an account ${printable(name, 40)} already`, {
          hint: '`account` lists them',
        })
      }
      const credentials = kind.needsCredentials ? await askCredentials(kind, context.services.terminal) : {}
      await context.services.accounts.add({ name, exchange: kind.id, ...credentials })
      context.out.success(`added account ${printable(name, 40)} on ${kind.id}; \`account use ${name}\` trades on it`)
    },
  }
}

const use: CommandForm = {
  name: 'use',
  usage: '<name>',
  summary: 'trade on this account from now on, also after a restart',
  where: 'trusted',
  examples: [{ line: 'account use paper', says: 'brings paper into focus' }],
  complete: ({ words, accounts }) => (words.length === 0 ? accounts : []),
  async run(context, args) {
    const name = requireAccount(context, args)
    await context.services.config.focus({ account: name })
    context.out.success(`trading on ${printable(name, 40)}`)
  },
}

const remove: CommandForm = {
  name: 'remove',
  usage: '<name>',
  summary: 'forget an account and its keys; orders and positions on the exchange stay',
  where: 'trusted',
  examples: [{ line: 'account remove practice', says: 'hooks pinned to it fail from now on' }],
  complete: ({ words, accounts }) => (words.length === 0 ? accounts : []),
  async run(context, args) {
    const name = requireAccount(context, args)
    if (name === context.services.config.read().defaultAccount) {
      throw new CommandError('account-in-use', `${printable(name, 40)} is the account in focus`, {
        hint: '`account use <name>` another one first',
      })
    }
    await context.services.accounts.remove(name)
    await context.services.disconnect(name)
    context.out.success(`removed account ${printable(name, 40)}`)
    const pinned = context.services.hooks.list().filter((hook) => hook.account === name)
    if (pinned.length > 0) context.out.warn(`pinned to it, and failing now: ${describeHooks(pinned)}`)
  },
}

export function accountFamily(kinds: readonly ExchangeKind[]): CommandFamily {
  return {
    name: 'account',
    aliases: ['accounts'],
    group: 'account',
    summary: 'accounts: list, add, use, remove',
    bare: 'list',
    forms: [list, addForm(kinds), use, remove],
  }
}

export const account: CommandFamily = accountFamily(exchangeKinds)

function requireAccount(context: CommandContext, args: readonly Argument[]): string {
  const name = requireText(args, 0, "the account's name")
  refuseMoreThan(1, args)
  if (context.services.accounts.find(name) !== undefined) return name
  throw unknownAccount(name)
}

/** For an account that is not in the list. */
export function unknownAccount(name: string): CommandError {
  return new CommandError('unknown-account', `there is no account ${printable(name, 40)}`, {
    hint: '`account` lists them',
  })
}

function findKind(kinds: readonly ExchangeKind[], id: string): ExchangeKind {
  const kind = kinds.find((candidate) => candidate.id === id.toLowerCase())
  if (kind !== undefined) return kind
  throw new CommandError('not-supported', `hookline cannot trade on ${printable(id, 40)}`, {
    hint: `it can on: ${kinds.map((candidate) => candidate.id).join(', ')}`,
  })
}

async function askCredentials(
  kind: ExchangeKind,
  terminal: Terminal | undefined,
): Promise<{ apiKey: string; secret: string }> {
  if (terminal === undefined) {
    throw new CommandError('no-terminal', 'keys are asked for, and there is no terminal to ask on', {
      hint: 'start hookline in a terminal and add the account there',
    })
  }
  const apiKey = (await terminal.askHidden(`${kind.id} API key: `)).trim()
  const secret = apiKey === '' ? '' : (await terminal.askHidden(`${kind.id} secret: `)).trim()
  if (secret === '') throw new CommandError('no-credentials', 'no key was given; the account was not added')
  return { apiKey, secret }
}

function describeHooks(hooks: readonly { readonly name: string }[]): string {
  return hooks.map((hook) => printable(hook.name, 40)).join(', ')
}

// `guards`: the state and the limits of every account, and what of them is used today (behaviour 40).
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { Position } from '../../exchange/order.ts'
import { byLossLimit, lossOf, tripped } from '../../guards/guard.ts'
import { isStricter, LIMIT_TEXTS, type Limits, limitsOf } from '../../guards/rules.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { nearest } from '../../language/typo-match.ts'
import type { AccountRow } from '../../stores/accounts.ts'
import { fromWhom, type Guarding, LIMITS, type LimitName } from '../../stores/guards.ts'
import { isDollars, showMoment, showMoney } from '../../trading/figures.ts'
import { requireAccount } from '../account/account-name.ts'
import { needsYes, takeYes } from '../account/confirmation.ts'
import { type CommandContext, type CommandFamily, type CommandForm, mayRun } from '../kit/command.ts'
import type { GuardedAccountData } from '../kit/data.ts'
import { CommandError, isRefusal } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import { missing, readText, refuseMoreThan, showText } from '../kit/read-arguments.ts'

const list: CommandForm<'guards' | 'accounts' | 'guardBook'> = {
  name: 'list',
  usage: '',
  summary: 'state and limits of every account, with their use today',
  where: 'anywhere',
  showsAccounts: true,
  rows: true,
  immediate: true,
  examples: [{ line: 'guards', meaning: 'the limits, and how much of each is left' }],
  async run(context, args) {
    refuseMoreThan(0, args)
    const { guards, accounts } = context.ports
    // A hook or page sees the account that it trades on.
    const rows = accounts.list().filter(({ name }) => mayRun('trusted', context.source) || name === context.accountName)
    const judged = await Promise.all(rows.map((row) => lookAt(context, row)))
    const { state = 'active', simulated = false } = guards.readAll()
    const data = { type: 'guards', state, simulated, accounts: judged.map(dataOf) } as const
    const columns = ['account', 'state', ...LIMITS].map((title) => ({ title }))
    context.out.print(renderTable(columns, judged.map(cellsOf)), data)
    for (const each of judged) {
      const origin = originOf(each)
      if (origin !== '') context.out.info(origin)
    }
    for (const { name, guarding } of judged) {
      if (guarding.doubt !== undefined) context.out.error(`account ${printable(name, 40)} is halted: ${guarding.doubt}`)
    }
  },
}

const set: CommandForm<'guards' | 'accounts' | 'guardBook'> = {
  name: 'set',
  usage: '<account> <limit> <value>|off|default [closed | open] [--yes]',
  summary: 'change a limit: order, position, day, loss, band or rate; a looser one asks',
  where: 'trusted',
  underPanic: true,
  examples: [
    {
      line: 'guards set paper order $500',
      meaning: 'an order of more than 500 dollars asks in the terminal, and is refused elsewhere',
    },
    { line: 'guards set paper loss $200', meaning: 'the loss since 00:00 UTC, closed and open, with fees' },
    { line: 'guards set paper loss $200 closed', meaning: 'counts closed losses only' },
    { line: 'guards set paper band 3%', meaning: 'no limit more than 3 % through the market' },
    { line: 'guards set paper band 10% --yes', meaning: 'looser than before, without a question' },
  ],
  complete: ({ words, accounts }) =>
    words.length === 0 ? accounts : words.length === 1 ? LIMITS : ['off', 'default', '--yes'],
  async run(context, typed) {
    const { rest: args, isSure } = takeYes(typed)
    const [first, second, third, ...more] = args
    refuseMisplaced(context, args)
    if (second === undefined) throw missing(args, first === undefined ? "the account's name" : 'the limit')
    if (third === undefined) throw missing(args, 'its value')
    const name = requireAccount(context.ports.accounts, args.slice(0, 1))
    const limit = readLimit(second)
    const value = readValue(third, limit)
    const withOpen = readOpen(more, limit)
    const { exchange } = context.ports.accounts.find(name) ?? { exchange: '' }
    const guarding = context.ports.guards.read(name)
    const change = { [limit]: value, ...defined({ lossWithOpen: withOpen }) }
    const next = limitsOf({ limits: { ...guarding.limits, ...change } }, exchange)
    const now = limitsOf(guarding, exchange)
    const forgivesOpen = limit === 'loss' && now.loss !== undefined && now.lossWithOpen && !next.lossWithOpen
    const isLooser = forgivesOpen || !isStricter(next[limit], now[limit])
    if (isLooser && !isSure) {
      const line = `guards set ${args.map(showText).join(' ')} --yes`
      const [from, to] = [showLimit(limit, now), showLimit(limit, next)]
      const question =
        next[limit] === undefined
          ? `remove the ${from} ${limit} limit of account ${name}`
          : `loosen the ${limit} limit of account ${name} from ${from} to ${to}`
      await askLooser(context, question, line)
    }
    await context.ports.guards.setLimits(name, change)
    await context.audit('guards set', {
      account: name,
      limit,
      value: value ?? 'default',
      ...defined({ open: withOpen }),
      before: showLimit(limit, now),
    })
    const held = limitsOf(context.ports.guards.read(name), exchange)
    context.out.success(`account ${name}: ${limit} ${showLimit(limit, held)} (${LIMIT_TEXTS[limit].meaning})`)
    if (limit === 'loss') await holdLoss(context, { name, exchange })
  },
}

export const guardsFamily: CommandFamily = {
  name: 'guards',
  group: 'session',
  summary: 'limits on what accounts send: list, set',
  bare: 'list',
  forms: [list, set],
}

interface Judged {
  readonly name: string
  readonly guarding: Guarding
  readonly limits: Limits
  readonly day: Decimal
  readonly loss: Decimal
  /** What open positions have lost is in `loss`. */
  readonly isOpenCounted: boolean
  readonly lastMinute: number
}

async function lookAt(
  context: CommandContext<'guards' | 'guardBook'>,
  { name, exchange }: Pick<AccountRow, 'name' | 'exchange'>,
): Promise<Judged> {
  const { ports } = context
  const guarding = ports.guards.read(name)
  const book = await ports.guardBook()
  const { day, lastMinute, fills } = await book.look(name)
  // Without the venue: what is not counted in dollars is left out here, though not by the guard.
  const limits = limitsOf(guarding, exchange)
  const isWanted = limits.loss !== undefined && limits.lossWithOpen && name === context.accountName
  const positions = isWanted ? await openPositions(context) : undefined
  const { lost } = await lossOf({
    fills,
    ...defined({ positions }),
    market: async () => undefined,
    rate: async (currency) => (isDollars(currency) ? new Decimal(1) : undefined),
  })
  return { name, guarding, limits, day, loss: Decimal.max(0, lost), isOpenCounted: positions !== undefined, lastMinute }
}

/** An account that has lost its limit already only reduces, from now on. @returns whether it is one */
export async function holdLoss(
  context: CommandContext<'guards' | 'guardBook'>,
  row: Pick<AccountRow, 'name' | 'exchange'>,
): Promise<boolean> {
  const { guards } = context.ports
  try {
    const { limits, loss } = await lookAt(context, row)
    if (limits.loss === undefined || loss.lt(limits.loss)) return false
    const { state, panic } = guards.read(row.name)
    // The restriction was reported as it began.
    if (state !== 'active' && panic !== 'alone') return true
    context.out.warn(tripped(printable(row.name, 40), showMoney(loss)))
    await guards.restrict(row.name, 'reducing', byLossLimit(limits.loss))
    return true
  } catch (error) {
    // The next order is judged all the same.
    if (!isRefusal(error)) throw error
    return false
  }
}

/** Of the account that is in use; undefined: the venue does not say. */
async function openPositions(context: CommandContext): Promise<readonly Position[] | undefined> {
  try {
    const { venue } = await context.account()
    return await venue.fetchPositions()
  } catch (error) {
    if (!isRefusal(error)) throw error
    return undefined
  }
}

function cellsOf({ name, guarding, limits, day, loss, isOpenCounted, lastMinute }: Judged): string[] {
  const { state, simulated } = guarding
  const words = [state, ...(simulated ? ['simulated'] : [])]
  const used: { readonly [limit in LimitName]?: string } = {
    day: showMoney(day),
    rate: String(lastMinute),
    loss: `${showMoney(loss)}${limits.lossWithOpen && !isOpenCounted ? ' closed' : ''}`,
  }
  const cells = LIMITS.map((limit) => {
    const shownLimit = showLimit(limit, limits)
    const of = used[limit]
    return limits[limit] === undefined || of === undefined ? shownLimit : `${of} of ${shownLimit}`
  })
  return [printable(name, 40), words.join(', '), ...cells]
}

/** A line of its own: a table with it is wider than a terminal. */
function originOf({ name, guarding: { state, since, by } }: Judged): string {
  if (since === undefined && by === undefined) return ''
  const at = since === undefined ? '' : ` since ${showMoment(since)}`
  return `account ${printable(name, 40)}: ${state}${at}${by === undefined ? '' : ` ${fromWhom(printable(by, 40))}`}`
}

function dataOf({ name, guarding, limits, day, loss, lastMinute }: Judged): GuardedAccountData {
  const { state, since, by, simulated } = guarding
  return {
    account: name,
    state,
    simulated,
    limits,
    ...defined({ since, by }),
    used: { day: day.toDecimalPlaces(2).toFixed(), loss: loss.toDecimalPlaces(2).toFixed(), rate: lastMinute },
  }
}

function showLimit(limit: LimitName, limits: Limits): string {
  const value = limits[limit]
  if (value === undefined) return 'off'
  const { unit } = LIMIT_TEXTS[limit]
  const text = unit === '$' ? showMoney(value) : `${value}${unit}`
  return limit === 'loss' && !limits.lossWithOpen ? `${text} without open positions` : text
}

/** `guards set max-order $500`: the account left out, or the limit in other words. @throws {LanguageError} `bad-argument` */
function refuseMisplaced({ ports, accountName }: CommandContext<'accounts'>, args: readonly Argument[]): void {
  const [first, second] = args
  if (first === undefined || second === undefined) return
  const words = args.map(readText)
  const isAccount = ports.accounts.find(words[0] ?? '') !== undefined
  const [account, ...rest] = isAccount ? words : [accountName, ...words]
  const [value = '', ...name] = rest.toReversed()
  const typed = name.reverse().join('').toLowerCase().replace('daily', 'day')
  const limit = LIMITS.find((each) => typed.endsWith(each)) ?? LIMITS.find((each) => typed.includes(each))
  if ((isAccount && typed === limit) || limit === undefined || !/^(\$?[\d.,]{1,20}%?|off|default)$/i.test(value)) return
  throw new LanguageError(
    'bad-argument',
    isAccount ? `no limit ${shown(name.join(' '))} found` : 'the account is missing',
    (isAccount ? second : first).column,
    `type \`guards set ${account} ${limit} ${value}\``,
  )
}

function readLimit(argument: Argument): LimitName {
  const word = readText(argument).toLowerCase()
  const found = LIMITS.find((limit) => limit === word)
  if (found !== undefined) return found
  const near = nearest(word, LIMITS)
  const hint = near === undefined ? `type one of ${LIMITS.join(', ')}` : `did you mean ${near}?`
  throw new LanguageError('bad-argument', `no limit ${shown(word)} found`, argument.column, hint)
}

/** @returns undefined: the default again */
function readValue(argument: Argument, limit: LimitName): string | undefined {
  const word = readText(argument).toLowerCase()
  if (word === 'off') return 'off'
  if (word === 'default') return undefined
  const bare = word
    .replace(/^\$/, '')
    .replace(/(?:%|\$|usd[tc]?|u)$/, '')
    .replaceAll(/,(?=\d{3}(?:\D|$))/g, '')
  const isNumber = limit === 'rate' ? /^\d{1,6}$/.test(bare) : /^\d{1,15}(?:\.\d{1,8})?$/.test(bare)
  const { unit } = LIMIT_TEXTS[limit]
  const wrongUnit = word.endsWith('%') ? unit !== '%' : /^\$|\D$/.test(word) && unit !== '$'
  if (isNumber && !wrongUnit) return new Decimal(bare).toFixed()
  const example = { $: '`$500`', '%': '`5%`', '': '`30`' }[unit]
  throw new LanguageError(
    'bad-argument',
    `${shown(word)} is not a value of ${limit}`,
    argument.column,
    `type ${example} or off`,
  )
}

function readOpen(args: readonly Argument[], limit: LimitName): boolean | undefined {
  const [only] = args
  if (limit !== 'loss') refuseMoreThan(0, args)
  if (only === undefined) return undefined
  refuseMoreThan(1, args)
  const word = readText(only).toLowerCase()
  if (word === 'open') return true
  if (word === 'closed') return false
  throw new LanguageError('bad-argument', `${shown(word)} is neither open nor closed`, only.column)
}

/** A person says yes, or the line did. @throws {CommandError} `needs-yes`, `cancelled` */
async function askLooser({ confirm }: CommandContext, change: string, line: string): Promise<void> {
  if (confirm === undefined) throw needsYes(`this would ${printable(change, 120)}`, printable(line, 120))
  if (await confirm(`${printable(change, 120)}? y or n >`)) return
  throw new CommandError('cancelled', 'canceled: the limit stays as it was')
}

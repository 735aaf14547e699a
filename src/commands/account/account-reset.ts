// `account reset`: a paper account starts again. Only where no money is real, and only for a person at this machine.
import { Decimal } from 'decimal.js'
import { MAX_BALANCE, type PaperControls, paperControls, START_BALANCE } from '../../exchanges/paper/paper-controls.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { parseSize } from '../../language/size.ts'
import { showMoney } from '../../trading/figures.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { readText, refuseMoreThan } from '../kit/read-arguments.ts'
import { requireAccount } from './account-name.ts'
import { count, describeHoldings, holdingsOf, needsYes, takeYes } from './confirmation.ts'

export const reset: CommandForm<'accounts' | 'connect'> = {
  name: 'reset',
  usage: '<name> [balance] --yes',
  summary: 'start a paper account again: no orders, no positions, no faults, $10,000 or the balance you name',
  where: 'trusted',
  examples: [
    { line: 'account reset paper', meaning: 'what would be lost; nothing happens yet' },
    { line: 'account reset paper --yes', meaning: 'starts it again; its history stays' },
    { line: 'account reset practice $50000 --yes', meaning: 'with another balance, $1 to $10,000,000' },
  ],
  complete: ({ words, accounts }) => (words.length === 0 ? accounts : ['--yes']),
  async run(context, args) {
    const { rest, isSure } = takeYes(args)
    const name = requireAccount(context.ports.accounts, rest.slice(0, 1))
    refuseMoreThan(2, rest)
    const balance = readBalance(rest[1])
    const account = await context.ports.connect(name)
    const controls = requireControls(account)
    if (!isSure) throw await askFirst(account, rest[1] === undefined ? name : `${name} $${balance}`)
    // What a dead process has left open is followed from here on, so that the journal has its end.
    await account.orders.recover()
    const canceled = await controls.reset(balance)
    account.orders.noteReset(canceled, context.orderedBy())
    const taken = canceled.length === 0 ? '' : `; ${count(canceled.length, 'order')} canceled`
    await context.audit('account reset', { name, balance: String(balance) })
    context.out.success(`${printable(name, 40)} starts again with ${showMoney(balance)}${taken}`)
  },
}

async function askFirst({ name, venue }: TradingAccount, what: string): Promise<CommandError> {
  const holds = `${printable(name, 40)} has ${describeHoldings(await holdingsOf(venue))}`
  const [money] = await venue.fetchBalances()
  const wallet = money === undefined ? '' : ` and ${showMoney(money.wallet)}`
  return needsYes(`${holds}${wallet}: a reset ends all of it`, `account reset ${what} --yes`)
}

function requireControls({ name, venue }: TradingAccount): PaperControls {
  const controls = paperControls(venue)
  if (controls !== undefined) return controls
  throw new CommandError('not-supported', `account ${printable(name, 40)} is on ${venue.id}, which cannot be reset`, {
    hint: 'only paper accounts can',
  })
}

/** In USDT. */
function readBalance(argument: Argument | undefined): string {
  if (argument === undefined) return START_BALANCE
  const text = readText(argument)
  const money = text.includes('$') ? text : `$${text}`
  const size = parseSize(money, argument.column)
  if (size.kind === 'quote' && new Decimal(size.amount).gte(1) && new Decimal(size.amount).lte(MAX_BALANCE))
    return size.amount
  throw new LanguageError(
    'bad-argument',
    `${shown(text)} is not a balance`,
    argument.column,
    'type an amount from $1 to $10000000',
  )
}

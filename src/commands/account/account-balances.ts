// `account balances`: what every account holds, in one table. An account that cannot be asked is told with its reason, and is not the end.
import { Decimal } from 'decimal.js'
import type { Balance } from '../../exchange/order.ts'
import { printable } from '../../language/printable.ts'
import type { AccountRow } from '../../stores/accounts.ts'
import { isDollars, showAmount, showMoney } from '../../trading/figures.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import { CommandError, describeRefusal, isRefusal, type Refusal } from '../kit/errors.ts'
import { type Column, renderTable } from '../kit/lines.ts'
import { refuseMoreThan } from '../kit/read-arguments.ts'
import { withinPatience } from './access.ts'
import { isPractice } from './account-words.ts'

interface Asked {
  readonly row: AccountRow
  readonly balances: readonly Balance[]
  readonly refusal?: Refusal
}

export const balances: CommandForm<'accounts' | 'connect'> = {
  name: 'balances',
  usage: '',
  summary: 'balances of every account, and the sum of each currency',
  where: 'trusted',
  rows: true,
  immediate: true,
  examples: [{ line: 'account balances', meaning: 'real money and practice money are summed separately' }],
  async run(context, args) {
    refuseMoreThan(0, args)
    const asked = await Promise.all(context.ports.accounts.list().map((row) => ask(context, row)))
    const totals = [...totalsOf(asked, false), ...totalsOf(asked, true)]
    context.out.print(renderTable(COLUMNS, [...asked.flatMap(cellsOf), ...totals.map(totalCells)]), {
      type: 'all-balances',
      accounts: asked.map(({ row, balances, refusal }) => ({
        account: row.name,
        balances,
        ...(refusal === undefined ? {} : { error: { code: refusal.code, message: refusal.message } }),
      })),
      totals,
    })
    const failed = asked.flatMap(({ row, refusal }) => (refusal === undefined ? [] : [{ row, refusal }]))
    for (const { row, refusal } of failed) {
      context.out.warn(`without ${printable(row.name, 40)}: ${describeRefusal(refusal)}`)
    }
    if (failed.length === asked.length && failed.length > 0) {
      throw new CommandError('none-answered', 'no account could be asked', {
        hint: '`account check <name>` shows the details',
      })
    }
  },
}

const COLUMNS: readonly Column[] = [
  { title: 'account' },
  { title: 'currency' },
  ...['wallet', 'equity', 'used', 'free'].map((title): Column => ({ title, align: 'point' })),
  { title: '' },
]

async function ask(context: CommandContext<'connect'>, row: AccountRow): Promise<Asked> {
  try {
    const asking = context.ports.connect(row.name).then(({ venue }) => venue.fetchBalances())
    return { row, balances: await withinPatience(context, row.exchange, asking) }
  } catch (error) {
    if (!isRefusal(error) || context.isAborted) throw error
    return { row, balances: [], refusal: error }
  }
}

function cellsOf({ row, balances, refusal }: Asked): readonly (readonly string[])[] {
  const name = printable(row.name, 40)
  if (refusal !== undefined) return []
  if (balances.length === 0) return [[name, '', '', '', '', '', 'empty']]
  return balances.map((balance) => [name, ...figuresOf(balance)])
}

interface Total extends Balance {
  /** Of paper and demo accounts. */
  readonly practice: boolean
}

function totalsOf(asked: readonly Asked[], practice: boolean): readonly Total[] {
  const held = asked.filter(({ row }) => isPractice(row) === practice).flatMap(({ balances }) => balances)
  return [...new Set(held.map(({ currency }) => currency))].sort().map((currency) => {
    const rows = held.filter((balance) => balance.currency === currency)
    const sum = (field: 'wallet' | 'total' | 'used' | 'free') => Decimal.sum(...rows.map((row) => row[field])).toFixed()
    return { currency, wallet: sum('wallet'), total: sum('total'), used: sum('used'), free: sum('free'), practice }
  })
}

function totalCells(total: Total): readonly string[] {
  return [total.practice ? 'all practice' : 'all real', ...figuresOf(total)]
}

function figuresOf({ currency, wallet, total, used, free }: Balance): readonly string[] {
  const show = isDollars(currency) ? showMoney : showAmount
  return [printable(currency, 20), ...[wallet, total, used, free].map((figure) => show(figure)), '']
}

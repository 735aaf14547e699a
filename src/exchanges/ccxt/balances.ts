// What an account holds, from ccxt's balance or from the venue's own rows, where ccxt drops unrealised profit.
import * as z from 'zod/mini'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Balance } from '../../exchange/order.ts'
import { Decimal, figure, isPlainWord } from './decimals.ts'

const amounts = z.object({ free: z.optional(figure), used: z.optional(figure), total: z.optional(figure) })

/** Fields of ccxt's balance beside the currencies. */
const NOT_CURRENCIES: ReadonlySet<string> = new Set(['info', 'free', 'used', 'total', 'debt', 'timestamp', 'datetime'])

/** Currencies of which there is any, by name. */
export function readBalances(balance: unknown): readonly Balance[] {
  if (typeof balance !== 'object' || balance === null) return []
  const rows = Object.entries(balance).flatMap(([currency, row]) => {
    if (NOT_CURRENCIES.has(currency) || !isPlainWord(currency)) return []
    const read = z.safeParse(amounts, row)
    return read.success ? [balanceOf(currency, read.data)] : []
  })
  return held(rows)
}

function balanceOf(currency: string, { free, used, total }: z.output<typeof amounts>): Balance {
  const whole = new Decimal(total ?? new Decimal(free ?? 0).plus(used ?? 0))
  const available = Decimal.max(free ?? whole.minus(used ?? 0), 0)
  const locked = Decimal.max(used ?? whole.minus(available), 0)
  const text = whole.toFixed()
  return { currency, wallet: text, total: text, used: locked.toFixed(), free: available.toFixed() }
}

/** What a venue tells of one currency of a contract account; what it leaves out follows from the others. */
interface ToldBalance {
  readonly currency: string | undefined
  /** Without unrealised profit. */
  readonly wallet?: string | undefined
  /** With it. */
  readonly total?: string | undefined
  readonly unrealized?: string | undefined
  readonly used?: string | undefined
  readonly free?: string | undefined
}

/** @throws {ExchangeError} `network` where one does not say how much there is: an account without money says 0 */
export function contractBalances(rows: readonly ToldBalance[]): readonly Balance[] {
  return held(rows.map(contractBalance))
}

function contractBalance({ currency, unrealized = '0', ...told }: ToldBalance): Balance {
  const { wallet = told.total && new Decimal(told.total).minus(unrealized).toFixed() } = told
  if (wallet === undefined || currency === undefined) {
    throw new ExchangeError('network', 'the venue does not say what the account is worth')
  }
  const { total = new Decimal(wallet).plus(unrealized).toFixed() } = told
  const free = Decimal.max(told.free ?? new Decimal(total).minus(told.used ?? 0), 0)
  const used = Decimal.max(told.used ?? new Decimal(total).minus(free), 0)
  return { currency, wallet, total, used: used.toFixed(), free: free.toFixed() }
}

export function held(rows: readonly Balance[]): readonly Balance[] {
  const any = rows.filter(({ total, wallet, used }) =>
    [total, wallet, used].some((each) => !new Decimal(each).isZero()),
  )
  return [...any].sort((left, right) => (left.currency < right.currency ? -1 : 1))
}

/** With the currencies that are always listed. */
export function withAlways(balances: readonly Balance[], always: readonly string[]): readonly Balance[] {
  const missing = always.filter((currency) => !balances.some((each) => each.currency === currency))
  const none = missing.map((currency) => ({ currency, wallet: '0', total: '0', used: '0', free: '0' }))
  return [...balances, ...none].sort((left, right) => (left.currency < right.currency ? -1 : 1))
}

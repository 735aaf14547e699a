// `orders settle`: what became of an order that got no answer and that no question settles, said by a person who has looked (behaviour 37).
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { showAmount, showMoment } from '../../trading/figures.ts'
import { describePoint, settleLines, type UnsettledOrder } from '../../trading/order-sender.ts'
import { type CommandContext, requireMayRun } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { describeOrder } from '../kit/lines.ts'
import { missing, readText, refuseMoreThan } from '../kit/read-arguments.ts'

export const SETTLE_USAGE = 'settle <id> <never | placed <order id>>'

/** The id may be cut where it is still the only one. */
const LEAST_OF_ID = 8

interface Verdict {
  readonly id: string
  /** The venue's own; undefined: nothing of it is there. */
  readonly orderId: string | undefined
}

export function isSettling([first]: readonly Argument[]): boolean {
  return first?.kind === 'word' && first.text === 'settle'
}

/** @throws {CommandError} `not-allowed-here`, `not-found` @throws {LanguageError} as the desk's `settleByHand` */
export async function settleOrder(context: CommandContext, args: readonly Argument[]): Promise<void> {
  requireMayRun('orders settle', 'trusted', context.source)
  const { id, orderId } = readVerdict(args.slice(1), args)
  const { orders: desk } = await context.account()
  await desk.recover()
  const unsettled = findOne(await desk.records.unsettledAnywhere(), id)
  const order = await desk.settleByHand(unsettled, orderId)
  const { symbol } = unsettled.order
  await context.audit('orders settle', {
    account: context.accountName,
    order: unsettled.id,
    symbol,
    ...(orderId === undefined ? { never: true } : { placed: orderId }),
  })
  const name = `the ${symbol} order that got no answer`
  if (order === undefined) return context.out.success(`${name} is settled: it never arrived`)
  const what = describeOrder(order, context.marketsOf(context.accountName))
  context.out.success(`${name} is settled: it is order ${printable(order.id, 40)}, ${what}`)
}

function readVerdict(args: readonly Argument[], all: readonly Argument[]): Verdict {
  const [id, word, orderId] = args
  if (id === undefined) throw missing(all, 'the id of the order')
  if (word === undefined) throw missing(all, '`never` or `placed <order id>`')
  const verdict = readText(word).toLowerCase()
  if (verdict === 'never') {
    refuseMoreThan(2, args)
    return { id: readText(id), orderId: undefined }
  }
  if (verdict !== 'placed') {
    throw new LanguageError(
      'bad-argument',
      `unexpected ${shown(readText(word))}`,
      word.column,
      `orders ${SETTLE_USAGE}`,
    )
  }
  if (orderId === undefined) throw missing(all, 'the order id at the venue')
  refuseMoreThan(3, args)
  return { id: readText(id), orderId: readText(orderId) }
}

function findOne(unsettled: readonly UnsettledOrder[], typed: string): UnsettledOrder {
  const found = unsettled.filter(({ id }) => id === typed || (typed.length >= LEAST_OF_ID && id.startsWith(typed)))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const which = found.length > 1 ? 'several unsettled orders begin with this id' : 'no unsettled order has this id'
  throw new CommandError('not-found', `${which}: ${shown(typed)}`, { hint: '`orders` lists them' })
}

/** One line of `orders`. */
export function unsettledLine({ id, order: { side, amount, symbol }, at, why }: UnsettledOrder): string {
  const what = `no answer to ${side} ${showAmount(amount)} ${symbol}, sent ${showMoment(at)}: its outcome is unknown`
  const until = `nothing is added on ${symbol} until that is known`
  if (why === undefined) return `${what}; ${until} (check the venue, then \`orders settle\` records it)`
  return `${what}; ${describePoint(why)}; ${settleLines(id)}; ${until}`
}

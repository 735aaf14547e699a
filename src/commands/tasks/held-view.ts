// The position that a protective task begins with.
import { Decimal } from 'decimal.js'
import type { Market, Ticker } from '../../exchange/market.ts'
import type { Order, Position, Side } from '../../exchange/order.ts'
import { amountOnLot } from '../../exchange/price-grid.ts'
import { printable } from '../../language/printable.ts'
import type { Size } from '../../language/size.ts'
import { exitSide, type HeldSide } from '../../tasks/exit.ts'
import { isProtectiveStop } from '../../trading/cover.ts'
import { showAmount } from '../../trading/figures.ts'
import { viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { orderIdPrefix } from '../../trading/order-plan.ts'
import { resolveAmount } from '../../trading/sizing.ts'
import { noPosition } from '../../trading/trading-error.ts'
import type { CommandContext } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { cutLine } from '../kit/lines.ts'
import { pause } from '../kit/running.ts'
import { cancelOrder, lookAtCancels } from '../trading/cancel.ts'
import { WHOLE } from '../trading/send-exit.ts'

export interface HeldView {
  readonly market: Market
  readonly ticker: Ticker
  readonly position: Position
  readonly side: HeldSide
  /** Of the orders that end it. */
  readonly exit: Side
}

/** @throws {TradingError} `no-position` @throws {CommandError} `not-supported` on spot */
export async function viewHeld({ venue }: TradingAccount, symbol: string, what: string): Promise<HeldView> {
  if (venue.kind === 'spot') {
    throw new CommandError('not-supported', `a spot account has no positions for ${what} to protect, only coins`, {
      hint: '`stop at -1%` rests a stop for the coins',
    })
  }
  if (!venue.capabilities.reduceOnly) {
    throw new CommandError('not-supported', `${venue.id} takes no reduce-only orders, and ${what} must open nothing`, {
      hint: '`close` ends the position at the market',
    })
  }
  const { market, ticker, position } = await viewSymbol(venue, symbol)
  if (position === undefined) throw noPosition(symbol)
  return { market, ticker, position, side: position.side, exit: exitSide(position.side) }
}

interface Covered {
  /** In the market's amount unit; never more than is held, nor than one order may be. */
  readonly amount: string
  /** What is to be known of it. */
  readonly lines: readonly string[]
}

/** A stop that rests at once is waited for so long before what it replaces is taken back, in ms. */
const REST_MS = 10_000
/** After this the lines behind it run, in ms. */
const HOLD_MS = 1_000
const LOOK_MS = 250

/**
 * Takes back what the task replaces, once a stop of the task rests: the position is never without one.
 * @param id of the task; undefined: nothing has begun
 * @returns whether it was taken back
 * @throws {CommandError} `task-ended` before its stop rested
 */
export async function replaceBy(
  context: CommandContext<'tasks'>,
  account: TradingAccount,
  id: string | undefined,
  before: readonly Order[],
): Promise<boolean> {
  const [first] = before
  if (id === undefined) await lookAtCancels(context, account, before)
  if (id === undefined || first === undefined) return false
  const own = orderIdPrefix(id)
  const rests = async () => {
    const orders = await account.venue.fetchOpenOrders(first.symbol)
    return orders.some((order) => order.clientOrderId?.startsWith(own) === true && isProtectiveStop(order))
  }
  const from = context.clock.now()
  while (!(await rests())) {
    requireRunning(context, id)
    if (context.clock.now() - from >= HOLD_MS) context.by.onWait?.()
    if (context.clock.now() - from >= REST_MS) {
      const names = before.map((each) => printable(each.id, 40)).join(',')
      context.out.warn(
        `the new stop does not rest yet, so what it replaces stays: \`cancel ${names}\` once \`orders\` shows it`,
      )
      return false
    }
    await pause(context, LOOK_MS)
  }
  for (const each of before) await cancelOrder(context, account, each, true)
  return true
}

function requireRunning({ ports }: CommandContext<'tasks'>, id: string): void {
  const { kind, status, reason } = ports.tasks.list().find((task) => task.id === id) ?? {}
  if (kind === undefined || status === 'running') return
  const why = reason === undefined ? '' : `: ${printable(reason, 200)}`
  throw new CommandError('task-ended', `the ${kind} has ended, and its stop was not placed${why}`)
}

/** @throws {TradingError} `below-minimum` */
export async function coverOf(size: Size | undefined, price: string, view: HeldView): Promise<Covered> {
  const { market, position, exit } = view
  // A size of what the account has is refused before.
  const funds = { free: async () => '0', equity: async () => '0' }
  const input = { market, side: exit, price, position, percentOf: 'position', funds } as const
  const sized = await resolveAmount(size ?? WHOLE, input)
  const asked = Decimal.min(sized.amount, position.amount)
  const amount = amountOnLot(Decimal.min(asked, market.maxAmount ?? asked), market).toFixed()
  const cut = sized.cutFrom === undefined ? [] : [cutLine(sized.cutFrom, market)]
  const rest = asked.minus(amount)
  const left = rest.gte(market.lotSize)
    ? [`one order of ${market.symbol} is at most ${showAmount(amount)}: ${showAmount(rest)} is not covered`]
    : []
  return { amount, lines: [...cut, ...left] }
}

// `amend`: changes price, trigger or size of a resting order, in its place where the venue can.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { canEdit } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { KnownMarkets, Market } from '../../exchange/market.ts'
import { isTriggerType, type Order, type OrderChange, refOf, type Trade } from '../../exchange/order.ts'
import { amountOnLot, priceOnGrid, stepAt } from '../../exchange/price-grid.ts'
import { type AmendIntent, type BumpIntent, parseAmend, parseBump, parseMove } from '../../language/amend.ts'
import type { Argument } from '../../language/chain.ts'
import { FOCUS, NO_SYMBOL } from '../../language/focus-taken.ts'
import { LanguageError } from '../../language/language-error.ts'
import { type PriceExpression, type PriceOffset, signed } from '../../language/price.ts'
import { printArgument, typedLine } from '../../language/print.ts'
import { printable, shown } from '../../language/printable.ts'
import { coins } from '../../language/size.ts'
import { isProtectiveStop } from '../../trading/cover.ts'
import { showAmount, showPrice } from '../../trading/figures.ts'
import {
  type Funds,
  findMarket,
  fundsOnce,
  type MarketView,
  matchMarket,
  viewSymbol,
} from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { OrderPlan, ProtectionPlan } from '../../trading/order-plan.ts'
import { planProtection, refuseNoProfit, refuseWrongSide } from '../../trading/plan-protection.ts'
import { takesNow } from '../../trading/preview/trial-account.ts'
import { fillPrice, refuseFarThrough, refuseTaking, resolvePrice, restingSide } from '../../trading/pricing.ts'
import { resolveAmount } from '../../trading/sizing.ts'
import { TradingError } from '../../trading/trading-error.ts'
import { type CommandContext, questionOf, type SingleCommand } from '../kit/command.ts'
import { CommandError, describeRefusal, isRefusal } from '../kit/errors.ts'
import { describeOrder, fillLine, orderReporter, PAST } from '../kit/lines.ts'
import { breachesOf, forEachItem, placeAsking } from '../kit/running.ts'
import { shortTaskId, taskName } from '../tasks/task-words.ts'
import { foretellOn, type Judge, MeantAmounts, requireMeant, requireMeantPrices, typedPrice } from './meant-order.ts'
import { type Doubt, doubtsOf, requireSure, withinPosition } from './protective-stop.ts'
import { isEntry } from './send-exit.ts'

export const amend: SingleCommand<'guards' | 'tasks'> = {
  name: 'amend',
  group: 'trading',
  usage: '<order id | SYMBOL> [at <price>] [limit <price>] [stop <price>] [tp <price>] [size] [replace]',
  summary: 'change a resting order in place: its price, trigger or size',
  where: 'anywhere',
  isProtective: true,
  sends: true,
  takesNear: true,
  takesFar: true,
  examples: [
    { line: 'amend p17 at -0.5%', meaning: 'moves its price, or its trigger, to half a percent below last' },
    {
      line: 'amend BTCUSDT 0.02',
      meaning: 'the only entry on BTCUSDT, now for 0.02 in all; a stop or a target is changed by its id',
    },
    {
      line: 'amend p17 at -1% replace',
      meaning: 'where the venue cannot change orders: cancels it, then places another',
    },
    {
      line: 'amend p17 stop -3% tp +5%',
      meaning: 'the stop and target of an entry that has not filled',
    },
  ],
  complete: ({ words, symbols }) =>
    words.at(-1) === 'at'
      ? ['$last', '$bid', '$ask']
      : words.length === 0
        ? symbols
        : ['at', 'limit', 'stop', 'tp', 'replace'],
  check: parseAmend,
  run: (context, args) => amendResting(context, parseAmend(args), lineFor('amend', args)),
}

/** In its place where the venue can, else replaced where that was asked for. @throws {CommandError} `not-supported` */
async function amendResting(
  context: CommandContext<'guards' | 'tasks'>,
  intent: AmendIntent,
  lineFor: (id: string) => string | undefined,
): Promise<void> {
  const account = await context.account()
  const order = await findOrder(account, intent)
  refuseDriven(context, order)
  const waiting = await account.orders.records.waitingAnywhere(order)
  if (changesWaiting(intent, order)) return changeWaiting(context, account, { order, intent, waiting })
  requireEdit(account, order, intent)
  const known = context.marketsOf(account.name)
  let named =
    order.id !== intent.name.text && reduces(account, order) ? [ofNoEntry(order, lineFor(order.id), known)] : []
  let line: string | undefined
  const [meant, meantPrices] = [new Set<string>(), new MeantAmounts()]
  await changeResting(context, account, order, async () => {
    const view = await viewSymbol(account.venue, order.symbol)
    const funds = fundsOnce(account.venue)
    const asked = await changeOf(intent, order, { view, funds, band: account.priceBand?.() })
    const kept = withinHeld(asked, { intent, order, view })
    const { change } = kept
    line = kept.line
    foretellOn(context, view, change.amount)
    const waits = isTriggerType(order.type)
    const typed = [
      ...typedPrice(waits ? 'trigger' : 'limit', waits ? change.triggerPrice : change.price, intent.price),
      ...typedPrice('take-profit', change.takeProfitPrice, intent.takeProfit),
    ]
    const { side, postOnly = false } = order
    const isFar = context.far.isMeant
    const judge = judgingChange(context, account, order, change)
    await requireMeantPrices(context, { side, view, typed, isFar, isImmediate: postOnly }, meantPrices, judge)
    await requireMeantSize(context, { intent, order, change, view, funds }, meantPrices, judge)
    const moved = isProtectiveStop(order) ? change.triggerPrice : undefined
    const doubts = moved === undefined ? [] : doubtsOf(context, moved, view)
    await requireSure(context, [...named, ...doubts], judge)
    named = []
    if (change.price !== undefined) await requireAhead(context, account, { order, price: change.price, view }, meant)
    return change
  })
  if (line !== undefined) context.out.info(line)
}

/** What a symbol does not name: a line that meant an entry would move a stop. On spot a limit is the trader's own, on either side. */
function reduces({ venue }: TradingAccount, order: Order): boolean {
  return !isEntry(venue, order) && (venue.kind !== 'spot' || isTriggerType(order.type))
}

function ofNoEntry(order: Order, line: string | undefined, known: KnownMarkets): Doubt {
  const what = `no entry rests on ${order.symbol}, only order ${printable(order.id, 40)}: ${describeOrder(order, known)}`
  const hint = line === undefined ? '`orders` lists the ids' : `type \`${line}\``
  return { what, asks: 'change it?', error: new CommandError('ambiguous-order', what, { hint }) }
}

/** What protects a position is never more than it. @throws as `withinPosition` */
function withinHeld(
  change: OrderChange,
  { intent, order, view }: Pick<SizedChange, 'intent' | 'order' | 'view'>,
): { readonly change: OrderChange; readonly line?: string } {
  const { market, position } = view
  const { reduceOnly, side, filled } = order
  const isExit = reduceOnly && position !== undefined && (position.side === 'long') === (side === 'sell')
  if (change.amount === undefined || !isExit || market.kind === 'spot') return { change }
  const left = new Decimal(change.amount).minus(filled).toFixed()
  const { amount, line } = withinPosition(intent.size, left, view)
  return { change: { ...change, amount: new Decimal(amount).plus(filled).toFixed() }, ...defined({ line }) }
}

/** Tasks that put an order of theirs back where they want it. */
const DRIVE_THEIR_ORDERS: ReadonlySet<string> = new Set(['trail', 'oco', 'chase'])

/** @throws {CommandError} `order-of-task`: the change would be undone */
function refuseDriven({ ports, accountName }: CommandContext<'tasks'>, { id, symbol }: Order): void {
  const task = ports.tasks.list().find((each) => {
    const isOwn = each.account === accountName && each.symbol === symbol && each.orderIds?.includes(id) === true
    return isOwn && each.status === 'running' && DRIVE_THEIR_ORDERS.has(each.kind)
  })
  if (task === undefined) return
  throw new CommandError('order-of-task', `order ${printable(id, 40)} is moved by ${taskName(task)}`, {
    hint: `\`tasks cancel ${shortTaskId(task)}\` ends it`,
  })
}

interface SizedChange {
  readonly intent: AmendIntent
  readonly order: Order
  readonly change: OrderChange
  readonly view: MarketView
  readonly funds: Funds
}

/** An entry that grows is asked about as one that is placed. @throws as `requireMeant` */
async function requireMeantSize(
  context: CommandContext,
  { intent, order, change, view, funds }: SizedChange,
  meant: MeantAmounts,
  judge: Judge,
): Promise<void> {
  const { amount } = change
  const { id, side, reduceOnly } = order
  const { size: typed } = intent
  if (typed === undefined || amount === undefined || reduceOnly || new Decimal(amount).lte(order.amount)) return
  const price = change.price ?? change.triggerPrice ?? order.price ?? order.triggerPrice ?? view.ticker.last
  // A percentage is of the order.
  const size = typed.kind === 'percent' ? ({ kind: 'base', amount: coins(amount) } as const) : typed
  const { market, position } = view
  const known = { side, amount, market, position, price, size, funds, reduce: false, isLater: true }
  const meaning = { ...known, isFixed: true, flip: true, verb: `amend ${printable(id, 40)}` } as const
  await requireMeant(context, meaning, judge, meant)
}

/** As `judging`, of a change in place. One that is canceled and placed again is judged as it is sent. */
function judgingChange(
  context: CommandContext,
  { venue, orders }: TradingAccount,
  order: Order,
  change: OrderChange,
): Judge {
  return async () => {
    if (context.confirm === undefined || context.isDry || !canEdit(venue.capabilities, order.type)) return
    const { budget: _, ...by } = context.orderedBy()
    await orders.amender.judge(order, change, by).catch((error: unknown) => {
      if (breachesOf(error).length === 0) throw error
    })
    const trial = await venue.trial?.()
    await trial?.take({ kind: 'change', ref: refOf(order), change })
  }
}

// The stop and the take-profit that wait for their entry to fill: hookline's own, and nothing of them is sent before.

/** A take-profit of a stop is the venue's. */
function changesWaiting({ stop, takeProfit }: AmendIntent, order: Order): boolean {
  return stop !== undefined || (takeProfit !== undefined && order.takeProfitPrice === undefined)
}

interface WaitingChange {
  readonly order: Order
  readonly intent: AmendIntent
  readonly waiting: ProtectionPlan | undefined
}

async function changeWaiting(
  context: CommandContext<'guards'>,
  { name, venue, orders }: TradingAccount,
  { order, intent, waiting }: WaitingChange,
): Promise<void> {
  const { stop, takeProfit, price, limit, size } = intent
  if ([price, limit, size].some((each) => each !== undefined)) {
    throw new CommandError('bad-price', 'an entry and its protection change in two lines', {
      hint: 'type one line with `stop` or `tp`, and one with the rest',
    })
  }
  if (stop !== undefined && waiting?.triggerPrice === undefined) throw lacksWaiting(order, 'stop')
  if (takeProfit !== undefined && waiting?.takeProfitPrice === undefined) throw lacksWaiting(order, 'take-profit')
  if (waiting?.isAttached === true) {
    throw new CommandError(
      'not-supported',
      `${venue.id} holds the stop and take-profit of order ${printable(order.id, 40)}`,
      {
        hint: '`cancel` the order, and place another',
      },
    )
  }
  if (orders.records.waitingFor(order) === undefined) {
    throw new CommandError('not-supported', `this hookline does not protect order ${printable(order.id, 40)}`, {
      hint: '`orders` lists a stop that is placed; another hookline may wait for the entry',
    })
  }
  const typed = {
    stop: stop ?? fixed(waiting?.triggerPrice),
    takeProfit: takeProfit === undefined ? fixed(waiting?.takeProfitPrice) : fromEntry(takeProfit),
  }
  const entry = { side: order.side, view: await viewSymbol(venue, order.symbol), staysOpen: true }
  const limitPrice = order.price ?? order.triggerPrice
  const { triggerPrice, takeProfitPrice } =
    planProtection(defined(typed), { ...entry, ...defined({ limit: limitPrice }) }) ?? {}
  const prices = defined({ triggerPrice, takeProfitPrice })
  const { isDry, asking } = context.orderedBy()
  const isSimulated = isDry === true || context.ports.guards.read(name).simulated === true
  const changed = [...typedPrice('stop', triggerPrice, stop), ...typedPrice('take-profit', takeProfitPrice, takeProfit)]
  await requireMeantPrices(context, {
    side: order.side,
    view: entry.view,
    typed: changed,
    isFar: context.far.isMeant,
  })
  if (asking !== undefined) await asking.begin()
  await orders.reprotect(order, prices, isSimulated)
  const then = [
    ...(triggerPrice === undefined ? [] : [`stop at ${showPrice(triggerPrice, entry.view.market)}`]),
    ...(takeProfitPrice === undefined ? [] : [`take-profit at ${showPrice(takeProfitPrice, entry.view.market)}`]),
  ]
  const data = { type: 'amended', account: context.accountName, order } as const
  context.out.success(`order ${printable(order.id, 40)} is followed by: ${then.join(', ')}`, data)
}

/** `tp +2%` of an entry counts from its own price, as where it was placed; of a stop with a take-profit, from last. */
function fromEntry({ base, offset }: PriceExpression): PriceExpression {
  const isLast = base.kind === 'anchor' && base.anchor === 'last'
  return { base: isLast && offset !== undefined ? { kind: 'anchor', anchor: 'entry' } : base, ...defined({ offset }) }
}

function fixed(price: string | undefined): PriceExpression | undefined {
  return price === undefined ? undefined : { base: { kind: 'absolute', price } }
}

function lacksWaiting(order: Order, what: string): CommandError {
  const name = printable(order.id, 40)
  const hint =
    what === 'stop' && isTriggerType(order.type)
      ? `\`move ${name} to <price>\` moves its trigger`
      : '`orders` lists each entry with the stop and the target that follow its fill'
  return new CommandError('bad-price', `no ${what} is attached to order ${name}, a ${order.type} order`, { hint })
}

interface MovedEntry {
  readonly order: Order
  readonly price: string
  readonly view: MarketView
}

/**
 * The stop and the target of an entry that rests go in once it fills. Moved past one of them, what fills would be closed at once.
 * @param meant the orders that a person has let pass
 * @throws {CommandError} `bad-stop`
 */
async function requireAhead(
  { confirm, isDry }: Pick<CommandContext, 'confirm' | 'isDry'>,
  { orders }: TradingAccount,
  { order, price, view }: MovedEntry,
  meant: Set<string>,
): Promise<void> {
  const { id, side, type, reduceOnly, clientOrderId } = order
  if (type !== 'limit' || reduceOnly || clientOrderId === undefined || meant.has(id)) return
  const protection = await orders.records.protectionOf(clientOrderId)
  if (protection === undefined) return
  const { market, ticker } = view
  const at = fillPrice(side, ticker, price)
  const { triggerPrice, takeProfitPrice } = protection
  const isBelow = (trigger: string) => (side === 'buy' ? at.lte(trigger) : at.gte(trigger))
  const isStop = triggerPrice !== undefined && isBelow(triggerPrice)
  const passed = isStop
    ? `stop at ${showPrice(triggerPrice, market)}`
    : takeProfitPrice !== undefined && !isBelow(takeProfitPrice)
      ? `take-profit at ${showPrice(takeProfitPrice, market)}`
      : undefined
  if (passed === undefined) return
  const name = printable(id, 40)
  const what = `order ${name} at ${showPrice(price, market)} is past its own ${passed}: what fills is closed at once`
  if (confirm !== undefined && !isDry && (await confirm(questionOf(what, 'move it?')))) {
    meant.add(id)
    return
  }
  const hint =
    protection.isAttached === true
      ? `\`cancel ${name}\`, then place it again with another stop`
      : `\`amend ${name} ${isStop ? 'stop' : 'tp'} <price>\` moves that first`
  throw new CommandError('bad-stop', what, { hint })
}

/** @throws {CommandError} `not-supported` where the venue changes no such orders and nothing else was asked for */
function requireEdit(
  { venue: { id, capabilities } }: TradingAccount,
  { type }: Pick<Order, 'type'>,
  { replace }: { readonly replace: boolean },
): void {
  if (canEdit(capabilities, type) || replace) return
  const what = capabilities.editOrder ? `a ${type} order` : 'an order'
  throw new CommandError('not-supported', `${id} cannot change ${what} in its place`, {
    hint: 'add `replace` to cancel it and place another, at the end of the queue',
  })
}

/** @param change worked out again after a question (behaviour 40) */
async function changeResting(
  context: CommandContext,
  account: TradingAccount,
  order: Order,
  change: () => Promise<OrderChange>,
): Promise<void> {
  if (order.closesPosition === true) throw whole(order)
  if (!canEdit(account.venue.capabilities, order.type))
    return replace(context, account, { order, change: await change() })
  const release = account.orders.claimFills(order)
  let taken: Taken | undefined
  try {
    const changed = await placeAsking(context, async (by) => {
      return account.orders.amend(order, await change(), by, orderReporter(context))
    })
    const now = await asItIs(account, order, changed)
    printChanged(context, now, await account.orders.records.waitingAnywhere(order))
    taken = now.taken
  } finally {
    release(taken?.trades ?? [], taken?.filled)
  }
}

/** A change that takes from the book may be answered before its fills are counted. */
async function asItIs({ venue }: TradingAccount, before: Order, changed: Order): Promise<Changed> {
  const mayTake = changed.status === 'open' && changed.filled === before.filled && changed.price !== before.price
  const isAsked = mayTake && (await takesNow(venue, changed))
  const order = isAsked ? await venue.fetchOrder(refOf(changed)).catch(orElse(changed)) : changed
  const amount = new Decimal(order.filled).minus(before.filled)
  if (amount.lte(0)) return { order }
  const all = await venue.fetchMyTrades({ symbol: order.symbol, since: before.timestamp }).catch(orElse([]))
  return { order, taken: { amount, filled: order.filled, trades: newestOf(all, order, amount) } }
}

function orElse<T>(known: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof ExchangeError) return known
    throw error
  }
}

/** Those of the amount that has filled now; none where the venue has not listed them yet. */
function newestOf(trades: readonly Trade[], { id }: Order, amount: Decimal): readonly Trade[] {
  const own = trades.filter(({ orderId }) => orderId === id).toSorted((a, b) => b.timestamp - a.timestamp)
  let left = amount
  const found = own.filter((trade) => {
    if (left.lte(0)) return false
    left = left.minus(trade.amount)
    return true
  })
  return left.isZero() ? found : []
}

interface Changed {
  readonly order: Order
  /** What went through the market at once. */
  readonly taken?: Taken
}

interface Taken {
  readonly amount: Decimal
  /** Of the order in all, decimal. */
  readonly filled: string
  readonly trades: readonly Trade[]
}

/** `; its stop stays at 67,598.2 and its take-profit at 69,646.6`: prices of their own do not move with the entry. */
function staying({ triggerPrice, takeProfitPrice }: Partial<ProtectionPlan>, market: Market | undefined): string {
  const parts = [
    ...(triggerPrice === undefined ? [] : [`stop stays at ${showPrice(triggerPrice, market)}`]),
    ...(takeProfitPrice === undefined ? [] : [`take-profit stays at ${showPrice(takeProfitPrice, market)}`]),
  ]
  return parts.length === 0 ? '' : `; its ${parts.join(' and its ')}`
}

function printChanged(
  { out, accountName, marketsOf }: CommandContext,
  { order, taken }: Changed,
  waiting: ProtectionPlan | undefined,
): void {
  const known = marketsOf(accountName)
  const name = `order ${printable(order.id, 40)}`
  const data = { type: 'amended', account: accountName, order } as const
  const what = `${PAST[order.side]} ${showAmount(taken?.amount ?? 0)} ${order.symbol}`
  const line = taken === undefined || taken.trades.length === 0 ? what : fillLine(taken.trades, known)
  const isOpen = order.status === 'open'
  if (taken !== undefined) out.success(`${name} went through the market: ${line}`, isOpen ? undefined : data)
  if (isOpen)
    return out.success(
      `${name} is now: ${describeOrder(order, known)}${staying(waiting ?? {}, known(order.symbol))}`,
      data,
    )
  if (taken === undefined) out.success(`${name} has ended: ${showAmount(order.filled)} ${order.symbol} filled`, data)
}

/** A symbol means its only entry; without one, the only order. */
async function findOrder(account: TradingAccount, { name }: AmendIntent): Promise<Order> {
  const { venue } = account
  const open = await venue.fetchOpenOrders()
  const byId = open.find(({ id }) => id === name.text)
  if (byId !== undefined) return byId
  const symbol = matchMarket(await venue.loadMarkets(), name.text)?.symbol
  if (symbol === undefined) {
    const message = `${shown(name.text)} is neither an open order nor a symbol`
    throw new LanguageError('bad-argument', message, name.column, '`orders` lists what can be changed')
  }
  const resting = open.filter((order) => order.symbol === symbol)
  const entries = resting.filter((order) => !reduces(account, order))
  const [only, second] = entries.length > 0 ? entries : resting
  if (only !== undefined && second === undefined) return only
  throw only === undefined
    ? new CommandError('order-not-found', `no order rests on ${symbol}`, { hint: '`orders` lists what can be changed' })
    : new CommandError('ambiguous-order', `several resting orders on ${symbol}`, {
        hint: 'name one by its id: `orders`',
      })
}

interface ChangeInput {
  readonly view: MarketView
  readonly funds: Funds
  readonly band: string | undefined
}

/** Every figure worked out, and refused what would do something else than it says. */
async function changeOf(intent: AmendIntent, order: Order, { view, funds, band }: ChangeInput): Promise<OrderChange> {
  const { market } = view
  const at = (expression: NonNullable<AmendIntent['price']>, from: MarketView = view) =>
    priceOnGrid(resolvePrice(expression, from), market, order.postOnly ? restingSide(order.side) : 'nearest')
  const waits = isTriggerType(order.type)
  const moved = intent.price === undefined ? undefined : at(intent.price)
  if (moved !== undefined) refuseMove(order, moved, view, band)
  const trigger = moved ?? order.triggerPrice
  const { limit, takeProfit } = intent
  if (limit !== undefined && order.type !== 'stop-limit') throw lacks(order, 'limit of its own', 'type at and a price')
  if (takeProfit !== undefined && order.takeProfitPrice === undefined)
    throw lacks(order, 'take-profit price', '`orders` lists those that do')
  const fromTrigger = trigger === undefined ? view : { ...view, ticker: { ...view.ticker, last: trigger } }
  const [loss, gain] = order.side === 'sell' ? (['down', 'up'] as const) : (['up', 'down'] as const)
  const profit = takeProfit === undefined ? undefined : at(signed(takeProfit, gain))
  if (profit !== undefined) refuseNoProfit(order.side, profit, view)
  return {
    ...(moved === undefined ? {} : waits ? { triggerPrice: moved } : { price: moved }),
    ...(limit === undefined ? carriedLimit(order, moved, market) : { price: at(signed(limit, loss), fromTrigger) }),
    ...defined({ takeProfitPrice: profit }),
    ...(intent.size === undefined ? {} : { amount: await amountOf(intent.size, order, { view, funds, price: moved }) }),
  }
}

/** The limit of a stop-limit keeps its distance from the trigger: left behind, it would only rest when the trigger is reached. */
function carriedLimit({ type, price, triggerPrice }: Order, moved: string | undefined, market: Market): OrderChange {
  if (type !== 'stop-limit' || moved === undefined || price === undefined || triggerPrice === undefined) return {}
  return { price: priceOnGrid(new Decimal(price).minus(triggerPrice).plus(moved), market, 'nearest') }
}

function refuseMove(order: Order, price: string, view: MarketView, band: string | undefined): void {
  if (order.type === 'take-profit') refuseNoProfit(order.side, price, view)
  else if (isTriggerType(order.type)) refuseWrongSide(order.side, price, view, order.reduceOnly)
  else refuseFarThrough(order.side, price, view, band, '')
}

function whole({ id }: Order): CommandError {
  const name = printable(id, 40)
  return new CommandError('not-supported', `order ${name} closes the whole position and cannot be changed here`, {
    hint: `\`cancel ${name}\` cancels it; \`stop at <price>\` places another`,
  })
}

function lacks({ id, type }: Order, what: string, hint: string): CommandError {
  return new CommandError('bad-price', `order ${printable(id, 40)} is a ${type} order and has no ${what}`, { hint })
}

/** The whole amount. A percentage is of what it is now. */
async function amountOf(
  size: NonNullable<AmendIntent['size']>,
  order: Order,
  {
    view: { market, position },
    funds,
    price: moved,
  }: Pick<ChangeInput, 'view' | 'funds'> & { readonly price: string | undefined },
): Promise<string> {
  if (size.kind === 'percent') {
    if (size.of !== undefined) {
      throw new CommandError('bad-size', 'a percentage here is of the order itself', { hint: `type ${size.percent}%` })
    }
    const amount = amountOnLot(new Decimal(order.amount).times(size.percent).div(100), market)
    if (amount.gt(order.filled)) return amount.toFixed()
    throw new CommandError('bad-size', `${showAmount(order.filled)} of it has filled already`, {
      hint: `\`cancel ${printable(order.id, 40)}\` cancels the rest`,
    })
  }
  const price = moved ?? order.triggerPrice ?? order.price ?? '0'
  const percentOf = order.reduceOnly ? 'position' : 'balance'
  const { amount } = await resolveAmount(size, { market, side: order.side, price, position, percentOf, funds })
  return amount
}

/** Never two at once: the new one is sent when the old one is known to be over, for what that has not filled. */
async function replace(
  context: CommandContext,
  { orders }: TradingAccount,
  { order, change }: { readonly order: Order; readonly change: OrderChange },
): Promise<void> {
  let isTakenBack = false
  const planFor = (ended: Order): OrderPlan | undefined => {
    isTakenBack = true
    const left = new Decimal(change.amount ?? order.amount).minus(ended.filled)
    if (left.lte(0)) return undefined
    const { symbol, side, type, price, triggerPrice, takeProfitPrice, reduceOnly, postOnly } = { ...order, ...change }
    return {
      symbol,
      side,
      type,
      amount: left.toFixed(),
      ...defined({ price, triggerPrice, takeProfitPrice }),
      ...(reduceOnly ? { reduceOnly } : {}),
      ...(postOnly ? { postOnly } : {}),
    }
  }
  const replacing = orders.replace(order, planFor, context.orderedBy(), orderReporter(context))
  const { ended, placed } = await replacing.catch((error: unknown) => {
    if (isTakenBack)
      context.out.warn(`order ${printable(order.id, 40)} was canceled, and its replacement was not placed`)
    throw error
  })
  context.out.info(
    placed === undefined
      ? `order ${printable(ended.id, 40)} ended before it could be replaced`
      : `order ${printable(ended.id, 40)} was canceled`,
  )
}

// `move`: a resting order at another price. `amend` changes more of it.

export const move: SingleCommand<'guards' | 'tasks'> = {
  name: 'move',
  group: 'trading',
  usage: '<order id | SYMBOL> [to | at] <price> [replace]',
  summary: 'move a resting order to another price, in place',
  where: 'anywhere',
  isProtective: true,
  sends: true,
  takesNear: true,
  takesFar: true,
  examples: [
    { line: 'move p17 to -1%', meaning: 'its price, or the trigger of a stop, is one percent below last now' },
    { line: 'move BTCUSDT to $bid', meaning: 'the only entry on BTCUSDT, to the best bid' },
    { line: 'move p17 -0.5%', meaning: 'half a percent below last; `bump` counts from its own price' },
  ],
  complete: ({ words, symbols }) => {
    if (words.length === 0) return symbols
    return words.length === 1 ? ['to', 'at'] : ['$last', '$bid', '$ask', 'replace']
  },
  check: parseMove,
  run: (context, args) => amendResting(context, parseMove(args), lineFor('move', args)),
}

/** The same line for an order by its id. */
function lineFor(verb: string, [, ...rest]: readonly Argument[]): (id: string) => string | undefined {
  const change = rest.map(printArgument).join(' ')
  return (id) => {
    const line = typedLine`${verb} ${id}`
    return line && `${line} ${change}`
  }
}

// `bump`: resting limit orders, each by the same offset from the price it has. None is moved through the market.

export const bump: SingleCommand<'tasks'> = {
  name: 'bump',
  group: 'trading',
  usage: '[order id | SYMBOL]… <±offset> [replace]',
  summary: 'move resting limit orders by an offset from their own prices; without an id, all on the symbol in focus',
  where: 'anywhere',
  sends: true,
  examples: [
    { line: 'bump +10', meaning: 'every limit order on the symbol in focus, ten higher' },
    { line: 'bump p17 -0.1%', meaning: 'one order, a tenth of a percent lower' },
    { line: 'bump BTCUSDT -50', meaning: 'every limit order on BTCUSDT; none goes through the market' },
  ],
  complete: ({ words, symbols }) => [...symbols, ...(words.length > 0 ? ['replace'] : [])],
  check: parseBump,
  symbolUse: (args) => (parseBump(args).names.length === 0 ? FOCUS : NO_SYMBOL),
  async run(context, args) {
    const intent = parseBump(args)
    const account = await context.account()
    const orders = await ordersMeant(context, account, intent)
    for (const order of orders) {
      refuseDriven(context, order)
      requireEdit(account, order, intent)
    }
    const meant = new Set<string>()
    await checkAll(context, account, { orders, ...intent }, meant)
    const byId = new Map(orders.map((order) => [order.id, order]))
    await forEachItem(context, [...byId.keys()], async (id) => {
      const order = byId.get(id)
      if (order === undefined) return
      await changeResting(context, account, order, async () => {
        const view = await viewSymbol(account.venue, order.symbol)
        const price = bumped(order, intent.offset, view)
        await requireAhead(context, account, { order, price, view }, meant)
        return { price }
      })
    })
  },
}

/** Nothing is moved when one of the names is not understood, or names nothing that a bump moves. */
async function ordersMeant(
  context: CommandContext,
  { venue }: TradingAccount,
  { names }: BumpIntent,
): Promise<readonly Order[]> {
  const [open, markets] = await Promise.all([venue.fetchOpenOrders(), venue.loadMarkets()])
  const limitsOn = (symbol: string) => {
    const orders = open.filter((order) => order.symbol === symbol && order.type === 'limit')
    if (orders.length > 0) return orders
    throw new CommandError('order-not-found', `no limit order rests on ${symbol}`, {
      hint: '`orders` lists what rests',
    })
  }
  if (names.length === 0) return limitsOn((await findMarket(venue, context.symbol)).symbol)
  const meant = names.flatMap(({ text, column }) => {
    const order = open.find(({ id }) => id === text)
    if (order?.type === 'limit') return [order]
    if (order !== undefined) throw notLimit(order)
    const symbol = matchMarket(markets, text)?.symbol
    if (symbol !== undefined) return limitsOn(symbol)
    const message = `${shown(text)} is neither an open order nor a symbol`
    throw new LanguageError('bad-argument', message, column, '`orders` lists what can be moved')
  })
  return [...new Set(meant)]
}

function notLimit({ id, type }: Order): CommandError {
  const name = printable(id, 40)
  return new CommandError('bad-price', `order ${name} is a ${type} order, and \`bump\` moves limit orders`, {
    hint: `\`move ${name} to <price>\` moves its trigger`,
  })
}

/** All or none: each is worked out before the first is moved. @throws {CommandError} `none-moved` after each refusal was printed */
async function checkAll(
  context: CommandContext,
  account: TradingAccount,
  { orders, offset }: { readonly orders: readonly Order[]; readonly offset: PriceOffset },
  meant: Set<string>,
): Promise<void> {
  const { venue } = account
  const views = new Map<string, MarketView>()
  for (const { symbol } of orders) if (!views.has(symbol)) views.set(symbol, await viewSymbol(venue, symbol))
  const refused: string[] = []
  for (const order of orders) {
    const view = views.get(order.symbol)
    try {
      if (view === undefined) continue
      const price = bumped(order, offset, view)
      await requireAhead(context, account, { order, price, view }, meant)
    } catch (error) {
      if (!isRefusal(error) || orders.length === 1) throw error
      refused.push(printable(order.id, 40))
      context.out.error(`${printable(order.id, 40)}: ${describeRefusal(error)}`)
    }
  }
  if (refused.length === 0) return
  throw new CommandError('none-moved', `${refused.join(', ')} refused: no order was moved`, {
    hint: 'choose another offset, or name the orders to move',
  })
}

/** Its new price, on the grid. @throws {TradingError} `bad-price` where it is the old one, or would take from the book */
function bumped({ id, side, price = '0', postOnly }: Order, offset: PriceOffset, view: MarketView): string {
  const { market } = view
  const moved = priceOnGrid(
    resolvePrice({ base: { kind: 'absolute', price }, offset }, view),
    market,
    postOnly ? restingSide(side) : 'nearest',
  )
  if (new Decimal(moved).eq(price)) {
    const step = showAmount(stepAt(price, market.priceGrid))
    throw new TradingError('bad-price', `order ${printable(id, 40)} would stay at ${showPrice(price, market)}`, {
      hint: `${market.symbol} trades in steps of ${step}`,
    })
  }
  refuseTaking(side, moved, view, 'choose a smaller offset, or `close` and `buy` at the market')
  return moved
}

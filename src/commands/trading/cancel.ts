// `cancel`: takes resting orders back, by id, by symbol or all.
import type { VenueView } from '../../exchange/exchange.ts'
import { isTriggerType, type Order, orderKey, refOf } from '../../exchange/order.ts'
import { Simulated } from '../../exchange/simulated.ts'
import { FOCUS, NO_SYMBOL } from '../../language/focus-taken.ts'
import { LanguageError } from '../../language/language-error.ts'
import { type CancelIntent, type CancelKind, parseCancel } from '../../language/order.ts'
import { printable, shown } from '../../language/printable.ts'
import type { RunSummary } from '../../runs/run.ts'
import { MIN_PREFIX_LENGTH } from '../../stores/rows.ts'
import { coverOf, isProtectiveStop } from '../../trading/cover.ts'
import { findMarkets, matchMarket } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { PreviewDesk } from '../../trading/preview/preview-desk.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { describeOrder, unreadLine, unreadOn } from '../kit/lines.ts'
import { printWould } from '../kit/preview.ts'
import { forEachItem } from '../kit/running.ts'
import { requireCovered, warnOfBare } from './protective-stop.ts'
import { isEntry, warnOfTasks } from './send-exit.ts'

export const cancel: SingleCommand<'runs' | 'stops' | 'tasks'> = {
  name: 'cancel',
  group: 'trading',
  usage: '[order id | SYMBOL | all]…\nentries | stops [SYMBOL | all]…',
  summary: 'cancel resting orders; without arguments, those on the symbol in focus',
  where: 'anywhere',
  sends: true,
  immediate: true,
  asksToOvertake: true,
  examples: [
    { line: 'cancel', meaning: 'every order on the symbol in focus' },
    { line: 'cancel p17,p18', meaning: 'two orders by their ids, as `orders` shows them' },
    { line: 'cancel ETHUSDT', meaning: 'every order on ETHUSDT' },
    { line: 'cancel entries', meaning: 'those on the symbol in focus that may add; stops and targets stay' },
    { line: 'cancel stops', meaning: 'the stops on the symbol in focus; asks where the position is left without' },
    { line: 'cancel all', meaning: 'every order of the account; `cancel "all"` cancels one order with that id' },
  ],
  complete: ({ words, symbols }) => [...symbols, 'all', ...(words.length === 0 ? ['entries', 'stops'] : [])],
  check: parseCancel,
  symbolUse(args) {
    const intent = parseCancel(args)
    const isFocused = intent.kind === 'focused' || ('of' in intent && intent.of.length === 0)
    return isFocused ? FOCUS : NO_SYMBOL
  },
  async run(context, args) {
    const intent = parseCancel(args)
    const account = await context.account()
    if (intent.kind === 'all') {
      await requireCovered(context, account, () => true)
      const canceled = await account.orders.cancelAll(undefined, context.orderedBy())
      printCanceled(context, canceled, '')
      warnOfUnread(context, account)
      await warnOfBare(context, account, canceled)
      return warnOfTasks(context, 'all', canceled)
    }
    if (intent.kind === 'focused') {
      await requireCovered(context, account, ({ symbol }) => symbol === context.symbol)
      const canceled = await cancelSymbol(context, account, context.symbol)
      await warnOfBare(context, account, canceled)
      return warnOfTasks(context, [context.symbol], canceled)
    }
    if ('of' in intent) return cancelKind(context, account, intent)
    const orders = await account.venue.fetchOpenOrders()
    const markets = await account.venue.loadMarkets()
    const isOrder = (name: string) => orders.some((order) => order.id === name)
    const symbolOf = (name: string) => matchMarket(markets, name)?.symbol
    const isKnown = ({ text, isId }: (typeof intent.names)[number]) =>
      isOrder(text) || (isId !== true && symbolOf(text) !== undefined)
    const stranger = intent.names.find((name) => !isKnown(name))
    if (stranger !== undefined && intent.names.length === 1 && (await endRun(context, stranger.text))) return
    if (stranger !== undefined)
      throw unknownOrder(stranger, orders, await ordersOfKind(context, account, stranger.text, orders))
    const names = intent.names.map(({ text }) => text)
    const whole = names.flatMap((name) => (isOrder(name) ? [] : (symbolOf(name) ?? [])))
    await requireCovered(context, account, ({ id, symbol }) => names.includes(id) || whole.includes(symbol))
    const canceled: Order[] = []
    try {
      await forEachItem(context, names, async (name) => {
        const order = orders.find(({ id }) => id === name)
        if (order !== undefined) canceled.push(await cancelOrder(context, account, order))
        else canceled.push(...(await cancelSymbol(context, account, symbolOf(name) ?? name)))
      })
    } finally {
      await warnOfBare(context, account, canceled)
    }
    if (whole.length > 0) await warnOfTasks(context, whole, canceled)
  },
}

/** @throws {TradingError} as `findMarket` */
async function cancelKind(
  context: CommandContext<'tasks'>,
  account: TradingAccount,
  { kind, of }: Extract<CancelIntent, { kind: CancelKind }>,
): Promise<void> {
  const { venue } = account
  const names = of === 'all' ? [] : of.length === 0 ? [context.symbol] : of.map(({ text }) => text)
  const symbols = await findMarkets(venue, names)
  const isOfKind = (order: Order) => (kind === 'entries' ? isEntry(venue, order) : isStop(venue, order))
  const isMeant = (order: Order) => isOfKind(order) && (of === 'all' || symbols.includes(order.symbol))
  const meant = (await venue.fetchOpenOrders()).filter(isMeant)
  if (meant.length === 0) {
    const where = of === 'all' ? '' : ` on ${symbols.join(', ')}`
    context.out.info(`no open ${kind}${where}`, { type: 'canceled', account: context.accountName, orders: [] })
  }
  if (kind === 'stops') await requireCovered(context, account, isMeant)
  const byName = new Map(meant.map((order) => [orderKey(order.symbol, order.id), order]))
  const canceled: Order[] = []
  try {
    await forEachItem(context, [...byName.keys()], async (name) => {
      const order = byName.get(name)
      if (order !== undefined) canceled.push(await cancelOrder(context, account, order))
    })
  } finally {
    await warnOfBare(context, account, canceled)
  }
  if (kind === 'entries') await warnOfTasks(context, of === 'all' ? 'all' : symbols, canceled)
  for (const symbol of of === 'all' ? [undefined] : symbols) warnOfUnread(context, account, symbol)
}

/** On spot a sale that waits for its trigger. */
function isStop({ kind }: Pick<VenueView, 'kind'>, order: Order): boolean {
  if (kind !== 'spot') return isProtectiveStop(order)
  return order.side === 'sell' && isTriggerType(order.type) && order.type !== 'take-profit'
}

/** Of a run under way, by the id that `runs` shows. @returns whether there is one */
async function endRun({ ports, out, runId }: CommandContext<'runs' | 'stops'>, name: string): Promise<boolean> {
  if (name.length < MIN_PREFIX_LENGTH) return false
  const isMeant = (run: RunSummary) =>
    run.finishedAt === undefined && run.runId !== runId && run.runId.startsWith(name.toLowerCase())
  const [run, ...others] = ports.runs().filter(isMeant)
  if (run === undefined || others.length > 0) return false
  await ports.stops.stopScope(`run:${run.runId}`, runId)
  out.success(`run ${run.runId.slice(0, MIN_PREFIX_LENGTH)} ends; its orders stay open`)
  return true
}

/** An order in place of others, which are canceled once it rests: the position is never without. A preview looks at both. */
export async function placeInPlaceOf(
  context: CommandContext,
  account: TradingAccount,
  before: readonly Order[],
  place: () => Promise<unknown>,
): Promise<void> {
  try {
    await place()
  } catch (error) {
    if (error instanceof Simulated) await lookAtCancels(context, account, before)
    throw error
  }
  for (const each of before) await cancelOrder(context, account, each, true)
  await warnOfBare(context, account, before)
}

/** Of orders that a new one replaces. Only a preview: while an account simulates, a cancel is real. */
export async function lookAtCancels(
  context: CommandContext,
  { orders }: TradingAccount,
  before: readonly Order[],
): Promise<void> {
  if (!(orders instanceof PreviewDesk)) return
  for (const each of before) {
    await orders.cancel(refOf(each)).catch((error: unknown) => {
      if (!(error instanceof Simulated)) throw error
      printWould(error.would, (text, data) => context.out.info(text, data))
    })
  }
}

/** @param isReplaced another rests in its place */
export async function cancelOrder(
  context: CommandContext,
  account: TradingAccount,
  order: Order,
  isReplaced = false,
): Promise<Order> {
  const canceled = await account.orders.cancel(refOf(order), context.orderedBy(), isReplaced)
  printCanceled(context, [canceled], '')
  return canceled
}

async function cancelSymbol(
  context: CommandContext,
  account: TradingAccount,
  symbol: string,
): Promise<readonly Order[]> {
  const canceled = await account.orders.cancelAll(symbol, context.orderedBy())
  printCanceled(context, canceled, ` on ${symbol}`)
  warnOfUnread(context, account, symbol)
  return canceled
}

/** What cannot be read is not canceled with the others. */
function warnOfUnread({ out }: CommandContext, { venue }: TradingAccount, symbol?: string): void {
  for (const row of unreadOn(venue, symbol === undefined ? [] : [symbol])) out.warn(unreadLine(row))
}

/** Having nothing to cancel is a success: `cancel; close` ends flat whatever was open. */
function printCanceled(context: CommandContext, canceled: readonly Order[], where: string): void {
  const data = (orders: readonly Order[]) => ({ type: 'canceled', account: context.accountName, orders }) as const
  if (canceled.length === 0) context.out.info(`no open orders${where}`, data([]))
  for (const order of canceled) {
    context.out.success(`canceled order ${printable(order.id, 40)}: ${describeOrder(order)}`, data([order]))
  }
}

/** `tps`: those orders on the symbol in focus, by their ids; undefined: another word. */
async function ordersOfKind(
  { symbol }: CommandContext,
  { venue }: TradingAccount,
  word: string,
  orders: readonly Order[],
): Promise<readonly string[] | undefined> {
  if (!/^(tps?|take|targets?)$/i.test(word)) return undefined
  const position = (await venue.fetchPositions()).find((each) => each.symbol === symbol)
  if (position === undefined) return []
  return [...new Set(coverOf(position, orders).targets.map(({ order }) => printable(order.id, 40)))]
}

/** Most that a hint names. */
const MAX_NAMED = 10

/** Nothing is canceled when one of the names is not understood. @param ofKind the orders that the word means */
function unknownOrder(
  { text, column }: { readonly text: string; readonly column: number },
  open: readonly Order[],
  ofKind: readonly string[] | undefined,
): LanguageError {
  const message = `${shown(text)} is neither an open order nor a symbol`
  const isKind = /^(limits?|last)$/i.test(text) || ofKind !== undefined
  // `76` for `p76`.
  const numbered = open.find(({ id }) => /^\d+$/.test(text) && id.replace(/^\D+/, '') === text)
  const hint =
    numbered !== undefined
      ? `type \`cancel ${printable(numbered.id, 40)}\``
      : /^(everything|open|orders)$/i.test(text)
        ? 'type `cancel all`'
        : ofKind !== undefined && ofKind.length > 0 && ofKind.length <= MAX_NAMED
          ? `type \`cancel ${ofKind.join(',')}\``
          : isKind
            ? '`orders` lists the ids: an order is canceled by its id'
            : '`orders` lists what can be canceled'
  return new LanguageError('bad-argument', message, column, hint)
}

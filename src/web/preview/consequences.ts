// The consequences of a line, in words. All figures come from hookline's preview; figures that it omits are not shown.
import type { Preview, PreviewCancel, PreviewChange, PreviewOrder, PreviewTask } from '../../protocol/preview.ts'
import {
  compareFigures,
  rewardOf,
  showFigure,
  showMoney,
  showPrice,
  showSignedMoney,
  sumOf,
  toneOf,
} from '../figures.ts'

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const

/** In the largest unit that it is whole in: `90000` → `90s`. */
export function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms % each === 0) ?? (['s', 1000] as const)
  return `${ms / size}${unit}`
}

export interface Consequence {
  readonly title: string
  readonly value: string
  readonly tone?: 'gain' | 'loss' | 'flat' | 'warn'
}

/** Rounding is shown from here on, in percent. */
const ROUNDING_SHOWN_PERCENT = '1'
/** The rest is counted. */
const MOST_CANCELS = 12

/** @param isOld prices are stale: what is worked out with them is */
export function consequencesOf(preview: Preview, isOld = false): Consequence[] {
  const { orders, cancels, changes, settings, tasks, positions } = preview
  const amountOf = amountsOf(preview)
  const [order, ...others] = orders
  const rows =
    others.length > 0 ? rowsOfMany(orders, amountOf) : order === undefined ? [] : rowsOfOrder(order, amountOf)
  if (isOld) rows.unshift({ title: 'Prices', value: 'stale: the figures may be wrong' })
  for (const cancel of cancels.slice(0, MOST_CANCELS))
    rows.push({ title: 'Cancels', value: cancelText(cancel, amountOf) })
  const more = cancels.length - MOST_CANCELS
  if (more > 0) rows.push({ title: 'Cancels', value: `${more} more ${more === 1 ? 'order' : 'orders'}` })
  for (const change of changes) rows.push(...rowsOfChange(change))
  for (const { symbol, what, value } of settings)
    rows.push({ title: `Sets the ${what === 'margin' ? 'margin mode' : what} of ${symbol}`, value })
  for (const task of tasks) rows.push(...rowsOfTask(task, amountOf))
  for (const { symbol, unit, before, after } of positions)
    if (before !== after)
      rows.push({
        title: `Position in ${symbol}`,
        value: `${amountOf(symbol, before)} → ${amountOf(symbol, after)} ${unit}`,
      })
  return rows
}

type AmountOf = (symbol: string, amount: string) => string

/** All amounts of a symbol with the digits of the longest: `0.040`, where another is `0.067`. */
function amountsOf({ orders, cancels, tasks, positions }: Preview): AmountOf {
  const all = [
    ...[...orders, ...cancels, ...tasks].map(({ symbol, amount = '' }) => [symbol, amount] as const),
    ...positions.flatMap(({ symbol, before, after }) => [[symbol, before] as const, [symbol, after] as const]),
  ]
  return (symbol, amount) => {
    const like = all.filter(([of]) => of === symbol).map(([, each]) => each)
    return compareFigures(amount, '0') === 0 ? '0' : showPrice(amount, ...like)
  }
}

/** `stop sell 0.01 BTCUSDT at 63,700`; by its id where nothing else of it is known. */
function cancelText(
  { id, type, side, amount, symbol, price, triggerPrice = price }: PreviewCancel,
  amountOf: AmountOf,
): string {
  if (side === undefined || amount === undefined) return `order ${id} of ${symbol}`
  const kind = type === undefined || type === 'limit' ? '' : `${type} `
  const at = triggerPrice === undefined ? '' : ` at ${showPrice(triggerPrice)}`
  return `${kind}${side} ${amountOf(symbol, amount)} ${symbol}${at}`
}

function rowsOfChange({
  id,
  price,
  triggerPrice,
  takeProfitPrice,
  amount,
  pnl,
  net,
  takeProfitPnl,
  takeProfitNet,
  margin,
  stop,
  takeProfit,
  ...taken
}: PreviewChange): Consequence[] {
  const what = [triggerPrice ?? price, takeProfitPrice, amount].filter((each) => each !== undefined).map(showFigure)
  const isOfBracket = what.length === 0
  const rows: Consequence[] = isOfBracket ? [] : [{ title: `Changes ${id}`, value: what.join(', ') }]
  rows.push(...rowsOfTaken(taken), ...marginRow(margin), ...rowsOfBracket(stop, takeProfit))
  const [risk, reward] = [
    { pnl, net },
    { pnl: takeProfitPnl, net: takeProfitNet },
  ]
  const moved = triggerPrice === undefined && price === undefined ? reward : risk
  return [...rows, ...madeRow('If it fills there', moved), ...rewardRow(risk, reward)]
}

interface End {
  readonly pnl?: string | undefined
  readonly net?: string | undefined
}

/** What an end makes or loses: after fees where these are known. @param word where they are not those of the entry beside it */
function madeRow(title: string, { pnl, net }: End, currency = '', word = feesWord(net)): Consequence[] {
  const made = net ?? pnl
  if (made === undefined) return []
  const value = `${showSignedMoney(made)} ${currency}`.trim()
  return [{ title: `${title}, ${word}`, value, tone: toneOf(made) }]
}

/** The reward for each unit of risk, where both are known. */
function rewardRow(risk: End | undefined, reward: End | undefined, word?: string): Consequence[] {
  const net = rewardOf(risk?.net, reward?.net)
  const ratio = net ?? rewardOf(risk?.pnl, reward?.pnl)
  return ratio === undefined ? [] : [{ title: `Reward to risk, ${word ?? feesWord(net)}`, value: ratio }]
}

/** A change that goes through the market is an order at once. */
function rowsOfTaken({ fills, unit, at, notional, quote, fee }: Partial<PreviewChange>): Consequence[] {
  if (fills === undefined) return []
  const worth = notional === undefined ? '' : ` for ${showMoney(notional)}${quote === undefined ? '' : ` ${quote}`}`
  const about = at === undefined ? '' : ` about ${showPrice(at)}`
  const rows: Consequence[] = [
    { title: 'Fills at once', value: `${showFigure(fills)} ${unit ?? ''}${about}${worth}`, tone: 'warn' },
  ]
  if (fee) rows.push({ title: `Fee, as ${fee.as}`, value: `${showFee(fee.amount)} ${fee.currency}` })
  return rows
}

/** All of them first, then each in one row. */
const MOST_ORDERS = 12

function rowsOfMany(orders: readonly PreviewOrder[], amountOf: AmountOf): Consequence[] {
  const rows: Consequence[] = []
  const total = (title: string, figures: readonly (string | undefined)[], currency: string | undefined) => {
    const sum = sumOf(figures)
    if (sum !== undefined && currency !== undefined && compareFigures(sum, '0') > 0)
      rows.push({ title, value: `${showFee(sum)} ${currency}` })
  }
  const one = (names: readonly (string | undefined)[]) => (new Set(names).size === 1 ? names[0] : undefined)
  const quote = one(orders.map((each) => each.quote))
  // Fees and profits are counted in the same.
  const currency = one(orders.map((each) => each.fee?.currency))
  // Of one symbol, all on one side: each is a row of its own.
  const ladder = one(orders.map(({ symbol }) => symbol)) && one(orders.map(rungOf))
  const prices = orders.flatMap(({ triggerPrice, price }) => triggerPrice ?? price ?? [])
  total(
    `${orders.length} ${ladder === undefined ? 'orders' : `${ladder}s`}, worth`,
    orders.map(({ notional }) => notional),
    quote,
  )
  total(
    'Fees',
    orders.map(({ fee }) => fee?.amount),
    currency,
  )
  total(
    'Margin',
    orders.map(({ margin }) => margin?.amount),
    one(orders.map(({ margin }) => margin?.currency)),
  )
  // A reversal closes with one order and opens with the next.
  const ending = orders.filter((order) => (order.net ?? order.pnl) !== undefined)
  const isNow = ending.every(({ price, triggerPrice }) => price === undefined && triggerPrice === undefined)
  if (ending.length > 0 && currency !== undefined) {
    const all = { pnl: sumOf(ending.map(({ pnl }) => pnl)), net: sumOf(ending.map(({ net }) => net)) }
    rows.push(...madeRow(isNow ? 'Realizes' : 'If all fill', all, currency))
  }
  for (const order of orders.slice(0, MOST_ORDERS)) {
    const at = order.triggerPrice ?? order.price
    if (ladder !== undefined && at !== undefined) {
      rows.push({ title: `At ${showPrice(at, ...prices)}`, value: rungText(order, amountOf) })
      continue
    }
    const [what] = traded(order, amountOf, true)
    if (what) rows.push(at === undefined ? what : { ...what, value: `${what.value} at ${showPrice(at)}` })
  }
  const more = orders.length - MOST_ORDERS
  if (more > 0) rows.push({ title: 'And', value: `${more} more ${more === 1 ? 'order' : 'orders'}` })
  return rows
}

/** `limit buy`; undefined: it has no price, so it belongs to no ladder. */
function rungOf({ type, side, price, triggerPrice }: PreviewOrder): string | undefined {
  return (triggerPrice ?? price) === undefined ? undefined : `${type} ${side}`
}

function rungText({ symbol, amount, unit, notional, quote = '' }: PreviewOrder, amountOf: AmountOf): string {
  const worth = notional === undefined ? '' : `, ${showMoney(notional)} ${quote}`
  return `${amountOf(symbol, amount)} ${unit}${worth}`.trim()
}

function rowsOfTask(task: PreviewTask, amountOf: AmountOf): Consequence[] {
  const {
    symbol,
    kind,
    side,
    amount,
    unit = '',
    price,
    lastsMs,
    reduceOnly,
    slices,
    slice,
    notional,
    quote,
    fee,
  } = task
  const worth = notional === undefined ? '' : ` for ${showMoney(notional)}${quote === undefined ? '' : ` ${quote}`}`
  const rows: Consequence[] = [
    {
      title: `Starts a ${kind}`,
      value: `${`${side} ${amountOf(symbol, amount)} ${unit}`.trim()}${worth}${reduceOnly ? ', reduce-only' : ''}`,
    },
  ]
  rows.push(...roundingRow(task.roundedBy))
  if (slices !== undefined && slice !== undefined)
    rows.push({ title: `In ${slices} orders`, value: `of at most ${`${amountOf(symbol, slice)} ${unit}`.trim()}` })
  if (price !== undefined) rows.push({ title: 'First order', value: `at ${showPrice(price)}` })
  if (lastsMs !== undefined) rows.push({ title: 'Ends within', value: durationText(lastsMs) })
  if (fee) rows.push({ title: `Fee, as ${fee.as}`, value: `${showFee(fee.amount)} ${fee.currency}` })
  return [...rows, ...marginRow(task.margin), ...madeRow('Realizes, at current prices', task, fee?.currency)]
}

function rowsOfOrder(order: PreviewOrder, amountOf: AmountOf): Consequence[] {
  const { roundedBy, fee, margin, liquidationPrice, stop, takeProfit } = order
  const rows = traded(order, amountOf, false)
  rows.push(...roundingRow(roundedBy))
  const isMaker = fee?.as === 'maker'
  if (fee) rows.push({ title: isMaker ? 'Fee, as maker' : 'Fee', value: `${showFee(fee.amount)} ${fee.currency}` })
  rows.push(...marginRow(margin))
  if (liquidationPrice)
    rows.push({ title: 'Liquidation', value: showPrice(liquidationPrice, ...(order.at ? [order.at] : [])) })
  const title =
    order.triggerPrice !== undefined ? 'If it is hit' : order.price === undefined ? 'Realizes' : 'If it fills'
  return [...rows, ...madeRow(title, order, fee?.currency), ...rowsOfBracket(stop, takeProfit, isMaker)]
}

function roundingRow(roundedBy: string | undefined): Consequence[] {
  if (roundedBy === undefined || compareFigures(roundedBy, ROUNDING_SHOWN_PERCENT) <= 0) return []
  return [{ title: 'Rounded down', value: `${showMoney(roundedBy)} % less than asked`, tone: 'warn' }]
}

function marginRow(margin: PreviewOrder['margin']): Consequence[] {
  if (margin === undefined || compareFigures(margin.amount, '0') <= 0) return []
  const value = `${showMoney(margin.amount)} ${margin.currency}, ${showFigure(margin.leverage)}×`
  return [{ title: 'Margin', value }]
}

type Clause = NonNullable<PreviewOrder['stop']>

/** @param isMaker the fee of the entry is shown as a maker's, and its clauses count a taker's, as they do once it has filled */
function rowsOfBracket(stop: Clause | undefined, takeProfit: Clause | undefined, isMaker = false): Consequence[] {
  const word = isMaker && (stop ?? takeProfit)?.net !== undefined ? AFTER_TAKER_FEES : undefined
  return [
    ...outcome('If the stop is hit', stop, word),
    ...outcome('If the target is hit', takeProfit, word),
    ...rewardRow(stop, takeProfit, word),
  ]
}

/** What, and at which price or about which. */
function traded(order: PreviewOrder, amountOf: AmountOf, isOneOfMany: boolean): Consequence[] {
  const { type, symbol, amount, unit, at, price, triggerPrice, notional, quote } = order
  const side = order.side === 'buy' ? 'buy' : 'sell'
  const kind = type === 'market' ? { buy: 'Buys', sell: 'Sells' }[side] : `${type} ${side}`
  const worth = notional === undefined ? '' : ` for ${showMoney(notional)}${quote === undefined ? '' : ` ${quote}`}`
  const what = {
    title: isOneOfMany ? `${kind} ${symbol}` : `You ${side}`,
    value: `${amountOf(symbol, amount)} ${unit}${worth}`,
  }
  if (triggerPrice !== undefined) return [what, { title: 'Trigger', value: showPrice(triggerPrice) }]
  if (price !== undefined || at === undefined) return [what]
  return [what, { title: 'Price', value: `about ${showPrice(at)}` }]
}

function outcome(title: string, clause: Clause | undefined, word: string | undefined): Consequence[] {
  if (clause === undefined) return []
  const made = madeRow(title, clause, clause.currency, word)
  return made.length > 0 ? made : [{ title, value: `at ${showFigure(clause.triggerPrice)}` }]
}

const AFTER_FEES = 'after fees'
const AFTER_TAKER_FEES = 'after taker fees'
const WHICH_FEES = 'After the fees of entry and exit. That of the entry is estimated at the taker rate.'

export function feesTitle(title: string): string | undefined {
  return title.endsWith(AFTER_FEES) || title.endsWith(AFTER_TAKER_FEES) ? WHICH_FEES : undefined
}

/** Without a rate of the venue, fees are not known. */
export function feesWord(net: string | undefined): string {
  return net === undefined ? 'before fees' : AFTER_FEES
}

/** A fee below a cent is one all the same. */
function showFee(amount: string): string {
  return /[1-9]/.test(showMoney(amount)) ? showMoney(amount) : showFigure(amount)
}

/** It runs, and records what it would have sent. */
const RUNS_WITHOUT_ORDERS: ReadonlySet<string> = new Set(['dry', 'simulated'])

/** Its hook would skip it, or a switch keeps it from running. */
export function isHeldFire({ blocked }: Pick<Preview, 'blocked'>): boolean {
  return blocked !== undefined && !RUNS_WITHOUT_ORDERS.has(blocked.code)
}

/** Without the effects of a run that does not begin. */
export function refusalAlone({ limits: _limits, ...preview }: Preview): Preview {
  const none = { orders: [], cancels: [], changes: [], settings: [], tasks: [], positions: [], errors: [], notes: [] }
  return { ...preview, ...none }
}

/** Their hints name a flag, which goes into a line. */
const TAKES_FLAG: ReadonlySet<string> = new Set(['near-stop', 'far-price', 'liquidation-first'])

/** Why the line would not do what it says, worst first, each once. @param isFixed there is no line to edit */
export function refusalsOf({ blocked, errors, orders, changes }: Preview, isFixed = false): string[] {
  const all = [blocked, ...errors, ...orders.map(({ refused }) => refused), ...changes.map(({ refused }) => refused)]
  const texts = all.flatMap((each) =>
    each
      ? [each.hint === undefined || (isFixed && TAKES_FLAG.has(each.code)) ? each.text : `${each.text}; ${each.hint}`]
      : [],
  )
  return [...new Set(texts)]
}

/** The side of all its orders; undefined: it has several sides, or does something else. */
export function sideOf({ orders, cancels, changes, tasks }: Preview): 'buy' | 'sell' | undefined {
  if (cancels.length + changes.length > 0) return undefined
  const [first, ...others] = [...orders, ...tasks].map(({ side }) => side)
  if (first !== 'buy' && first !== 'sell') return undefined
  return others.every((side) => side === first) ? first : undefined
}

/** The label of the button that runs it: `Buy 0.004 BTC at 54,711.8`, `Stop: buy 0.004 BTC at 56,000`. */
export function actOf({ orders, cancels, changes, tasks }: Preview): string {
  const [order, second] = orders
  const [task, ...others] = tasks
  if (task !== undefined && others.length + orders.length + cancels.length + changes.length === 0)
    return `Start the ${task.kind}: ${task.side} ${showFigure(task.amount)}`
  if (second !== undefined && cancels.length + changes.length + tasks.length === 0)
    return `Place ${orders.length} orders`
  if (order === undefined || second !== undefined || tasks.length > 0 || cancels.length + changes.length > 0)
    return 'Run the line'
  const price = order.triggerPrice ?? order.price
  const at = price === undefined ? ' at the market' : ` at ${showPrice(price, ...(order.at ? [order.at] : []))}`
  const isWaiting = order.triggerPrice !== undefined
  return capital(`${isWaiting ? `${order.type}: ` : ''}${order.side} ${showFigure(order.amount)} ${order.unit}${at}`)
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

import type { AutoscaleInfo, Time } from 'lightweight-charts'
import { defined } from '../../../../base/defined.ts'
import { typedLine } from '../../../../language/print.ts'
import type { CandleRow, FillRow, Portfolio, TaskRow } from '../../../../protocol/frames.ts'
import type { Preview, PreviewOrder } from '../../../../protocol/preview.ts'
import { ORDERLESS_TASKS } from '../../../../protocol/rows.ts'
import { changeOf, compareFigures, negated, showFigure, showPrice, showSignedMoney, sumOf } from '../../../figures.ts'
import { ordererName } from '../../../runs/use-runs.ts'
import type { Preferences } from '../../../state/preferences.ts'
import type { LineAction } from '../line-button.tsx'
import { cancelLine, closedBy, moveOrderLine } from '../position-lines.ts'
import { CANCEL, taskLine } from '../tasks.ts'
import type { TicketState } from '../ticket/ticket.ts'

// Lines of the chart: entries of positions, orders, stops, and those of the ticket; and the washes between an entry and its stop or target.
// All money in them comes from hookline.

type Order = Portfolio['orders'][number]
type Position = Portfolio['positions'][number]
type Held = Pick<Portfolio, 'positions' | 'orders'>

export interface ChartLine {
  /** Unique. */
  readonly id: string
  readonly price: string
  readonly label: string
  /** The label without what is made at the price: for as long as the line is elsewhere. */
  readonly name: string
  readonly look: 'long' | 'short' | 'stop' | 'limit' | 'draft' | 'waiting' | 'alert' | 'liquidation' | 'own'
  /** The order that it is of, and what of the order is there; absent: it cannot be moved. */
  readonly moves?: { readonly orderId: string; readonly what: 'price' | 'stop' | 'takeProfit' }
  /** The field of the ticket that it is of. */
  readonly edits?: 'price' | 'trigger' | 'stop' | 'target'
  /** The alert or condition that waits for the price. */
  readonly task?: Pick<TaskRow, 'id' | 'kind'>
  /** The id of a line that a person has drawn: see `chart-settings.ts`. */
  readonly drawn?: string
  /** Of a position, the stop or the target that is reached first: its label never folds behind others. */
  readonly isMain?: true
  /** It closes nothing. */
  readonly isSurplus?: true
  /** What it is one of, and of how much: such lines share a label where they are close together. */
  readonly alike?: { readonly what: string; readonly amount?: string }
}

/** A shade from an entry to where it would end. */
export interface Wash {
  readonly from: string
  readonly to: string
  readonly tone: 'gain' | 'loss'
  /** Of the ticket: it is not at the exchange. */
  readonly isDraft: boolean
  /** The lines at its edges: one that is dragged takes the shade along. */
  readonly lines: { readonly from: string; readonly to: string }
}

/** While a line is dragged: the shade goes with it, and on the other side of its entry it is the other shade. */
export function shiftedWash(wash: Wash, shifted: { readonly id: string; readonly price: string } | undefined): Wash {
  const { from, to, tone, lines } = wash
  if (shifted === undefined || (shifted.id !== lines.from && shifted.id !== lines.to)) return wash
  const moved = {
    from: shifted.id === lines.from ? shifted.price : from,
    to: shifted.id === lines.to ? shifted.price : to,
  }
  const isTurned = compareFigures(moved.to, moved.from) * compareFigures(to, from) < 0
  return { ...wash, ...moved, tone: isTurned ? (tone === 'gain' ? 'loss' : 'gain') : tone }
}

/** The label that stays where several fold into one: the highest. */
export function rankOf(line: Pick<ChartLine, 'look' | 'moves' | 'isMain' | 'isSurplus'>): number {
  if (line.isSurplus) return RANKS.own
  return RANKS[isTarget(line) ? 'target' : line.look] + (line.isMain ? MAIN : 0)
}

function isTarget({ look, moves }: Pick<ChartLine, 'look' | 'moves'>): boolean {
  return look === 'limit' && moves?.what === 'takeProfit'
}

/** The first stop is before its position, and the first target before other stops. */
const MAIN = 1.5

const RANKS: Readonly<Record<ChartLine['look'] | 'target', number>> = {
  long: 8,
  short: 8,
  stop: 7,
  target: 6,
  liquidation: 5,
  draft: 4,
  limit: 3,
  alert: 2.5,
  waiting: 2,
  own: 1,
}

const MAIN_TARGET_RANK = RANKS.target + MAIN

const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ buys: 'B', sells: 'S', stops: 'SL', targets: 'TP', triggers: 'T', lines: '' }),
)

/**
 * Among many lines: those of a position and of its first exits whole, of any other the letter of what it is. Its price is at the axis.
 * @param isPointed it is whole under the pointer
 */
export function crowdedLabel(line: ChartLine, isPointed: boolean): string {
  const { alike, label, name } = line
  if (isPointed || rankOf(line) >= MAIN_TARGET_RANK || alike === undefined) return label
  const kind = alike.what.split(' ').at(-1) ?? ''
  return LETTERS.get(kind) ?? (kind.replace(/s$/, '') || name)
}

/** @param portfolio what has no price, or is of another symbol, has no line */
export function linesOf({ positions, orders }: Held, symbol: string): ChartLine[] {
  const entries = positions
    .filter((position) => position.symbol === symbol)
    .map(({ side, amount, entryPrice, unrealizedPnl }): ChartLine => {
      const named = labelled(`${side} ${showFigure(amount)}`, { pnl: unrealizedPnl })
      return { id: `position ${side}`, price: entryPrice, ...named, look: side === 'short' ? 'short' : 'long' }
    })
  const ends = positions.flatMap(({ side, liquidationPrice: price, ...position }): ChartLine[] => {
    if (position.symbol !== symbol || price === undefined) return []
    const name = `liquidation of the ${side}`
    return [{ id: `liquidation ${side}`, price, label: name, name, look: 'liquidation' }]
  })
  return [
    ...entries,
    ...ends,
    ...withMain(
      orders.filter((order) => order.symbol === symbol).flatMap((order) => linesOfOrder(order, positions)),
      positions.find((position) => position.symbol === symbol),
    ),
  ]
}

function withMain(lines: readonly ChartLine[], position: Held['positions'][number] | undefined): readonly ChartLine[] {
  if (position === undefined) return lines
  const nearer = position.side === 'short' ? -1 : 1
  const first = (of: (line: ChartLine) => boolean, towards: number) =>
    lines
      .filter((line) => of(line) && !line.isSurplus)
      .toSorted((a, b) => compareFigures(b.price, a.price) * nearer * towards)[0]
  const main = [first(({ look }) => look === 'stop', 1), first(isTarget, -1)]
  return lines.map((line) => {
    if (!main.includes(line)) return line
    const { alike: _, ...alone } = line
    return { ...alone, isMain: true }
  })
}

/** Of alerts and conditions that wait for a price. */
export function taskLines(
  tasks: readonly TaskRow[],
  { account, symbol }: Pick<TaskRow, 'account' | 'symbol'>,
): ChartLine[] {
  return tasks.flatMap((task): ChartLine[] => {
    const { id, kind, price, words, status, paused } = task
    const isHere = task.account === account && task.symbol === symbol && ORDERLESS_TASKS.has(kind)
    if (!isHere || price === undefined || status !== 'running') return []
    const name = `${kind}${paused ? ', paused' : ''}`
    const label = words === undefined ? name : `${name}: ${shortened(words)}`
    return [{ id: `task ${id}`, price, label, name, look: 'alert', task: { id, kind }, alike: { what: `${kind}s` } }]
  })
}

const MAX_WORDS = 40

function shortened(words: string): string {
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS - 1)}…` : words
}

/** @returns undefined for a line that is of no order and no task */
export function cancelationOf({ task, moves }: Pick<ChartLine, 'task' | 'moves'>): LineAction | undefined {
  if (task !== undefined) return { name: `Cancel ${task.kind} ${task.id.slice(0, 8)}`, line: taskLine(task, CANCEL) }
  if (moves?.what !== 'price') return undefined
  return { name: `Cancel ${moves.orderId}`, line: cancelLine(moves.orderId) }
}

/** Lines that a person has drawn. */
export function drawnLines(drawn: readonly { readonly id: string; readonly price: string }[]): ChartLine[] {
  return drawn.map(({ id, price }) => ({
    id: `line ${id}`,
    price,
    label: 'line',
    name: 'line',
    look: 'own',
    drawn: id,
    alike: { what: 'lines' },
  }))
}

/** Its profit is of what it closes. */
function asHeld(order: Order, positions: Held['positions']): Order {
  return { ...order, amount: closedBy(order, positions) }
}

function linesOfOrder(placed: Order, positions: Held['positions']): ChartLine[] {
  const order = asHeld(placed, positions)
  const { id, triggerPrice, takeProfitPrice, pnl, net, takeProfitPnl, takeProfitNet } = order
  const price = triggerPrice ?? order.price
  const lines: ChartLine[] = []
  if (price !== undefined) {
    const look = triggerPrice === undefined ? 'limit' : 'stop'
    lines.push({
      id,
      price,
      ...labelled(nameOf(order, order.type), { pnl, net }),
      look,
      moves: { orderId: id, what: 'price' },
      ...(order.closes === '0' ? { isSurplus: true } : { alike: kindOf(order) }),
    })
  }
  if (takeProfitPrice !== undefined) {
    const moves = { orderId: id, what: 'takeProfit' } as const
    const { closes: _, ...whole } = placed
    // Its profit is absent where the targets before it take all that is held.
    const isSurplus = takeProfitPnl === undefined && (pnl ?? placed.closes) !== undefined
    const target = isSurplus ? { ...whole, closes: '0' } : asHeld(whole, positions)
    const named = labelled(nameOf(target, 'target'), { pnl: takeProfitPnl, net: takeProfitNet })
    lines.push({
      id: `${id} tp`,
      price: takeProfitPrice,
      ...named,
      look: 'limit',
      moves,
      ...(isSurplus ? { isSurplus } : { alike: { what: 'targets' } }),
    })
  }
  return [...lines, ...bracketLines(order)]
}

/** What an entry that has not filled will be protected by: nothing of it is at the exchange. */
function bracketLines({ id, stop, takeProfit }: Order): ChartLine[] {
  const line = (name: string, waiting: Order['stop'], what: 'stop' | 'takeProfit'): ChartLine[] => {
    if (waiting === undefined) return []
    const named = labelled(`${id} then ${name}`, waiting)
    const moves = { orderId: id, what }
    const alike = { what: `waiting ${name}s` }
    return [{ id: `${id} then ${what}`, price: waiting.triggerPrice, ...named, look: 'waiting', moves, alike }]
  }
  return [...line('stop', stop, 'stop'), ...line('target', takeProfit, 'takeProfit')]
}

type Alike = NonNullable<ChartLine['alike']>

/** An entry is not alike an exit on its side, nor a limit order a stop. */
function kindOf({ side, amount, triggerPrice, reduceOnly }: Order): Alike {
  if (triggerPrice !== undefined) return reduceOnly ? { what: 'stops' } : { what: `${side} stops`, amount }
  return { what: reduceOnly ? `closing ${side}s` : `${side}s`, amount }
}

function nameOf({ id, side, amount, postOnly, closes }: Order, type: string): string {
  if (closes === '0') return `${id} ${type}, surplus`
  const what = type === 'limit' ? side : `${type}, ${side}`
  return `${id} ${what} ${showFigure(amount)}${postOnly ? ', post-only' : ''}`
}

interface Made {
  readonly pnl?: string | undefined
  readonly net?: string | undefined
}

/** After fees it is `net`. */
function labelled(name: string, { pnl, net }: Made): Pick<ChartLine, 'name' | 'label'> {
  if (net !== undefined) return { name, label: `${name} ${showSignedMoney(net)} net` }
  return { name, label: pnl === undefined ? name : `${name} ${showSignedMoney(pnl)}` }
}

/** More lines than these say nothing any more. */
const MAX_DRAFTS = 20

/** Of the orders that the ticket would place. @param isEditable the ticket's fields show the whole line */
export function draftLines(preview: Preview | undefined, symbol: string, isEditable: boolean): ChartLine[] {
  const orders = (preview?.orders ?? []).filter((order) => order.symbol === symbol).slice(0, MAX_DRAFTS)
  const isAlone = isEditable && orders.length === 1
  return orders.flatMap((order, index) => linesOfDraft(order, `draft ${index}`, isAlone))
}

function linesOfDraft(order: PreviewOrder, id: string, isEditable: boolean): ChartLine[] {
  const { side, amount, price, triggerPrice, stop, takeProfit, pnl, net } = order
  const lines: ChartLine[] = []
  const add = (at: string, edits: NonNullable<ChartLine['edits']>, name: string, made: Made = {}) =>
    lines.push({
      id: `${id} ${edits}`,
      price: at,
      look: 'draft',
      ...labelled(`ticket: ${name}`, made),
      ...(isEditable ? { edits } : {}),
      alike: edits === 'price' ? { what: `ticket ${side}s`, amount } : { what: `ticket ${edits}s` },
    })
  const what = `${side} ${showFigure(amount)}`
  if (triggerPrice !== undefined) add(triggerPrice, 'trigger', `stop, ${what}`, { pnl, net })
  else if (price !== undefined) add(price, 'price', what)
  if (stop) add(stop.triggerPrice, 'stop', 'stop', stop)
  if (takeProfit) add(takeProfit.triggerPrice, 'target', 'target', takeProfit)
  return lines
}

type TypedPrices = Pick<TicketState, 'kind' | 'price' | 'trigger' | 'stop' | 'target' | 'isFollowed'>

/**
 * With the prices that the ticket has by now, where it has them as prices: hookline's answer comes a moment later, and what a drag has let go
 * stays where it is. What would be made there is not known yet.
 */
export function asTyped(preview: Preview | undefined, ticket: TypedPrices): Preview | undefined {
  const [order, second] = preview?.orders ?? []
  if (preview === undefined || order === undefined || second !== undefined || !ticket.isFollowed) return preview
  const { kind } = ticket
  const price = kind === 'limit' ? plainPrice(ticket.price, order.price) : undefined
  const triggerPrice = kind === 'stop' ? plainPrice(ticket.trigger, order.triggerPrice) : undefined
  const at = price ?? triggerPrice
  const { stop, takeProfit, pnl, net, ...others } = order
  const ends = kind === 'market' || kind === 'limit'
  const moved = {
    ...others,
    ...defined({ price: price ?? order.price, triggerPrice: triggerPrice ?? order.triggerPrice, at: at ?? order.at }),
    ...defined(at === undefined ? { pnl, net } : {}),
    ...defined({ stop: ends ? typedClause(stop, ticket.stop, at) : stop }),
    ...defined({ takeProfit: ends ? typedClause(takeProfit, ticket.target, at) : takeProfit }),
  }
  return { ...preview, orders: [moved] }
}

type Clause = PreviewOrder['stop']

/** @param entry elsewhere than in the answer: what is made at the clause is another sum */
function typedClause(known: Clause, typed: string, entry: string | undefined): Clause {
  if (typed.trim() === '') return undefined
  const price = plainPrice(typed, known?.triggerPrice)
  if (price !== undefined) return { triggerPrice: price }
  return known && entry !== undefined ? { triggerPrice: known.triggerPrice } : known
}

/** @returns undefined where the text is not a price, or is the known one */
function plainPrice(typed: string, known: string | undefined): string | undefined {
  const text = typed.trim().replace(/^\$/, '')
  if (!/^\d+(?:\.\d+)?$/.test(text) || !/[1-9]/.test(text)) return undefined
  return known !== undefined && compareFigures(text, known) === 0 ? undefined : text
}

export function washesOf({ positions, orders }: Held, preview: Preview | undefined, symbol: string): Wash[] {
  const held = positions
    .filter((position) => position.symbol === symbol)
    .flatMap((position) =>
      orders
        .filter((order) => order.closes !== '0' && ends(order, position))
        .flatMap((order) => washesTo(order, position)),
    )
  const drafts = (preview?.orders ?? [])
    .filter((order) => order.symbol === symbol && order.at !== undefined)
    .flatMap(({ at = '', triggerPrice, ...ends }, index) => {
      const entry = `draft ${index} ${triggerPrice === undefined ? 'price' : 'trigger'}`
      return bracketWashes(at, ends, { from: entry, stop: `draft ${index} stop`, target: `draft ${index} target` })
    })
  const waiting = orders
    .filter((order) => order.symbol === symbol)
    .flatMap(({ id, price, triggerPrice: from = price, ...ends }) => {
      const lines = { from: id, stop: `${id} then stop`, target: `${id} then takeProfit` }
      return from === undefined ? [] : bracketWashes(from, ends, lines)
    })
  return [...held, ...waiting, ...drafts]
}

interface BracketLines {
  readonly from: string
  readonly stop: string
  readonly target: string
}

function bracketWashes(
  from: string,
  { stop, takeProfit }: Pick<Order, 'stop' | 'takeProfit'> | Pick<PreviewOrder, 'stop' | 'takeProfit'>,
  ids: BracketLines,
): Wash[] {
  const wash = (to: string, tone: Wash['tone'], id: string): Wash => {
    return { from, to, tone, isDraft: true, lines: { from: ids.from, to: id } }
  }
  return [
    ...(stop ? [wash(stop.triggerPrice, 'loss', ids.stop)] : []),
    ...(takeProfit ? [wash(takeProfit.triggerPrice, 'gain', ids.target)] : []),
  ]
}

/** An order that is larger, and may open the other side, is an entry. */
function ends({ symbol, side, amount, reduceOnly }: Order, position: Position): boolean {
  const isAgainst = symbol === position.symbol && (position.side === 'long') === (side === 'sell')
  return isAgainst && (reduceOnly || compareFigures(amount, position.amount) <= 0)
}

function washesTo({ id, triggerPrice, price, takeProfitPrice }: Order, { entryPrice, side }: Position): Wash[] {
  const ends = [[id, triggerPrice ?? price] as const, [`${id} tp`, takeProfitPrice] as const]
  return ends.flatMap(([line, to]): Wash[] => {
    if (to === undefined) return []
    const isGain = compareFigures(to, entryPrice) > 0 === (side === 'long')
    const lines = { from: `position ${side}`, to: line }
    return [{ from: entryPrice, to, tone: isGain ? 'gain' : 'loss', isDraft: false, lines }]
  })
}

/** The command of a dragged line. @param price on the tick */
export function moveLine({ orderId, what }: NonNullable<ChartLine['moves']>, price: string): string | undefined {
  if (what === 'price') return moveOrderLine(orderId, price)
  return what === 'stop' ? typedLine`amend ${orderId} stop ${price}` : typedLine`amend ${orderId} tp ${price}`
}

/** `from 58,000.0 to 58,100.0`; the price that a person types is in its field. */
export function movedText(
  {
    line,
    price,
    isReleased,
  }: { readonly line: Pick<ChartLine, 'price'>; readonly price: string; readonly isReleased: boolean },
  tick: string | undefined,
): string {
  const from = `from ${showPrice(line.price, tick ?? line.price)}`
  return isReleased ? from : `${from} to ${showPrice(price, tick ?? price)}`
}

interface Moved {
  readonly line: ChartLine
  /** It was sent, and the exchange has not said what became of it. */
  readonly isSent?: true
}

/** Whether a line is drawn where it was let go: until its order has moved, or is gone. */
export function isElsewhere({ line, isSent }: Moved, lines: readonly ChartLine[]): boolean {
  const now = lines.find(({ id }) => id === line.id)
  return now !== undefined && !(isSent === true && now.price !== line.price)
}

/** From a move that succeeded to the row that shows it. */
const ROW_MS = 3_000

/** The line stays where it was let go until the order's row has followed; a move that fails takes it back. @param run resolves with whether it succeeded */
export async function sendMove<Draft extends Moved>(
  draft: Draft,
  run: () => Promise<boolean>,
  change: (next: (now: Draft | undefined) => Draft | undefined) => void,
): Promise<void> {
  const sent: Draft = { ...draft, isSent: true }
  const takeBack = () => change((now) => (now === sent ? undefined : now))
  change(() => sent)
  if (await run()) setTimeout(takeBack, ROW_MS)
  else takeBack()
}

// Fills as marks on the candles: which way, and who ordered.

/** `fills`: of several. */
type Orderer = 'you' | 'page' | 'hook' | 'copier' | 'task' | 'elsewhere' | 'replay' | 'fills'

interface FillMark {
  readonly id: string
  /** When the candle opened that it filled in. */
  readonly time: number
  readonly side: 'buy' | 'sell'
  readonly who: Orderer
  /** How many fills it stands for. */
  readonly count: number
}

/** Fires of a hook in one candle. */
interface FireMark extends Pick<FillMark, 'id' | 'time' | 'count'> {
  readonly side: 'fire'
  /** The outcome that most wants a look: `failed`, `warning`, `ok`, or another one of a run. */
  readonly who: string
  /** How many had it. */
  readonly alike: number
}

export type ChartMark = FillMark | FireMark

/** A task of a hook is the hook's: it, not the task, is what a person would look for. The line of a task has the task as its origin. */
export function ordererOf({
  source,
  origin,
  copier,
  taskId,
}: Pick<FillRow, 'source' | 'origin' | 'copier' | 'taskId'>): Orderer {
  if (copier !== undefined) return 'copier'
  if (source === 'hook') return 'hook'
  if (taskId !== undefined || (source === 'exec' && origin !== undefined)) return 'task'
  if (source === 'web') return 'page'
  return source === undefined ? 'elsewhere' : 'you'
}

/** As everywhere: `hook dip`; of a task that too; of what the venue did by itself why: `elsewhere, liquidated by the venue`. */
export function describeOrderer({ source, copier, origin = copier, taskId, cause }: FillRow): string {
  const kind = copier === undefined ? (source ?? 'elsewhere') : 'copier'
  const who = ordererName(origin === undefined ? kind : `${kind}:${origin}`, taskId)
  return cause === undefined ? who : `${who}, ${cause}`
}

/** One mark for all fills of a candle that went the same way and were ordered by the same. @param times when candles opened, oldest first */
export function marksOf(fills: readonly FillRow[], symbol: string, times: readonly number[]): FillMark[] {
  const marks = new Map<string, FillMark>()
  for (const fill of fills) {
    if (fill.symbol !== symbol || (fill.side !== 'buy' && fill.side !== 'sell')) continue
    const time = candleAt(times, fill.timestamp)
    if (time === undefined) continue
    const who = ordererOf(fill)
    const id = `${time} ${fill.side} ${who}`
    marks.set(id, { id, time, side: fill.side, who, count: (marks.get(id)?.count ?? 0) + 1 })
  }
  return [...marks.values()].sort((a, b) => a.time - b.time)
}

/** One for all fills of a candle that went the same way. @param times when candles opened, oldest first */
export function replayMarksOf(
  fills: readonly { readonly at: number; readonly side: string }[],
  times: readonly number[],
): FillMark[] {
  const marks = new Map<string, FillMark>()
  for (const { at, side } of fills) {
    const time = candleAt(times, at)
    if (time === undefined || (side !== 'buy' && side !== 'sell')) continue
    const id = `${time} ${side} replay`
    marks.set(id, { id, time, side, who: 'replay', count: (marks.get(id)?.count ?? 0) + 1 })
  }
  return [...marks.values()].sort((a, b) => a.time - b.time)
}

/** @param fires of one hook @param times when candles opened, oldest first */
export function fireMarksOf(
  fires: readonly { readonly at: number; readonly outcome: string }[],
  times: readonly number[],
): FireMark[] {
  const marks = new Map<string, FireMark>()
  for (const { at, outcome } of fires) {
    const time = candleAt(times, at)
    if (time === undefined) continue
    const id = `${time} fire`
    marks.set(id, mergedMark(marks.get(id), { id, time, side: 'fire', who: outcome, count: 1, alike: 1 }))
  }
  return [...marks.values()].sort((a, b) => a.time - b.time)
}

/** Foremost what wants a look; what is not in it comes behind. */
const FIRE_RANK = ['failed', 'refused', 'interrupted', 'warning', 'ok']

function rankOfFire(outcome: string): number {
  const rank = FIRE_RANK.indexOf(outcome)
  return rank === -1 ? FIRE_RANK.length : rank
}

function mergedMark<Mark extends ChartMark>(before: Mark | undefined, mark: Mark): Mark {
  if (before === undefined) return mark
  const count = before.count + mark.count
  if (before.side !== 'fire' || mark.side !== 'fire') {
    return before.who === mark.who ? { ...before, count } : { ...before, count, who: 'fills' }
  }
  if (before.who === mark.who) return { ...before, count, alike: before.alike + mark.alike }
  const { who, alike } = rankOfFire(mark.who) < rankOfFire(before.who) ? mark : before
  return { ...before, count, who, alike }
}

/** `task ×3`, `fire failed`, `fire ×7, 2 failed`. */
export function markText(mark: ChartMark): string {
  const { who, count } = mark
  const times = count === 1 ? '' : ` ×${count}`
  if (mark.side !== 'fire') return `${who}${times}`
  return mark.alike === count ? `fire ${who}${times}` : `fire${times}, ${mark.alike} ${who}`
}

/** Marks that would overlap become one: fills of the same side within `candles` candles, fires within twice as many. @param marks oldest first */
export function groupMarks<Mark extends ChartMark>(
  marks: readonly Mark[],
  times: readonly number[],
  candles: number,
): readonly Mark[] {
  if (candles <= 1) return marks
  const places = new Map(times.map((time, index) => [time, index]))
  const newest = new Map<string, Mark>()
  const groups = new Map<string, Mark>()
  for (const mark of marks) {
    const isFire = mark.side === 'fire'
    const known = newest.get(mark.side)
    const apart = (places.get(mark.time) ?? 0) - (places.get(known?.time ?? -1) ?? Number.NEGATIVE_INFINITY)
    const group = apart < (isFire ? 2 * candles : candles) ? mergedMark(known, mark) : mark
    newest.set(mark.side, group)
    groups.set(group.id, group)
  }
  return [...groups.values()]
}

/** undefined: before all candles. */
function candleAt(times: readonly number[], at: number): number | undefined {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return times[low - 1]
}

// The labels of lines, from the left edge: candles of now are at the right. None covers another. Lines that are close together share one, and a
// label that is not at its line leads to it.

interface LinePlace {
  /** px from the top of the candles. */
  readonly y: number
  readonly text: string
  readonly id: string
  readonly price: string
  /** Of those that crowd, the highest keep labels of their own. */
  readonly rank: number
  readonly alike?: ChartLine['alike']
}

export interface PlacedLabel extends Pick<LinePlace, 'y' | 'text'> {
  /** Its lines, from the top. */
  readonly ids: readonly string[]
  /** The heights of its lines, where it is not at them alone. */
  readonly leads: readonly number[]
}

export const LABEL_PX = 17
const CROWD_PX = 60
/** So many labels at most are near each other before their lines share some. */
const CROWD = 4
/** A label that is farther from its line leads to it. */
const OFF_PX = 3

interface LabelRoom {
  /** px that stay free. */
  readonly top: number
  /** Of the candles, px. */
  readonly height: number
  /** Lines that have labels of their own for now, if there is room. */
  readonly opened?: ReadonlySet<string>
}

/** @param lines with the heights of their prices */
export function placeLabels(lines: readonly LinePlace[], { top, height, opened }: LabelRoom): readonly PlacedLabel[] {
  const visible = lines.filter(({ y }) => y >= 0 && y <= height).sort((a, b) => a.y - b.y)
  const most = Math.floor((height - top) / LABEL_PX)
  const wanted = [crowdsOf(visible, opened), crowdsOf(visible), runsOf(visible, isAlike)].find(
    ({ length }) => length <= most,
  )
  // Between and beside those that are kept are as many others, and one more.
  const groups = wanted ?? foldedRuns(visible, Math.floor((most - 1) / 2))
  const middles = groups.map((group) => ((group[0]?.y ?? 0) + (group.at(-1)?.y ?? 0)) / 2)
  const heights = spread(middles, top + LABEL_PX / 2, height - LABEL_PX / 2)
  return groups.map((group, index) => {
    const at = heights[index] ?? 0
    return { y: at, text: textOf(group), ids: group.map(({ id }) => id), leads: leadsOf(group, at, visible) }
  })
}

function leadsOf(group: readonly LinePlace[], at: number, all: readonly LinePlace[]): readonly number[] {
  const [first] = group
  const off = Math.abs((first?.y ?? 0) - at)
  const isPlain = group.length === 1 && off <= OFF_PX
  if (isPlain && !all.some((other) => other !== first && Math.abs(other.y - at) <= off)) return []
  return group.map(({ y }) => y)
}

type Group = readonly LinePlace[]

function crowdsOf(sorted: Group, opened: ReadonlySet<string> = new Set()): readonly Group[] {
  const groups: Group[] = []
  for (let index = 0; index < sorted.length; ) {
    const first = sorted[index] as LinePlace
    const crowd = sorted.slice(index).filter(({ y }) => y - first.y < CROWD_PX)
    const isCrowd = crowd.length > CROWD
    groups.push(...(isCrowd ? folded(crowd, opened) : [[first]]))
    index += isCrowd ? crowd.length : 1
  }
  return groups
}

function folded(crowd: Group, opened: ReadonlySet<string>): readonly Group[] {
  return runsOf(crowd, (a, b) => isAlike(a, b) && !opened.has(a.id) && !opened.has(b.id))
}

function isAlike(a: LinePlace, b: LinePlace): boolean {
  return a.alike !== undefined && a.alike.what === b.alike?.what
}

/** Where there is no room for one of each kind: the highest keep labels of their own; neighbours among the others share one. */
function foldedRuns(sorted: Group, count: number): readonly Group[] {
  const kept = new Set(sorted.toSorted((a, b) => b.rank - a.rank).slice(0, Math.max(0, count)))
  return runsOf(sorted, (a, b) => !kept.has(a) && !kept.has(b))
}

/** Neighbours that belong together. */
export function runsOf<Item extends object>(
  sorted: readonly Item[],
  isOne: (before: Item, next: Item) => boolean,
): readonly (readonly Item[])[] {
  const groups: Item[][] = []
  for (const item of sorted) {
    const last = groups.at(-1)?.at(-1)
    if (last !== undefined && isOne(last, item)) groups.at(-1)?.push(item)
    else groups.push([item])
  }
  return groups
}

/** `4 buys 0.029, 57,800 to 58,200`. */
function textOf(group: Group): string {
  const [first, ...others] = group
  if (first === undefined || others.length === 0) return first?.text ?? ''
  const what = others.every(({ alike }) => alike?.what === first.alike?.what) ? first.alike?.what : undefined
  const amounts = what === undefined ? [] : group.flatMap(({ alike }) => alike?.amount ?? [])
  const sum = amounts.length === group.length ? sumOf(amounts) : undefined
  const prices = group.map(({ price }) => price).sort(compareFigures)
  const range = [...new Set([prices[0], prices.at(-1)])].map((price) => showPrice(price ?? '')).join(' to ')
  return `${group.length} ${what ?? 'lines'}${sum === undefined ? '' : ` ${showFigure(sum)}`}, ${range}`
}

/** As near as may be to where each would be, one below the other. */
function spread(middles: readonly number[], from: number, to: number): readonly number[] {
  const blocks: { readonly sum: number; readonly count: number }[] = []
  for (const [index, middle] of middles.entries()) {
    let block = { sum: middle - index * LABEL_PX, count: 1 }
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      if (last.sum / last.count <= block.sum / block.count) break
      block = { sum: last.sum + block.sum, count: last.count + block.count }
      blocks.pop()
    }
    blocks.push(block)
  }
  const last = to - (middles.length - 1) * LABEL_PX
  return blocks
    .flatMap(({ sum, count }) => Array<number>(count).fill(Math.max(from, Math.min(last, sum / count))))
    .map((height, index) => height + index * LABEL_PX)
}

/** Of a price at the axis. */
export const AXIS_PX = 18

/** The lines whose prices the axis shows: none covers or moves another. @param taken heights that are not free */
export function axisPrices(
  lines: readonly Pick<LinePlace, 'id' | 'y' | 'rank'>[],
  taken: readonly number[],
): ReadonlySet<string> {
  const heights = [...taken]
  const ranked = lines.toSorted((a, b) => b.rank - a.rank)
  return new Set(
    ranked.flatMap(({ id, y }) => {
      if (heights.some((height) => Math.abs(height - y) < AXIS_PX)) return []
      heights.push(y)
      return [id]
    }),
  )
}

// The ruler: what lies between two points, in words.

export interface RulerPoint {
  readonly price: string
  /** The place of the candle, from 0; between candles a fraction. */
  readonly candle: number
}

/** `+812.4 (+1.10 %), 14 candles, 14 h`. @param candleMs the length of one */
export function rulerText(from: RulerPoint, to: RulerPoint, candleMs: number): string {
  const signed = (text: string) => `${compareFigures(text, '0') > 0 ? '+' : ''}${showFigure(text)}`
  const change = changeOf(from.price, to.price)
  const candles = Math.round(to.candle) - Math.round(from.candle)
  const minutes = Math.abs(candles * candleMs) / 60_000
  const span =
    minutes < 60
      ? `${minutes} min`
      : minutes < 2_880
        ? `${showFigure(String(minutes / 60))} h`
        : `${Math.round(minutes / 1_440)} d`
  const moved = signed(sumOf([to.price, negated(from.price)]) ?? '0')
  const percent = change === undefined ? '' : ` (${signed(change)} %)`
  return `${moved}${percent}, ${Math.abs(candles)} ${Math.abs(candles) === 1 ? 'candle' : 'candles'}, ${span}`
}

/** Some prices come without it, and bars of nothing are not drawn. */
export function hasNoVolume(candles: readonly CandleRow[] = []): boolean {
  return candles.length > 0 && candles.every(([, , , , , volume]) => Number(volume ?? 0) === 0)
}

// The visible prices: those of the candles, and of lines near them. Lines farther away are named at the edge.

/** Of the height of the visible candles, above and below. */
const NEAR = 0.75
/** Of what waits for a price and rests at no venue: it may not press the candles. */
const NEAR_ALERT = 0.2

/** @param reach `isWhole`: every line, however far */
export function withLines(
  info: AutoscaleInfo | null,
  { lines, isWhole }: { readonly lines: readonly Pick<ChartLine, 'price' | 'look'>[]; readonly isWhole: boolean },
): AutoscaleInfo | null {
  if (info?.priceRange == null) return info
  const { minValue, maxValue } = info.priceRange
  const near = (look: ChartLine['look']) =>
    isWhole ? Number.POSITIVE_INFINITY : (maxValue - minValue) * (look === 'alert' ? NEAR_ALERT : NEAR)
  const prices = lines
    .map(({ price, look }) => ({ price: Number(price), near: near(look) }))
    .filter(({ price, near }) => Number.isFinite(price) && price >= minValue - near && price <= maxValue + near)
    .map(({ price }) => price)
  return {
    ...info,
    priceRange: { minValue: Math.min(minValue, ...prices), maxValue: Math.max(maxValue, ...prices) },
  }
}

// Times of the chart, in the zone that Settings name.

export type TimeZone = Preferences['timeZone']

export function zoneOptions(zone: TimeZone) {
  return {
    timeScale: { tickMarkFormatter: (time: Time) => tickText(Number(time), zone) },
    localization: { timeFormatter: (time: Time) => momentText(Number(time), zone) },
  }
}

/** Below the candles: the time of day, and the day where one begins. @param seconds since the epoch */
export function tickText(seconds: number, zone: TimeZone): string {
  const date = new Date(seconds * 1000)
  const time = date.toLocaleTimeString('en-GB', { ...inZone(zone), hour: '2-digit', minute: '2-digit' })
  return time === '00:00' ? date.toLocaleDateString('en-GB', { ...inZone(zone), day: 'numeric', month: 'short' }) : time
}

/** At the crosshair. */
export function momentText(seconds: number, zone: TimeZone): string {
  const date = new Date(seconds * 1000)
  const day = date.toLocaleDateString('en-GB', { ...inZone(zone), day: 'numeric', month: 'short', year: 'numeric' })
  const moment = `${day} ${date.toLocaleTimeString('en-GB', { ...inZone(zone), hour: '2-digit', minute: '2-digit' })}`
  return zone === 'utc' ? `${moment} UTC` : moment
}

function inZone(zone: TimeZone): { readonly timeZone?: 'UTC' } {
  return zone === 'utc' ? { timeZone: 'UTC' } : {}
}

// What a line would do, worked out and not sent: the answer to `preview`, and what `hook test --json` prints. What hookline cannot know is
// absent, never guessed. Money is in the currency named beside it; amounts are in the market's unit.
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { decimal, orderTerms } from './rows.ts'

const text = z.string()
const optionalText = z.exactOptional(text)
const optionalDecimal = z.exactOptional(decimal)
const optionalFlag = z.exactOptional(z.boolean())
const optionalFee = z.exactOptional(z.object({ amount: decimal, currency: text, rate: decimal, as: text }))
const optionalMargin = z.exactOptional(z.object({ amount: decimal, currency: text, leverage: decimal }))
/** Of what fills: its unit, where, its worth there in `quote`, and its fee. */
const worth = {
  unit: optionalText,
  at: optionalDecimal,
  notional: optionalDecimal,
  quote: optionalText,
  fee: optionalFee,
} as const
/** Where a stop or a take-profit goes, and what it makes there; `net` is after the taker's fees of the entry and of the exit. */
const optionalClause = z.exactOptional(
  z.object({ triggerPrice: decimal, pnl: optionalDecimal, net: optionalDecimal, currency: optionalText }),
)

/** Why something would not happen. `code` is a stable word. */
const previewRefusal = z.object({
  code: text,
  text,
  /** What to do about it. */
  hint: optionalText,
})

/** One order that would be placed, after the venue's rounding. */
const previewOrder = z.object({
  account: text,
  ...orderTerms,
  /** What the amount counts: `BTC`, or the dollars of an inverse contract. */
  unit: text,
  /** Of a stop with two triggers. */
  takeProfitPrice: optionalDecimal,
  /** Of one that takes at once: what the book holds of it now, where that is less; the figures are of that. */
  fills: optionalDecimal,
  reduceOnly: optionalFlag,
  postOnly: optionalFlag,
  /** Absent: `gtc`. */
  timeInForce: optionalText,
  /** Percent of what was asked for that rounding took away. */
  roundedBy: optionalDecimal,
  /** Where it can fill, by the prices of this moment. */
  at: optionalDecimal,
  /** Its worth there, in `quote`. */
  notional: optionalDecimal,
  quote: optionalText,
  /** By the market's rate for an order that rests (`maker`) or takes (`taker`), in `currency`. */
  fee: optionalFee,
  /** What it locks for what it adds to the position, without fees, in `currency`. */
  margin: optionalMargin,
  /** Of the position that it leaves, where the venue can say beforehand. */
  liquidationPrice: optionalDecimal,
  /** Of its own clauses: where, and what that would make or lose, before fees and in `currency`; negative is a loss. */
  stop: optionalClause,
  takeProfit: optionalClause,
  /** Of a reduce-only one: what it would make or lose against the entry of the position, before fees. */
  pnl: optionalDecimal,
  /** After the fees of the entry, estimated as a taker's, and its own. */
  net: optionalDecimal,
  /** It would not be placed. */
  refused: z.exactOptional(previewRefusal),
})

/** A resting order that would be taken back. */
const previewCancel = z.object({
  account: text,
  symbol: text,
  id: text,
  side: optionalText,
  type: optionalText,
  amount: optionalDecimal,
  price: optionalDecimal,
  triggerPrice: optionalDecimal,
})

/** A resting order that would be changed in place: what it would have then. */
const previewChange = z.object({
  account: text,
  symbol: text,
  id: text,
  amount: optionalDecimal,
  price: optionalDecimal,
  triggerPrice: optionalDecimal,
  takeProfitPrice: optionalDecimal,
  /** Of one that ends what is held: what that makes there against its entry, before fees; at its price and at its take-profit. */
  pnl: optionalDecimal,
  takeProfitPnl: optionalDecimal,
  /** The same after the fees of its entry, estimated as a taker's, and of this exit. */
  net: optionalDecimal,
  takeProfitNet: optionalDecimal,
  /** It goes through the market: what fills at once, in `unit`, where, what that is worth in `quote`, and its fee. */
  fills: optionalDecimal,
  ...worth,
  /** Of an entry, as of an order: what it locks, and what its stop and its take-profit would make once it has filled. */
  margin: optionalMargin,
  stop: optionalClause,
  takeProfit: optionalClause,
  refused: z.exactOptional(previewRefusal),
})

/** Leverage or margin mode. */
const previewSetting = z.object({ account: text, symbol: text, what: text, value: text })

/** A task that would begin. */
const previewTask = z.object({
  account: text,
  symbol: text,
  /** `chase`, `twap`, or a later one. */
  kind: text,
  side: text,
  amount: decimal,
  reduceOnly: z.boolean(),
  /** As of an order; absent: 1 or less. */
  roundedBy: optionalDecimal,
  /** Where its first order would rest now. */
  price: optionalDecimal,
  /** When it ends at the latest, in ms from its begin. */
  lastsMs: z.exactOptional(z.int()),
  /** Of a twap: how many orders, and the largest of them. */
  slices: z.exactOptional(z.int()),
  slice: optionalDecimal,
  /** Of a dca and a grid: its entries with their prices, what all of them cost a coin on average, and what is lost at the worst, at a price. */
  parts: z.exactOptional(z.array(z.object({ price: decimal, amount: decimal }))),
  average: optionalDecimal,
  worst: z.exactOptional(z.object({ pnl: decimal, currency: text, at: decimal })),
  /** Of a grid: what the least of its steps makes each time, in `quote` of its market, after fees. */
  stepProfit: optionalDecimal,
  /** Of all of it, at the prices of this moment, as of an order: a chase rests, the slices of a twap take. */
  ...worth,
  margin: optionalMargin,
  pnl: optionalDecimal,
  net: optionalDecimal,
  /** All of it in one line, for people. */
  text,
})

/** A position before the line, and once all its orders that do not wait for a trigger, and its tasks but the sales of a grid, have filled. Signed: a short is negative. */
const previewPosition = z.object({ account: text, symbol: text, unit: text, before: decimal, after: decimal })

/** How much of a limit of an account its orders would use up, in dollars; of `rate`, in orders. Only of limits that are on. */
const previewLimit = z.object({
  account: text,
  /** `order`, `position`, `day`, `loss`, `rate`, or a later one. */
  limit: text,
  max: decimal,
  /** What is used without the line; absent where each order is judged by itself. */
  before: optionalDecimal,
  /** With it; absent: it cannot be known beforehand. */
  after: optionalDecimal,
})

/** Why a step of the line would fail. */
const previewError = z.object({
  ...previewRefusal.shape,
  /** Where in the line, from 1. */
  column: z.exactOptional(z.int()),
})

export const preview = z.object({
  account: text,
  symbol: text,
  /** No step of the line would fail, and nothing would keep it from running. */
  ok: z.boolean(),
  orders: z.array(previewOrder),
  cancels: z.array(previewCancel),
  changes: z.array(previewChange),
  settings: z.array(previewSetting),
  tasks: z.array(previewTask),
  positions: z.array(previewPosition),
  /** Absent: no limit counts its orders. */
  limits: z.exactOptional(z.array(previewLimit)),
  errors: z.array(previewError),
  /** What would keep the whole line from sending anything now: a limit of the hook, a pause, a switch, simulation. */
  blocked: z.exactOptional(previewRefusal),
  /** What is not in it, and what it supposes; one sentence each. */
  notes: z.array(text),
})

export type Preview = z.output<typeof preview>
export type PreviewOrder = z.output<typeof previewOrder>
export type PreviewCancel = z.output<typeof previewCancel>
export type PreviewChange = z.output<typeof previewChange>
export type PreviewTask = z.output<typeof previewTask>
export type PreviewPosition = z.output<typeof previewPosition>
export type PreviewRefusal = z.output<typeof previewRefusal>
export type PreviewLimit = z.output<typeof previewLimit>
export type PreviewError = z.output<typeof previewError>

/** The sums of the orders in one measure, as their `pnl`: after fees where all are known so. `fees`: which; absent: there is no sum. */
export function inOneMeasure<Order extends PreviewOrder>(
  orders: readonly Order[],
): { readonly orders: readonly Order[]; readonly fees?: 'after fees' | 'before fees' } {
  const sums = orders
    .flatMap(({ stop, takeProfit, pnl, net }) => [{ pnl, net }, stop, takeProfit])
    .filter((sum) => sum?.pnl !== undefined)
  if (sums.length === 0) return { orders }
  if (!sums.every((sum) => sum?.net !== undefined)) return { orders, fees: 'before fees' }
  return { orders: orders.map(afterFees), fees: 'after fees' }
}

function afterFees<Order extends PreviewOrder>(order: Order): Order {
  const { stop, takeProfit, net } = order
  return {
    ...order,
    ...defined({ pnl: net }),
    ...(stop === undefined ? {} : { stop: { ...stop, ...defined({ pnl: stop.net }) } }),
    ...(takeProfit === undefined ? {} : { takeProfit: { ...takeProfit, ...defined({ pnl: takeProfit.net }) } }),
  }
}

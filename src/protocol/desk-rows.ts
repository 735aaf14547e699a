// Rows of what a page asks for: runs, fills, prices, equity. As in `rows.ts`, words that may be added to later are plain text.
import * as z from 'zod/mini'
import { decimal, time } from './rows.ts'

const text = z.string()
const flag = z.boolean()
const count = z.int()
const optionalText = z.exactOptional(text)
const optionalDecimal = z.exactOptional(decimal)
const optionalTime = z.exactOptional(time)

/** How a line of output is meant. */
export const outputKind = z.enum(['print', 'success', 'warn', 'error', 'info'])

/** One or more lines of output, without a trailing newline. */
export const outputLine = z.object({ kind: outputKind, text })

/** One run, of whatever process. */
export const runRow = z.object({
  runId: text,
  /** `repl`, `exec`, `hook`, `web`, or a later one. */
  source: text,
  /** The name of the hook, or the label of the client. */
  origin: optionalText,
  hookId: optionalText,
  command: text,
  /** What the alert filled into the slots of the command. */
  values: z.exactOptional(z.record(text, text)),
  account: optionalText,
  startedAt: time,
  finishedAt: optionalTime,
  /** `waiting`, `running`, `done`, `failed`, `interrupted`, or a later one. */
  state: text,
  error: optionalText,
  /** Of a `failed` one of which nothing began: `skipped`, `expired`, `refused`, `stopped`, or a later word. */
  unbegun: optionalText,
})

/** Of one run: a line that was kept, so many ms after it began. */
export const keptLineRow = z.object({ afterMs: count, kind: outputKind, text })

/** Of a line with several: one step that has ended. */
export const stepRow = z.object({ afterMs: count, tookMs: count, success: flag, text })

/** An order of a run, and what became of it. */
export const runOrderRow = z.object({
  clientOrderId: text,
  /** The venue's own. */
  orderId: optionalText,
  account: text,
  at: time,
  symbol: text,
  side: text,
  type: text,
  amount: decimal,
  price: optionalDecimal,
  triggerPrice: optionalDecimal,
  /** `sent`, `placed`, `refused`, `unknown`, `simulated`, `closed`, `canceled`, `rejected`, `expired`, or a later one. */
  state: text,
  filled: decimal,
  average: optionalDecimal,
  reason: optionalText,
})

/** What a copier ordered. `configId` is its row's, `taskId` of the task that chases for it. */
export const copyRow = z.object({ ...runOrderRow.shape, configId: text, taskId: optionalText })

/** What is wrong with a pair. `field` is one of `copy:check`, or a later one; `why` is one line. */
export const copyProblemRow = z.object({ field: text, why: text })

/** One execution, and who ordered it as far as the order journal knows. */
export const fillRow = z.object({
  account: text,
  id: text,
  orderId: text,
  symbol: text,
  side: text,
  amount: decimal,
  price: decimal,
  fee: optionalDecimal,
  feeCurrency: optionalText,
  /** Why the venue made it by itself, for people: `liquidated by the venue`. */
  cause: optionalText,
  /** What it realised, by average cost, before fees. */
  pnl: optionalDecimal,
  pnlCurrency: optionalText,
  timestamp: time,
  /** These are absent where hookline did not order it, or did not write that down. */
  source: optionalText,
  origin: optionalText,
  hookId: optionalText,
  runId: optionalText,
  /** The task, or the copier, that ordered. */
  taskId: optionalText,
  copier: optionalText,
})

/** When it opened; open, high, low, close; volume in base, where the venue tells it. */
export const candleRow = z.tuple([time, decimal, decimal, decimal, decimal, z.nullable(decimal)])

/** Price and amount, best first. */
const level = z.tuple([decimal, decimal])

export const bookRow = z.object({ bids: z.array(level), asks: z.array(level), timestamp: time })

export const tickerRow = z.object({ last: decimal, bid: decimal, ask: decimal, timestamp: time })

/** What a market did in the last 24 hours, as exactly as its candles tell when they began. */
export const dayRow = z.object({ since: time, open: decimal, high: decimal, low: decimal })

/** What can be traded, and in which steps. */
export const marketRow = z.object({
  symbol: text,
  /** `spot`, `linear`, `inverse`, or a later one. */
  kind: text,
  base: text,
  quote: text,
  settle: optionalText,
  /** What amounts count: `base` or `quote`. */
  amountUnit: text,
  /** The distance between prices, at the price of now. */
  tick: optionalDecimal,
  lotSize: decimal,
  minAmount: decimal,
  minNotional: optionalDecimal,
  maxLeverage: optionalDecimal,
  makerFee: optionalDecimal,
  takerFee: optionalDecimal,
})

/** What an account was worth: when, unrealised profit counted in, and without it. */
export const equityPoint = z.tuple([time, decimal, decimal])

/** What an account is worth, as it was last looked at. */
export const equityRow = z.object({ account: text, currency: text, at: time, total: decimal, wallet: decimal })

/** Sums of one currency; currencies are never added to one another. */
export const sumsRow = z.object({
  currency: text,
  realized: decimal,
  fees: decimal,
  funding: decimal,
  /** Realised and funding, less fees. */
  net: decimal,
})

export const pnlRow = z.object({ key: text, fills: count, sums: z.array(sumsRow) })

/** What may come at the cursor. */
export const completionRow = z.object({
  /** Put in the place of what is there. */
  text,
  label: text,
  detail: optionalText,
})

/** Why a line would be refused before anything ran. */
export const lineFault = z.object({
  message: text,
  /** From 1, in UTF-16 units. */
  column: z.exactOptional(count),
  hint: optionalText,
})

/** A file of the config directory that a person has to repair. */
export const fileFaultRow = z.object({ file: text, message: text })

/** An account whose orders are held up, or not sent. */
export const guardRow = z.object({
  account: text,
  /** `reducing`, `halted`, or a later one; absent: they are sent. */
  guard: optionalText,
  simulated: z.exactOptional(flag),
  since: optionalTime,
  by: optionalText,
})

export type RunRow = z.output<typeof runRow>
export type RunOrderRow = z.output<typeof runOrderRow>
export type CopyRow = z.output<typeof copyRow>
export type FillRow = z.output<typeof fillRow>
export type CandleRow = z.output<typeof candleRow>
export type BookRow = z.output<typeof bookRow>
export type TickerRow = z.output<typeof tickerRow>
export type DayRow = z.output<typeof dayRow>
export type MarketRow = z.output<typeof marketRow>
export type EquityPoint = z.output<typeof equityPoint>
export type EquityRow = z.output<typeof equityRow>
export type PnlRow = z.output<typeof pnlRow>
export type CompletionRow = z.output<typeof completionRow>
export type GuardRow = z.output<typeof guardRow>

/** What is left, at the moment of the answer, of the limits of a hook that count runs; absent: it has no such limit. */
export const hookLeftRow = z.object({
  hookId: z.string(),
  /** 1, or 0 once the one run was. */
  once: z.exactOptional(z.int()),
  /** Runs that the rate lets begin now. */
  rate: z.exactOptional(z.int()),
  /** Runs until 00:00 UTC. */
  perDay: z.exactOptional(z.int()),
  /** Until the cooldown is over. */
  cooldownMs: z.exactOptional(z.int()),
})

/** How the fires of a hook went in the last 24 h. */
export const hookDayRow = z.object({
  hookId: z.string(),
  fires: z.int(),
  ok: z.int(),
  failed: z.int(),
  /** By a limit, or a pause. */
  skipped: z.int(),
  /** They waited too long. */
  expired: z.int(),
  /** How long runs took, in ms, of the newest thousand; absent: none has ended. */
  medianMs: z.exactOptional(z.number()),
  p95Ms: z.exactOptional(z.number()),
  last: z.exactOptional(
    z.object({
      runId: z.string(),
      at: time,
      /** `ok`, `failed`, `skipped`, `expired`, or a later one. */
      outcome: z.string(),
      error: z.exactOptional(z.string()),
    }),
  ),
})

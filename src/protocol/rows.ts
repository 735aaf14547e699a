// The rows that cross the wire, stated once. Stores build theirs on these (`src/stores`), so a field that is added here is
// checked in the file, sent, and decoded; what a row has beyond these fields never leaves. `frames.ts` puts them in frames.
//
// Values that may be added to later are plain text from hookline to clients (PROTOCOL.md, Versions): a client that knows
// `stop` must not refuse a snapshot with an order of a type that came after it.
import * as z from 'zod/mini'

/** ms since the epoch, as far as `Date` goes. Files may also have it as ISO text. */
export const time = z
  .int('must be a whole number')
  .check(z.nonnegative('must not be negative'), z.maximum(8.64e15, 'must be a time'))

/** A date and a time with its zone, as `toISOString` and most programs write it. */
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/

/** @returns ms since the epoch; the text itself where it is not such a time */
export function timeOf(text: string): number | string {
  const ms = ISO.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? text : ms
}

/** When an edit was made, as clients write it: ms since the epoch, with or without a fraction, or ISO text. */
export const editTime = z.pipe(
  z.transform((value: unknown) =>
    typeof value === 'string' ? timeOf(value) : typeof value === 'number' ? Math.floor(value) : value,
  ),
  time,
)

/** 16 random bytes. Files may also have it in upper case. */
export const hex32 = z.string().check(z.regex(/^[0-9a-f]{32}$/, 'must be 32 hex characters'))

/** Longest name of an account or hook, and longest symbol, in UTF-16 units. */
export const NAME_LENGTH = 64

export const name = z
  .string()
  .check(z.minLength(1, 'must not be empty'), z.maxLength(NAME_LENGTH, `is longer than ${NAME_LENGTH} characters`))

/** What a client may do, from the least to the most. */
export const GRANT_LEVELS = ['look', 'propose', 'trade'] as const
export type GrantLevel = (typeof GRANT_LEVELS)[number]
/** Accounts, and symbols, of one grant. */
export const MOST_NAMED = 64
/** The longest grant, and one whose end is not named. */
export const GRANT_MS = 7 * 24 * 60 * 60 * 1_000

const dollars = z.exactOptional(z.string().check(z.regex(/^\d{1,15}(?:\.\d{1,8})?$/, 'must be dollars in quotes')))
const fewNames = z.exactOptional(z.array(name).check(z.minLength(1), z.maxLength(MOST_NAMED)))

/**
 * Dollars are decimals in text. Absent limits: none; `proposalsPerHour`: 20. `perOrder` and `perDay` (since 00:00 UTC) hold for what adds;
 * `accounts` for all that acts; `symbols` for what adds.
 */
export const grantTerms = {
  may: z.enum(GRANT_LEVELS),
  perOrder: dollars,
  perDay: dollars,
  accounts: fewNames,
  symbols: fewNames,
  proposalsPerHour: z.exactOptional(z.int().check(z.minimum(0), z.maximum(1_000))),
}

/** A grant that a client asks for. A limit whose name is misspelt would not hold: it is refused. `forMs`: how long; absent: 7 days. */
export const askedGrant = z.strictObject({
  ...grantTerms,
  forMs: z.exactOptional(z.int().check(z.minimum(60_000), z.maximum(GRANT_MS))),
})
export type AskedGrant = Readonly<z.output<typeof askedGrant>>

/** `changed`: it is open, and what it would order is not what was shown before. */
export type ProposalState = 'proposed' | 'changed' | 'approved' | 'begun' | 'denied' | 'expired' | 'withdrawn'

/** Whether a proposal waits for the operator. */
export function isOpen({ state }: { readonly state: string }): boolean {
  return state === 'proposed' || state === 'changed'
}

/** A figure of money, price or amount: a decimal in text, in plain notation, never a float. */
export const decimal = z.string().check(z.regex(/^[+-]?\d{1,80}(\.\d{1,80})?$/, 'must be a decimal'))

// One schema for all fields of a kind: to make one costs 20 µs of every start, and there are a hundred fields.
const text = z.string()
const flag = z.boolean()
const optionalText = z.exactOptional(text)
const optionalFlag = z.exactOptional(flag)
const optionalDecimal = z.exactOptional(decimal)
const optionalName = z.exactOptional(name)

/** An account as others see it: never with its keys (behaviour 18). */
export const accountRow = z.object({
  name,
  exchange: text,
  hasCredentials: flag,
  /** Which of the venue's markets it trades: one of `MARKET_KINDS`, or a later one. Absent: the venue's own default. */
  kind: optionalText,
  /** On the venue's place for practice, where no money is real. */
  demo: optionalFlag,
  createdAt: time,
  updatedAt: time,
})

/**
 * What an account may prove itself with: the names of ccxt's `requiredCredentials`, and two that other programs use for the same. They are
 * kept as they come and never sent.
 */
export const CREDENTIALS = [
  'apiKey',
  'secret',
  'uid',
  'accountId',
  'login',
  'password',
  'twofa',
  'privateKey',
  'walletAddress',
  'token',
  'apiSecret',
  'passphrase',
] as const
export type Credential = (typeof CREDENTIALS)[number]

/** Which of a venue's places the keys are for; each decides whether money is real. */
export const ACCOUNT_SWITCHES = ['testnet', 'sandbox', 'demo'] as const
export const ACCOUNT_PLACES = ['subaccount'] as const

/** Kinds of market, so far. */
export const MARKET_KINDS = ['spot', 'linear', 'inverse'] as const
/** Where the keys of an account may be (behaviour 43). */
export const KEY_SOURCES = ['environment', 'file', 'keychain', 'vault'] as const
export type KeySource = (typeof KEY_SOURCES)[number]

/** What a task may be, so far. */
export const TASK_STATUSES = ['running', 'done', 'failed', 'cancelled', 'interrupted'] as const

/** Kinds of task that order nothing themselves: they report, or run a line. */
export const ORDERLESS_TASKS: ReadonlySet<string> = new Set(['alert', 'when', 'every', 'at'])

/** Work that outlives its command (behaviour 25). */
export const taskRow = z.object({
  id: text,
  kind: text,
  account: text,
  symbol: text,
  command: text,
  runId: text,
  /** One of `TASK_STATUSES`, or a later one. */
  status: text,
  /** From 0 to 1, for display. */
  progress: z.number(),
  startedAt: time,
  updatedAt: time,
  /** What it does now, one short line. */
  doing: optionalText,
  /** Why it ended, or what it waits for. */
  reason: optionalText,
  /** It places nothing until it is resumed. */
  paused: optionalFlag,
  /** It lowers risk, and goes on by itself after a restart. */
  protective: optionalFlag,
  /** The whole, what of it has filled, and the average price of that. In the market's amount unit. */
  amount: optionalDecimal,
  filled: optionalDecimal,
  average: optionalDecimal,
  /** Where it rests, where its stop is, or the price that it waits for. */
  price: optionalDecimal,
  /** What comes of what it waits for: the words of an alert, or the line that runs. */
  words: optionalText,
  /** Ids, at the venue, of its orders that rest. */
  orderIds: z.exactOptional(z.array(z.string())),
  /** When it ends at the latest. */
  endsAt: z.exactOptional(time),
})

/** One-way: one row per symbol with an open position. */
export const positionRow = z.object({
  symbol: text,
  /** `long`, `short`, or a later one. */
  side: text,
  amount: decimal,
  entryPrice: decimal,
  /** These three are absent where the venue does not report. */
  markPrice: optionalDecimal,
  unrealizedPnl: optionalDecimal,
  realizedPnl: optionalDecimal,
  notional: decimal,
  /** What profits are counted in. */
  settle: optionalText,
  /** As far as the venue reports. */
  leverage: optionalDecimal,
  marginMode: optionalText,
  liquidationPrice: optionalDecimal,
  /** What it locks at its leverage, in what it is settled in; older hooklines do not send it. */
  margin: optionalDecimal,
})

/** An order that ends a position, or a part of it. */
const exitRow = z.object({
  id: text,
  /** `stop`, `stop-limit`, `take-profit`, `limit`, or a later one. */
  type: text,
  /** Where it is triggered; of a limit order its limit. Absent where the venue does not report. */
  price: optionalDecimal,
  /** In the market's amount unit; absent: the whole position, whatever it is by then. */
  amount: optionalDecimal,
  /** What the stops, or targets, that trigger before it leave it to close, `0` for nothing. Absent: as much as its amount. */
  closes: optionalDecimal,
})

/** A position with what covers it and what was risked, as `positions` shows it. */
export const positionDetailRow = z.object({
  ...positionRow.shape,
  /** How far the mark has gone from the entry, in percent, for the position. */
  movePercent: optionalDecimal,
  /** What it loses at the stops of its entries, in what it is settled in, and `unrealizedPnl` as a multiple of that; absent: not known. */
  risk: optionalDecimal,
  r: optionalDecimal,
  /** The one that is reached first before the others. These three are absent where the orders are not known. */
  stops: z.exactOptional(z.array(exitRow)),
  targets: z.exactOptional(z.array(exitRow)),
  /** What of the amount no stop ends: `0` where it is covered whole. */
  uncovered: optionalDecimal,
})

/** In which steps a market is traded. */
export const marketStepRow = z.object({
  symbol: text,
  /** The distance between prices, at the price of now. */
  tick: optionalDecimal,
  lotSize: decimal,
})

/** What every order has, resting, past or planned. */
export const orderTerms = {
  symbol: text,
  /** `buy`, `sell`, or a later one. */
  side: text,
  /** `market`, `limit`, `stop`, or a later one. */
  type: text,
  amount: decimal,
  price: optionalDecimal,
  triggerPrice: optionalDecimal,
}

/** Where a stop or a take-profit goes once its entry has filled. */
const optionalBracket = z.exactOptional(z.object({ triggerPrice: decimal, pnl: optionalDecimal, net: optionalDecimal }))

/** A resting order or stop. */
export const orderRow = z.object({
  id: text,
  ...orderTerms,
  filled: decimal,
  /** Of a stop with two triggers. */
  takeProfitPrice: optionalDecimal,
  /** Of what filled. */
  average: optionalDecimal,
  reduceOnly: flag,
  postOnly: flag,
  /** `open`, or a later one; older hooklines do not say. */
  status: optionalText,
  timestamp: time,
  /** Of one that ends what is held: what that makes against its entry, before fees; at its price and at its take-profit. */
  pnl: optionalDecimal,
  takeProfitPnl: optionalDecimal,
  /** The same after the fees of its entry, estimated as a taker's, and of this exit. */
  net: optionalDecimal,
  takeProfitNet: optionalDecimal,
  /** Of an exit: what those that are reached before it leave it to close, `0` for nothing. Absent: as much as its amount. */
  closes: optionalDecimal,
  /** Of an entry that has not filled: what protects it then, and what that makes from the entry's own price: before fees, and `net` of those of both. */
  stop: optionalBracket,
  takeProfit: optionalBracket,
})

/** How a copier trades, so far. */
export const COPIER_MODES = ['Market', 'LimitSlippage', 'Chase'] as const
export const MAX_COPIERS = 100

export const copierRow = z.object({
  account: name,
  symbol: optionalName,
  /** Negative: trades the other way. */
  weight: z.number(),
  /** One of `COPIER_MODES`, or a later one. */
  mode: text,
  /** Of `LimitSlippage`: how far from the price it may trade, in percent: `0.2`, also `0.2%`. Absent: hookline's own. */
  slippage: optionalText,
})

/** Which account's positions are mirrored onto which others (behaviour 24). */
export const crossTradeRow = z.object({
  id: z.uuid('must be a UUID'),
  enabled: flag,
  masterAccount: name,
  /** Absent: all symbols. */
  masterSymbol: optionalName,
  masterWeight: z.number(),
  copiers: z.array(copierRow),
  updatedAt: time,
})

/** One copier on one symbol, as the engine sees it. Amounts are signed, in the amount unit of the copier's market. */
export const copierStateRow = z.object({
  configId: text,
  account: name,
  symbol: name,
  /** `in-step`, `differs`, `behind`, `waiting`, `blocked`, `paused`, `stale`, `unknown`, or a later one. */
  state: text,
  /** What it should hold by its row, and what its own orders have built. */
  desired: decimal,
  owned: decimal,
  /** Why it is not in step, where there is more to say: one line. */
  why: optionalText,
})

/** A copier as clients and files may have it: what hookline does not know, it would not trade by. */
export const copierFields = {
  ...copierRow.shape,
  slippage: z.exactOptional(
    z.string().check(z.regex(/^\d{1,2}(\.\d{1,6})?%?$/, 'must be a percentage below 100: `0.2`')),
  ),
  mode: z.enum(COPIER_MODES, `must be ${COPIER_MODES.slice(0, -1).join(', ')} or ${COPIER_MODES.at(-1)}`),
}

/** A row as it is to be written: a client adds the time of its edit, and what is not said of `enabled` stays as it is. */
export const crossTradeDraft = z.object({
  id: z.uuid('must be a UUID'),
  masterAccount: name,
  masterSymbol: optionalName,
  masterWeight: z.number(),
  copiers: z.array(copierRow),
})

/** Checks the number of copiers of a row that is kept. */
export const fewCopiers = z.maxLength(MAX_COPIERS, `has more than ${MAX_COPIERS} copiers`)

/** A row of a shape, without what a `z.looseObject` lets through beside its fields. */
export type RowOf<Shape extends z.core.$ZodLooseShape> = z.output<z.ZodMiniObject<Shape, z.core.$strip>>

/** What a notice is about (behaviour 50). */
export const NOTICE_KINDS = [
  'fill',
  'stop',
  'failed-hook',
  'paused-hook',
  'guard',
  'unknown-order',
  'task',
  'halt',
  'said',
] as const

/** Something that the operator was told of, wherever that was. */
export const noticeRow = z.object({
  /** Grows with each notice of one process. */
  id: z.int(),
  /** When it was last said. */
  at: time,
  /** One of `NOTICE_KINDS`, or a later one. */
  kind: text,
  /** `info`, `warn` or `urgent`. */
  severity: text,
  text,
  /** How often the same was said within a minute. */
  count: z.int(),
  account: optionalText,
  /** The name of the hook. */
  hook: optionalText,
})

export type NoticeKind = (typeof NOTICE_KINDS)[number]
export type NoticeRow = z.output<typeof noticeRow>
export type AccountRow = z.output<typeof accountRow>
export type TaskRow = z.output<typeof taskRow>
export type PositionRow = z.output<typeof positionRow>
export type ExitRow = z.output<typeof exitRow>
export type PositionDetailRow = z.output<typeof positionDetailRow>
export type OrderRow = z.output<typeof orderRow>
export type CopierStateRow = z.output<typeof copierStateRow>
export type CrossTradeRow = z.output<typeof crossTradeRow>

// Hooks as they cross the wire: rows like those of `rows.ts`, on which the store builds its own.

const optionalCount = z.exactOptional(z.int())

/** What the fires of a hook are held to (behaviour 47). */
const hookLimitsRow = z.object({
  cooldownMs: optionalCount,
  rate: z.exactOptional(z.object({ fires: z.int(), ms: z.int() })),
  /** Dollars that the orders of one fire may be worth. */
  max: optionalText,
  /** Runs since 00:00 UTC. */
  perDay: optionalCount,
  /** `from` and `to` as `0930`; `zone` absent: UTC; `days`, as `mon`, absent: every day. */
  window: z.exactOptional(
    z.object({ from: text, to: text, zone: optionalText, days: z.exactOptional(z.array(z.string())) }),
  ),
  once: optionalFlag,
  /** `flat`, `long`, `short`, or a later one. */
  onlyIf: optionalText,
})

/** Why a hook's fires run nothing. `by`: `terminal`, `page`, `hook`, `failures`, `once`, or a later one. */
const hookPauseRow = z.object({ since: time, by: text, why: optionalText, until: z.exactOptional(time) })

/** What fires a hook besides a POST: `every mon 09:00 Europe/Berlin`, or a condition, of `symbol` (behaviour 52). */
const hookTriggerRow = z.object({
  text,
  symbol: optionalText,
  since: time,
  /** Of times: the next one; absent: it is over. */
  next: z.exactOptional(time),
  /** Of a condition: `rsi`, `[14]`, `close`, `1h`. */
  indicators: z.exactOptional(
    z.array(z.object({ name: text, params: z.array(z.number()), source: text, frame: text })),
  ),
  // Where this hookline judges it:
  /** When the bar closed that was judged last. */
  judgedAt: z.exactOptional(time),
  /** When it fired last. */
  firedAt: z.exactOptional(time),
  /** The latest, oldest first; `price` absent: of a time, or missed; `outcome`: `accepted`, with its run, `lost`, `unknown`, or a later one. */
  fires: z.exactOptional(z.array(z.object({ at: time, price: optionalDecimal, outcome: text, run: optionalText }))),
  /** By `rsi(14, 1h)`; null: not known. */
  values: z.exactOptional(z.record(text, z.nullable(z.number()))),
  /** Each comparison both sides of which are known. */
  comparisons: z.exactOptional(z.array(z.object({ text, left: z.number(), right: z.number() }))),
  /** Whether the condition is true, as judged last; absent: not known. */
  holds: z.exactOptional(z.boolean()),
  /** Why it is not judged now. */
  trouble: optionalText,
})

/** A hook as others see it: never with its secret (behaviour 105). */
export const hookRow = z.object({
  id: text,
  name: text,
  command: text,
  account: optionalText,
  createdAt: time,
  /** Runs at once, and how long a fire may wait (behaviour 30); absent: 20, 30 s. */
  parallel: optionalCount,
  maxAgeMs: optionalCount,
  /** What its fires order is worked out and not sent (behaviour 40). */
  dry: optionalFlag,
  limits: z.exactOptional(hookLimitsRow),
  /** Absent: only a POST fires it. */
  when: z.exactOptional(hookTriggerRow),
  /** Absent: it runs. */
  paused: z.exactOptional(hookPauseRow),
})

export type HookRow = z.output<typeof hookRow>

// What of a stored row may leave: the fields that the wire names.

/** What `pick` may be given: the row, and anything beside it, of values that the wire leaves open. */
type Wider<Row> = Row extends readonly (infer Item)[]
  ? readonly Wider<Item>[]
  : Row extends object
    ? { readonly [Field in keyof Row]: Wider<Row[Field]> }
    : Row

/**
 * The fields that `schema` names and nothing else (behaviour 18), in its order, undefined ones not at all. Goes into objects in arrays.
 */
export function pick<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodMiniObject<Shape, z.core.$strip>,
  row: Wider<RowOf<Shape>>,
): RowOf<Shape> {
  return picked(schema, row) as RowOf<Shape>
}

function picked(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodMiniExactOptional) return picked(schema.def.innerType, value)
  if (schema instanceof z.ZodMiniArray && Array.isArray(value)) {
    return value.map((item) => picked(schema.def.element, item))
  }
  if (!(schema instanceof z.ZodMiniObject) || typeof value !== 'object' || value === null) return value
  const fields = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(schema.def.shape).flatMap(([field, type]) =>
      fields[field] === undefined ? [] : [[field, picked(type as z.core.$ZodType, fields[field])]],
    ),
  )
}

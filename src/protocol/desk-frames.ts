// What a page asks besides topics, commands and edits: the rows, the questions, their answers, and the topics that go with them. `QUESTIONS` is
// the table by which both sides work: a question that is added is declared here, answered in `listener/requests`, and asked by `client/questions.ts`.
import * as z from 'zod/mini'
import { INTERVALS } from '../base/candle-intervals.ts'
import { preview } from './preview.ts'
import { crossTradeDraft, decimal, editTime, name, orderTerms, time } from './rows.ts'
import { WIRE_LIMITS } from './wire-limits.ts'

// --- rows: as in `rows.ts`, words that may be added to later are plain text -----------------------------------------------------

const text = z.string()
const flag = z.boolean()
const count = z.int()
const optionalText = z.exactOptional(text)
const optionalDecimal = z.exactOptional(decimal)
const optionalFlag = z.exactOptional(flag)
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
  /** What of the hook's own condition or times fired it; absent: a POST, or a person. */
  trigger: optionalText,
  /** What the alert filled into the slots of the command. */
  values: z.exactOptional(z.record(text, text)),
  account: optionalText,
  /** When it was accepted. */
  startedAt: time,
  finishedAt: optionalTime,
  /** `waiting`, `running`, `done`, `failed`, `interrupted`, or a later one. */
  state: text,
  error: optionalText,
  /** What it brought, in one sentence, the result first. Absent: it only printed, changed nothing, or was typed in a terminal. */
  outcome: optionalText,
  /** It is `done`, and has warned of something to look after. */
  warned: optionalFlag,
  /** It is `done`, and a person answered its question with no. */
  declined: optionalFlag,
  /** Of a `failed` one of which nothing began: `skipped`, `expired`, `refused`, `stopped`, or a later word. */
  unbegun: optionalText,
})

/** Of one run: a line that was kept, so many ms after the run was accepted. */
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
  ...orderTerms,
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
  /** Of its order. Older hooklines do not send them. */
  note: optionalText,
  tags: z.exactOptional(z.array(z.string())),
})

/** When it opened; open, high, low, close; volume in base, where the venue reports it. */
export const candleRow = z.tuple([time, decimal, decimal, decimal, decimal, z.nullable(decimal)])

/** Price and amount, best first. */
const level = z.tuple([decimal, decimal])

export const bookRow = z.object({ bids: z.array(level), asks: z.array(level), timestamp: time })

/** Time in ms since the epoch, price, amount, and the taker's side. */
export const tapeRow = z.tuple([time, decimal, decimal, z.enum(['buy', 'sell'])])

export const tickerRow = z.object({ last: decimal, bid: decimal, ask: decimal, timestamp: time })

/** What a market did in the last 24 hours, as exactly as its candles tell when they began. */
export const dayRow = z.object({
  since: time,
  open: decimal,
  high: decimal,
  low: decimal,
  /** A share of the position: `0.0001`; longs pay where it is above zero. Absent: the exchange reports none. */
  fundingRate: optionalDecimal,
  fundingAt: optionalTime,
})

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
export const fileFaultRow = z.object({
  file: text,
  message: text,
  /** `row`: it is not used, and the other rows are; `file`, `newer`, `setting`, `switch`, or a later one. Older hooklines do not send it. */
  kind: optionalText,
})

/** An account whose orders are held up, or not sent. */
export const guardRow = z.object({
  account: text,
  /** `reducing`, `halted`, or a later one; absent: they are sent. */
  guard: optionalText,
  simulated: z.exactOptional(flag),
  since: optionalTime,
  by: optionalText,
})

/** An order of the past, or one that rests; also of other programs, as far as the venue lists it. Its `state` is as of `runOrderRow`, or `open`. */
export const pastOrderRow = z.object({
  orderId: optionalText,
  clientOrderId: optionalText,
  at: time,
  ...orderTerms,
  takeProfitPrice: optionalDecimal,
  reduceOnly: flag,
  state: text,
  filled: decimal,
  average: optionalDecimal,
  /** Why it was refused. */
  reason: optionalText,
  /** `stop` or `take`, where it protects a position. */
  role: optionalText,
  /** Who ordered it, as the keys of `pnl:page`; absent: not this directory. */
  by: optionalText,
  runId: optionalText,
  /** The task that ordered it. */
  taskId: optionalText,
  note: optionalText,
  tags: z.exactOptional(z.array(z.string())),
})

/** What a market did in 24 h, and its next funding; what the venue does not report is absent. */
export const marketSummaryRow = z.object({
  symbol: text,
  last: optionalDecimal,
  /** The distance between prices. */
  tick: optionalDecimal,
  mark: optionalDecimal,
  /** Of last against last 24 h ago. */
  changePercent: optionalDecimal,
  /** In quote. */
  quoteVolume: optionalDecimal,
  /** A share of the position: `0.0001`; longs pay where it is above zero. */
  fundingRate: optionalDecimal,
  fundingAt: optionalTime,
  /** Why nothing of it is known. */
  problem: optionalText,
})

/** A trade from flat to flat, or one that is still open. Amounts are in the market's unit, prices averages. */
export const tradeRow = z.object({
  symbol: text,
  side: text,
  openedAt: time,
  closedAt: optionalTime,
  entered: decimal,
  entryPrice: decimal,
  exited: decimal,
  exitPrice: optionalDecimal,
  fills: count,
  /** Of the orders that filled, the one that opened it first. */
  orderIds: z.array(text),
  /** What it has brought. */
  sums: z.array(sumsRow),
  /** What it loses at the stops of its entries, and what it brought after fees as a multiple of that. */
  risk: optionalDecimal,
  r: optionalDecimal,
  /** Who opened it, as the keys of `pnl:page`. */
  by: optionalText,
  note: optionalText,
  tags: z.exactOptional(z.array(text)),
})

/** What closed trades of one currency brought, after fees. */
const tradeSumsRow = z.object({
  currency: text,
  realized: decimal,
  fees: decimal,
  /** Absent: not known, and not in `net`. */
  funding: optionalDecimal,
  net: decimal,
  /** Gross profit divided by gross loss; absent without a loss. */
  profitFactor: optionalDecimal,
})

export type RunRow = z.output<typeof runRow>
export type TradeRow = z.output<typeof tradeRow>
export type RunOrderRow = z.output<typeof runOrderRow>
export type CopyRow = z.output<typeof copyRow>
export type FillRow = z.output<typeof fillRow>
export type CandleRow = z.output<typeof candleRow>
export type BookRow = z.output<typeof bookRow>
export type TapeRow = z.output<typeof tapeRow>
export type TickerRow = z.output<typeof tickerRow>
export type DayRow = z.output<typeof dayRow>
export type MarketRow = z.output<typeof marketRow>
export type EquityPoint = z.output<typeof equityPoint>
export type EquityRow = z.output<typeof equityRow>
export type PnlRow = z.output<typeof pnlRow>
export type CompletionRow = z.output<typeof completionRow>
export type GuardRow = z.output<typeof guardRow>

/** A line that a client proposes. `line`: what would run, its aliases and variables resolved. Times are ms since the epoch. */
export const proposalRow = z.object({
  id: text,
  /** `proposed`, `changed`, `approved`, `begun`, `denied`, `expired`, `withdrawn`, or a later one. */
  state: text,
  at: time,
  until: time,
  clientId: text,
  label: text,
  account: text,
  symbol: text,
  line: text,
  /** The words of the client. */
  reason: text,
  /** What it would order, as it was shown last; absent once it is over. */
  preview: z.exactOptional(preview),
  /** Of what it shows while it is open; `approve` returns it. Older hooklines do not send it. */
  digest: optionalText,
  /** Of one that has begun. */
  runId: optionalText,
  /** Its run has ended. */
  run: z.exactOptional(z.object({ success: flag, outcome: optionalText, error: optionalText })),
  /** Why it has expired. */
  why: optionalText,
})
export type ProposalRow = z.output<typeof proposalRow>

/** A client that the operator has approved, as the console sees it: never with its id, which is all that some prove themselves by. */
export const clientRow = z.object({
  /** Names it to `clients:narrow`. */
  ref: text,
  label: text,
  origin: text,
  approvedAt: time,
  /** It proves itself by a key. */
  hasKey: flag,
  /** Open sessions. */
  connected: count,
  /** It is the one that asks. */
  isYou: z.exactOptional(z.literal(true)),
  /** Absent: it may do what pages may without one. */
  grant: z.exactOptional(
    z.object({
      /** `look`, `propose`, `trade`, or a later one. */
      may: text,
      perOrder: optionalDecimal,
      perDay: optionalDecimal,
      /** Dollars that its orders are worth since 00:00 UTC; absent: it cannot be told. */
      usedToday: optionalDecimal,
      accounts: z.exactOptional(z.array(text)),
      symbols: z.exactOptional(z.array(text)),
      proposalsPerHour: z.exactOptional(z.int()),
      until: time,
      hasEnded: z.exactOptional(z.literal(true)),
    }),
  ),
})
export type ClientRow = z.output<typeof clientRow>

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
  /** How long runs took from their acceptance, in ms, of the newest thousand; absent: none has ended. */
  medianMs: z.exactOptional(z.number()),
  p95Ms: z.exactOptional(z.number()),
  last: z.exactOptional(
    z.object({
      runId: z.string(),
      at: time,
      /** `ok`, `failed`, `skipped`, `expired`, or a later one. */
      outcome: z.string(),
      /** It is `ok`, and has warned of something to look after. */
      warned: optionalFlag,
      error: z.exactOptional(z.string()),
    }),
  ),
})

// --- client to hookline: each has an `id`, and is answered under it, by its own frame or by an `error` --------------------------

const shortText = (max: number) => z.string().check(z.minLength(1), z.maxLength(max))
const id = shortText(WIRE_LIMITS.idLength)
const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be 64 hex characters'))
const account = z.exactOptional(name)
const symbol = z.exactOptional(name)
const filter = z.exactOptional(shortText(WIRE_LIMITS.filterLength))
const from = z.exactOptional(editTime)
/** A place, as an answer gave it; a text of any other kind is refused. */
const cursor = z.exactOptional(shortText(WIRE_LIMITS.cursorLength))
const upTo = (max: number, min = 1) => z.exactOptional(z.int().check(z.gte(min), z.lte(max)))
const pageSize = upTo(WIRE_LIMITS.pageRows)

/** Runs that match all of them, newest first. */
const runsQuery = z.object({
  t: z.literal('runs:query'),
  id,
  limit: pageSize,
  cursor,
  filters: z.exactOptional(
    z.object({
      hookId: filter,
      source: filter,
      account: filter,
      /** Named in the command or in the alert. */
      symbol: filter,
      status: filter,
      /** Anywhere in the command, the hook's name, the client's label or the error. */
      text: filter,
      from,
      to: from,
    }),
  ),
})

const runsShow = z.object({ t: z.literal('runs:show'), id, runId: shortText(WIRE_LIMITS.nameLength) })

/** Fills of one account, newest first. */
const fillsQuery = z.object({
  t: z.literal('fills:query'),
  id,
  account,
  limit: pageSize,
  cursor,
  filters: z.exactOptional(z.object({ symbol: filter, source: filter, hookId: filter, from, to: from })),
})

/** What an account was worth. */
const equityQuery = z.object({
  t: z.literal('equity:query'),
  id,
  account,
  from,
  to: from,
  points: upTo(WIRE_LIMITS.equityPoints, 2),
})

/** What was realised. `account` absent: every account, where it is grouped by them, and else the one in focus. */
const pnlQuery = z.object({
  t: z.literal('pnl:query'),
  id,
  by: z.enum(['day', 'symbol', 'hook', 'account']),
  account,
  symbol,
  from,
  to: from,
  /** In which days begin and end, as `Europe/Berlin`; absent: UTC. */
  zone: z.exactOptional(shortText(WIRE_LIMITS.nameLength)),
})

/** What closed trades add up to. */
const tradesQuery = z.object({ t: z.literal('trades:query'), id, account, symbol, from, to: from, limit: pageSize })

/** Every order that is known of one account, newest first. */
const ordersQuery = z.object({ t: z.literal('orders:query'), id, account, symbol, limit: pageSize })

/** Price, 24 h and funding of several markets. */
const marketsQuery = z.object({
  t: z.literal('markets:query'),
  id,
  account,
  symbols: z.array(name).check(z.minLength(1), z.maxLength(WIRE_LIMITS.watchlist)),
})

/** What copiers ordered last, newest first. */
const copiesQuery = z.object({ t: z.literal('copies:query'), id, limit: pageSize })

/** A line for a person to approve; nothing of it runs before that. `account`: where. `untilMinutes`: default 10. */
const propose = z.object({
  t: z.literal('propose'),
  id,
  line: shortText(WIRE_LIMITS.commandLength),
  account: name,
  symbol,
  reason: shortText(WIRE_LIMITS.reasonLength),
  untilMinutes: upTo(WIRE_LIMITS.proposalMinutes),
})

/** `proposal`: one of this client. */
const withdraw = z.object({ t: z.literal('withdraw'), id, proposal: shortText(WIRE_LIMITS.idLength) })

/** Runs a proposal of another client. `shown`: the digest of what the person saw. */
const approve = z.object({ t: z.literal('approve'), id, proposal: shortText(WIRE_LIMITS.idLength), shown: digest })
const deny = z.object({ t: z.literal('deny'), id, proposal: shortText(WIRE_LIMITS.idLength) })

/** Clients that the operator has approved, newest last; for the console alone. */
const clientsQuery = z.object({ t: z.literal('clients:query'), id })
/** Takes power away, and gives none. `client`: the `ref` of its row. `to`: what it may from now on; `none` revokes it. */
const clientsNarrow = z.object({
  t: z.literal('clients:narrow'),
  id,
  client: z.string().check(z.regex(/^[0-9a-f]{16}$/, 'must be 16 hex characters')),
  to: z.enum(['propose', 'look', 'none']),
})

/** As it was typed: hookline reads it. */
const typed = z.exactOptional(z.string().check(z.maxLength(WIRE_LIMITS.nameLength)))

/** Whether a pair could be copied as it was typed; nothing is changed. `configId`: of a row that there is, whose other copiers stay. */
const copyCheck = z.object({
  t: z.literal('copy:check'),
  id,
  configId: z.exactOptional(z.uuid()),
  masterAccount: typed,
  masterSymbol: typed,
  masterWeight: typed,
  account: typed,
  symbol: typed,
  weight: typed,
  mode: typed,
  slippage: typed,
})

/** Until `market:unwatch` with the same id, or the end of the session. */
const marketWatch = z.object({
  t: z.literal('market:watch'),
  id,
  account,
  symbol: name,
  interval: z.exactOptional(z.enum(INTERVALS)),
  /** Its public trades, too. */
  tape: z.exactOptional(z.literal(true)),
})
const marketUnwatch = z.object({ t: z.literal('market:unwatch'), id })

/** Another account than the one in focus; as `market:watch`. */
const portfolioWatch = z.object({ t: z.literal('portfolio:watch'), id, account, symbol })
const portfolioUnwatch = z.object({ t: z.literal('portfolio:unwatch'), id })

/** What may come at the cursor of a line, and whether the line would be refused. */
const complete = z.object({
  t: z.literal('complete'),
  id,
  line: z.string().check(z.maxLength(WIRE_LIMITS.commandLength)),
  /** From 0, in UTF-16 units. */
  cursor: z.int().check(z.gte(0), z.lte(WIRE_LIMITS.commandLength)),
  account,
  symbol,
  /** It is the body of a hook, and may have slots. */
  hook: z.exactOptional(z.boolean()),
})

/** How the fires of each hook went in the last 24 h. */
const hooksCounts = z.object({ t: z.literal('hooks:counts'), id })

/** What a fire of the hook with this body would do now; answered as `preview` is. */
const hooksTest = z.object({
  t: z.literal('hooks:test'),
  id,
  hookId: z.string().check(z.maxLength(64)),
  body: z.exactOptional(z.string().check(z.maxLength(WIRE_LIMITS.commandLength))),
})

/** A hook with a condition or times of its own on the candles of the past so many days; nothing is sent. One at a time. */
const hooksReplay = z.object({
  t: z.literal('hooks:replay'),
  id,
  hookId: z.string().check(z.maxLength(64)),
  days: z.int().check(z.gte(1), z.lte(WIRE_LIMITS.replayDays)),
})

// --- hookline to client ---------------------------------------------------------------------------------------------------------

/** Ask with it for what is older; absent: there is nothing older. */
const next = z.exactOptional(text)
/** Why a figure may be incomplete, one line each. */
const gaps = z.array(text)
/** Rows beyond what a frame holds. */
const leftOut = z.exactOptional(count)
/** Only what has changed since the last frame: rows to be put over those that are there. */
const part = z.exactOptional(z.literal(true))

/** A page may hold fewer rows than were asked for, and none, and still have a `next`. */
const runsPage = z.object({ t: z.literal('runs:page'), id: text, runs: z.array(runRow), next })

/** `leftOut`: lines that were not kept. `orders` is absent while accountSync is off. */
const runsRun = z.object({
  t: z.literal('runs:run'),
  id: text,
  run: runRow,
  steps: z.array(stepRow),
  output: z.array(keptLineRow),
  leftOut: count,
  orders: z.exactOptional(z.array(runOrderRow)),
})

const fillsPage = z.object({
  t: z.literal('fills:page'),
  id: text,
  account: text,
  fills: z.array(fillRow),
  next,
  gaps,
})

/** Oldest first. `since`: when the first point was written down. */
const equityPage = z.object({
  t: z.literal('equity:page'),
  id: text,
  account: text,
  currency: z.exactOptional(text),
  since: z.exactOptional(time),
  points: z.array(equityPoint),
})

const pnlPage = z.object({
  t: z.literal('pnl:page'),
  id: text,
  by: text,
  accounts: z.array(text),
  groups: z.array(pnlRow),
  total: pnlRow,
  gaps,
  /** In which its days are; absent: UTC. */
  zone: z.exactOptional(text),
})

/** By what they brought after fees; `open` are not counted. `maxDrawdown` is of equity; absent where a symbol was asked for, or it is not known. */
const tradesSums = z.object({
  t: z.literal('trades:sums'),
  id: text,
  account: text,
  trades: count,
  won: count,
  lost: count,
  even: count,
  unknown: count,
  open: count,
  /** Of 100 trades whose result is known. */
  winRate: optionalDecimal,
  /** Profit after fees by the loss at the stop, of the trades whose risk is known. */
  r: z.exactOptional(z.object({ trades: count, average: decimal, best: decimal, worst: decimal })),
  sums: z.array(tradeSumsRow),
  maxDrawdown: z.exactOptional(z.object({ currency: text, amount: decimal, percent: decimal, from: time, to: time })),
  /** Where a `limit` was asked for: the trades, those still open first, then the newest. `leftOut` counts older ones. */
  list: z.exactOptional(z.array(tradeRow)),
  leftOut,
  gaps,
})

const ordersPage = z.object({
  t: z.literal('orders:page'),
  id: text,
  account: text,
  orders: z.array(pastOrderRow),
  leftOut,
  gaps,
})

const marketsPage = z.object({
  t: z.literal('markets:page'),
  id: text,
  account: text,
  markets: z.array(marketSummaryRow),
})

const copiesPage = z.object({ t: z.literal('copies:page'), id: text, copies: z.array(copyRow) })

/** `config`: the row to be written, where nothing is wrong with it. */
const copyChecked = z.object({
  t: z.literal('copy:checked'),
  id: text,
  problems: z.array(copyProblemRow),
  config: z.exactOptional(crossTradeDraft),
})

const completeOk = z.object({
  t: z.literal('complete:ok'),
  id: text,
  /** An item takes the place of the line from here (from 0) up to the cursor. */
  from: count,
  items: z.array(completionRow),
  /** Items that fit, and are not here. */
  more: z.exactOptional(count),
  error: z.exactOptional(lineFault),
})

/** One watched symbol. What is absent has not changed since the last frame of that `id`. */
const stateMarket = z.object({
  t: z.literal('state:market'),
  id: text,
  account: text,
  exchange: text,
  symbol: text,
  interval: text,
  market: z.exactOptional(marketRow),
  /** The lengths of candles that its exchange has, shortest first. Older hooklines do not send it. */
  intervals: z.exactOptional(z.array(text)),
  /** With `whole`, all that there are, oldest first; else the latest, to be put over those of the same time. */
  candles: z.exactOptional(z.array(candleRow)),
  whole: z.exactOptional(z.literal(true)),
  ticker: z.exactOptional(tickerRow),
  book: z.exactOptional(bookRow),
  /** Where they were asked for and the exchange streams them: the newest, oldest first. */
  tape: z.exactOptional(z.array(tapeRow)),
  /** Older hooklines do not send it. */
  day: z.exactOptional(dayRow),
  /** When the account's replay began: there are no earlier candles. Absent: it has no replay. */
  replayedSince: z.exactOptional(time),
  /** Nothing has come from the exchange since then; absent: it is current. */
  staleSince: z.exactOptional(time),
  /** Why something of it is not there. */
  problem: z.exactOptional(text),
  /** The symbol is of no market of the exchange, or of several: `problem` says which, and the account itself answers. Older hooklines do not send it. */
  unlisted: z.exactOptional(z.literal(true)),
})

/** What is under way, and what has ended lately in this hookline; then what begins and ends. */
const stateRuns = z.object({ t: z.literal('state:runs'), runs: z.array(runRow), part, leftOut })

/** What has filled since this hookline began, newest first, on any account; then what fills. */
const stateFills = z.object({ t: z.literal('state:fills'), fills: z.array(fillRow), part, leftOut })

/** Accounts in use, as they were last looked at: once a minute. */
const stateEquity = z.object({ t: z.literal('state:equity'), accounts: z.array(equityRow) })

const proposed = z.object({ t: z.literal('proposed'), id: text, proposal: proposalRow })
const withdrawn = z.object({ t: z.literal('withdrawn'), id: text, proposal: proposalRow })
/** Its run has begun. */
const approved = z.object({ t: z.literal('approved'), id: text, proposal: proposalRow })
const denied = z.object({ t: z.literal('denied'), id: text, proposal: proposalRow })

/** The newest that the client may see, oldest first. */
const stateProposals = z.object({ t: z.literal('state:proposals'), proposals: z.array(proposalRow) })

const clientsPage = z.object({ t: z.literal('clients:page'), id: text, clients: z.array(clientRow) })
const clientsNarrowed = z.object({ t: z.literal('clients:narrowed'), id: text, clients: z.array(clientRow) })

const hooksDay = z.object({
  t: z.literal('hooks:day'),
  id: text,
  /** Of hooks that have fired; those without a row have not. */
  hooks: z.array(hookDayRow),
  /** Of hooks whose limits count runs. Older hooklines do not say. */
  left: z.exactOptional(z.array(hookLeftRow)),
})

/** A fill of a replay; `pnl` is realised. */
const replayFillRow = z.object({
  at: time,
  side: text,
  amount: decimal,
  price: decimal,
  fee: optionalDecimal,
  pnl: optionalDecimal,
})

const hooksReplayed = z.object({
  t: z.literal('hooks:replayed'),
  id: text,
  hookId: text,
  when: text,
  command: text,
  account: text,
  symbol: text,
  /** Of the candles, their number, and from the begin of the first to the end of the last. */
  frame: text,
  bars: count,
  from: time,
  to: time,
  currency: text,
  balance: decimal,
  /** How many ended so: `done`, `failed`, `skipped`, `running`, `unfilled` (no candle came after it), or a later word. */
  fires: z.array(z.object({ state: text, count })),
  /** The first that did not run, one line. */
  error: optionalText,
  /** The newest, oldest first. */
  fills: z.array(replayFillRow),
  leftOut,
  /** After fees, with what is open at the last close. */
  profit: decimal,
  profitPercent: decimal,
  fees: decimal,
  deepestFall: z.exactOptional(z.object({ amount: decimal, percent: decimal, from: time, to: time })),
  /** From flat to flat; absent `open`: nothing is held at the end. `exits` are the fills that closed a part, or all. */
  trades: count,
  open: z.exactOptional(z.object({ side: text, amount: decimal })),
  exits: z.exactOptional(count),
  winRate: optionalText,
  /** Average R of the trades with a stop. */
  r: optionalText,
  inMarketPercent: text,
  /** Tasks that it began, as they are at the end. */
  tasks: z.array(z.object({ kind: text, status: text, doing: optionalText })),
  /** What the account was worth, at most 401 points: time and value. */
  equity: z.array(z.tuple([time, decimal])),
  /** `stopped` (it took too long), `too-many-fires`, or a later word. */
  ended: optionalText,
  notes: z.array(text),
  /** What candles leave unknown, and what stands for it. */
  assumptions: z.array(text),
})

// --- the table ------------------------------------------------------------------------------------------------------------------

interface QuestionEntry {
  readonly ask: z.ZodMiniObject
  readonly answer: z.ZodMiniObject
  readonly turn: 'at-once' | 'runs' | 'accounts' | 'proposals' | 'clients' | 'replays'
}

/**
 * Each question with its answer. `turn`: answered at once, or after the earlier questions of its session about runs, proposals, clients,
 * accounts or replays; the last two are refused while accountSync is off.
 */
export const QUESTIONS = {
  'runs:query': { ask: runsQuery, answer: runsPage, turn: 'runs' },
  'runs:show': { ask: runsShow, answer: runsRun, turn: 'runs' },
  'fills:query': { ask: fillsQuery, answer: fillsPage, turn: 'accounts' },
  'equity:query': { ask: equityQuery, answer: equityPage, turn: 'accounts' },
  'pnl:query': { ask: pnlQuery, answer: pnlPage, turn: 'accounts' },
  'trades:query': { ask: tradesQuery, answer: tradesSums, turn: 'accounts' },
  'orders:query': { ask: ordersQuery, answer: ordersPage, turn: 'accounts' },
  'markets:query': { ask: marketsQuery, answer: marketsPage, turn: 'accounts' },
  'copies:query': { ask: copiesQuery, answer: copiesPage, turn: 'accounts' },
  'copy:check': { ask: copyCheck, answer: copyChecked, turn: 'accounts' },
  propose: { ask: propose, answer: proposed, turn: 'proposals' },
  withdraw: { ask: withdraw, answer: withdrawn, turn: 'proposals' },
  approve: { ask: approve, answer: approved, turn: 'proposals' },
  deny: { ask: deny, answer: denied, turn: 'proposals' },
  'clients:query': { ask: clientsQuery, answer: clientsPage, turn: 'clients' },
  'clients:narrow': { ask: clientsNarrow, answer: clientsNarrowed, turn: 'clients' },
  complete: { ask: complete, answer: completeOk, turn: 'at-once' },
  'hooks:counts': { ask: hooksCounts, answer: hooksDay, turn: 'at-once' },
  'hooks:replay': { ask: hooksReplay, answer: hooksReplayed, turn: 'replays' },
} as const satisfies Readonly<Record<string, QuestionEntry>>

export type QuestionName = keyof typeof QUESTIONS
export type QuestionFrame<T extends QuestionName = QuestionName> = z.output<(typeof QUESTIONS)[T]['ask']>
export type AnswerTo<T extends QuestionName = QuestionName> = z.output<(typeof QUESTIONS)[T]['answer']>

/** @throws what is a refusal for people; anything else is a bug */
export type Answerers<By = Asking> = {
  readonly [T in QuestionName]: (
    frame: QuestionFrame<T>,
    ...by: (typeof QUESTIONS)[T]['turn'] extends 'proposals' | 'clients' | 'replays' ? [By] : []
  ) => AnswerTo<T> | Promise<AnswerTo<T>>
}

/** The client that asks, as it was let in. */
export interface Asking {
  readonly clientId: string
  readonly origin: string
  /** That it has proved to hold. */
  readonly key?: string
  readonly label: string
  /** It is a page of the console that our server gave out. */
  readonly isServed: boolean
}

const questions = Object.values(QUESTIONS)

export const DESK_REQUESTS = [
  ...questions.map(({ ask }) => ask),
  marketWatch,
  marketUnwatch,
  portfolioWatch,
  portfolioUnwatch,
  hooksTest,
]

export const DESK_ANSWERS = [
  ...questions.map(({ answer }) => answer),
  stateMarket,
  stateRuns,
  stateFills,
  stateEquity,
  stateProposals,
]

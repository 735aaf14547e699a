// What hookline answers to `desk-requests.ts`, and the topics that go with them.
import * as z from 'zod/mini'
import {
  bookRow,
  candleRow,
  completionRow,
  copyProblemRow,
  copyRow,
  dayRow,
  equityPoint,
  equityRow,
  fillRow,
  hookDayRow,
  hookLeftRow,
  keptLineRow,
  lineFault,
  marketRow,
  pnlRow,
  runOrderRow,
  runRow,
  stepRow,
  tickerRow,
} from './desk-rows.ts'
import { crossTradeDraft, time } from './rows.ts'

const text = z.string()
const id = text
const count = z.int()
/** Ask with it for what is older; absent: there is nothing older. */
const next = z.exactOptional(text)
/** Why a figure may be incomplete, one line each. */
const gaps = z.array(text)
/** Rows beyond what a frame holds. */
const leftOut = z.exactOptional(count)
/** Only what has changed since the last frame: rows to be put over those that are there. */
const part = z.exactOptional(z.literal(true))

/** A page may hold fewer rows than were asked for, and none, and still have a `next`. */
export const runsPage = z.object({ t: z.literal('runs:page'), id, runs: z.array(runRow), next })

/** `leftOut`: lines that were not kept. `orders` is absent while accountSync is off. */
export const runsRun = z.object({
  t: z.literal('runs:run'),
  id,
  run: runRow,
  steps: z.array(stepRow),
  output: z.array(keptLineRow),
  leftOut: count,
  orders: z.exactOptional(z.array(runOrderRow)),
})

export const fillsPage = z.object({
  t: z.literal('fills:page'),
  id,
  account: text,
  fills: z.array(fillRow),
  next,
  gaps,
})

/** Oldest first. `since`: when the first point was written down. */
export const equityPage = z.object({
  t: z.literal('equity:page'),
  id,
  account: text,
  currency: z.exactOptional(text),
  since: z.exactOptional(time),
  points: z.array(equityPoint),
})

export const pnlPage = z.object({
  t: z.literal('pnl:page'),
  id,
  by: text,
  accounts: z.array(text),
  groups: z.array(pnlRow),
  total: pnlRow,
  gaps,
  /** In which its days are; absent: UTC. */
  zone: z.exactOptional(text),
})

export const copiesPage = z.object({ t: z.literal('copies:page'), id, copies: z.array(copyRow) })

/** `config`: the row to be written, where nothing is wrong with it. */
export const copyChecked = z.object({
  t: z.literal('copy:checked'),
  id,
  problems: z.array(copyProblemRow),
  config: z.exactOptional(crossTradeDraft),
})

export const completeOk = z.object({
  t: z.literal('complete:ok'),
  id,
  /** An item takes the place of the line from here (from 0) up to the cursor. */
  from: count,
  items: z.array(completionRow),
  /** Items that fit, and are not here. */
  more: z.exactOptional(count),
  error: z.exactOptional(lineFault),
})

/** One watched symbol. What is absent has not changed since the last frame of that `id`. */
export const stateMarket = z.object({
  t: z.literal('state:market'),
  id,
  account: text,
  exchange: text,
  symbol: text,
  interval: text,
  market: z.exactOptional(marketRow),
  /** With `whole`, all that there are, oldest first; else the latest, to be put over those of the same time. */
  candles: z.exactOptional(z.array(candleRow)),
  whole: z.exactOptional(z.literal(true)),
  ticker: z.exactOptional(tickerRow),
  book: z.exactOptional(bookRow),
  /** Older hooklines do not send it. */
  day: z.exactOptional(dayRow),
  /** Nothing has come from the exchange since then; absent: it is current. */
  staleSince: z.exactOptional(time),
  /** Why something of it is not there. */
  problem: z.exactOptional(text),
})

/** What is under way, and what has ended lately in this hookline; then what begins and ends. */
export const stateRuns = z.object({ t: z.literal('state:runs'), runs: z.array(runRow), part, leftOut })

/** What has filled since this hookline began, newest first, on any account; then what fills. */
export const stateFills = z.object({ t: z.literal('state:fills'), fills: z.array(fillRow), part, leftOut })

/** Accounts in use, as they were last looked at: once a minute. */
export const stateEquity = z.object({ t: z.literal('state:equity'), accounts: z.array(equityRow) })

export const hooksDay = z.object({
  t: z.literal('hooks:day'),
  id,
  /** Of hooks that have fired; those without a row have not. */
  hooks: z.array(hookDayRow),
  /** Of hooks whose limits count runs. Older hooklines do not say. */
  left: z.exactOptional(z.array(hookLeftRow)),
})

export const DESK_ANSWERS = [
  runsPage,
  runsRun,
  fillsPage,
  equityPage,
  pnlPage,
  copiesPage,
  copyChecked,
  completeOk,
  hooksDay,
  stateMarket,
  stateRuns,
  stateFills,
  stateEquity,
] as const

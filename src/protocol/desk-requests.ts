// What a page asks besides topics: each frame has an `id`, and is answered under it, by the frame of `desk-answers.ts` or by an `error`.
import * as z from 'zod/mini'
import { editTime, name } from './rows.ts'
import { WIRE_LIMITS } from './wire-limits.ts'

const text = (max: number) => z.string().check(z.minLength(1), z.maxLength(max))
const id = text(WIRE_LIMITS.idLength)
const account = z.exactOptional(name)
const symbol = z.exactOptional(name)
const filter = z.exactOptional(text(WIRE_LIMITS.filterLength))
const from = z.exactOptional(editTime)
/** A place, as an answer gave it; a text of any other kind is refused. */
const cursor = z.exactOptional(text(WIRE_LIMITS.cursorLength))
const upTo = (max: number, min = 1) => z.exactOptional(z.int().check(z.gte(min), z.lte(max)))
const pageSize = upTo(WIRE_LIMITS.pageRows)

/** Runs that match all of them, newest first. */
export const runsQuery = z.object({
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

export const runsShow = z.object({ t: z.literal('runs:show'), id, runId: text(WIRE_LIMITS.nameLength) })

/** Fills of one account, newest first. */
export const fillsQuery = z.object({
  t: z.literal('fills:query'),
  id,
  account,
  limit: pageSize,
  cursor,
  filters: z.exactOptional(z.object({ symbol: filter, source: filter, hookId: filter, from, to: from })),
})

/** What an account was worth. */
export const equityQuery = z.object({
  t: z.literal('equity:query'),
  id,
  account,
  from,
  to: from,
  points: upTo(WIRE_LIMITS.equityPoints, 2),
})

/** What was realised. `account` absent: every account, where it is grouped by them, and else the one in focus. */
export const pnlQuery = z.object({
  t: z.literal('pnl:query'),
  id,
  by: z.enum(['day', 'symbol', 'hook', 'account']),
  account,
  symbol,
  from,
  to: from,
  /** In which days begin and end, as `Europe/Berlin`; absent: UTC. */
  zone: z.exactOptional(text(WIRE_LIMITS.nameLength)),
})

/** What copiers ordered last, newest first. */
export const copiesQuery = z.object({ t: z.literal('copies:query'), id, limit: pageSize })

/** As it was typed: hookline reads it. */
const typed = z.exactOptional(z.string().check(z.maxLength(WIRE_LIMITS.nameLength)))

/** Whether a pair could be copied as it was typed; nothing is changed. `configId`: of a row that there is, whose other copiers stay. */
export const copyCheck = z.object({
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

/** The candles that can be asked for; a venue may have fewer. */
export const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const
export type Interval = (typeof INTERVALS)[number]

/** Until `market:unwatch` with the same id, or the end of the session. */
export const marketWatch = z.object({
  t: z.literal('market:watch'),
  id,
  account,
  symbol: name,
  interval: z.exactOptional(z.enum(INTERVALS)),
})
export const marketUnwatch = z.object({ t: z.literal('market:unwatch'), id })

/** Another account than the one in focus; as `market:watch`. */
export const portfolioWatch = z.object({ t: z.literal('portfolio:watch'), id, account, symbol })
export const portfolioUnwatch = z.object({ t: z.literal('portfolio:unwatch'), id })

/** What may come at the cursor of a line, and whether the line would be refused. */
export const complete = z.object({
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
export const hooksCounts = z.object({ t: z.literal('hooks:counts'), id })

/** What a fire of the hook with this body would do now; answered as `preview` is. */
export const hooksTest = z.object({
  t: z.literal('hooks:test'),
  id,
  hookId: z.string().check(z.maxLength(64)),
  body: z.exactOptional(z.string().check(z.maxLength(WIRE_LIMITS.commandLength))),
})

export const DESK_REQUESTS = [
  runsQuery,
  runsShow,
  fillsQuery,
  equityQuery,
  pnlQuery,
  copiesQuery,
  copyCheck,
  marketWatch,
  marketUnwatch,
  portfolioWatch,
  portfolioUnwatch,
  complete,
  hooksCounts,
  hooksTest,
] as const

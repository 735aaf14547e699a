// `paper-<account>.json`: the state as text, one line per order and trade, and a change of it as text. What comes from outside is checked whole; what this process writes
// is checked row by row as it is made, and each row becomes text once: thousands of rows cost little more than a few.

import * as z from 'zod/mini'
import { defined } from '../../base/defined.ts'
import { type EndedOrder, type PaperState, STATE_ROWS, type StoredTrade } from './state.ts'

const VERSION = 4

const decimal = z.string().check(z.regex(/^-?\d+(\.\d+)?$/))
const counter = z.int().check(z.positive())
const count = z.int().check(z.nonnegative())
const side = z.enum(['buy', 'sell'])

const order = z.looseObject({
  id: z.string(),
  clientOrderId: z.exactOptional(z.string()),
  symbol: z.string(),
  side,
  type: z.enum(['market', 'limit', 'stop', 'stop-limit', 'take-profit']),
  amount: decimal,
  filled: decimal,
  remaining: decimal,
  price: z.exactOptional(decimal),
  triggerPrice: z.exactOptional(decimal),
  takeProfitPrice: z.exactOptional(decimal),
  average: z.exactOptional(decimal),
  reduceOnly: z.boolean(),
  postOnly: z.boolean(),
  status: z.enum(['open', 'closed', 'canceled', 'rejected', 'expired']),
  timestamp: z.number(),
})

const firesWhenLast = z.exactOptional(z.enum(['at-or-above', 'at-or-below']))
const reason = z.exactOptional(z.string())
const resting = z.looseObject({
  seq: count,
  order,
  firesWhenLast,
  hasFired: z.exactOptional(z.literal(true)),
  cost: z.exactOptional(decimal),
})
const ended = z.looseObject({ seq: count, order, reason })

const tradeFields = {
  id: z.string(),
  orderId: z.string(),
  clientOrderId: z.exactOptional(z.string()),
  symbol: z.string(),
  side,
  amount: decimal,
  price: decimal,
  fee: decimal,
  feeCurrency: z.exactOptional(z.string()),
  takerOrMaker: z.enum(['taker', 'maker']),
  realizedPnl: decimal,
  timestamp: z.number(),
}
const trade = z.looseObject({ seq: count, ...tradeFields })

const faults = z.looseObject({
  lostAnswers: z.exactOptional(counter),
  lostOrders: z.exactOptional(counter),
  refusals: z.exactOptional(counter),
  rateLimits: z.exactOptional(counter),
  lostQuestions: z.exactOptional(counter),
  gapUntil: z.exactOptional(counter),
  partialFills: z.exactOptional(z.literal(1)),
  latencyMs: z.exactOptional(counter),
})

const position = z.looseObject({
  symbol: z.string(),
  amount: decimal,
  cost: decimal,
  realizedPnl: decimal,
  openedAt: z.exactOptional(count),
  fundedUntil: z.exactOptional(count),
})
const payment = z.looseObject({
  symbol: z.string(),
  at: count,
  rate: decimal,
  amount: decimal,
  markPrice: decimal,
  received: decimal,
})

const replay = z.looseObject({
  file: z.string(),
  symbol: z.string(),
  startedAt: count,
  stoppedAt: z.exactOptional(count),
  speed: counter,
  candles: counter,
  intervalMs: counter,
})

const accountFields = {
  seed: z.string(),
  deposited: decimal,
  realizedPnl: decimal,
  fees: decimal,
  covered: decimal,
  positions: z.array(position),
  nextOrderId: counter,
  nextTradeId: counter,
  nextChangeSeq: counter,
}

/** Everything but the lists that grow long. */
const head = z.looseObject({
  version: z.literal(VERSION),
  ...accountFields,
  walk: z.enum(['independent', 'together']),
  payments: z.exactOptional(z.array(payment)),
  leverage: z.record(z.string(), z.string().check(z.regex(/^[1-9]\d{0,2}$/))),
  taken: z.array(z.looseObject({ symbol: z.string(), side, second: z.int(), amount: decimal })),
  faults,
  faultCount: count,
  replay: z.exactOptional(replay),
  settledAt: z.exactOptional(count),
  bornAt: count,
  journal: z.exactOptional(z.string().check(z.regex(/^[0-9a-f]{16}$/))),
})

const ROWS = { openOrders: resting, endedOrders: ended, trades: trade }

const paperState = z.extend(head, {
  openOrders: z.array(resting),
  endedOrders: z.array(ended),
  trades: z.array(trade),
})

/** As written before there were partial fills, faults and ended orders. */
const paperState1 = z.looseObject({
  version: z.literal(1),
  ...accountFields,
  openOrders: z.array(z.looseObject({ order, firesWhenLast })),
  trades: z.array(z.looseObject(tradeFields)),
  changes: z.array(z.looseObject({ seq: counter, order, tradeId: z.exactOptional(z.string()), reason })),
})

/**
 * The state in a parsed JSON value: as it is, with the fields we do not know in their places; one of an older version as of this one.
 * @throws {z.core.$ZodError} naming each path that is not of the shape; {Error} for a version that is not known yet
 */
export function parsePaperState(raw: unknown): PaperState {
  const version = versionOf(raw)
  if (version === 1) return parsePaperState(fromVersion1(raw))
  if (version === 2) return parsePaperState(fromVersion2(raw))
  if (version === 3) return parsePaperState(fromVersion3(raw))
  if (version > VERSION) {
    throw new Error(`is of version ${version}, written by a newer hookline; this one reads up to version ${VERSION}`)
  }
  paperState.parse(raw)
  // Not what zod returns, which would put the fields it does not know last, and lose a `__proto__`.
  return raw as PaperState
}

function versionOf(raw: unknown): number {
  const version = typeof raw === 'object' && raw !== null && 'version' in raw ? raw.version : undefined
  return Number.isSafeInteger(version) ? Number(version) : VERSION
}

/** Positions, open orders and trades stay; orders that have ended are those whose last change was still kept. */
function fromVersion1(raw: unknown): Readonly<Record<string, unknown>> {
  const old = paperState1.parse(raw)
  const { changes: _, ...kept } = raw as typeof old
  const last = new Map(old.changes.map((change) => [change.order.id, change]))
  const endedOrders = [...last.values()]
    .filter((change) => change.order.status !== 'open')
    .map(({ seq, order: endedOrder, reason: why }) => ({ seq, order: endedOrder, ...defined({ reason: why }) }))
  return {
    ...kept,
    version: 2,
    openOrders: kept.openOrders.map((row) => ({ seq: 0, ...row })),
    endedOrders,
    // Each has been a change: the numbers of changes suffice for them.
    trades: kept.trades.map((row, index) => ({ seq: index + 1, ...row })),
    leverage: {},
    taken: [],
    faults: {},
    faultCount: 0,
    bornAt: 0,
  }
}

/** Its prices stay what they were. What else it holds is checked as what it has become. */
function fromVersion2(raw: unknown): Readonly<Record<string, unknown>> {
  return { ...(raw as Readonly<Record<string, unknown>>), version: 3, walk: 'independent' }
}

/** Its changes were not written beside it. */
function fromVersion3(raw: unknown): Readonly<Record<string, unknown>> {
  return { ...(raw as Readonly<Record<string, unknown>>), version: VERSION }
}

/** Rows never change once they are made: their text is kept as long as they are. */
const texts = new WeakMap<object, string>()

/** How the state is kept in a file of its own version. */
export const PAPER_FORMAT = {
  version: VERSION,
  migrate: [fromVersion1, fromVersion2, fromVersion3],
  parse: parsePaperState,
  encode: encodePaperState,
  changes: { encode: encodeChange, apply: applyChange },
} as const

/**
 * The state as JSON, which `parsePaperState` reads back as it was.
 * @throws {z.core.$ZodError} for a state that it would refuse; {RangeError} for one that is nested too deeply
 */
export function encodePaperState(state: PaperState): string {
  head.parse(state)
  const fields = Object.entries(state).map(([name, value]) => `${JSON.stringify(name)}: ${encodeField(name, value)}`)
  return `{\n  ${fields.join(',\n  ')}\n}\n`
}

function encodeField(name: string, value: unknown): string {
  if (!isLong(name) || !Array.isArray(value)) return JSON.stringify(value)
  if (value.length === 0) return '[]'
  return `[\n    ${value.map((row: object) => rowText(row, ROWS[name])).join(',\n    ')}\n  ]`
}

// A change as text: the fields that have another value, and of lists of rows only the rows that are new. Rows are never changed in place, so
// that one which is in both states is the same object.

const changeShape = z.looseObject({
  set: z.exactOptional(z.record(z.string(), z.unknown())),
  unset: z.exactOptional(z.array(z.string())),
  rows: z.exactOptional(z.record(z.string(), z.array(z.union([z.tuple([count, count]), z.looseObject({})])))),
})

/** A row that is new, or which rows of the list before follow: from, and up to but without. */
type RowsPart = object | readonly [from: number, until: number]

/**
 * What changed as JSON on one line.
 * @throws {z.core.$ZodError} for a state that `parsePaperState` would refuse; {RangeError} for one that is nested too deeply
 */
function encodeChange(from: PaperState, to: PaperState): string {
  const before = new Map(Object.entries(from))
  const set: string[] = []
  const rows: string[] = []
  for (const [name, value] of Object.entries(to)) {
    const old = before.get(name)
    before.delete(name)
    // What is as it was has been checked before.
    if (value === old) continue
    if (isOfHead(name)) head.shape[name].parse(value)
    if (Array.isArray(value) && Array.isArray(old)) rows.push(`${JSON.stringify(name)}:${encodeRows(name, old, value)}`)
    else set.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`)
  }
  if (before.size > 0) head.parse(to)
  const unset = before.size === 0 ? '' : `,"unset":${JSON.stringify([...before.keys()])}`
  return `{"set":{${set.join(',')}},"rows":{${rows.join(',')}}${unset}}`
}

function encodeRows(name: string, old: readonly object[], rows: readonly object[]): string {
  const parts = rowParts(old, rows).map((part) => {
    if (Array.isArray(part)) return JSON.stringify(part)
    return isLong(name) ? rowText(part, ROWS[name]) : JSON.stringify(part)
  })
  return `[${parts.join(',')}]`
}

function rowParts(old: readonly object[], rows: readonly object[]): readonly RowsPart[] {
  const parts: RowsPart[] = []
  let run: [from: number, until: number] | undefined
  /** The row of before that is expected: most stay in their order, few are replaced in their place, and what is new comes last. */
  let next = 0
  let places: ReadonlyMap<object, number> | undefined
  const placeOf = (row: object): number | undefined => {
    if (old[next] === row) return next
    if (next >= old.length) return undefined
    places ??= new Map(old.map((each, index) => [each, index]))
    return places.get(row)
  }
  for (const row of rows) {
    const place = placeOf(row)
    next = place === undefined ? next + 1 : place + 1
    if (place === undefined) {
      run = undefined
      parts.push(row)
    } else if (run?.[1] === place) run[1] += 1
    else {
      run = [place, place + 1]
      parts.push(run)
    }
  }
  return parts
}

/** The state after a change, as `encodeChange` wrote it. @throws {z.core.$ZodError} or {RangeError} for one that does not fit */
function applyChange(state: PaperState, change: unknown): PaperState {
  changeShape.parse(change)
  const {
    set,
    unset = [],
    rows = {},
  } = change as {
    readonly set?: Readonly<Record<string, unknown>>
    readonly unset?: readonly string[]
    readonly rows?: Readonly<Record<string, readonly RowsPart[]>>
  }
  const fields = new Map<string, unknown>(Object.entries(state))
  for (const [name, value] of Object.entries(set ?? {})) fields.set(name, value)
  for (const name of unset) fields.delete(name)
  for (const [name, parts] of Object.entries(rows)) fields.set(name, rowsOf(name, fields.get(name), parts))
  const next = Object.fromEntries(fields)
  head.parse(next)
  return next as unknown as PaperState
}

function rowsOf(name: string, old: unknown, parts: readonly RowsPart[]): readonly object[] {
  if (!Array.isArray(old)) throw new RangeError(`there are no rows of ${name} to follow`)
  return parts.flatMap((part) => {
    if (!Array.isArray(part)) {
      if (isLong(name)) ROWS[name].parse(part)
      return [part]
    }
    const [from, until] = part
    if (from >= until || until > old.length) throw new RangeError(`there are no rows ${from} to ${until} of ${name}`)
    return old.slice(from, until)
  })
}

function isOfHead(name: string): name is keyof typeof head.shape {
  return Object.hasOwn(head.shape, name)
}

function isLong(name: string): name is keyof typeof ROWS {
  return Object.hasOwn(ROWS, name)
}

function rowText(row: object, schema: z.ZodMiniType): string {
  const known = texts.get(row)
  if (known !== undefined) return known
  schema.parse(row)
  const text = JSON.stringify(row)
  texts.set(row, text)
  return text
}

const archiveRow = z.looseObject({ of: count, row: z.union([trade, ended]) })

/** A row of the account of that birth, as it is added to the history. */
function archiveLine(bornAt: number, row: EndedOrder | StoredTrade): string {
  return `{"of":${bornAt},"row":${rowText(row, 'order' in row ? ended : trade)}}`
}

interface ArchivedRow {
  /** Of the account that it belongs to. */
  readonly bornAt: number
  readonly row: EndedOrder | StoredTrade
}

/** Undefined for a line that is none of ours, or was written by half. */
function readArchiveLine(line: string): ArchivedRow | undefined {
  try {
    const raw: unknown = JSON.parse(line)
    const { of: bornAt } = archiveRow.parse(raw)
    return { bornAt, row: (raw as { readonly row: EndedOrder | StoredTrade }).row }
  } catch {
    return undefined
  }
}

// Ended orders and trades that are too old for the state: they are added to a file once and never written again, so that a long history
// does not slow down every write. A row leaves the state only when it is safe here; until then it is in both, which does no harm.

/** Where lines are kept. */
export interface PaperHistory {
  /** Adds lines, durably. */
  append(lines: readonly string[]): Promise<void>
  /** Lines that were not given before, of this process and of others. */
  readNew(): readonly string[]
}

export interface Archive {
  /** Oldest first, as last refreshed. */
  readonly endedOrders: readonly EndedOrder[]
  /** Oldest first, as last refreshed. */
  readonly trades: readonly StoredTrade[]
  /** Rows up to this number are safe here. */
  readonly safeSeq: number
  /** Reads what was added since, as far as it belongs to this account: a file that was there before the account does not. */
  refresh(state: PaperState): void
  /** By either id. */
  find(id: string): EndedOrder | undefined
  /** Adds the rows of a stored state when they have become many. */
  keep(state: PaperState): Promise<void>
}

/** Of an account whose whole history is in its state. */
export const NO_ARCHIVE: Archive = {
  endedOrders: [],
  trades: [],
  safeSeq: -1,
  refresh: () => {},
  find: () => undefined,
  keep: async () => {},
}

/** So many rows of a kind are held in memory. */
const MAX_ROWS = 12_000

export function createArchive(history: PaperHistory): Archive {
  let rows = emptyRows(0)
  let isKeeping = false
  /** Lines that are being added by this process: they need not be parsed when they are read back. */
  let own = new Map<string, ArchivedRow>()

  function refresh({ bornAt }: PaperState): void {
    if (rows.bornAt !== bornAt) rows = emptyRows(bornAt)
    for (const line of history.readNew()) {
      const read = own.get(line) ?? readArchiveLine(line)
      if (read?.bornAt === bornAt) rows.take(read.row)
    }
  }

  async function keep(state: PaperState): Promise<void> {
    if (isKeeping || Math.max(state.trades.length, state.endedOrders.length) < 2 * STATE_ROWS) return
    isKeeping = true
    try {
      refresh(state)
      const unsafe = [...state.trades, ...state.endedOrders].filter((row) => row.seq > rows.safeSeq)
      unsafe.sort((left, right) => left.seq - right.seq)
      if (unsafe.length === 0) return
      own = new Map(unsafe.map((row) => [archiveLine(state.bornAt, row), { bornAt: state.bornAt, row }]))
      await history.append([...own.keys()])
      refresh(state)
    } finally {
      own = new Map()
      isKeeping = false
    }
  }

  return {
    get endedOrders() {
      return rows.endedOrders
    },
    get trades() {
      return rows.trades
    },
    get safeSeq() {
      return rows.safeSeq
    },
    find: (id) => rows.byId.get(id),
    refresh,
    keep,
  }
}

function emptyRows(bornAt: number) {
  const rows = {
    bornAt,
    safeSeq: -1,
    endedOrders: [] as EndedOrder[],
    trades: [] as StoredTrade[],
    byId: new Map<string, EndedOrder>(),
    /** Every process adds all rows from the last safe one on, in their order: what two of them added is taken once. */
    take(row: EndedOrder | StoredTrade): void {
      if (row.seq <= rows.safeSeq) return
      rows.safeSeq = row.seq
      if ('order' in row) takeEnded(row)
      else rows.trades.push(row)
      if (rows.trades.length > 2 * MAX_ROWS) rows.trades = rows.trades.slice(-MAX_ROWS)
      if (rows.endedOrders.length > 2 * MAX_ROWS) forgetOldest()
    },
  }

  function takeEnded(row: EndedOrder): void {
    rows.endedOrders.push(row)
    rows.byId.set(row.order.id, row)
    if (row.order.clientOrderId !== undefined) rows.byId.set(row.order.clientOrderId, row)
  }

  function forgetOldest(): void {
    const kept = rows.endedOrders.slice(-MAX_ROWS)
    rows.endedOrders = []
    rows.byId.clear()
    for (const row of kept) takeEnded(row)
  }

  return rows
}

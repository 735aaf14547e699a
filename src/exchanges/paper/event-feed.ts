// Who is told what happened on a paper account. Every change in the state is numbered; the feed remembers the last number it told, so that
// changes made by this process and by others reach its subscribers once each and in order. What happens during a gap is told after it.
import { defined } from '../../base/defined.ts'
import type { ExchangeEvent } from '../../exchange/exchange.ts'
import { type EndedOrder, HISTORY_LENGTH, type PaperState, type StoredTrade } from './state.ts'
import type { Archive } from './state-file.ts'

type Handler = (event: ExchangeEvent) => void

/** What of the store the feed needs. */
interface Source {
  read(): PaperState
  /** As `read`, where all calls of one turn of the event loop may share one look. Default: `read`. */
  readOncePerTurn?(): PaperState
  watch?(handler: () => void): () => void
}

export interface EventFeed {
  readonly subscribe: (handler: Handler) => () => void
  hasSubscribers(): boolean
  /** Tells what `state` has that was not told yet. */
  publish(state: PaperState): void
  /** A second has passed: the time in which a gap is noticed, or its end. */
  tick(): void
  isStale(): boolean
  /** Prices are not those of now, or are again. */
  setOutage(isOut: boolean): void
  /** Tells it unless there is a gap. */
  emit(event: ExchangeEvent): void
  close(): void
}

/**
 * Watches `source` while there are subscribers.
 * @param onProblem told what a subscriber threw; the others are still called
 */
export function createEventFeed(
  source: Source,
  archive: Archive,
  now: () => number,
  onProblem: (problem: unknown) => void,
): EventFeed {
  const handlers = new Set<Handler>()
  const readOncePerTurn = source.readOncePerTurn ?? source.read
  let nextSeq = 0
  let stopWatching: (() => void) | undefined

  const staleness = createStaleness((state) => notify({ type: 'stream', state }))
  const { become } = staleness
  const isSilent = (state: PaperState): boolean => (state.faults.gapUntil ?? 0) > now()
  const notify = (event: ExchangeEvent): void => notifyAll(handlers, event, onProblem)

  function publish(state: PaperState): void {
    if (isSilent(state)) return
    const seq = nextSeq
    // Never backwards: the state of an earlier write may arrive here after a later one was seen.
    nextSeq = Math.max(nextSeq, state.nextChangeSeq)
    if (nextSeq > seq && handlers.size > 0) {
      const rows = rowsSince(state, archive, seq)
      if (rows.isCutOff) become({ hasGap: true })
      for (const event of eventsOf(rows, state, seq)) notify(event)
    }
    become({ hasGap: false })
  }

  function unsubscribe(handler: Handler): void {
    handlers.delete(handler)
    if (handlers.size > 0) return
    stopWatching?.()
    stopWatching = undefined
  }

  return {
    subscribe(handler) {
      if (handlers.size === 0) {
        nextSeq = source.read().nextChangeSeq
        stopWatching = source.watch?.(() => publish(source.read()))
      }
      handlers.add(handler)
      return () => unsubscribe(handler)
    },
    hasSubscribers: () => handlers.size > 0,
    publish,
    tick() {
      const state = source.read()
      if (isSilent(state)) become({ hasGap: true })
      else if (staleness.hasGap) publish(state)
    },
    isStale() {
      // A gap counts as soon as it is asked about: a process that has just begun has not ticked yet.
      if (isSilent(readOncePerTurn())) become({ hasGap: true })
      return staleness.isStale
    },
    setOutage: (out) => become({ isOut: out }),
    emit(event) {
      if (!isSilent(readOncePerTurn())) notify(event)
    },
    close() {
      for (const handler of [...handlers]) unsubscribe(handler)
    },
  }
}

interface Staleness {
  readonly hasGap: boolean
  readonly isStale: boolean
  /** What is not named stays as it is. */
  become(now: { readonly hasGap?: boolean; readonly isOut?: boolean }): void
}

/** There are two reasons to be stale; what is told is whether there is one. */
function createStaleness(notify: (state: 'stale' | 'resynced') => void): Staleness {
  let [hasGap, isOut] = [false, false]
  return {
    get hasGap() {
      return hasGap
    },
    get isStale() {
      return hasGap || isOut
    },
    become(now) {
      const wasStale = hasGap || isOut
      hasGap = now.hasGap ?? hasGap
      isOut = now.isOut ?? isOut
      const isStale = hasGap || isOut
      if (isStale !== wasStale) notify(isStale ? 'stale' : 'resynced')
    },
  }
}

function notifyAll(handlers: ReadonlySet<Handler>, event: ExchangeEvent, onProblem: (problem: unknown) => void): void {
  for (const handler of [...handlers]) {
    try {
      handler(event)
    } catch (error) {
      onProblem(error)
    }
  }
}

interface Numbered {
  readonly seq: number
}

interface Rows {
  readonly trades: readonly StoredTrade[]
  readonly endedOrders: readonly EndedOrder[]
  /** Rows from then on may be gone: these are what is left of them. */
  readonly isCutOff: boolean
}

/** From the state, and from the archive where the state does not reach back so far. */
function rowsSince(state: PaperState, archive: Archive, seq: number): Rows {
  const [trade] = state.trades
  const [ended] = state.endedOrders
  const reachesBack = (trade === undefined || trade.seq <= seq || trade.id === 't1') && (ended?.seq ?? 0) <= seq
  if (reachesBack)
    return { trades: since(state.trades, seq), endedOrders: since(state.endedOrders, seq), isCutOff: false }
  archive.refresh(state)
  const trades = [...before(since(archive.trades, seq), trade), ...since(state.trades, seq)]
  const endedOrders = [...before(since(archive.endedOrders, seq), ended), ...since(state.endedOrders, seq)]
  const oldestTrade = archive.trades[0] ?? trade
  const oldestEnded = archive.endedOrders[0] ?? ended
  const kept = archive.endedOrders.length + state.endedOrders.length
  const isCutOff =
    (isYounger(oldestTrade, seq) && oldestTrade?.id !== 't1') || (isYounger(oldestEnded, seq) && kept >= HISTORY_LENGTH)
  return { trades, endedOrders, isCutOff }
}

function isYounger(row: Numbered | undefined, seq: number): boolean {
  return row !== undefined && row.seq > seq
}

/** What is older than the row. */
function before<Row extends Numbered>(rows: readonly Row[], first: Row | undefined): readonly Row[] {
  return first === undefined ? rows : rows.filter((row) => row.seq < first.seq)
}

/** Every trade, and every order that changed as it is now, in the order in which they came. */
function eventsOf({ trades, endedOrders }: Rows, state: PaperState, seq: number): readonly ExchangeEvent[] {
  const { unsealed } = state
  const open = state.openOrders.filter((row) => row.seq >= seq)
  const reported = [
    ...[...trades, ...since(unsealed?.trades ?? [], seq)].map(({ seq: at, ...trade }) => ({
      at,
      event: { type: 'trade', trade } as const,
    })),
    ...[...endedOrders, ...since(unsealed?.endedOrders ?? [], seq), ...open].map((row) => ({
      at: row.seq,
      event: orderEvent(row),
    })),
  ]
  return reported.sort((left, right) => left.at - right.at).map(({ event }) => event)
}

function orderEvent(row: Pick<EndedOrder, 'order' | 'reason'>): ExchangeEvent {
  return { type: 'order', order: row.order, ...defined({ reason: row.reason }) }
}

/** The rows at the end that are not older than `seq`. */
function since<Row extends Numbered>(rows: readonly Row[], seq: number): readonly Row[] {
  let from = rows.length
  while (from > 0 && (rows[from - 1]?.seq ?? -1) >= seq) from -= 1
  return rows.slice(from)
}

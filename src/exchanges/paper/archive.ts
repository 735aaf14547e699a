// Ended orders and trades that are too old for the state: they are added to a file once and never written again, so that a long history
// does not slow down every write. A row leaves the state only when it is safe here; until then it is in both, which does no harm.
import { type EndedOrder, type PaperState, STATE_ROWS, type StoredTrade } from './state.ts'
import { type ArchivedRow, archiveLine, readArchiveLine } from './state-file.ts'

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

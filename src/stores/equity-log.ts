// `equity.jsonl`: what accounts were worth, a point a minute at most. When the file is full it becomes its backup, and a new one begins with the
// last point of each hour: minutes are kept for weeks, hours for years, and never more than two files of this size.
import { type JournalFile, linesBackwards, openJournalFile, withBackup } from './journal-file.ts'

export interface EquityRecord {
  readonly account: string
  /** ms since the epoch. */
  readonly at: number
  readonly currency: string
  /** With unrealised profit, and without it. */
  readonly total: string
  readonly wallet: string
}

export interface EquityLog {
  append(record: EquityRecord): void
  /** Of one account, oldest first, from `from` on and before `to`. Older lines are not read. */
  read(account: string, from?: number, to?: number): Promise<readonly EquityRecord[]>
  close(): void
}

interface EquityLogOptions {
  readonly path: string
  readonly maxBytes?: number
  readonly onProblem?: (error: Error | undefined) => void
}

const MAX_BYTES = 4_000_000
/** Carried into a new file: half of it at most. */
const MAX_CARRIED = 20_000
const HOUR_MS = 3_600_000
/** Lines of a clock that was set back are out of order by less than this. */
const SLACK_MS = HOUR_MS

export function openEquityLog({ path, maxBytes = MAX_BYTES, onProblem }: EquityLogOptions): EquityLog {
  const file: JournalFile = openJournalFile({
    path,
    maxBytes,
    carryOver: () => hourly(file.readLines()),
    ...(onProblem ? { onProblem } : {}),
  })
  return {
    append: (record) => file.append(JSON.stringify(record)),
    read(account, from, to) {
      file.flush()
      return readEquity(path, account, from, to)
    },
    close: () => file.close(),
  }
}

/** As `read` of the log, of a file that another process may write. */
export async function readEquity(
  path: string,
  account: string,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): Promise<readonly EquityRecord[]> {
  const found = new Map<number, EquityRecord>()
  for await (const lines of linesBackwards(withBackup(path))) {
    const records = lines.flatMap(decode)
    for (const record of records) {
      const isAsked = record.account === account && record.at >= from && record.at < to
      if (isAsked && !found.has(record.at)) found.set(record.at, record)
    }
    if (records.length > 0 && records.every(({ at }) => at < from - SLACK_MS)) break
  }
  return [...found.values()].sort((a, b) => a.at - b.at)
}

/** The last of each account and hour. @param lines oldest first */
function hourly(lines: readonly string[]): readonly string[] {
  const kept = new Map<string, string>()
  for (const line of lines) {
    for (const { account, at } of decode(line)) {
      const hour = `${account}/${Math.floor(at / HOUR_MS)}`
      kept.delete(hour)
      kept.set(hour, line)
    }
  }
  return [...kept.values()].slice(-MAX_CARRIED)
}

const DECIMAL = /^-?\d+(\.\d+)?$/

/** Empty for a line torn by a crash, or written by a person. */
function decode(text: string): EquityRecord[] {
  try {
    const record: unknown = JSON.parse(text)
    if (typeof record !== 'object' || record === null) return []
    const { account, at, currency, total, wallet } = record as Readonly<Record<string, unknown>>
    if (typeof account !== 'string' || typeof at !== 'number' || typeof currency !== 'string') return []
    if (!Number.isInteger(at) || at < 0 || !isDecimal(total) || !isDecimal(wallet)) return []
    return [{ account, at, currency, total, wallet }]
  } catch {
    return []
  }
}

function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && DECIMAL.test(value)
}

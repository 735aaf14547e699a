// `equity.jsonl`: what accounts were worth, a point a minute at most. When the file is full it becomes its backup, and a new one begins with the
// extremes and the last point of each hour: minutes are kept for weeks, hours for years, and never more than two files of this size.
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
const YEAR_MS = 365 * 24 * HOUR_MS
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

/** Longer hours, until there are few enough. @param lines oldest first */
function hourly(lines: readonly string[]): readonly string[] {
  for (let bucketMs = HOUR_MS; ; bucketMs *= 2) {
    const kept = extremesOf(lines, bucketMs)
    if (kept.length <= MAX_CARRIED || bucketMs > YEAR_MS) return kept.slice(-MAX_CARRIED)
  }
}

type Line = EquityRecord & { readonly index: number }

interface Bucket {
  high: Line
  low: Line
  /** The deepest fall within it. */
  fall: readonly [from: Line, to: Line]
  last: Line
}

/** Of each account, currency and bucket what a drawdown over whole buckets is made of: it is that of all lines. */
function extremesOf(lines: readonly string[], bucketMs: number): readonly string[] {
  const buckets = new Map<string, Bucket>()
  lines.forEach((text, index) => {
    for (const record of decode(text)) {
      const line = { ...record, index }
      const key = JSON.stringify([line.account, line.currency, Math.floor(line.at / bucketMs)])
      const bucket = buckets.get(key)
      if (bucket === undefined) buckets.set(key, { high: line, low: line, fall: [line, line], last: line })
      else widen(bucket, line)
    }
  })
  const kept = new Set([...buckets.values()].flatMap(({ high, low, fall, last }) => [high, low, ...fall, last]))
  const indices = new Set([...kept].map(({ index }) => index))
  return lines.filter((_, index) => indices.has(index))
}

function widen(bucket: Bucket, line: Line): void {
  const total = Number(line.total)
  const [from, to] = bucket.fall
  bucket.last = line
  if (total > Number(bucket.high.total)) bucket.high = line
  if (total < Number(bucket.low.total)) bucket.low = line
  if (Number(bucket.high.total) - total > Number(from.total) - Number(to.total)) bucket.fall = [bucket.high, line]
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

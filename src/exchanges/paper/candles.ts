// Candles as they come out of a file of comma-separated values, line by line: time, open, high, low, close and, where there is one, volume. A
// line that cannot be right is refused with its number: a replay of wrong prices teaches wrong things.
import type { Candle } from '../../exchange/market.ts'
import { Decimal } from './decimal.ts'

/** What is wrong with a file of candles. */
export class CandleError extends Error {
  override readonly name = 'CandleError'
  readonly hint: string
  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

export interface Candles {
  /** ms since the epoch at which each begins, ascending. */
  readonly times: Float64Array
  /** Open, high, low, close of each, in ticks. */
  readonly ticks: Float64Array
  /** From one to the next, mostly. */
  readonly intervalMs: number
  readonly gaps: Gaps
}

/** Where more than one interval is between two candles. */
interface Gaps {
  readonly count: number
  /** Of the longest: how long, and the line behind it. */
  readonly longestMs: number
  readonly line: number
}

export const MAX_CANDLES = 200_000
/** The hint at a file that is not one of candles. */
export const CANDLE_COLUMNS = 'use lines of time,open,high,low,close,volume'
const MAX_LINE_LENGTH = 1000
const PRICE = /^\d{1,12}(\.\d{1,12})?$/
const VOLUME = /^\d{1,18}(\.\d{1,18})?$/
const EPOCH = /^\d{1,14}(\.\d+)?$/
/** Cells that are more than their bare text. */
const PADDED = /[\s"]/
const ISO = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?(Z|[+-]\d\d:?\d\d)?$/
/** Larger numbers are ms: in seconds it is the year 5138. */
const LARGEST_SECONDS = 100_000_000_000
const EARLIEST_MS = Date.UTC(2000, 0, 1)
const LATEST_MS = Date.UTC(2200, 0, 1)
const COLUMNS = ['time', 'open', 'high', 'low', 'close', 'volume'] as const
const OTHER_NAMES: Readonly<Record<string, string>> = { timestamp: 'time', date: 'time', datetime: 'time' }

type Column = (typeof COLUMNS)[number]

/** Reads the rows of a file of candles one by one, and keeps none of them. */
export class CandleRows {
  #line = 0
  #before = Number.NEGATIVE_INFINITY
  /** Where each column is. */
  #columns: Readonly<Partial<Record<Column, number>>> | undefined

  /** Lines that were taken. */
  get line(): number {
    return this.#line
  }

  /** @param text without its end @returns undefined for an empty line, a comment (`#`) and the header @throws {CandleError} */
  take(text: string): Candle | undefined {
    this.#line += 1
    if (text.length > MAX_LINE_LENGTH) throw this.wrong(`is longer than ${MAX_LINE_LENGTH} characters`)
    const line = (this.#line === 1 ? text.replace(/^\uFEFF/, '') : text).trim()
    if (line === '' || line.startsWith('#')) return undefined
    const cells = line.split(',')
    if (PADDED.test(line)) for (const [at, cell] of cells.entries()) cells[at] = cell.trim().replace(/^"(.*)"$/, '$1')
    if (this.#columns === undefined) {
      const named = columnsOf(cells)
      this.#columns = named ?? Object.fromEntries(COLUMNS.map((column, index) => [column, index]))
      if (named !== undefined) return undefined
    }
    const at = this.#readTime(this.#cell(cells, 'time'))
    if (at <= this.#before) throw this.wrong('is not later than the candle before it')
    this.#before = at
    const open = this.#readPrice(cells, 'open')
    const high = this.#readPrice(cells, 'high')
    const low = this.#readPrice(cells, 'low')
    const close = this.#readPrice(cells, 'close')
    const [from, most, least, to] = [Number(open), Number(high), Number(low), Number(close)]
    if (most < from || most < to || most < least) throw this.wrong('has a high below another of its prices')
    if (least > from || least > to) throw this.wrong('has a low above another of its prices')
    const volume = cells[this.#columns.volume ?? -1] ?? ''
    if (volume === '') return { at, open, high, low, close }
    if (!VOLUME.test(volume)) throw this.wrong('has a volume that is not a plain number')
    return { at, open, high, low, close, volume }
  }

  /** Of the line taken last. */
  wrong(what: string): CandleError {
    return new CandleError(`line ${this.#line} ${what}`, CANDLE_COLUMNS)
  }

  #cell(cells: readonly string[], column: Column): string {
    const cell = cells[this.#columns?.[column] ?? -1]
    if (cell === undefined || cell === '') throw this.wrong(`has no ${column}`)
    return cell
  }

  #readPrice(cells: readonly string[], column: Column): string {
    const text = this.#cell(cells, column)
    if (!PRICE.test(text) || Number(text) === 0) throw this.wrong(`has no price above zero as ${column}`)
    return text
  }

  #readTime(text: string): number {
    const time = EPOCH.test(text) ? epochMs(Number(text)) : isoMs(text)
    if (time >= EARLIEST_MS && time < LATEST_MS) return time
    throw this.wrong('has no time as 2026-01-31T14:30:00Z, or in seconds or ms since 1970')
  }
}

/** Reads candles of a market with this tick. */
export class CandleReader {
  readonly #tick: Decimal
  readonly #maxCandles: number
  readonly #rows = new CandleRows()
  readonly #times: number[] = []
  readonly #ticks: number[] = []
  readonly #lines: number[] = []

  constructor(tick: string, maxCandles = MAX_CANDLES) {
    this.#tick = new Decimal(tick)
    this.#maxCandles = maxCandles
  }

  /** The next line, without its end. Empty lines and comments (`#`) count and say nothing. @throws {CandleError} */
  take(text: string): void {
    const row = this.#rows.take(text)
    if (row === undefined) return
    if (this.#times.length >= this.#maxCandles)
      throw this.#rows.wrong(`is beyond the ${this.#maxCandles.toLocaleString('en')} candles that a replay takes`)
    this.#times.push(row.at)
    this.#lines.push(this.#rows.line)
    for (const price of [row.open, row.high, row.low, row.close]) {
      this.#ticks.push(Math.max(1, new Decimal(price).div(this.#tick).round().toNumber()))
    }
  }

  /** @throws {CandleError} fewer than two candles */
  end(): Candles {
    if (this.#times.length < 2) {
      throw new CandleError(`the file has ${this.#times.length === 1 ? 'one candle' : 'no candles'}`, CANDLE_COLUMNS)
    }
    const intervalMs = mostCommonStep(this.#times)
    return {
      times: Float64Array.from(this.#times),
      ticks: Float64Array.from(this.#ticks),
      intervalMs,
      gaps: this.#gapsOf(intervalMs),
    }
  }

  #gapsOf(intervalMs: number): Gaps {
    let [count, longestMs, line] = [0, 0, 0]
    for (let index = 1; index < this.#times.length; index += 1) {
      const step = (this.#times[index] ?? 0) - (this.#times[index - 1] ?? 0)
      if (step < 1.5 * intervalMs) continue
      count += 1
      if (step > longestMs) [longestMs, line] = [step, this.#lines[index] ?? 0]
    }
    return { count, longestMs, line }
  }
}

function columnsOf(cells: readonly string[]): Readonly<Partial<Record<Column, number>>> | undefined {
  const names = cells.map((cell) => OTHER_NAMES[cell.toLowerCase()] ?? cell.toLowerCase())
  if (!names.includes('open') || !names.includes('close')) return undefined
  return Object.fromEntries(
    COLUMNS.flatMap((column) => (names.includes(column) ? [[column, names.indexOf(column)]] : [])),
  )
}

function epochMs(value: number): number {
  return Math.round(value < LARGEST_SECONDS ? value * 1000 : value)
}

/** A time without a zone is UTC. */
function isoMs(text: string): number {
  const [, , , , zone] = ISO.exec(text) ?? []
  if (!ISO.test(text)) return Number.NaN
  const iso = text.replace(' ', 'T')
  return Date.parse(zone !== undefined || !iso.includes('T') ? iso : `${iso}Z`)
}

function mostCommonStep(times: readonly number[]): number {
  const counts = new Map<number, number>()
  let [best, most] = [1, 0]
  for (let index = 1; index < times.length; index += 1) {
    const step = (times[index] ?? 0) - (times[index - 1] ?? 0)
    const count = (counts.get(step) ?? 0) + 1
    counts.set(step, count)
    if (count > most) [best, most] = [step, count]
  }
  return best
}

/** As it is kept beside the account: `readCandles` reads it back. */
export function candlesText({ times, ticks, intervalMs }: Candles): string {
  const lines = [String(intervalMs)]
  for (let index = 0; index < times.length; index += 1) {
    lines.push(`${times[index]},${ticks.subarray(4 * index, 4 * index + 4).join(',')}`)
  }
  return `${lines.join('\n')}\n`
}

/** @throws {CandleError} it is not what `candlesText` wrote */
export function readCandles(text: string): Pick<Candles, 'times' | 'ticks' | 'intervalMs'> {
  const [interval = '', ...lines] = text.trimEnd().split('\n')
  const [times, ticks] = [new Float64Array(lines.length), new Float64Array(4 * lines.length)]
  lines.forEach((line, index) => {
    const [time = Number.NaN, ...prices] = line.split(',').map(Number)
    times[index] = time
    ticks.set(prices.slice(0, 4), 4 * index)
  })
  const intervalMs = Number(interval)
  const isWhole =
    intervalMs > 0 &&
    times.length > 1 &&
    [...ticks, ...times].every((figure) => Number.isSafeInteger(figure) && figure > 0)
  if (isWhole) return { times, ticks, intervalMs }
  throw new CandleError('the candles of this replay cannot be read any more', 'start the replay again')
}

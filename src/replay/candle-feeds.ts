// Where the candles of a replay come from: a file, line by line, or a venue, page by page. No more than a page is held at once.
import { defined } from '../base/defined.ts'
import { CommandError } from '../commands/kit/errors.ts'
import type { CandleChoice } from '../commands/kit/ports.ts'
import { CANDLE_MS, type Candle, type CandleInterval } from '../exchange/market.ts'
import { CANDLE_COLUMNS, CandleError, CandleRows } from '../exchanges/paper/candles.ts'
import { printable } from '../language/printable.ts'
import { namedLines } from '../stores/paper-candles.ts'
import { StoreError } from '../stores/store-error.ts'
import { showDuration, showTime } from '../trading/figures.ts'
import type { Condition } from '../triggers/condition.ts'
import { type Bar, barOf } from '../triggers/indicators.ts'
import type { Trigger } from '../triggers/trigger.ts'
import type { CandleBatch } from './replay.ts'

export interface CandleFeed {
  readonly frame: CandleInterval
  readonly candles: AsyncIterable<CandleBatch>
  /** Candles before it are only judged: an indicator needs them. */
  readonly firesFrom?: number
  /** What was missing by the time that all were read, one sentence each. */
  readonly notes: string[]
}

const FRAMES = Object.keys(CANDLE_MS) as CandleInterval[]
/** Some fifty years of minutes. */
const MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024
/** Of one question to a venue. */
const PAGE = 1_000
/** Empty pages in a row, behind which nothing is looked for. */
const MAX_EMPTY = 3

/** @throws {CommandError} `bad-candles`, `bad-argument`, `not-supported` */
export async function openCandles(choice: CandleChoice, asked: Asked): Promise<CandleFeed> {
  const feed = choice.from === 'file' ? await fileFeed(choice, asked) : venueFeed(choice, asked)
  requireFineEnough(asked.trigger, feed.frame)
  return feed
}

function requireFineEnough(trigger: Trigger, frame: CandleInterval): void {
  if (trigger.kind === 'schedule') return
  const [finest] = trigger.condition.frames
  if (finest === undefined || CANDLE_MS[finest] >= CANDLE_MS[frame]) return
  throw new CommandError('bad-argument', `the condition judges bars of ${finest}, and the candles are of ${frame}`, {
    hint: `use candles of ${finest}, or of a shorter frame`,
  })
}

function usesVolume({ series }: Condition): boolean {
  return series.some(({ field, indicator }) => field === 'volume' || indicator?.name === 'vwap')
}

// A file.

async function fileFeed(
  { path, mayHaveGaps }: Extract<CandleChoice, { from: 'file' }>,
  { signal, trigger }: Pick<Asked, 'signal' | 'trigger'>,
): Promise<CandleFeed> {
  const name = path.split(/[\\/]/).at(-1) ?? path
  const needsVolume = trigger.kind === 'condition' && usesVolume(trigger.condition)
  const notes: string[] = []
  const batches = inWords(name, fileBatches(path, { signal, mayHaveGaps, needsVolume, notes }))
  const first = await batches.next()
  if (first.done === true) throw badCandles(name, new CandleError('the file has no candles', CANDLE_COLUMNS))
  const { frame } = first.value
  async function* all(): AsyncGenerator<CandleBatch> {
    if (first.done !== true) yield first.value
    yield* batches
  }
  return { frame, candles: all(), notes }
}

function badCandles(file: string, error: CandleError | StoreError): CommandError {
  return new CommandError('bad-candles', `${printable(file, 80)}: ${error.message}`, defined({ hint: error.hint }))
}

async function* inWords<T>(file: string, batches: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* batches
  } catch (error) {
    if (error instanceof CandleError || error instanceof StoreError) throw badCandles(file, error)
    throw error
  }
}

interface FileOptions {
  readonly signal: AbortSignal
  readonly mayHaveGaps: boolean
  readonly needsVolume: boolean
  readonly notes: string[]
}

async function* fileBatches(
  path: string,
  options: FileOptions,
): AsyncGenerator<CandleBatch & { readonly frame: CandleInterval }> {
  const { signal, notes } = options
  const reader = new FileReader(options)
  for await (const { lines, done } of untilAborted(namedLines(path, { maxBytes: MAX_FILE_BYTES, signal }), signal)) {
    for (const line of lines) reader.take(line)
    if (reader.frame !== undefined) yield { bars: reader.takeBars(), done, frame: reader.frame }
  }
  if (reader.frame !== undefined) return reader.gaps.note(notes, CANDLE_MS[reader.frame])
  if (signal.aborted) return
  const what = reader.takeBars().length === 1 ? 'the file has one candle' : 'the file has no candles'
  throw new CandleError(what, CANDLE_COLUMNS)
}

class FileReader {
  readonly gaps = new GapCount()
  /** Known from the second candle on. */
  frame: CandleInterval | undefined
  readonly #options: FileOptions
  readonly #rows = new CandleRows()
  #before: Bar | undefined
  #bars: Bar[] = []

  constructor(options: FileOptions) {
    this.#options = options
  }

  take(line: string): void {
    const row = this.#rows.take(line)
    if (row === undefined) return
    const { needsVolume } = this.#options
    if (needsVolume && row.volume === undefined) throw this.#rows.wrong('has no volume, and the condition uses it')
    const bar = barOf(row)
    if (this.#before !== undefined) this.#follow(this.#before, bar)
    this.#before = bar
    this.#bars.push(bar)
  }

  takeBars(): readonly Bar[] {
    const bars = this.#bars
    this.#bars = []
    return bars
  }

  #follow(before: Bar, bar: Bar): void {
    this.frame ??= frameBetween(before, bar, this.#rows)
    const missing = missingBetween(before, bar, this.frame, this.#rows)
    if (missing === 0) return
    if (!this.#options.mayHaveGaps) throw gapRefusal(this.#rows, missing)
    this.gaps.add(missing, bar.at)
  }
}

async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  try {
    yield* source
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function frameBetween(before: Bar, bar: Bar, rows: CandleRows): CandleInterval {
  const step = bar.at - before.at
  const frame = FRAMES.find((each) => CANDLE_MS[each] === step)
  if (frame === undefined) {
    throw rows.wrong(`begins ${showDuration(step)} after the candle before it, and candles are of ${FRAMES.join(', ')}`)
  }
  // What does not begin with its bar belongs to two of them.
  if (before.at % step !== 0) throw rows.wrong(`begins beside the bars of ${frame}, which are counted from 00:00 UTC`)
  return frame
}

function missingBetween(before: Bar, bar: Bar, frame: CandleInterval, rows: CandleRows): number {
  const step = bar.at - before.at
  const missing = step / CANDLE_MS[frame] - 1
  if (Number.isInteger(missing)) return missing
  throw rows.wrong(`begins ${showDuration(step)} after the candle before it, and the candles are of ${frame}`)
}

function gapRefusal(rows: CandleRows, missing: number): CandleError {
  const { message } = rows.wrong(
    `comes after ${missing === 1 ? 'a candle that is' : `${missing} candles that are`} missing`,
  )
  return new CandleError(message, 'add `--gaps`: the condition starts over after each gap')
}

class GapCount {
  #count = 0
  #longest = { missing: 0, at: 0 }

  add(missing: number, at: number): void {
    this.#count += 1
    if (missing > this.#longest.missing) this.#longest = { missing, at }
  }

  note(notes: string[], stepMs: number): void {
    if (this.#count === 0) return
    const { missing, at } = this.#longest
    const which = this.#count === 1 ? 'a gap' : `${this.#count} gaps, the longest`
    notes.push(`the candles have ${which} of ${showDuration(missing * stepMs)} before ${showTime(at)} UTC`)
  }
}

// A venue.

interface Asked {
  readonly trigger: Trigger
  readonly symbol: string
  readonly signal: AbortSignal
  /** Of the clock on the wall. */
  readonly now: number
}

function venueFeed(
  { venue, since, frame: wanted }: Extract<CandleChoice, { from: 'venue' }>,
  { trigger, symbol, signal, now }: Asked,
): CandleFeed {
  if (venue.fetchCandles === undefined) {
    throw new CommandError('not-supported', `${venue.id} has no candles to be asked for`, {
      hint: 'use `--candles file.csv`',
    })
  }
  const condition = trigger.kind === 'condition' ? trigger.condition : undefined
  const frame = wanted ?? condition?.frames[0] ?? '1m'
  const stepMs = CANDLE_MS[frame]
  const reads = Object.entries(condition?.reads ?? {}) as [CandleInterval, number][]
  const warmUpMs = Math.max(0, ...reads.map(([each, bars]) => bars * CANDLE_MS[each]))
  const notes: string[] = []
  const candles = pages({
    fetch: (from) => venue.fetchCandles?.(symbol, frame, PAGE, from) ?? Promise.resolve([]),
    venue: venue.id,
    stepMs,
    from: Math.floor((since - warmUpMs) / stepMs) * stepMs,
    until: Math.floor(now / stepMs) * stepMs,
    since,
    needsVolume: condition !== undefined && usesVolume(condition),
    signal,
    notes,
  })
  return { frame, candles, firesFrom: since, notes }
}

interface PageOptions {
  readonly fetch: (from: number) => Promise<readonly Candle[]>
  readonly venue: string
  readonly stepMs: number
  readonly from: number
  /** The one that forms begins then. */
  readonly until: number
  readonly since: number
  readonly needsVolume: boolean
  readonly signal: AbortSignal
  readonly notes: string[]
}

async function* pages(options: PageOptions): AsyncGenerator<CandleBatch> {
  const { fetch, venue, stepMs, from, until, since, signal, notes } = options
  const gaps = new GapCount()
  let last: number | undefined
  let [next, empty] = [from, 0]
  while (next < until && !signal.aborted && empty < MAX_EMPTY) {
    const found = await fetch(next)
    const candles = found.filter(({ at }) => at >= next && at < until)
    requireVolume(candles, options)
    const [first] = candles
    if (last === undefined && first !== undefined && first.at > since)
      notes.push(`${venue} has candles from ${showTime(first.at)} UTC on`)
    for (const { at } of candles) {
      if (last !== undefined && at - last > stepMs) gaps.add((at - last) / stepMs - 1, at)
      last = at
    }
    empty = first === undefined ? empty + 1 : 0
    // A venue may have less at once than was asked for.
    next = first === undefined ? next + PAGE * stepMs : (last ?? next) + stepMs
    yield { bars: candles.map(barOf), done: Math.min(1, (next - from) / (until - from)) }
  }
  if (last === undefined && !signal.aborted) {
    throw new CommandError('bad-candles', `${venue} has no candles since ${showTime(from)} UTC`, {
      hint: 'ask for a shorter time, or use `--candles file.csv`',
    })
  }
  gaps.note(notes, stepMs)
}

function requireVolume(candles: readonly Candle[], { needsVolume, venue }: PageOptions): void {
  if (!needsVolume || candles.every(({ volume }) => volume !== undefined)) return
  throw new CommandError('bad-argument', `${venue} reports no volume of its candles`, { hint: 'compare prices' })
}

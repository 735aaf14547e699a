// `cross-trade-state.jsonl`: what the copier must know after a crash. From which positions a row copies, what each copier should hold, what its
// orders have built, and which of them have no known end. An intent is on the disk before its order leaves.
import { defined } from '../base/defined.ts'
import type { Order } from '../exchange/order.ts'
import { type DurableJournal, openDurableJournal } from '../stores/durable-journal.ts'
import { baselineLeft, Decimal } from './plan.ts'

/** Decimals by symbol; what is not there is zero. */
export type Amounts = Readonly<Record<string, string>>

/** An order about to be sent. */
export interface CopyIntent extends Pick<Order, 'side' | 'amount' | 'reduceOnly'> {
  /** Counts the orders of the copier from 0; never used again. */
  readonly step: number
  /** ms since the epoch, as all times here. */
  readonly at: number
  /** It was left to a task. */
  readonly chase?: true
}

/** What one symbol of the master makes of a copier: in the master's amount unit, and converted; absent: to be converted. */
interface Part {
  readonly raw: string
  readonly amount?: string
}

export interface UnitState {
  /** Signed: what its orders have built since the row began. */
  owned: string
  nextStep: number
  /** By symbols of the master. */
  parts: Readonly<Record<string, Part>>
  /** By step. */
  intents: ReadonlyMap<number, CopyIntent>
  /** Why only a person may wake it. */
  paused?: string
}

/** What makes a row the row that it was: with another one of these it begins anew. */
export interface RowTerms {
  readonly master: string
  readonly masterSymbol?: string
  readonly enabledAt?: number
}

export interface RowState {
  isOn: boolean
  terms: RowTerms
  wokenAt?: number
  baseline: Amounts
  /** The master's positions as its copiers know them. */
  seen: Amounts
}

interface EngineState {
  readonly rows: Map<string, RowState>
  /** By `<row id>/<account>/<symbol>`. */
  readonly units: Map<string, UnitState>
}

export type StateLine =
  | ({ readonly t: 'on'; readonly row: string } & RowTerms & {
        readonly wokenAt?: number
        readonly baseline: Amounts
        readonly seen: Amounts
      })
  | { readonly t: 'off'; readonly row: string }
  /** The master holds so much, which makes so much, in its own unit, of each copier. */
  | {
      readonly t: 'master'
      readonly row: string
      readonly symbol: string
      readonly position: string
      readonly raws: Amounts
    }
  /** That was converted. */
  | {
      readonly t: 'part'
      readonly unit: string
      readonly symbol: string
      readonly raw: string
      readonly amount: string
    }
  | ({ readonly t: 'intent'; readonly unit: string } & CopyIntent)
  /** It is over, and so much of it filled. */
  | { readonly t: 'end'; readonly unit: string; readonly step: number; readonly filled: string }
  /** Others have closed a part of it, or it was counted anew. */
  | { readonly t: 'owned'; readonly unit: string; readonly owned: string }
  | { readonly t: 'paused'; readonly unit: string; readonly why: string }
  | { readonly t: 'woken'; readonly row: string; readonly wokenAt?: number }
  /** Its copiers are to hold nothing, and it copies from these positions on. */
  | { readonly t: 'flat'; readonly row: string; readonly seen?: Amounts }
  /** What older lines added up to. */
  | { readonly t: 'row'; readonly row: string; readonly state: RowState }
  | {
      readonly t: 'unit'
      readonly unit: string
      readonly state: Omit<UnitState, 'intents'> & { readonly intents: readonly CopyIntent[] }
    }

function emptyState(): EngineState {
  return { rows: new Map(), units: new Map() }
}

export function unitKey(row: string, account: string, symbol: string): string {
  return `${row}/${account}/${symbol}`
}

/** The units of a row, by their keys. */
export function unitsOf(state: EngineState, row: string): readonly (readonly [string, UnitState])[] {
  return [...state.units].filter(([key]) => key.startsWith(`${row}/`))
}

export function unitIn({ units }: EngineState, key: string): UnitState {
  const known = units.get(key)
  if (known !== undefined) return known
  const fresh: UnitState = { owned: '0', nextStep: 0, parts: {}, intents: new Map() }
  units.set(key, fresh)
  return fresh
}

function applyLine(state: EngineState, line: StateLine): void {
  if ('unit' in line) return applyToUnit(state, line)
  applyToRow(state, line)
}

type UnitLine = Extract<StateLine, { readonly unit: string }>
type RowLine = Exclude<StateLine, UnitLine>

function applyToRow(state: EngineState, line: RowLine): void {
  if (line.t === 'on') return begin(state, line)
  if (line.t === 'row') return void state.rows.set(line.row, line.state)
  const row = state.rows.get(line.row)
  if (row === undefined) return
  switch (line.t) {
    case 'off':
      row.isOn = false
      return
    case 'master':
      row.seen = withAmount(row.seen, line.symbol, line.position)
      if (row.baseline[line.symbol] !== undefined) {
        const left = baselineLeft(row.baseline[line.symbol] ?? '0', line.position)
        row.baseline = withAmount(row.baseline, line.symbol, left.toFixed())
      }
      for (const [key, raw] of Object.entries(line.raws)) {
        const unit = unitIn(state, key)
        unit.parts = withPart(unit.parts, line.symbol, { raw })
      }
      return
    case 'woken':
      setOptional(row, 'wokenAt', line.wokenAt)
      for (const [, unit] of unitsOf(state, line.row)) delete unit.paused
      return
    case 'flat':
      if (line.seen !== undefined) [row.baseline, row.seen] = [line.seen, line.seen]
      for (const [, unit] of unitsOf(state, line.row)) unit.parts = {}
      return
  }
}

/** What its orders had built is no longer its own. */
function begin(state: EngineState, line: Extract<StateLine, { readonly t: 'on' }>): void {
  const { t: _, row, wokenAt, baseline, seen, ...terms } = line
  const { master, masterSymbol, enabledAt } = terms
  state.rows.set(row, {
    isOn: true,
    terms: { master, ...defined({ masterSymbol, enabledAt }) },
    ...defined({ wokenAt }),
    baseline,
    seen,
  })
  for (const [, unit] of unitsOf(state, row)) {
    unit.owned = '0'
    unit.parts = {}
    unit.intents = new Map()
    delete unit.paused
  }
}

function applyToUnit(state: EngineState, line: UnitLine): void {
  if (line.t === 'unit') {
    const intents = new Map(line.state.intents.map((intent) => [intent.step, intent]))
    return void state.units.set(line.unit, { ...line.state, intents })
  }
  const unit = unitIn(state, line.unit)
  switch (line.t) {
    case 'part':
      // The master may have moved on while it was converted.
      if (unit.parts[line.symbol]?.raw === line.raw)
        unit.parts = withPart(unit.parts, line.symbol, { raw: line.raw, amount: line.amount })
      return
    case 'intent': {
      const { t: _t, unit: _unit, ...intent } = line
      // A line that is there twice, of an order that may be over by now.
      if (line.step < unit.nextStep) return
      unit.nextStep = line.step + 1
      unit.intents = new Map(unit.intents).set(line.step, intent)
      return
    }
    case 'end':
      end(unit, line.step, line.filled)
      return
    case 'owned':
      unit.owned = line.owned
      return
    case 'paused':
      unit.paused = line.why
      return
  }
}

/** What is not open is not ours, or was counted: a row that has begun anew, a line that is there twice. */
function end(unit: UnitState, step: number, filled: string): void {
  const intent = unit.intents.get(step)
  if (intent === undefined) return
  const intents = new Map(unit.intents)
  intents.delete(step)
  unit.intents = intents
  unit.owned = new Decimal(unit.owned).plus(intent.side === 'buy' ? filled : new Decimal(filled).neg()).toFixed()
}

function withAmount(amounts: Amounts, symbol: string, amount: string): Amounts {
  const { [symbol]: _, ...others } = amounts
  return new Decimal(amount).isZero() ? others : { ...others, [symbol]: amount }
}

function withPart(parts: UnitState['parts'], symbol: string, part: Part): UnitState['parts'] {
  const { [symbol]: _, ...others } = parts
  return new Decimal(part.raw).isZero() ? others : { ...others, [symbol]: part }
}

function setOptional(row: RowState, field: 'wokenAt', value: number | undefined): void {
  if (value === undefined) delete row[field]
  else row[field] = value
}

export function foldLines(lines: readonly string[]): EngineState {
  const state = emptyState()
  for (const text of lines) {
    const line = decodeLine(text)
    if (line !== undefined) applyLine(state, line)
  }
  return state
}

/** For a new file: what the lines add up to. */
export function shortened(lines: readonly string[]): readonly string[] {
  const { rows, units } = foldLines(lines)
  const short: StateLine[] = [
    ...[...rows].map(([row, state]): StateLine => ({ t: 'row', row, state })),
    ...[...units].map(
      ([unit, state]): StateLine => ({ t: 'unit', unit, state: { ...state, intents: [...state.intents.values()] } }),
    ),
  ]
  return short.map((line) => JSON.stringify(line))
}

const KINDS: ReadonlySet<unknown> = new Set([
  'on',
  'off',
  'master',
  'part',
  'intent',
  'end',
  'owned',
  'paused',
  'woken',
  'flat',
  'row',
  'unit',
])

/** A line torn by a crash is skipped: nothing was sent after a line that was not whole. */
function decodeLine(text: string): StateLine | undefined {
  try {
    const line: unknown = JSON.parse(text)
    if (typeof line !== 'object' || line === null) return undefined
    const { t, row, unit } = line as Readonly<Record<string, unknown>>
    return KINDS.has(t) && (typeof row === 'string' || typeof unit === 'string') ? (line as StateLine) : undefined
  } catch {
    return undefined
  }
}

/** The file of the engine's state; a new one begins with what the old one adds up to. */
export function openCopierFile(path: string, maxBytes?: number): DurableJournal {
  return openDurableJournal({ path, carryOver: shortened, ...defined({ maxBytes }) })
}

export class StateJournal {
  readonly #file: DurableJournal
  readonly #now: () => number
  readonly #onProblem: (error: unknown) => void
  #state = emptyState()

  constructor(file: DurableJournal, now: () => number, onProblem: (error: unknown) => void) {
    this.#file = file
    this.#now = now
    this.#onProblem = onProblem
  }

  /** What the lines add up to, those that are on their way included. */
  get state(): EngineState {
    return this.#state
  }

  /** @throws {StoreError} */
  async read(): Promise<void> {
    this.#state = foldLines(await this.#file.read())
  }

  /** Holds once it is on the disk. @throws {StoreError} then it does not hold, here; it may be on the disk all the same */
  async append(line: StateLine): Promise<void> {
    await this.#file.append([this.#text(line)])
    applyLine(this.#state, line)
  }

  /** Holds at once; it is in the file before what is appended later. */
  note(line: StateLine): void {
    applyLine(this.#state, line)
    this.#file.note([this.#text(line)]).catch(this.#onProblem)
  }

  #text(line: StateLine): string {
    return JSON.stringify({ ...line, at: this.#now() })
  }
}

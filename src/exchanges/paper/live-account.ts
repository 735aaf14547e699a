// The stored account meeting the clock. Whatever is asked of it, it is first brought up to the market of now, and both are stored as one
// change; a refused action therefore still leaves the fills that came before it.
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Archive } from './archive.ts'
import { type Action, createBatches, type Waiting } from './batches.ts'
import { bookAt, type Depth, THIN_DEPTH } from './depth.ts'
import { type PriceSource, type Quotes, quotesAt } from './market.ts'
import { advance, type Moment } from './matching.ts'
import { type PaperState, seal } from './state.ts'

/** Where the account is kept. Several exchanges, in several processes, may share it: every change is made inside `update`. */
export interface PaperStateStore {
  /** The state as stored now. */
  read(): PaperState
  /** As `read`, where all calls of one turn of the event loop may share one look. Default: `read`. */
  readOncePerTurn?(): PaperState
  /** Applies `change` to the freshest state, alone, and stores the result; the same reference stores nothing. */
  update(change: (current: PaperState) => PaperState): Promise<PaperState>
  /** Calls `handler` after a change by anyone. @returns stops the calls */
  watch?(handler: () => void): () => void
}

export interface Settled {
  readonly state: PaperState
  readonly quotes: Quotes
}

export interface LiveAccount {
  /** The state as last seen, at most a second ago while the account is in use: without asking the store. */
  lastSeen(): PaperState
  /** The state as stored now. */
  look(): PaperState
  /**
   * The account brought up to now, with the quotes of now; stored only if that changed it. The same reference as long as nothing has
   * changed and it is the same millisecond.
   * @throws {ExchangeError} `unavailable` when it could not be stored
   */
  settle(): Promise<Settled>
  /**
   * Brings the account up to now and acts on it.
   * @throws {ExchangeError} the action's refusal, after the rest was stored; `unavailable` when nothing was stored, `outcome-unknown`
   *   when that cannot be known
   */
  act<Result>(action: Action<Result>): Promise<Result>
  /** Resolves when no write is under way. */
  idle(): Promise<void>
}

export interface LiveAccountOptions {
  readonly prices: PriceSource
  readonly depth: Depth
  readonly store: PaperStateStore
  readonly archive: Archive
  readonly now: () => number
  /** Called with the state after each of these, before they resolve. It holds all that a batch made, however much. */
  readonly onStored: (state: PaperState) => void
  /** Told what failed with no caller to tell. */
  readonly onProblem: (problem: unknown) => void
}

export function createLiveAccount(options: LiveAccountOptions): LiveAccount {
  const { store, onStored, now } = options
  const readOncePerTurn = store.readOncePerTurn ?? store.read
  let opening = true
  let seen = store.read()

  /** The last one: what many orders of one moment ask is worked out once. */
  let last: { readonly state: PaperState; readonly moment: Moment } | undefined
  let settled: (Settled & { readonly moment: Moment }) | undefined

  function momentNow(state: PaperState): Moment {
    const at = now()
    if (last?.state !== state || last.moment.now !== at || last.moment.opening !== opening) {
      last = { state, moment: momentAt(options, state, { at, opening }) }
    }
    return last.moment
  }

  function keep(state: PaperState): void {
    opening = false
    seen = state
    onStored(state)
  }

  function look(): PaperState {
    seen = readOncePerTurn()
    return seen
  }

  const { act, idle } = createWriter(options, momentNow, keep)

  async function settle(): Promise<Settled> {
    const state = look()
    const moment = momentNow(state)
    if (settled?.moment === moment) return settled
    if (advance(state, moment) === state) {
      keep(state)
      settled = { state, quotes: moment.quotes, moment }
      return settled
    }
    const changed = await act((current, { quotes }) => ({ state: current, result: { state: current, quotes } }))
    return { state: seal(changed.state), quotes: changed.quotes }
  }

  return {
    lastSeen: () => seen,
    look,
    act,
    idle,
    settle,
  }
}

function createWriter(
  { store, archive, onProblem }: LiveAccountOptions,
  momentNow: (state: PaperState) => Moment,
  keep: (state: PaperState) => void,
): Pick<LiveAccount, 'act' | 'idle'> {
  let archiving: Promise<unknown> = Promise.resolve()

  async function write(take: () => readonly Waiting[]): Promise<void> {
    let batch: readonly Waiting[] | undefined
    let applied: PaperState | undefined
    let before: PaperState | undefined
    let stored: PaperState | undefined
    try {
      await store.update((current) => {
        batch = take()
        before = current
        const moment = momentNow(current)
        archive.refresh(current)
        applied = batch.reduce((state, { apply }) => apply(state, moment), advance(current, moment))
        if (applied === current) return current
        stored = seal(applied.bornAt === 0 ? { ...applied, bornAt: moment.now } : applied, archive.safeSeq)
        return stored
      })
    } catch (error) {
      batch ??= take()
      const failure = storeFailure(error, isPerhapsStored(store, before, applied))
      for (const { fail } of batch) fail(failure)
      return
    }
    if (applied !== undefined) keep(applied)
    for (const { answer } of batch ?? []) answer()
    if (stored !== undefined) archiving = Promise.all([archiving, archive.keep(stored).catch(onProblem)])
  }

  const batches = createBatches(write)
  return {
    act: batches.act,
    async idle() {
      await batches.idle()
      await archiving
    },
  }
}

function momentAt(
  { prices, depth, archive }: LiveAccountOptions,
  state: PaperState,
  { at, opening }: { readonly at: number; readonly opening: boolean },
): Moment {
  const quotes = quotesAt(prices, at)
  const book = bookAt(state.faults.partialFills === undefined ? depth : THIN_DEPTH, quotes, at)
  return { quotes, book, archive, now: at, opening }
}

/** A failed write leaves the old file, but for one that fails at its very last step. */
function isPerhapsStored(
  store: PaperStateStore,
  before: PaperState | undefined,
  applied: PaperState | undefined,
): boolean {
  if (before === undefined || applied === undefined || applied === before) return false
  try {
    return store.read().nextChangeSeq >= applied.nextChangeSeq
  } catch {
    return true
  }
}

function storeFailure(cause: unknown, isPerhaps: boolean): ExchangeError {
  const said = cause instanceof Error ? cause.message : String(cause)
  const hint = cause instanceof Error && 'hint' in cause && typeof cause.hint === 'string' ? cause.hint : undefined
  const options = { cause, ...(hint === undefined ? {} : { hint }) }
  if (isPerhaps) {
    return new ExchangeError('outcome-unknown', `the paper account may not have been stored: ${said}`, options)
  }
  return new ExchangeError('unavailable', `the paper account could not be stored: ${said}`, options)
}

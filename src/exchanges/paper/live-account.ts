// The stored account meeting the clock. Whatever is asked of it, it is first brought up to the market of now, and both are stored as one
// change; a refused action therefore still leaves the fills that came before it.
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { bookAt, THIN_DEPTH } from './depth.ts'
import type { MarketSource } from './market-source.ts'
import { advance, type Moment, type Outcome } from './matching.ts'
import { type PaperState, seal } from './state.ts'
import type { Archive } from './state-file.ts'

/** Where the account is kept. Several exchanges, in several processes, may share it: every change is made inside `update`. */
export interface PaperStateStore {
  /** The state as stored now. */
  read(): PaperState
  /** As `read`, where all calls of one turn of the event loop may share one look. Default: `read`. */
  readOncePerTurn?(): PaperState
  /**
   * Applies `change` to the freshest state, alone, and stores the result; the same reference stores nothing. It is applied again where
   * another process stored a change in between.
   */
  update(change: (current: PaperState) => PaperState): Promise<PaperState>
  /** Calls `handler` after a change by anyone. @returns stops the calls */
  watch?(handler: () => void): () => void
}

export interface Settled {
  readonly state: PaperState
  readonly moment: Moment
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

interface LiveAccountOptions {
  readonly market: MarketSource
  readonly store: PaperStateStore
  readonly archive: Archive
  readonly now: () => number
  /** Called with the state after each of these, before they resolve. It holds all that a batch made, however much. */
  readonly onStored: (state: PaperState) => void
  /** Notified of what failed with no caller to tell. */
  readonly onProblem: (problem: unknown) => void
}

export function createLiveAccount(options: LiveAccountOptions): LiveAccount {
  const { store, onStored } = options
  const readOncePerTurn = store.readOncePerTurn ?? store.read
  const moments = createMoments(options)
  let seen = store.read()

  let settled: Settled | undefined

  function keep(state: PaperState, at: number): void {
    moments.met(at)
    seen = state
    onStored(state)
  }

  function look(): PaperState {
    seen = readOncePerTurn()
    return seen
  }

  const { act, idle } = createWriter(options, moments.upToNow, keep)

  async function settle(): Promise<Settled> {
    const state = look()
    if (settled?.moment === moments.now(state)) return settled
    const met = moments.upToNow(state)
    if (met.state === state) {
      keep(state, met.moment.now)
      settled = { state, moment: met.moment }
      return settled
    }
    const changed = await act((current, moment) => ({ state: current, result: { state: current, moment } }))
    return { ...changed, state: seal(changed.state) }
  }

  return {
    lastSeen: () => seen,
    look,
    act,
    idle,
    settle,
  }
}

interface Moments {
  now(state: PaperState): Moment
  /** The account at the market of now, and what it met on the way there. */
  upToNow(state: PaperState): Settled
  /** Every price until then was looked at. */
  met(at: number): void
}

function createMoments({ market, archive, now }: LiveAccountOptions): Moments {
  let opening = true
  let lookedUntil = 0
  /** The last one: what many orders of one moment ask is worked out once. */
  let last: { readonly state: PaperState; readonly changes: number; readonly moment: Moment } | undefined

  function momentAt(state: PaperState, at: number): Moment {
    const view = market.at(at)
    const book = state.faults.partialFills === undefined ? view.book : bookAt(THIN_DEPTH, view, at)
    return { archive, now: Math.floor(at), opening: opening && market.closesWithUs, ...view, book }
  }

  function momentNow(state: PaperState): Moment {
    const at = now()
    const { changes } = market
    const isLast = last?.state === state && last.changes === changes && last.moment.now === at
    if (!isLast || last?.moment.opening !== (opening && market.closesWithUs))
      last = { state, changes, moment: momentAt(state, at) }
    return last.moment
  }

  return {
    now: momentNow,
    upToNow(state) {
      const moment = momentNow(state)
      const holdsNothing = state.openOrders.length === 0 && state.positions.length === 0
      const from = Math.max(state.settledAt ?? moment.now, lookedUntil)
      const turns = holdsNothing ? [] : market.between(from, moment.now)
      const met = turns.reduce((current, at) => advance(current, momentAt(current, at)), state)
      return { state: advance(met, moment), moment }
    },
    met(at) {
      opening = false
      lookedUntil = at
    },
  }
}

function createWriter(
  { market, store, archive, onProblem }: LiveAccountOptions,
  upToNow: Moments['upToNow'],
  keep: (state: PaperState, at: number) => void,
): Pick<LiveAccount, 'act' | 'idle'> {
  let archiving: Promise<unknown> = Promise.resolve()

  async function write(take: () => readonly Waiting[]): Promise<void> {
    let batch: readonly Waiting[] | undefined
    let applied: PaperState | undefined
    let before: PaperState | undefined
    let stored: PaperState | undefined
    let at = 0
    try {
      await store.update((current) => {
        // Again, where another process stored a change in between.
        batch ??= take()
        before = current
        archive.refresh(current)
        const met = upToNow(current)
        at = met.moment.now
        applied = batch.reduce((state, { apply }) => apply(state, met.moment), met.state)
        if (applied === current) return current
        const born = applied.bornAt === 0 ? { ...applied, bornAt: met.moment.now } : applied
        stored = seal(market.closesWithUs ? born : { ...born, settledAt: met.moment.now }, archive.safeSeq)
        return stored
      })
    } catch (error) {
      batch ??= take()
      const failure = storeFailure(error, isPerhapsStored(store, before, applied))
      for (const { fail } of batch) fail(failure)
      return
    }
    if (applied !== undefined) keep(applied, at)
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
  const stated = cause instanceof Error ? cause.message : String(cause)
  const hint = cause instanceof Error && 'hint' in cause && typeof cause.hint === 'string' ? cause.hint : undefined
  const options = { cause, ...defined({ hint }) }
  if (isPerhaps) {
    return new ExchangeError('outcome-unknown', `the paper account may not have been stored: ${stated}`, options)
  }
  return new ExchangeError('unavailable', `the paper account could not be stored: ${stated}`, options)
}

// Actions that share a write: all that wait when it begins are applied in the order they came, each with its own refusal.

/** @throws {ExchangeError} the action is refused and changes nothing */
export type Action<Result> = (state: PaperState, moment: Moment) => Outcome<Result>

interface Waiting {
  /** Never throws. */
  apply(state: PaperState, moment: Moment): PaperState
  /** What it applied is stored. */
  answer(): void
  fail(error: ExchangeError): void
}

interface Batches {
  /** Resolves with the action's result once that is stored. */
  act<Result>(action: Action<Result>): Promise<Result>
  /** Resolves when no write is under way. */
  idle(): Promise<void>
}

/** So many share a write; the event loop is not held up by more. */
const MAX_BATCH = 500

/** @param write stores what the batch it takes makes of the state, and answers each; never rejects */
function createBatches(write: (take: () => readonly Waiting[]) => Promise<void>): Batches {
  let waiting: Waiting[] = []
  /** A write has been asked for and has not begun. */
  let isAskedFor = false
  let lastWrite: Promise<unknown> = Promise.resolve()

  function take(): readonly Waiting[] {
    const batch = waiting.slice(0, MAX_BATCH)
    waiting = waiting.slice(MAX_BATCH)
    isAskedFor = false
    if (waiting.length > 0) askForWrite()
    return batch
  }

  function askForWrite(): void {
    if (isAskedFor) return
    isAskedFor = true
    lastWrite = Promise.all([lastWrite, write(take)])
  }

  return {
    act: (action) =>
      new Promise((resolve, reject) => {
        waiting.push(waitFor(action, resolve, reject))
        askForWrite()
      }),
    async idle() {
      await lastWrite
    },
  }
}

function waitFor<Result>(
  action: Action<Result>,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
): Waiting {
  let answer = (): void => reject(new Error('the store resolved an update without applying it'))
  return {
    apply(state, moment) {
      try {
        const outcome = action(state, moment)
        answer = () => resolve(outcome.result)
        return outcome.state
      } catch (error) {
        answer = () => reject(error)
        return state
      }
    },
    answer: () => answer(),
    fail: reject,
  }
}

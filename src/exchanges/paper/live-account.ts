// The stored account meeting the clock. Whatever is asked of it, it is first brought up to the market of now, and both are
// stored as one change; a refused action therefore still leaves the fills that came before it.
import { ExchangeError } from '../../exchange/exchange.ts'
import { type PriceSource, type Quotes, quotesAt } from './market.ts'
import { advance, type Moment, type Outcome } from './matching.ts'
import type { PaperState } from './state.ts'

/** Where the account is kept. Several exchanges, in several processes, may share it: every change is made inside `update`. */
export interface PaperStateStore {
  /** The state as stored now. */
  read(): PaperState
  /** Applies `change` to the freshest state, alone, and stores the result; the same reference stores nothing. */
  update(change: (current: PaperState) => PaperState): Promise<PaperState>
  /** Calls `handler` after a change by anyone. @returns stops the calls */
  watch?(handler: () => void): () => void
}

/** @throws {ExchangeError} the action is refused and changes nothing */
export type Action<Result> = (state: PaperState, moment: Moment) => Outcome<Result>

export interface LiveAccount {
  /** The account brought up to now, with the quotes of now; stored only if that changed it. */
  settle(): Promise<{ readonly state: PaperState; readonly quotes: Quotes }>
  /** Brings the account up to now and acts on it. @throws {ExchangeError} the action's refusal, after the rest was stored */
  act<Result>(action: Action<Result>): Promise<Result>
}

/** @param options.onStored called with the state after each of these, before they resolve */
export function createLiveAccount(options: {
  readonly prices: PriceSource
  readonly store: PaperStateStore
  readonly now: () => number
  readonly onStored: (state: PaperState) => void
}): LiveAccount {
  const { prices, store, now, onStored } = options
  let opening = true

  function momentNow(): Moment {
    const at = now()
    return { quotes: quotesAt(prices, at), now: at, opening }
  }

  function keep(state: PaperState): void {
    opening = false
    onStored(state)
  }

  return {
    async settle() {
      let moment = momentNow()
      let state = store.read()
      if (advance(state, moment) !== state) {
        state = await store.update((current) => {
          moment = momentNow()
          return advance(current, moment)
        })
      }
      keep(state)
      return { state, quotes: moment.quotes }
    },
    async act<Result>(action: Action<Result>): Promise<Result> {
      let outcome: { readonly result: Result } | { readonly refusal: ExchangeError } | undefined
      const stored = await store.update((current) => {
        const moment = momentNow()
        const settled = advance(current, moment)
        try {
          const { state, result } = action(settled, moment)
          outcome = { result }
          return state
        } catch (error) {
          if (!(error instanceof ExchangeError)) throw error
          outcome = { refusal: error }
          return settled
        }
      })
      keep(stored)
      if (outcome === undefined) throw new Error('the store resolved an update without applying it')
      if ('refusal' in outcome) throw outcome.refusal
      return outcome.result
    },
  }
}

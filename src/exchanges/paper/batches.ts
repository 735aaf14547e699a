// Actions that share a write: all that wait when it begins are applied in the order they came, each with its own refusal.
import type { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Moment, Outcome } from './matching.ts'
import type { PaperState } from './state.ts'

/** @throws {ExchangeError} the action is refused and changes nothing */
export type Action<Result> = (state: PaperState, moment: Moment) => Outcome<Result>

export interface Waiting {
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
export function createBatches(write: (take: () => readonly Waiting[]) => Promise<void>): Batches {
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

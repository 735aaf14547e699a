// Venues that number requests refuse one that overtakes another: signed requests go one after the other there. What must not wait goes to the
// head of the line, and gives up a question that is under way; that one is asked again behind it, under a new number. Public questions have no
// number, and do not line up.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { CcxtClient } from './ccxt-client.ts'

interface Turn {
  readonly isUrgent: boolean
  cancel: AbortController
  /** Begins once it is the first in the line. */
  begin: () => void
}

const current = new AsyncLocalStorage<Turn>()

/** Of the request that is being made. */
export function currentTurn(): { readonly signal: AbortSignal } | undefined {
  const turn = current.getStore()
  return turn && { signal: turn.cancel.signal }
}

/** The parts of a ccxt instance that are wrapped; `throttle` comes right before a request is numbered and signed. */
interface Numbered {
  fetch2: (path: string, api: string | readonly string[], ...rest: readonly unknown[]) => Promise<unknown>
  throttle: (cost?: number) => Promise<void>
}

/** @param isUrgent whether what is being asked must not wait */
export function lineUp(made: CcxtClient, isUrgent: () => boolean): void {
  const client = made as unknown as Numbered
  const [send, pace] = [client.fetch2.bind(made), client.throttle.bind(made)]
  const waiting: Turn[] = []
  let active: Turn | undefined

  function next(): void {
    if (active !== undefined) return
    active = waiting.shift()
    active?.begin()
  }

  /** Resolves when it is its turn. */
  function enter(turn: Turn): Promise<void> {
    return new Promise((begin) => {
      turn.begin = begin
      const behind = turn.isUrgent ? waiting.findIndex((each) => !each.isUrgent) : -1
      if (behind === -1) waiting.push(turn)
      else waiting.splice(behind, 0, turn)
      if (turn.isUrgent && active?.isUrgent === false) active.cancel.abort()
      next()
    })
  }

  function leave(turn: Turn): void {
    if (active !== turn) return
    active = undefined
    next()
  }

  client.throttle = async (cost) => {
    await pace(cost)
    const turn = current.getStore()
    if (turn !== undefined) await enter(turn)
  }

  client.fetch2 = async (path, api, ...rest) => {
    if ((typeof api === 'string' ? [api] : api).includes('public')) return current.exit(() => send(path, api, ...rest))
    const turn: Turn = { isUrgent: isUrgent(), cancel: new AbortController(), begin: () => {} }
    for (;;) {
      turn.cancel = new AbortController()
      const { signal } = turn.cancel
      try {
        return await current.run(turn, () => orAborted(send(path, api, ...rest), signal))
      } catch (error) {
        if (!signal.aborted) throw error
      } finally {
        leave(turn)
      }
    }
  }
}

/** A transport may not hear of it, and then nobody waits for its answer. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

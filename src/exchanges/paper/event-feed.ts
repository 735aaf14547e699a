// Who is told what happened on a paper account. The stored state carries the last changes, numbered; the feed remembers the
// last one it told, so that changes made by this process and by others reach its subscribers once each and in order.
import type { ExchangeEvent } from '../../exchange/exchange.ts'
import type { OrderChange, PaperState } from './state.ts'

type Handler = (event: ExchangeEvent) => void

/** What of the store the feed needs. */
interface Source {
  read(): PaperState
  watch?(handler: () => void): () => void
}

export interface EventFeed {
  readonly subscribe: (handler: Handler) => () => void
  hasSubscribers(): boolean
  /** Tells what `state` has that was not told yet. */
  publish(state: PaperState): void
  emit(event: ExchangeEvent): void
  close(): void
}

/**
 * Watches `source` while there are subscribers.
 * @param onProblem told what a subscriber threw; the others are still called
 */
export function createEventFeed(source: Source, onProblem: (problem: unknown) => void): EventFeed {
  const handlers = new Set<Handler>()
  let nextSeq = 0
  let stopWatching: (() => void) | undefined

  function emit(event: ExchangeEvent): void {
    for (const handler of [...handlers]) {
      try {
        handler(event)
      } catch (error) {
        onProblem(error)
      }
    }
  }

  function publish(state: PaperState): void {
    const untold = state.changes.filter((change) => change.seq >= nextSeq)
    // Never backwards: the state of an earlier write may arrive here after a later one was seen.
    nextSeq = Math.max(nextSeq, state.nextChangeSeq)
    for (const change of untold) emit(describeChange(change, state))
  }

  function unsubscribe(handler: Handler): void {
    handlers.delete(handler)
    if (handlers.size > 0) return
    stopWatching?.()
    stopWatching = undefined
  }

  return {
    subscribe(handler) {
      if (handlers.size === 0) {
        nextSeq = source.read().nextChangeSeq
        stopWatching = source.watch?.(() => publish(source.read()))
      }
      handlers.add(handler)
      return () => unsubscribe(handler)
    },
    hasSubscribers: () => handlers.size > 0,
    publish,
    emit,
    close() {
      for (const handler of [...handlers]) unsubscribe(handler)
    },
  }
}

function describeChange(change: OrderChange, state: PaperState): ExchangeEvent {
  const { order, reason } = change
  const trade = state.trades.find((made) => made.id === change.tradeId)
  if (trade !== undefined) return { type: 'trade', trade, order }
  return { type: 'order', order, ...(reason === undefined ? {} : { reason }) }
}

// The focus of this process (behaviour 32). It begins as config.json has it, and from then on belongs to this process alone: what another
// hookline or an editor writes there is the default of the next start.

import type { ConfigStore } from './config.ts'

/** What became of a change of the focus. */
export type FocusKept =
  /** It is the default of the next start too. */
  | { readonly isDefault: true }
  /** Another process holds the port and keeps that default; `pid` where it is known. */
  | { readonly isDefault: false; readonly pid?: number }

/** The account and symbol that runs without their own use in this process (behaviour 32). */
export interface Focus {
  account(): string
  symbol(): string
  /** @throws {StoreError} config.json cannot be written; nothing has changed then */
  set(change: { readonly account?: string; readonly symbol?: string }): Promise<FocusKept>
  /** Calls `handler` after each change. @returns stops the calls */
  watch(handler: () => void): () => void
}

interface ProcessFocusOptions {
  readonly config: Pick<ConfigStore, 'read' | 'readOncePerTurn' | 'focus' | 'problem' | 'watch'>
  /** The other process that holds the port, and so keeps the default of the next start; undefined: there is none. */
  readonly otherHolder: () => Promise<{ readonly pid?: number } | undefined>
}

interface Place {
  readonly account: string
  readonly symbol: string
}

export function createProcessFocus({ config, otherHolder }: ProcessFocusOptions): Focus {
  const handlers = new Set<() => void>()
  let own: Place | undefined

  /** A file that is bad at the start is not where anyone put the focus: it is read again until it is good. */
  function current(): Place {
    if (own !== undefined) return own
    const { defaultAccount, defaultSymbol } = config.readOncePerTurn()
    const place = { account: defaultAccount, symbol: defaultSymbol }
    if (config.problem() === undefined) own = place
    return place
  }

  return {
    account: () => current().account,
    symbol: () => current().symbol,
    async set(change): Promise<FocusKept> {
      const holder = await otherHolder()
      if (holder === undefined) await config.focus(change)
      own = { ...current(), ...change }
      for (const handler of handlers) handler()
      return holder === undefined ? { isDefault: true } : { isDefault: false, ...holder }
    },
    watch(handler) {
      handlers.add(handler)
      const stop = config.watch(() => {
        if (own === undefined) handler()
      })
      return () => {
        handlers.delete(handler)
        stop()
      }
    },
  }
}

// The focus of this process (behaviour 32). It begins as config.json has it, and from then on belongs to this process alone: what another
// hookline or an editor writes there is the default of the next start.

import { defined } from '../base/defined.ts'
import type { ListenerStatus } from '../commands/kit/data.ts'
import type { Focus, FocusKept } from '../commands/kit/ports.ts'
import { askHolderPid } from '../listener/holder-pid.ts'
import type { ConfigStore } from '../stores/config.ts'

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

/** The process that keeps the default focus in our place. A process without a listener has to ask who holds the port. */
export async function findOtherHolder(
  status: ListenerStatus | undefined,
): Promise<{ readonly pid?: number } | undefined> {
  if (status !== undefined) {
    const { state, holderPid } = status
    if (state !== 'port-taken') return undefined
    return defined({ pid: holderPid })
  }
  const pid = await askHolderPid()
  return pid === undefined ? undefined : { pid }
}

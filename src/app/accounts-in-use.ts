// Accounts in use are connected without waiting for a command, so that what happens on them is told: the one in focus, and those that hooks
// are pinned to.

import { isRefusal } from '../commands/kit/errors.ts'
import type { Focus } from '../commands/kit/ports.ts'
import type { AccountWatching } from './account-watching.ts'
import type { Connections } from './connections.ts'
import type { Stores } from './open-stores.ts'
import { keepRecovering, type OrderRecovery, type OrderRecoveryOptions } from './order-recovery.ts'

const LOOK_AGAIN_MS = 30_000
const MAX_ACCOUNTS = 20

interface AccountsInUseOptions {
  readonly names: () => Iterable<string>
  readonly connect: Connections['connect']
  /** Resolves when what happened meanwhile on a connected account has been told. */
  readonly told: (name: string) => Promise<void>
  readonly reportBug: (error: unknown) => void
}

interface AccountsInUse {
  /** Resolves when all that could be connected has told what happened meanwhile; after 10 s at the latest. */
  readonly ready: Promise<void>
  /** Accounts can be reached that could not be before. */
  lookNow(): Promise<void>
  stop(): void
}

/** A venue that does not answer must not keep the orders of another from being looked after. */
const READY_WITHIN_MS = 10_000

function keepConnected({ names, connect, told, reportBug }: AccountsInUseOptions): AccountsInUse {
  const connectOne = async (name: string): Promise<void> => {
    try {
      await connect(name)
      await told(name)
    } catch (error) {
      // A venue that cannot be reached or traded on is told by the commands that want it.
      if (!isRefusal(error)) reportBug(error)
    }
  }
  const connectAll = async (): Promise<void> => {
    await Promise.all([...new Set(names())].slice(0, MAX_ACCOUNTS).map(connectOne))
  }
  const timer = setInterval(() => void connectAll(), LOOK_AGAIN_MS).unref()
  let giveUp: NodeJS.Timeout | undefined
  const ready = Promise.race([
    connectAll(),
    new Promise<void>((resolve) => {
      giveUp = setTimeout(resolve, READY_WITHIN_MS).unref()
    }),
  ]).finally(() => clearTimeout(giveUp))
  return { ready, lookNow: connectAll, stop: () => clearInterval(timer) }
}

interface LookAfterOptions extends Pick<OrderRecoveryOptions, 'journal' | 'connect' | 'onProblem'> {
  readonly stores: Pick<Stores, 'hooks'>
  readonly focus: Pick<Focus, 'account'>
  readonly watching: AccountWatching | undefined
  readonly reportBug: (error: unknown) => void
}

/** Connects accounts in use, and sees to what dead processes have left open. */
export function lookAfterAccounts(options: LookAfterOptions): OrderRecovery {
  const { stores, focus, journal, connect, watching, onProblem, reportBug } = options
  const pinned = () => stores.hooks.list().flatMap(({ account }) => (account === undefined ? [] : [account]))
  const inUse = keepConnected({
    names: () => [focus.account(), ...pinned()],
    told: async (name) => watching?.ready(name),
    connect,
    reportBug,
  })
  const recovery = keepRecovering({ after: inUse.ready, journal, connect, onProblem })
  return {
    // What happened meanwhile is told first, then what became of the orders that were left.
    lookNow: () => void inUse.lookNow().then(recovery.lookNow),
    stop() {
      inUse.stop()
      recovery.stop()
    },
  }
}

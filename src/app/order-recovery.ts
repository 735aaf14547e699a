// What processes that died have left open is taken over by one that lives: at its start, and when another one dies beside it.
import type { Connections } from './connections.ts'

const LOOK_AGAIN_MS = 30_000

export interface OrderRecoveryOptions {
  /** The first look waits for this: what happened meanwhile is told first. */
  readonly after: Promise<void>
  readonly journal: { accountsLeft(): Promise<readonly string[]> }
  readonly connect: Connections['connect']
  readonly onProblem: (problem: unknown) => void
}

export interface OrderRecovery {
  /** Accounts can be reached that could not be before. */
  lookNow(): void
  stop(): void
}

export function keepRecovering({ after, journal, connect, onProblem }: OrderRecoveryOptions): OrderRecovery {
  let isLooking = false
  const failing = new Set<string>()
  const recover = async (name: string): Promise<void> => {
    try {
      const { orders } = await connect(name)
      await orders.recoverAgain()
      failing.delete(name)
    } catch (error) {
      // It is tried again and again, and told once.
      if (!failing.has(name)) onProblem(error)
      failing.add(name)
    }
  }
  const look = async (): Promise<void> => {
    for (const name of await journal.accountsLeft()) {
      // An account that is gone cannot be asked, and must not keep the others waiting; its orders stay in the journal.
      await recover(name)
    }
  }
  const lookOnce = (): void => {
    if (isLooking) return
    isLooking = true
    look()
      .catch(onProblem)
      .finally(() => {
        isLooking = false
      })
  }
  void after.then(lookOnce)
  const timer = setInterval(lookOnce, LOOK_AGAIN_MS)
  timer.unref()
  return { lookNow: () => void after.then(lookOnce), stop: () => clearInterval(timer) }
}

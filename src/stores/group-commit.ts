// Writers that share a write: lines that come while one is under way wait for the next one, which takes them all.

export interface Group {
  readonly lines: readonly string[]
  readonly isSynced: boolean
}

interface WaitingGroup extends Group {
  readonly settle: (error: Error | undefined) => void
}

export interface GroupCommit {
  /** Resolves once the write that took the group has. Rejects with what `explain` made of its failure. */
  add(group: Group): Promise<void>
  /** Resolves when no write is under way. */
  idle(): Promise<void>
}

/**
 * @param write writes all of the groups or rejects; never called while it is under way
 * @param explain makes of a failed write the error that its writers get
 */
export function createGroupCommit(
  write: (groups: readonly Group[]) => Promise<void>,
  explain: (error: unknown) => Promise<Error>,
): GroupCommit {
  let waiting: WaitingGroup[] = []
  let pumping: Promise<void> | undefined

  async function pump(): Promise<void> {
    while (waiting.length > 0) {
      const groups = waiting
      waiting = []
      const failure = await write(groups).then(() => undefined, explain)
      for (const { settle } of groups) settle(failure)
    }
    pumping = undefined
  }

  return {
    add: (group) =>
      new Promise((resolve, reject) => {
        waiting.push({ ...group, settle: (error) => (error === undefined ? resolve() : reject(error)) })
        // At once, and yet after all that its writer adds before it waits: an order's intent and its count are one write.
        pumping ??= new Promise<void>((begin) => process.nextTick(begin)).then(pump)
      }),
    async idle() {
      await pumping
    },
  }
}

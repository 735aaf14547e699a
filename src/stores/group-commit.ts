// Writers that share a write: lines that come while one is under way wait for the next one, which takes them all.

export interface Group {
  readonly lines: readonly string[]
  readonly isSynced: boolean
  /** Its writer adds more before it waits for anything: both are one write. */
  readonly isFollowed?: boolean
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
  /** Of a write that has not begun: it waits for what follows. */
  let begin: (() => void) | undefined

  async function pump(): Promise<void> {
    while (waiting.length > 0) {
      const groups = waiting
      waiting = []
      const failure = await write(groups).then(() => undefined, explain)
      for (const { settle } of groups) settle(failure)
    }
    pumping = undefined
  }

  /** By the next tick all that the writer knows to add is there. */
  function beginSoon(): void {
    if (pumping !== undefined) return
    pumping = new Promise<void>((resolve) => {
      // The request of an order is prepared while its lines are written: they do not wait for that.
      begin = () => {
        begin = undefined
        resolve(pump())
      }
    })
    process.nextTick(() => begin?.())
  }

  return {
    add: (group) =>
      new Promise((resolve, reject) => {
        waiting.push({ ...group, settle: (error) => (error === undefined ? resolve() : reject(error)) })
        // Of lines that nothing goes before, all that the tick adds is one write.
        if (begin === undefined || group.isFollowed === true) beginSoon()
        else begin()
      }),
    async idle() {
      await pumping
    },
  }
}

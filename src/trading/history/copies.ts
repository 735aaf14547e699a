// What copiers ordered last, and what came of it, read from the order journal backwards: of a long journal only its end.
import { decodeLine, type Line, type RunOrder, readOrder } from './journal-history.ts'

export interface CopyRecord extends RunOrder {
  /** Of its row. */
  readonly configId: string
  /** The task that chases for it. */
  readonly taskId?: string
}

/** Nobody waits for a look through a journal in which no copier ordered anything. */
const MAX_LINES = 50_000
/** `<row id>/<account>/<symbol>`, of a chase with its step behind it. */
const COPIER = /^([0-9a-f-]{36})\//i

/** @param lines of the order journal, newest first, several at a time @returns newest first */
export async function readCopies(
  lines: AsyncIterable<readonly string[]>,
  limit: number,
): Promise<readonly CopyRecord[]> {
  const copies: CopyRecord[] = []
  /** What came of orders whose intent is further back, by their ids, newest first. */
  const ends = new Map<unknown, Line[]>()
  let left = MAX_LINES
  for await (const chunk of lines) {
    for (const text of chunk) {
      const line = decodeLine(text)
      if (line.t === 'intent') {
        copies.push(...copyOf(line, ends.get(line.id) ?? []))
        ends.delete(line.id)
      } else if (typeof line.id === 'string') ends.set(line.id, [...(ends.get(line.id) ?? []), line])
      if (copies.length >= limit || --left === 0) return copies
    }
  }
  return copies
}

function copyOf(intent: Line, ends: readonly Line[]): CopyRecord[] {
  const { copier, taskId, runId } = (typeof intent.by === 'object' && intent.by !== null ? intent.by : {}) as Line
  const unit = typeof copier === 'string' ? copier : typeof taskId === 'string' ? runId : undefined
  const [, configId] = COPIER.exec(typeof unit === 'string' ? unit : '') ?? []
  if (configId === undefined) return []
  const task = typeof taskId === 'string' ? { taskId } : {}
  return readOrder([intent, ...ends.toReversed()]).map((order) => ({ ...order, configId, ...task }))
}

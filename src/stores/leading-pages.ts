// `cross-trade-pages.json`: which pages say that they lead cross-trading (behaviour 143), as the hookline they are connected to knows it. A process
// that does not listen learns it here. As with the engine's own heartbeat, the clock alone ends what a hookline that died has left.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { time } from '../protocol/rows.ts'
import { STALE_MS } from './cross-trade-engine.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { recordOf } from './row-file.ts'

export interface LeadingPages extends FileState {
  /** Labels of the pages that lead, as they gave them; empty where none does, or nobody has said so for 15 s. */
  read(): readonly string[]
  /** @throws {StoreError} */
  write(labels: readonly string[]): Promise<void>
}

/** One page at a time leads, by its own rules; nobody needs to see more of those that do not keep them. */
const MAX_LABELS = 10

const fileSchema = z.looseObject({
  pid: z.exactOptional(z.int()),
  seenAt: z.exactOptional(time),
  labels: z.exactOptional(z.array(z.string())),
})
type PagesFile = z.infer<typeof fileSchema>

export function openLeadingPages(directory: string, now: () => number = Date.now): LeadingPages {
  const file = createJsonFile<PagesFile>({
    path: join(directory, 'cross-trade-pages.json'),
    parse: recordOf<PagesFile>(fileSchema),
    defaults: {},
    graceMs: 0,
  })
  return {
    ...stateOf(file),
    read() {
      const { seenAt, labels = [] } = file.read()
      const isFresh = file.problem() === undefined && seenAt !== undefined && Math.abs(now() - seenAt) <= STALE_MS
      return isFresh ? labels : []
    },
    async write(labels) {
      await file.update((content) => {
        // Only the hookline that has the port has pages, so nothing of another one is lost.
        if (labels.length === 0 && (content.labels ?? []).length === 0) return content
        return { pid: process.pid, seenAt: now(), labels: labels.slice(0, MAX_LABELS) }
      })
    },
  }
}

// `panic.json` (behaviour 30): there while nothing may run but what stops and looks. Every hookline on the config directory reads it
// before each step, and a restart does not end it.
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { time } from '../protocol/rows.ts'
import { createJsonFile, type FileState, latestDerived, stateOf } from './json-file.ts'
import { recordOf } from './rows.ts'
import { systemCode, writeFailure } from './store-error.ts'

export interface Panic {
  /** ms since the epoch; 0: not known, for the file cannot be read. It also tells one panic from the next. */
  readonly since: number
  /** For people: `the terminal`, `hook dip`, `web Console`. */
  readonly by: string
  /** The process that said so; 0: not known. */
  readonly pid: number
}

export interface PanicStore extends FileState {
  /** The `since` of the panic that is on, else of the last one; undefined: there was none. What was let in before it has ended. */
  latest(): number | undefined
  /** As `latest()`, with one stat per event-loop turn. */
  latestOncePerTurn(): number | undefined
  /** undefined: off. A file that cannot be read counts as on, one that is not there as off. */
  read(): Panic | undefined
  /** As `read()`, with one stat per event-loop turn. */
  readOncePerTurn(): Panic | undefined
  /** The process that last turned it on or off; 0: not known. */
  changedBy(): number
  /**
   * Holds in this process at once, in all others when the promise resolves. While it is on already, nothing changes.
   * @throws {StoreError} it holds in this process only, and is written as soon as it can be
   */
  begin(by: string): Promise<void>
  /** @returns what has ended; undefined: it was off @throws {StoreError} it is still on */
  end(): Promise<Panic | undefined>
}

const schema = z.looseObject({
  since: z.exactOptional(time),
  by: z.exactOptional(z.string()),
  pid: z.exactOptional(z.int()),
  /** The last one that is over: a process that slept through it must not miss it. */
  last: z.exactOptional(z.looseObject({ since: time })),
})

type PanicFile = z.infer<typeof schema>

const UNREADABLE: Panic = { since: 0, by: 'panic.json, which cannot be read', pid: 0 }

export function openPanicStore(directory: string, now: () => number = Date.now): PanicStore {
  const file = createJsonFile<PanicFile>({
    path: join(directory, 'panic.json'),
    parse: recordOf<PanicFile>(schema),
    defaults: {},
  })

  /** The same reference for the same content. */
  const panicIn = latestDerived(({ since, by = 'an unknown source', pid = 0 }: PanicFile): Panic | undefined =>
    since === undefined ? undefined : { since, by, pid },
  )

  function panicOf(content: PanicFile): Panic | undefined {
    if (content.since === undefined && file.problem() !== undefined) return UNREADABLE
    return panicIn(content)
  }

  async function removeUnreadable(): Promise<void> {
    file.look()
    if (file.problem() === undefined) return
    await unlink(file.path).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw writeFailure(file.path, error)
    })
  }

  const latestOf = ({ since, last }: PanicFile): number | undefined => since ?? last?.since

  return {
    read: () => panicOf(file.read()),
    readOncePerTurn: () => panicOf(file.readOncePerTurn()),
    latest: () => latestOf(file.read()),
    latestOncePerTurn: () => latestOf(file.readOncePerTurn()),
    changedBy: () => file.read().pid ?? 0,
    async begin(by) {
      const before = file.read()
      if (panicOf(before) !== undefined) return
      // Two within a millisecond are two.
      const begun: Panic = { since: Math.max(now(), (latestOf(before) ?? 0) + 1), by, pid: process.pid }
      await file.restrict((content) => (content.since === undefined ? { ...content, ...begun } : content))
    },
    async end() {
      const before = panicOf(file.read())
      if (before === undefined) return undefined
      await removeUnreadable()
      file.release()
      try {
        await file.update(({ since = before.since, by: _by, ...rest }) => ({
          ...rest,
          pid: process.pid,
          ...(since === 0 ? {} : { last: { since } }),
        }))
      } catch (error) {
        file.restrict((content) => (content.since === undefined ? { ...content, ...before } : content)).catch(() => {})
        throw error
      }
      return before
    },
    ...stateOf(file),
  }
}

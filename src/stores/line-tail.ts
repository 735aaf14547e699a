// What was appended to a journal since the last look, by whichever process: the file is read on from where it ended then. Where it was set
// aside meanwhile, all that can hold a line of interest is read again.
import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { filesSince, ignoreMissing, linesOf, type Written } from './durable-journal.ts'
import { openHandleForReading } from './private-file.ts'

interface NewLines {
  /** What was read before no longer counts: `lines` has all of it again. */
  readonly isAnew: boolean
  readonly lines: readonly string[]
}

export interface LineTail {
  /** @param since of what was set aside, only files that can hold a line of then (ms since the epoch) or later @throws the system's error */
  readOn(since: number): Promise<NewLines>
  /** The next look reads everything again. */
  forget(): void
  /** What this process has written behind the last look, with nothing in between, needs no look. Absent, or empty: look. */
  takeOwn?(): readonly string[]
  /** What `takeOwn` would give now. */
  peekOwn?(): readonly string[]
  /** Told of what this process writes. */
  noteOwn?(written: Written): void
  /** Whether the file ends where the last look, or `takeOwn`, did: a look would find nothing. */
  isAtEnd?(): boolean
}

/** What nobody has asked for is read when somebody does. */
const MOST_OWN = 1_000

export function openLineTail(path: string): LineTail {
  /** Where the last look ended. */
  let place: { readonly inode: number; readonly offset: number } | undefined
  /** Of this process, one after the other. */
  let own: { readonly inode: number; readonly from: number; to: number; readonly lines: string[] } | undefined

  async function readAll(since: number): Promise<NewLines> {
    for (;;) {
      const files = await filesSince(path, since)
      const earlier: string[] = []
      for (const aside of files.slice(1).reverse()) earlier.push(...(await linesOf(aside)))
      const { lines, inode, offset } = await readFrom(path, 0)
      // Set aside meanwhile: what it held was in neither.
      if ((await filesSince(path, since)).length !== files.length) continue
      place = inode === undefined ? undefined : { inode, offset }
      return { isAnew: true, lines: [...earlier, ...lines] }
    }
  }

  /** Whether the lines begin where the last look ended. */
  function isNext(lines: typeof own): lines is NonNullable<typeof own> {
    return lines !== undefined && place?.inode === lines.inode && place.offset === lines.from
  }

  return {
    forget() {
      place = undefined
    },
    noteOwn({ inode, from, to, lines }) {
      if (own?.inode === inode && own.to === from && own.lines.length < MOST_OWN) {
        own.to = to
        own.lines.push(...lines)
      } else own = { inode, from, to, lines: [...lines] }
    },
    peekOwn: () => (isNext(own) ? own.lines : []),
    takeOwn() {
      const taken = own
      own = undefined
      if (!isNext(taken)) return []
      place = { inode: taken.inode, offset: taken.to }
      return taken.lines
    },
    isAtEnd() {
      // At once: a look at a name is quicker than the way to the pool and back.
      const found = place === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
      return found !== undefined && found.ino === place?.inode && found.size === place.offset
    },
    async readOn(since) {
      const found = await stat(path).catch(ignoreMissing)
      if (place === undefined || found === undefined || found.ino !== place.inode || found.size < place.offset) {
        return readAll(since)
      }
      if (found.size === place.offset) return { isAnew: false, lines: [] }
      const { lines, inode, offset } = await readFrom(path, place.offset)
      if (inode !== place.inode) return readAll(since)
      place = { inode, offset }
      return { isAnew: false, lines }
    },
  }
}

/** Whole lines only: what follows the last newline is read again when it has ended. */
async function readFrom(path: string, start: number) {
  const handle = await openHandleForReading(path).catch(ignoreMissing)
  if (handle === undefined) return { lines: [], inode: undefined, offset: 0 }
  try {
    const { ino, size } = await handle.stat()
    const bytes = Buffer.allocUnsafe(Math.max(0, size - start))
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start)
    const end = bytes.subarray(0, bytesRead).lastIndexOf(0x0a) + 1
    const lines = bytes.toString('utf8', 0, end).split('\n').filter(Boolean)
    return { lines, inode: ino, offset: start + end }
  } finally {
    await handle.close()
  }
}

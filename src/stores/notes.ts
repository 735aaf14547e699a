// `notes.jsonl`: what people note of their orders, and the tags that they add later. A tag that is typed with an order is in the order journal, with
// the order itself.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { openDurableJournal } from './durable-journal.ts'
import { StoreError } from './store-error.ts'

/** Of one order. */
export const MAX_TAGS = 8
const MAX_TAG_LENGTH = 32
/** In UTF-16 units. */
const MAX_NOTE_LENGTH = 300

const TAG = new RegExp(`^[a-z0-9-]{1,${MAX_TAG_LENGTH}}$`)
/** Control characters, and those that turn the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

export function isTag(text: unknown): text is string {
  return typeof text === 'string' && TAG.test(text)
}

/** The tags of a row that anybody may have written. */
export function tagsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? [...new Set(value.filter(isTag))].slice(0, MAX_TAGS) : []
}

/** Why a text cannot be a note; undefined: it can. */
export function faultOfNote(text: string): string | undefined {
  if (text.trim() === '') return 'the note is empty'
  if (text.length > MAX_NOTE_LENGTH)
    return `the note has ${text.length} characters, at most ${MAX_NOTE_LENGTH} are allowed`
  return UNPRINTABLE.test(text) ? 'the note has control characters' : undefined
}

/** One act. `note` replaces the note of the order, `tags` are added, `isCleared` takes both away first. */
export interface NoteLine {
  /** ms since the epoch. */
  readonly at: number
  readonly account: string
  readonly symbol: string
  /** The venue's. */
  readonly orderId: string
  readonly note?: string
  readonly tags?: readonly string[]
  readonly isCleared?: true
  /** `repl`, `exec` or `web`. */
  readonly source: string
}

export interface NoteStore {
  /**
   * Resolves once it is on the disk.
   * @param most how many lines there may be for another to be added
   * @throws {StoreError} `too-many`, `store-write-failed`
   */
  add(line: NoteLine, most?: number): Promise<void>
  /** Of one account, oldest first. @throws {StoreError} */
  read(account: string): Promise<readonly NoteLine[]>
  close(): Promise<void>
}

/** What is asked for later stays findable: nothing makes room for another. */
const MAX_LINES = 20_000
/** Pages leave room for the terminal. */
export const MAX_LINES_FOR_PAGES = 10_000

export function openNoteStore(directory: string): NoteStore {
  const file = openDurableJournal({
    path: join(directory, 'notes.jsonl'),
    maxBytes: Number.POSITIVE_INFINITY,
    carryOver: (lines) => lines,
  })
  return {
    async add(line, most = MAX_LINES) {
      const { length } = (await file.read()).filter((text) => text !== '')
      if (length >= most) {
        throw new StoreError('too-many', `there are ${length} notes, and no more than ${most} are kept`, {
          hint: 'move notes.jsonl away to begin a new one',
        })
      }
      await file.append([JSON.stringify(line)])
    },
    read: async (account) => (await file.read()).flatMap(decode).filter((line) => line.account === account),
    close: () => file.close(),
  }
}

const schema = z.looseObject({
  at: z.int(),
  account: z.string(),
  symbol: z.string(),
  orderId: z.string(),
  note: z.exactOptional(z.string()),
  tags: z.exactOptional(z.array(z.string())),
  isCleared: z.exactOptional(z.literal(true)),
  source: z.string(),
})

/** Empty for a line torn by a crash, or written by a person. */
function decode(text: string): NoteLine[] {
  try {
    const { note, tags, ...line } = z.parse(schema, JSON.parse(text))
    return [
      {
        ...line,
        ...(note === undefined || faultOfNote(note) !== undefined ? {} : { note }),
        ...(tags === undefined ? {} : { tags: tagsOf(tags) }),
      },
    ]
  } catch {
    return []
  }
}

// Up to ten thousand keys of the fires of one hook, in columns: fires come by the ten thousand a second, and an object and a Map's entry for each of
// them, kept for a while, cost a fire more in collection and in looking through colder memory than all else about its key (quality/bench/alerts).
import { quoteRare } from '../protocol/json-text.ts'

/** What is kept of a keyed fire. */
interface KeyedRun {
  readonly hook: string
  readonly key: string
  readonly runId: string
  /** ms since the epoch. */
  readonly at: number
  /** The number of the journal's file that has it; absent: some file before. */
  readonly file?: number
}

const MAX_KEYS = 10_000

/** There are many hooks, and most fire seldom. */
const FIRST_ROOM = 8
/** So many places for each row: most are free. */
const PLACES_PER_ROW = 4
/** Keys are digests: a few of their characters tell most of them apart. */
const HASHED = 8

class KeyTable {
  #size = 0
  readonly #keys: string[] = []
  readonly #runIds: string[] = []
  #ats = new Float64Array(FIRST_ROOM)
  #files = new Float64Array(FIRST_ROOM)
  /** By the hash of a key, the next free place being taken where there is another: its row, counted from one. Their number is a power of two. */
  #rows = new Int32Array(FIRST_ROOM * PLACES_PER_ROW)

  get size(): number {
    return this.#size
  }

  /** @param from rows before it no longer count */
  find(key: string, from = 0): Pick<KeyedRun, 'runId' | 'at'> | undefined {
    const row = (this.#rows[this.#placeOf(key)] ?? 0) - 1
    const runId = this.#runIds[row]
    return row < from || runId === undefined || runId === '' ? undefined : { runId, at: this.#ats[row] ?? 0 }
  }

  /** What has the same key is no longer found. There is room for `MAX_KEYS`. */
  add({ key, runId, at, file = 0 }: Omit<KeyedRun, 'hook'>): void {
    if (this.#size === this.#ats.length) this.#grow()
    const row = this.#size++
    this.#keys[row] = key
    this.#runIds[row] = runId
    this.#ats[row] = at
    this.#files[row] = file
    this.#rows[this.#placeOf(key)] = row + 1
  }

  /** The run that has it has not begun, and never will. */
  forget(key: string, runId: string): void {
    const row = (this.#rows[this.#placeOf(key)] ?? 0) - 1
    if (this.#runIds[row] === runId) this.#runIds[row] = ''
  }

  clear(): void {
    this.#size = 0
    this.#rows.fill(0)
  }

  /** Those that are not in the file set aside; from now on they are in the one after it. @param from rows before it no longer count */
  carryOver(aside: number, from = 0): readonly Omit<KeyedRun, 'hook'>[] {
    const carried: Omit<KeyedRun, 'hook'>[] = []
    for (let row = from; row < this.#size; row++) {
      const [key = '', runId = ''] = [this.#keys[row], this.#runIds[row]]
      if (this.#files[row] === aside || runId === '') continue
      this.#files[row] = aside + 1
      carried.push({ key, runId, at: this.#ats[row] ?? 0 })
    }
    return carried
  }

  #grow(): void {
    const room = this.#ats.length * 2
    const [ats, files] = [new Float64Array(room), new Float64Array(room)]
    ats.set(this.#ats)
    files.set(this.#files)
    this.#ats = ats
    this.#files = files
    this.#rows = new Int32Array(room * PLACES_PER_ROW)
    for (let row = 0; row < this.#size; row++) this.#rows[this.#placeOf(this.#keys[row] ?? '')] = row + 1
  }

  /** Where the row of this key is, or would be. */
  #placeOf(key: string): number {
    const last = this.#rows.length - 1
    let place = hashOf(key) & last
    for (;;) {
      const row = (this.#rows[place] ?? 0) - 1
      if (row < 0 || this.#keys[row] === key) return place
      place = (place + 1) & last
    }
  }
}

function hashOf(key: string): number {
  let hash = 0
  for (let at = 0; at < HASHED && at < key.length; at++) hash = Math.imul(hash, 31) + key.charCodeAt(at)
  return hash
}

// The keys under which senders fired (behaviour 46): what comes again under one of them does not run again. They are lines of `runs.jsonl`, in
// the same write as the run that they belong to.

const KEY_LIFE_MS = 24 * 60 * 60_000

/** Of one hook: those added last, and those before them. Nothing is ever taken out one by one. */
interface Tables {
  young: KeyTable
  old: KeyTable | undefined
}

export class FireKeys {
  /** By hook: the keys of one never push out those of another. */
  readonly #tables = new Map<string, Tables>()

  /** The first run of this hook under this key, for a day. */
  find(hook: string, key: string, now: number): string | undefined {
    const tables = this.#tables.get(hook)
    if (tables === undefined) return undefined
    const { young, old } = tables
    const found = young.find(key) ?? old?.find(key, young.size)
    return found === undefined || isOver(found, now) ? undefined : found.runId
  }

  add(run: KeyedRun, now: number): void {
    if (isOver(run, now)) return
    const tables = this.#tables.get(run.hook) ?? { young: new KeyTable(), old: undefined }
    this.#tables.set(run.hook, tables)
    if (tables.young.size === MAX_KEYS) {
      const emptied = tables.old ?? new KeyTable()
      tables.old = tables.young
      tables.young = emptied
      emptied.clear()
    }
    tables.young.add(run)
  }

  /** The run has not begun, and never will. */
  forget(hook: string, key: string, runId: string): void {
    this.#tables.get(hook)?.young.forget(key, runId)
  }

  /** Takes over what lines of the journal say. */
  read(lines: readonly string[], now: number): void {
    for (const line of lines) {
      const run = line.includes('"key":"') ? decode(line) : undefined
      if (run !== undefined) this.add(run, now)
    }
  }

  /**
   * Those that the file set aside does not have, as lines for the top of a new one: it stays readable until that one is set aside too, and by
   * then most keys are no longer wanted.
   * @param aside the number of the file set aside
   */
  carryOver(now: number, aside: number): readonly string[] {
    return [...this.#tables].flatMap(([hook, { young, old }]) => {
      const runs = [...(old?.carryOver(aside, young.size) ?? []), ...young.carryOver(aside)]
      return runs
        .filter((run) => !isOver(run, now))
        .map(
          ({ key, runId, at }) =>
            `{"t":"key","runId":${quoteRare(runId)},"at":${at},"hook":${quoteRare(hook)},"key":${quoteRare(key)}}`,
        )
    })
  }
}

function isOver({ at }: Pick<KeyedRun, 'at'>, now: number): boolean {
  return now - at >= KEY_LIFE_MS
}

/** A line torn by a crash, or written by a person, does not count. */
function decode(text: string): KeyedRun | undefined {
  try {
    const line: unknown = JSON.parse(text)
    if (typeof line !== 'object' || line === null) return undefined
    const { t, hook, key, runId, at } = line as Record<string, unknown>
    if (t !== 'start' && t !== 'key') return undefined
    if (typeof hook !== 'string' || typeof key !== 'string') return undefined
    return typeof runId === 'string' && typeof at === 'number' ? { hook, key, runId, at } : undefined
  } catch {
    return undefined
  }
}

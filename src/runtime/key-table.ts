// Up to ten thousand keys of fires, in columns: fires come by the ten thousand a second, and an object and a Map's entry for each of them, kept
// for a while, cost a fire more in collection and in looking through colder memory than all else about its key (quality/bench/alerts).

/** What is kept of a keyed fire. */
export interface KeyedRun {
  readonly hook: string
  readonly key: string
  readonly runId: string
  /** ms since the epoch. */
  readonly at: number
  /** The number of the journal's file that has it; absent: some file before. */
  readonly file?: number
}

export const MAX_KEYS = 10_000

/** A power of two, and thrice as many: most places are free. */
const PLACES = 32_768
/** Keys are digests: a few of their characters tell most of them apart. */
const HASHED = 8

export class KeyTable {
  #size = 0
  readonly #hooks: string[] = []
  readonly #keys: string[] = []
  readonly #runIds: string[] = []
  readonly #ats = new Float64Array(MAX_KEYS)
  readonly #files = new Float64Array(MAX_KEYS)
  /** By the hash of a key, the next free place being taken where there is another: its row, counted from one. */
  readonly #rows = new Int32Array(PLACES)

  get size(): number {
    return this.#size
  }

  /** @param from rows before it no longer count */
  find(hook: string, key: string, from = 0): Pick<KeyedRun, 'runId' | 'at'> | undefined {
    const row = this.#rowOf(hook, key, from)
    if (row === undefined) return undefined
    return { runId: this.#runIds[row] ?? '', at: this.#ats[row] ?? 0 }
  }

  /** What has the same hook and key is no longer found. There is room for `MAX_KEYS`. */
  add({ hook, key, runId, at, file = 0 }: KeyedRun): void {
    const row = this.#size++
    this.#hooks[row] = hook
    this.#keys[row] = key
    this.#runIds[row] = runId
    this.#ats[row] = at
    this.#files[row] = file
    this.#rows[this.#placeOf(hook, key)] = row + 1
  }

  clear(): void {
    this.#size = 0
    this.#rows.fill(0)
  }

  /** Those that are not in the file set aside; from now on they are in the one after it. @param from rows before it no longer count */
  carryOver(aside: number, from = 0): readonly KeyedRun[] {
    const carried: KeyedRun[] = []
    for (let row = from; row < this.#size; row++) {
      if (this.#files[row] === aside) continue
      this.#files[row] = aside + 1
      const [hook = '', key = '', runId = ''] = [this.#hooks[row], this.#keys[row], this.#runIds[row]]
      carried.push({ hook, key, runId, at: this.#ats[row] ?? 0 })
    }
    return carried
  }

  #rowOf(hook: string, key: string, from: number): number | undefined {
    const row = (this.#rows[this.#placeOf(hook, key)] ?? 0) - 1
    return row < from ? undefined : row
  }

  /** Where the row of this key is, or would be. */
  #placeOf(hook: string, key: string): number {
    let place = hashOf(key)
    for (;;) {
      const row = (this.#rows[place] ?? 0) - 1
      if (row < 0 || (this.#keys[row] === key && this.#hooks[row] === hook)) return place
      place = (place + 1) % PLACES
    }
  }
}

function hashOf(key: string): number {
  let hash = 0
  for (let at = 0; at < HASHED && at < key.length; at++) hash = Math.imul(hash, 31) + key.charCodeAt(at)
  return hash & (PLACES - 1)
}

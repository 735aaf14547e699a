// The keys under which senders fired (behaviour 46): what comes again under one of them does not run again. They are lines of `runs.jsonl`, in
// the same write as the run that they belong to.
import { quoteRare } from '../protocol/json-text.ts'

/** What is kept of a keyed fire. */
interface KeyedRun {
  readonly hook: string
  readonly key: string
  readonly runId: string
  /** ms since the epoch. */
  readonly at: number
}

export const KEY_LIFE_MS = 24 * 60 * 60_000
const MAX_KEYS = 10_000

export class FireKeys {
  /** Those added last, and those before them: nothing is ever taken out of a table one by one, which would cost a fire more than all else here. */
  #young = new Generation()
  #old = new Generation()

  /** The first run of this hook under this key, for a day. */
  find(hook: string, key: string, now: number): string | undefined {
    const found = this.#young.find(hook, key) ?? this.#old.find(hook, key)
    if (found === undefined || isOver(found, now) || found.number < this.#firstKept()) return undefined
    return found.runId
  }

  add(run: KeyedRun, now: number): void {
    if (isOver(run, now)) return
    if (this.#young.runs.length === MAX_KEYS) {
      this.#old = this.#young
      this.#young = new Generation(this.#old.end)
    }
    this.#young.add(run)
  }

  /** Takes over what lines of the journal say. */
  read(lines: readonly string[], now: number): void {
    for (const line of lines) {
      const run = line.includes('"key":"') ? decode(line) : undefined
      if (run !== undefined) this.add(run, now)
    }
  }

  /** As lines for the top of a new file. */
  lines(now: number): readonly string[] {
    const kept = [...this.#old.runs, ...this.#young.runs].slice(-MAX_KEYS).filter((run) => !isOver(run, now))
    return kept.map(
      ({ hook, key, runId, at }) =>
        `{"t":"key","runId":${quoteRare(runId)},"at":${at},"hook":${quoteRare(hook)},"key":${quoteRare(key)}}`,
    )
  }

  #firstKept(): number {
    return this.#young.end - MAX_KEYS
  }
}

interface NumberedRun extends KeyedRun {
  /** How many were added before it. */
  readonly number: number
}

class Generation {
  /** Oldest first. */
  readonly runs: NumberedRun[] = []
  /** By hook, then by key. */
  readonly #found = new Map<string, Map<string, NumberedRun>>()
  readonly #from: number

  /** @param from how many were added to those before it */
  constructor(from = 0) {
    this.#from = from
  }

  /** How many were added to it and to those before it. */
  get end(): number {
    return this.#from + this.runs.length
  }

  find(hook: string, key: string): NumberedRun | undefined {
    return this.#found.get(hook)?.get(key)
  }

  add({ hook, key, runId, at }: KeyedRun): void {
    const run = { hook, key, runId, at, number: this.end }
    this.runs.push(run)
    const ofHook = this.#found.get(hook)
    if (ofHook === undefined) this.#found.set(hook, new Map([[key, run]]))
    else ofHook.set(key, run)
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

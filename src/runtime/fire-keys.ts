// The keys under which senders fired (behaviour 46): what comes again under one of them does not run again. They are lines of `runs.jsonl`, in
// the same write as the run that they belong to.

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
  /** Oldest first. */
  readonly #runs = new Map<string, KeyedRun>()

  /** The first run of this hook under this key, for a day. */
  find(hook: string, key: string, now: number): string | undefined {
    const found = this.#runs.get(`${hook} ${key}`)
    return found === undefined || isOver(found, now) ? undefined : found.runId
  }

  add(run: KeyedRun, now: number): void {
    if (isOver(run, now)) return
    const name = `${run.hook} ${run.key}`
    this.#runs.delete(name)
    this.#runs.set(name, run)
    for (const [oldest, { at }] of this.#runs) {
      if (this.#runs.size <= MAX_KEYS && !isOver({ at }, now)) break
      this.#runs.delete(oldest)
    }
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
    const kept = [...this.#runs.values()].filter((run) => !isOver(run, now))
    return kept.map(({ hook, key, runId, at }) => JSON.stringify({ t: 'key', runId, at, hook, key }))
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

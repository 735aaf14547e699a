// The keys under which senders fired (behaviour 46): what comes again under one of them does not run again. They are lines of `runs.jsonl`, in
// the same write as the run that they belong to.
import { quoteRare } from '../protocol/json-text.ts'
import { type KeyedRun, KeyTable, MAX_KEYS } from './key-table.ts'

export const KEY_LIFE_MS = 24 * 60 * 60_000

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

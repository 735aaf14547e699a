// The lines of the terminal: the last that runs printed and that were typed. They live outside of React: each costs the same at any rate,
// and the page is notified once per drawn frame.
import { printable } from '../../language/printable.ts'
import { FrameBatches, type FramePorts } from '../frame-batches.ts'
import type { OutputLine } from '../state/console-state.ts'

export interface LogEntry {
  readonly key: number
  /** ms since the epoch; of a folded line the last time. */
  readonly at: number
  readonly kind: OutputLine['kind'] | 'typed'
  /** Of output of another source than the command above: `[hook:dip] `; of a typed line, the prompt. */
  readonly source: string
  readonly text: string
  /** How often in a row. */
  readonly times: number
}

export const MAX_ENTRIES = 5_000
const MAX_LINE = 10_000
/** The word for the colour. */
const WORD: Readonly<Record<LogEntry['kind'], string>> = {
  print: '',
  success: '',
  info: '',
  typed: '',
  warn: 'warning: ',
  error: 'error: ',
}

export type News = Omit<LogEntry, 'key' | 'times'>

export class OutputLog {
  readonly #batches: FrameBatches<News>
  readonly #listeners = new Set<() => void>()
  #entries: readonly LogEntry[] = []
  #lastKey = 0

  constructor(ports?: FramePorts) {
    this.#batches = new FrameBatches((batch) => this.#take(batch), ports)
  }

  print(line: OutputLine, at: number, source = ''): void {
    for (const each of linesOf(line, at, source)) this.#batches.add(each)
  }

  /** @param prompt what stood before it, which says what it ran on */
  typed(prompt: string, line: string, at: number): void {
    this.#batches.add(typedLine(prompt, line, at))
  }

  /** Lines from before the page was loaded, oldest first. */
  printBefore(lines: readonly News[]): void {
    this.#batches.flush()
    const before = lines.map((line): LogEntry => ({ ...line, key: ++this.#lastKey, times: 1 }))
    this.#set([...before, ...this.#entries].slice(-MAX_ENTRIES))
  }

  /** Adds the batched lines to the entries at once. */
  flush(): void {
    this.#batches.flush()
  }

  clear(): void {
    this.#batches.flush()
    this.#set([])
  }

  // As useSyncExternalStore wants them: bound.
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
  /** Oldest first; another array after each change. */
  readonly entries = (): readonly LogEntry[] => this.#entries

  #take(batch: readonly News[]): void {
    const next = [...this.#entries]
    for (const news of batch) {
      const last = next.at(-1)
      if (last !== undefined && isSame(last, news))
        next[next.length - 1] = { ...last, at: news.at, times: last.times + 1 }
      else next.push({ ...news, key: ++this.#lastKey, times: 1 })
    }
    this.#set(next.slice(-MAX_ENTRIES))
  }

  #set(entries: readonly LogEntry[]): void {
    this.#entries = entries
    for (const listener of this.#listeners) listener()
  }
}

export function typedLine(prompt: string, line: string, at: number): News {
  return { at, kind: 'typed', source: printable(prompt), text: printable(line) }
}

export function linesOf({ kind, text }: OutputLine, at: number, source: string): readonly News[] {
  return text.split(/\r?\n/).map((line, index) => {
    const word = index === 0 ? WORD[kind] : ''
    return { at, kind, source: printable(source), text: `${word}${printable(line, MAX_LINE)}` }
  })
}

function isSame(last: LogEntry, { kind, source, text }: News): boolean {
  return kind !== 'typed' && text !== '' && last.kind === kind && last.source === source && last.text === text
}

// Compares what PROTOCOL.md shows with what came. Ids are chosen anew each time: the first time one is seen, it stands for the
// documented one from then on. Of times, and of the figures in output (prices, amounts), only their places count.
import { expect } from 'vitest'

/** A UUID, or the id or token of a hook. */
const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}/g
const ID_OR_FIGURE = new RegExp(`(${ID.source})|\\d[\\d,]*(?:\\.\\d+)?`, 'g')
/** ms since the epoch. */
const MIN_TIME = 1e12

export class DocumentedValues {
  readonly #actual = new Map<string, string>()

  bind(documented: string, actual: string): void {
    this.#actual.set(documented, actual)
  }

  knows(documented: string): boolean {
    return this.#actual.has(documented)
  }

  /** The documented text with the ids of this day. */
  actual(documented: string): string {
    return documented.replaceAll(ID, (id) => this.#actual.get(id) ?? id)
  }

  expectLike(actualJson: string, documentedJson: string): void {
    const known = this.actual(documentedJson)
    const unknown = [...known.matchAll(ID)].map(([id]) => id)
    for (const [index, [id]] of [...actualJson.matchAll(ID)].entries()) {
      const documented = unknown[index]
      if (documented !== undefined && documented !== id) this.bind(documented, id)
    }
    expect(generic(JSON.parse(actualJson))).toEqual(generic(JSON.parse(this.actual(documentedJson))))
  }
}

/** Output is for people and full of figures; everywhere else each character counts. */
function generic(value: unknown, key?: string): unknown {
  if (typeof value === 'number') return value > MIN_TIME ? 'a time' : value
  if (typeof value === 'string' && (key === 'text' || key === 'outcome'))
    return value.replaceAll(ID_OR_FIGURE, (_figure, id?: string) => id ?? '#')
  if (Array.isArray(value)) return value.map((inner) => generic(inner))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, generic(inner, name)]))
}

// What hookline should not have done, counted by kind and told in words.
export type Breach =
  /** Answered, and not to be found after the kill. */
  | 'lost'
  /** Started, ended or told twice. */
  | 'twice'
  /** A file that is neither old nor new. */
  | 'torn'
  /** Refused, failed, or something nobody asked for. */
  | 'wrong'

export class BrokenPromises {
  readonly #found: { readonly breach: Breach; readonly words: string }[] = []

  add(breach: Breach, words: string): void {
    this.#found.push({ breach, words })
  }

  /** Notes `words` unless it is so. */
  expect(isSo: boolean, breach: Breach, words: string): void {
    if (!isSo) this.add(breach, words)
  }

  get size(): number {
    return this.#found.length
  }

  count(breach: Breach): number {
    return this.#found.filter((found) => found.breach === breach).length
  }

  /** The first few. */
  inWords(): string {
    const words = this.#found.slice(0, 10).map(({ breach, words }) => `  ${breach}: ${words}`)
    const more = this.#found.length - words.length
    return [...words, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n')
  }
}

// What a run has brought, in one sentence: from its own lines, and never from those of another run.
import type { OutputKind } from './run.ts'

/** In characters. */
const MAX_OUTCOME = 300

/** A line of kind `success` reports a change, one of kind `warn` what to look after. */
export class RunOutcome {
  #first: string | undefined
  #last: string | undefined
  #changes = 0
  #warning: string | undefined

  get hasWarning(): boolean {
    return this.#warning !== undefined
  }

  note(kind: OutputKind, text: string): void {
    if (kind === 'success') {
      this.#changes += 1
      if (this.#first === undefined) this.#first = text
      else this.#last = text
    } else if (kind === 'warn') this.#warning ??= text
  }

  /** @param error of the first failed step @returns undefined: nothing was changed, and nothing warned of */
  sentence(error?: string): string | undefined {
    const changed = this.#changed()
    if (error !== undefined) return changed === undefined ? undefined : clipped(`${error}; before it: ${changed}`)
    if (changed === undefined) return this.#warning === undefined ? undefined : clipped(firstLine(this.#warning))
    return clipped(this.#warning === undefined ? changed : `${changed}; warning: ${firstLine(this.#warning)}`)
  }

  #changed(): string | undefined {
    if (this.#first === undefined) return undefined
    const between = this.#changes - 2
    const more = between > 0 ? `; and ${between} more` : ''
    return `${firstLine(this.#first)}${more}${this.#last === undefined ? '' : `; ${firstLine(this.#last)}`}`
  }
}

function firstLine(text: string): string {
  const end = text.search(/[\r\n]/)
  return end === -1 ? text : text.slice(0, end)
}

function clipped(text: string): string {
  return text.length <= MAX_OUTCOME ? text : `${text.slice(0, MAX_OUTCOME - 1)}…`
}

// Ctrl-R: finds a line typed before while its words are being typed. As in bash, Enter runs the line found.
import type { EventEmitter } from 'node:events'
import type { Key } from 'node:readline'
import { takeKeys } from './key-owner.ts'

export interface Found {
  readonly line: string
  /** Where in it the searched text begins. */
  readonly at: number
}

/** `run` and `edit`: what was found. `leave`: back to the line typed before the search. */
export type SearchEnd = { readonly type: 'run' | 'edit'; readonly line: string } | { readonly type: 'leave' }

interface HistorySearchPorts {
  readonly input: EventEmitter
  /** Youngest first. */
  readonly lines: readonly string[]
  /** Draws the searched text and what was found; undefined: nothing. */
  show(query: string, found: Found | undefined): void
  end(end: SearchEnd): void
}

/** These take the line found, for editing it. */
const EDIT_KEYS = new Set(['tab', 'left', 'right', 'home', 'end', 'up', 'down'])
const EDIT_CONTROLS = new Set(['a', 'e', 'b', 'f', 'd'])
const LEAVE_CONTROLS = new Set(['g', 'c'])

/** Letters fit in either case. @param step 1 towards older lines, -1 towards younger @returns the index; -1 for none */
export function findLine(lines: readonly string[], query: string, from: number, step: 1 | -1): number {
  const wanted = query.toLowerCase()
  for (let index = from; wanted !== '' && index >= 0 && index < lines.length; index += step) {
    if (lines[index]?.toLowerCase().includes(wanted)) return index
  }
  return -1
}

/** Takes all keys until the search ends. */
export class HistorySearch {
  readonly #ports: HistorySearchPorts
  readonly #lines: readonly string[]
  readonly #giveBack: () => void
  #query = ''
  /** Of the line found; -1: none. */
  #index = -1

  constructor(ports: HistorySearchPorts) {
    this.#ports = ports
    this.#lines = [...new Set(ports.lines)]
    this.#giveBack = takeKeys(ports.input, (text, key) => this.#onKey(text, key))
    ports.show('', undefined)
  }

  cancel(): void {
    this.#finish('leave')
  }

  #onKey(text: string | undefined, key: Key): void {
    const { name = '', ctrl = false } = key
    if (name === 'return' || name === 'enter') this.#finish('run')
    else if (name === 'escape' || (ctrl && LEAVE_CONTROLS.has(name))) this.#finish('leave')
    else if (EDIT_KEYS.has(name) || (ctrl && EDIT_CONTROLS.has(name))) this.#finish('edit')
    else if (ctrl && name === 'r') this.#move(1)
    else if (ctrl && name === 's') this.#move(-1)
    else if (name === 'backspace') this.#look([...this.#query].slice(0, -1).join(''), 0)
    else if (ctrl && name === 'u') this.#look('', 0)
    else if (text !== undefined && text >= ' ' && !ctrl) this.#look(this.#query + text, Math.max(0, this.#index))
  }

  /** To the next line that fits; where there is none, the one found stays. */
  #move(step: 1 | -1): void {
    const next = findLine(this.#lines, this.#query, this.#index + step, step)
    if (this.#index !== -1 && next !== -1) this.#index = next
    this.#show()
  }

  #look(query: string, from: number): void {
    this.#query = query
    this.#index = findLine(this.#lines, query, from, 1)
    this.#show()
  }

  #found(): Found | undefined {
    const line = this.#lines[this.#index]
    return line === undefined ? undefined : { line, at: line.toLowerCase().indexOf(this.#query.toLowerCase()) }
  }

  #show(): void {
    this.#ports.show(this.#query, this.#found())
  }

  #finish(type: SearchEnd['type']): void {
    this.#giveBack()
    const found = this.#found()
    this.#ports.end(type === 'leave' || found === undefined ? { type: 'leave' } : { type, line: found.line })
  }
}

// From the body of a fire to the values of its hook's slots (behaviour 44).

import { isUtf8 } from 'node:buffer'
import { defined } from '../base/defined.ts'
import { remembering } from '../base/remembering.ts'
import { readKey, readSentAt, readSlotValue } from '../language/alert.ts'
import type { AlertSlot, AlertStamps } from '../language/chain.ts'
import { parseHookChain, type SlotValues, slotsIn } from '../language/hook-chain.ts'
import { LanguageError } from '../language/language-error.ts'
import { shown } from '../language/printable.ts'
import type { SentAt } from '../runs/run.ts'

/** Why an alert cannot fill the slots of its hook: a line for its sender. */
export class AlertError extends Error {
  override readonly name = 'AlertError'
}

// The body of an alert (behaviour 44) as names and texts: a flat JSON object, or `key=value` pairs between blanks. Numbers stay the digits that
// were sent: none is ever a float.

/** Up to here it is quicker to look through the names than to keep a table of them. */
const FEW = 16

/** What a body says, each name once. */
class Fields implements Iterable<readonly [string, string]> {
  readonly #names: string[] = []
  readonly #texts: string[] = []
  /** Of more than a few. */
  #rows: Map<string, number> | undefined

  get(name: string): string | undefined {
    return this.#texts[this.#rowOf(name)]
  }

  /** @throws {AlertError} */
  add(name: string, text: string): void {
    if (this.#rowOf(name) !== -1) throw new AlertError(`${shown(name)} is given twice`)
    const row = this.#names.push(name) - 1
    this.#texts.push(text)
    if (row === FEW) this.#rows = new Map(this.#names.map((known, at) => [known, at]))
    else this.#rows?.set(name, row)
  }

  *[Symbol.iterator](): Generator<readonly [string, string]> {
    for (const [row, name] of this.#names.entries()) yield [name, this.#texts[row] ?? '']
  }

  #rowOf(name: string): number {
    return this.#rows === undefined ? this.#names.indexOf(name) : (this.#rows.get(name) ?? -1)
  }
}

/** @throws {AlertError} */
export function readAlert(body: Uint8Array): Fields {
  const text = decode(body).trim()
  if (text === '') throw new AlertError('the body is empty')
  return text.startsWith('{') ? new ObjectReader(text).read() : readPairs(text)
}

/** Buffers decode five times as fast as a `TextDecoder` that refuses what is not UTF-8. */
function decode(body: Uint8Array): string {
  if (!isUtf8(body)) throw new AlertError('the body is not UTF-8')
  const buffer = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return buffer.toString('utf8')
}

function readPairs(text: string): Fields {
  const fields = new Fields()
  for (const pair of text.split(/\s+/)) {
    const at = pair.indexOf('=')
    if (at < 1) throw new AlertError(`${shown(pair)} is not key=value, and the body is not a JSON object`)
    fields.add(pair.slice(0, at), pair.slice(at + 1))
  }
  return fields
}

const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
/** What is mostly inside of one: nothing to decode, and nothing that must not be there. */
const PLAIN = /^[ -[\]-~]*$/
/** Also `true`, `false` and `null`, which fit no slot. */
const BARE = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const BLANKS = ' \t\r\n'

/** A reader of its own: `JSON.parse` makes floats of numbers, and keeps the last of two keys. */
class ObjectReader {
  readonly #text: string
  /** Then all texts in it are. */
  readonly #isPlain: boolean
  /** Behind its first brace. */
  #at = 1

  constructor(text: string) {
    this.#text = text
    this.#isPlain = PLAIN.test(text)
  }

  /** @throws {AlertError} */
  read(): Fields {
    const fields = new Fields()
    if (this.#next() === '}') this.#at += 1
    else this.#readInto(fields)
    if (this.#next() === '') return fields
    throw new AlertError(`the body continues after its JSON object, at character ${this.#at + 1}`)
  }

  #readInto(fields: Fields): void {
    for (;;) {
      const key = this.#takeString()
      this.#takeMark(':')
      fields.add(key, this.#takeValue(key))
      if (this.#next() !== ',') break
      this.#at += 1
    }
    this.#takeMark('}')
  }

  /** Behind blanks; empty at the end. */
  #next(): string {
    for (;;) {
      const character = this.#text.charAt(this.#at)
      if (character === '' || !BLANKS.includes(character)) return character
      this.#at += 1
    }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    this.#at += found?.length ?? 0
    return found
  }

  #takeMark(mark: string): void {
    if (this.#next() !== mark) throw this.#missing(mark)
    this.#at += 1
  }

  #takeString(): string {
    if (this.#next() !== '"') throw this.#missing('a text')
    const from = this.#at + 1
    const to = this.#text.indexOf('"', from)
    if (to !== -1) {
      const inside = this.#text.slice(from, to)
      if (this.#isPlain || PLAIN.test(inside)) {
        this.#at = to + 1
        return inside
      }
    }
    const typed = this.#take(STRING)
    if (typed === undefined) throw this.#missing('a text')
    return JSON.parse(typed) as string
  }

  #takeValue(key: string): string {
    const first = this.#next()
    const value = first === '"' ? this.#takeString() : this.#take(BARE)
    if (value === undefined) throw new AlertError(`${shown(key)} is neither text nor number`)
    return value
  }

  #missing(what: string): AlertError {
    return new AlertError(`the body is not a JSON object: ${what} is missing at character ${this.#at + 1}`)
  }
}

/** What a hook takes of its alerts. */
export interface AlertTerms {
  readonly slots: readonly AlertSlot[]
  readonly stamps: AlertStamps
  /** Neither slots nor stamps: the body of its alerts is ignored. */
  readonly isEmpty: boolean
}

const NONE: AlertTerms = { slots: [], stamps: {}, isEmpty: true }
/** What alerts must say for this command. Nothing where it does not parse: then its run gives the reason. */
export function alertTermsOf(command: string): AlertTerms {
  return command.includes('{') ? termsRead(command) : NONE
}

const termsRead = remembering(readTermsOf, 1_000)

export function slotsOf(command: string): readonly AlertSlot[] {
  return alertTermsOf(command).slots
}

function readTermsOf(command: string): AlertTerms {
  try {
    const chain = parseHookChain(command)
    const slots = slotsIn(chain)
    return slots.length === 0 && chain.stamps === undefined
      ? NONE
      : { slots, stamps: chain.stamps ?? {}, isEmpty: false }
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return NONE
  }
}

/** One alert, as its hook takes it. */
export interface Alert {
  /** Of the slots, each within what its slot declares. */
  readonly values: SlotValues
  /** Under which it does not run again. */
  readonly key?: string
  readonly sent?: SentAt
}

/**
 * What else the body says does not count.
 * @param isByHand a person fires it, or looks what a fire would do: it may go without its stamps, and those that are typed count
 * @throws {AlertError}
 */
export function takeAlert({ slots, stamps }: AlertTerms, body: Uint8Array, isByHand = false): Alert {
  if (isByHand && slots.length === 0 && body.length === 0) return { values: {} }
  const fields = readAlert(body)
  // Names of slots begin with a letter: none is `__proto__`.
  const values: Record<string, string> = {}
  for (const slot of slots) {
    const read = readSlotValue(slot, textOf(fields, slot.name))
    if (!read.ok) throw new AlertError(read.why)
    values[slot.name] = read.value
  }
  const asked = isByHand ? typedOf(stamps, fields) : stamps
  return { values, ...defined({ key: takeKey(asked, fields), sent: takeSentAt(asked, fields) }) }
}

/** The stamps that a fire is refused without and that this body lacks. @throws {AlertError} */
export function stampsMissing({ stamps }: AlertTerms, body: Uint8Array): readonly string[] {
  const asked = [stamps.key, stamps.time].flatMap((stamp) => stamp?.name ?? [])
  if (asked.length === 0) return []
  const fields = body.length === 0 ? undefined : readAlert(body)
  return asked.filter((name) => fields?.get(name) === undefined)
}

function typedOf({ key, time }: AlertStamps, fields: Fields): AlertStamps {
  const isTyped = (stamp: { readonly name: string } | undefined) =>
    stamp !== undefined && fields.get(stamp.name) !== undefined
  return { ...(isTyped(key) && { key }), ...(isTyped(time) && { time }) }
}

function textOf(fields: Fields, name: string): string {
  const text = fields.get(name)
  if (text === undefined) throw new AlertError(`${name} is missing`)
  return text
}

function takeKey({ key }: AlertStamps, fields: Fields): string | undefined {
  if (key === undefined) return undefined
  const read = readKey(key.name, textOf(fields, key.name))
  if (!read.ok) throw new AlertError(read.why)
  return read.key
}

function takeSentAt({ time }: AlertStamps, fields: Fields): SentAt | undefined {
  if (time === undefined) return undefined
  const read = readSentAt(time.name, textOf(fields, time.name))
  if (!read.ok) throw new AlertError(read.why)
  return { at: read.at, maxAgeMs: time.maxAgeMs }
}

/** Why an alert of that time does not run now; undefined: it is fresh. A clock that is ahead would let old ones pass. @param wallMs ms since the epoch */
export function whyNotFresh({ at, maxAgeMs }: SentAt, wallMs: number): string | undefined {
  const ageMs = wallMs - at
  if (Math.abs(ageMs) <= maxAgeMs) return undefined
  return ageMs > 0 ? `${showAge(ageMs)} old` : `its time is ${showAge(-ageMs)} ahead of the clock here`
}

/** In one unit, so that a burst has few texts. */
function showAge(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

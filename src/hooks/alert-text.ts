// The body of an alert (behaviour 44) as names and texts: a flat JSON object, or `key=value` pairs between blanks. Numbers stay the digits that
// were sent: none is ever a float.
import { isUtf8 } from 'node:buffer'
import { shown } from '../language/printable.ts'
import { AlertError } from './alert-error.ts'

type Fields = ReadonlyMap<string, string>

/** @throws {AlertError} */
export function readAlert(body: Uint8Array): Fields {
  const text = decode(body).trim()
  if (text === '') throw new AlertError('the body is empty')
  return text.startsWith('{') ? readObject(text) : readPairs(text)
}

/** Buffers decode five times as fast as a `TextDecoder` that refuses what is not UTF-8. */
function decode(body: Uint8Array): string {
  if (!isUtf8(body)) throw new AlertError('the body is not UTF-8')
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
}

function readPairs(text: string): Fields {
  const fields = new Map<string, string>()
  for (const pair of text.split(/\s+/)) {
    const at = pair.indexOf('=')
    if (at < 1) throw new AlertError(`${shown(pair)} is not key=value, and the body is not a JSON object`)
    setOnce(fields, pair.slice(0, at), pair.slice(at + 1))
  }
  return fields
}

function setOnce(fields: Map<string, string>, key: string, value: string): void {
  if (fields.has(key)) throw new AlertError(`${shown(key)} is there twice`)
  fields.set(key, value)
}

const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
/** Also `true`, `false` and `null`, which fit no slot. */
const BARE = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
/** What a text mostly is: nothing to decode, and nothing that must not be in it. */
const PLAIN = /^[ !#-[\]-~]*$/
const BLANKS = ' \t\r\n'

/** A reader of its own: `JSON.parse` makes floats of numbers, and keeps the last of two keys. */
function readObject(text: string): Fields {
  const fields = new Map<string, string>()
  let at = 1

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? []
    at += found?.length ?? 0
    return found
  }
  function next(): string {
    for (;;) {
      const character = text.charAt(at)
      if (character === '' || !BLANKS.includes(character)) return character
      at += 1
    }
  }
  function takeMark(mark: string): void {
    if (next() !== mark)
      throw new AlertError(`the body is not a JSON object: ${mark} is missing at character ${at + 1}`)
    at += 1
  }
  function takeString(): string {
    if (next() === '"') {
      const end = text.indexOf('"', at + 1)
      const inside = text.slice(at + 1, Math.max(end, at + 1))
      if (end !== -1 && PLAIN.test(inside)) {
        at = end + 1
        return inside
      }
    }
    const typed = take(STRING)
    if (typed === undefined)
      throw new AlertError(`the body is not a JSON object: a text is missing at character ${at + 1}`)
    return JSON.parse(typed) as string
  }
  function takeValue(key: string): string {
    const first = next()
    if (first === '{' || first === '[') throw new AlertError(`${shown(key)} is neither text nor number`)
    return (first === '"' ? takeString() : take(BARE)) ?? missingValue(key)
  }

  if (next() === '}') at += 1
  else {
    for (;;) {
      const key = takeString()
      takeMark(':')
      setOnce(fields, key, takeValue(key))
      if (next() !== ',') break
      at += 1
    }
    takeMark('}')
  }
  if (next() !== '') throw new AlertError(`the body has more behind its JSON object, at character ${at + 1}`)
  return fields
}

function missingValue(key: string): never {
  throw new AlertError(`${shown(key)} is neither text nor number`)
}

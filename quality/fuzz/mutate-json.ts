// Changes JSON as JSON, so that what comes out is mostly still JSON: fields dropped, renamed, doubled and added, values replaced by
// others, and what JSON can say but JavaScript cannot keep.
import type { Random } from '../../harness/random/random.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A place where a value stands. */
interface Place {
  readonly holder: Json[] | { [key: string]: Json }
  readonly key: string
}

/** Filled in as raw text at the end: deep nesting and numbers that `JSON.stringify` would not write. */
const RAW = /"raw:([^"]*)"/g
const RAW_TEXTS = ['1e999', '-1e999', '-0', '1E2', '0.1e-400', '12345678901234567890']
const DEPTHS = [10, 1_000, 20_000]
const KEYS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '0', 'length', 'unknown']
const NUMBERS = [0, 1, -1, 0.5, 1.5, 64, 65, 255, 1e21, -1e21, 2 ** 31, 2 ** 53, 8.64e15, 8.64e15 + 1, Number.MAX_VALUE]
const MOST_PLACES = 200
const INDENTS = [0, 2, 2, 4]

/** @returns `input` with the JSON in it changed; `input` itself where it holds none */
export function mutateJson(input: string, random: Random, dictionary: readonly string[]): string {
  const found = findJson(input, random)
  if (found === undefined) return input
  const root = { holder: [found.value], key: '0' } satisfies Place
  const [whole, ...inside] = placesIn(root)
  const place = inside.length > 0 && random.chance(0.95) ? random.pick(inside) : whole
  if (place !== undefined) change(place, root, random, dictionary)
  let text: string | undefined
  try {
    text = JSON.stringify(root.holder[0], null, random.pick(INDENTS))
  } catch {
    // Nested deeper than the engine writes: a change as text must do.
    return input
  }
  if (text === undefined) return input.slice(0, found.from) + input.slice(found.to)
  if (random.chance(0.05)) text = doubleKey(text, random)
  return input.slice(0, found.from) + text.replace(RAW, rawText) + input.slice(found.to)
}

/** The whole input, or one of the objects in it. */
function findJson(input: string, random: Random): { value: Json; from: number; to: number } | undefined {
  const starts = [...input.matchAll(/\{/g)].slice(0, 20).map(({ index }) => index)
  const from = random.chance(0.5) ? (starts[0] ?? 0) : starts.length > 0 ? random.pick(starts) : 0
  const ends = [...input.slice(from).matchAll(/\}/g)].slice(-20).map(({ index }) => from + index + 1)
  for (const to of [input.length, ...ends.reverse()]) {
    try {
      return { value: JSON.parse(input.slice(from, to)), from, to }
    } catch {}
  }
  return undefined
}

function placesIn(root: Place): readonly Place[] {
  const places: Place[] = [root]
  for (let next = 0; next < places.length && places.length < MOST_PLACES; next += 1) {
    const place = places[next]
    const value = place && valueAt(place)
    if (typeof value !== 'object' || value === null) continue
    const holder = value
    for (const key of Object.keys(holder)) places.push({ holder, key })
  }
  return places
}

function change(place: Place, root: Place, random: Random, dictionary: readonly string[]): void {
  const value = valueAt(place)
  switch (random.below(8)) {
    case 0:
      return remove(place)
    case 1: {
      const key = anyKey(random, dictionary)
      remove(place)
      return set({ ...place, key }, value)
    }
    case 2:
      return set(place, copy(valueAt(random.pick(placesIn(root)))))
    case 3:
      return set(place, random.chance(0.5) ? [value] : { [anyKey(random, dictionary)]: value })
    case 4:
      if (Array.isArray(value))
        return set(
          place,
          Array(1 + random.below(8))
            .fill(value)
            .flat(),
        )
      if (typeof value === 'object' && value !== null)
        return set({ holder: value, key: anyKey(random, dictionary) }, anyValue(random, dictionary))
      return set(place, varied(value, random))
    case 5:
      return set(place, varied(value, random))
    case 6:
      return set({ ...place, key: anyKey(random, dictionary) }, anyValue(random, dictionary))
    default:
      return set(place, anyValue(random, dictionary))
  }
}

function anyKey(random: Random, dictionary: readonly string[]): string {
  return random.chance(0.5) || dictionary.length === 0 ? random.pick(KEYS) : random.pick(dictionary)
}

function anyValue(random: Random, dictionary: readonly string[]): Json {
  switch (random.below(8)) {
    case 0:
      return random.pick([null, true, false])
    case 1:
      return random.pick(NUMBERS)
    case 2:
      return random.pick(['', ' ', '\u0000', '\u202e', '\ud800', 'a'.repeat(65), 'a'.repeat(5_000), '1', '-1', 'NaN'])
    case 3:
      return random.pick([[], {}, [[]], [{}], [null]])
    case 4:
      return `raw:${random.pick(RAW_TEXTS)}`
    case 5:
      return random.chance(0.5) ? `raw:deep${random.pick(DEPTHS)}` : random.below(1_000)
    default:
      return dictionary.length > 0 ? random.pick(dictionary) : 'a'
  }
}

/** Much the same, but not quite. */
function varied(value: Json, random: Random): Json {
  if (typeof value === 'number')
    return random.pick([value + 1, value - 1, -value, value / 3, value * 1e6, String(value)])
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string') {
    return random.pick([value.slice(1), `${value}0`, value.toUpperCase(), value.repeat(3), ` ${value}`, Number(value)])
  }
  return Array.isArray(value) ? value.slice(1) : value
}

function valueAt({ holder, key }: Place): Json {
  return (Object.getOwnPropertyDescriptor(holder, key)?.value ?? null) as Json
}

/** As `JSON.parse` does it: `__proto__` is a name like any other. */
function set({ holder, key }: Place, value: Json): void {
  const at = Array.isArray(holder) ? String(Math.min(Number(key) || 0, holder.length)) : key
  Object.defineProperty(holder, at, { value, enumerable: true, configurable: true, writable: true })
}

function remove({ holder, key }: Place): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

function copy(value: Json): Json {
  try {
    return structuredClone(value)
  } catch {
    return null
  }
}

function doubleKey(text: string, random: Random): string {
  const keys = [...text.matchAll(/"[^"\\]*": ?/g)]
  if (keys.length === 0) return text
  const { 0: key, index } = random.pick(keys)
  return `${text.slice(0, index)}${key}null, ${text.slice(index)}`
}

function rawText(_all: string, name: string): string {
  const depth = /^deep(\d+)$/.exec(name)?.[1]
  return depth === undefined ? name : '['.repeat(Number(depth)) + ']'.repeat(Number(depth))
}

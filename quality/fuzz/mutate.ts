// Makes new inputs from old ones: changes of bits, units, chunks and pieces, words of the target's dictionary, and changes of JSON.

import type { Random } from '../../harness/random/random.ts'
import { mutateJson } from './mutate-json.ts'
import type { Target } from './target.ts'

export type Grammar = Pick<Target, 'units' | 'dictionary' | 'between' | 'json' | 'maxLength'>

type Mutation = (input: string, mutator: Tools) => string

interface Tools {
  readonly random: Random
  readonly grammar: Grammar
  /** Another member of the corpus. */
  readonly other: string
}

const BOUNDARIES = [0, 1, 8, 9, 10, 13, 32, 34, 39, 47, 48, 57, 65, 92, 97, 123, 125, 127, 128, 160, 192, 255]
const WIDE = [0x100, 0x2028, 0x202e, 0x3000, 0xd800, 0xdc00, 0xfeff, 0xfffd, 0xffff]
const NUMBERS = ['0', '1', '-1', '99', '100', '999', '65535', '65536', '2147483647', '2147483648', '9007199254740993']
const LONGEST_REPEAT = 64

/** @returns changes an input; `other` is one to take parts from */
export function createMutator(grammar: Grammar, random: Random): (input: string, other: string) => string {
  const mutations = mutationsFor(grammar)
  return (input, other) => {
    const tools: Tools = { random, grammar, other }
    let changed = input
    let again: boolean
    do {
      const mutation = random.pick(mutations)
      changed = mutation(changed, tools)
      // What is sound JSON mostly stays so: most code is behind that.
      again = random.chance(mutation === changeJson ? 0.2 : 0.5)
    } while (again)
    return changed.slice(0, grammar.maxLength)
  }
}

function mutationsFor({ between, json, dictionary }: Grammar): readonly Mutation[] {
  return [
    flipBit,
    setUnit,
    setUnit,
    insertUnits,
    deleteChunk,
    copyChunk,
    moveChunk,
    repeatChunk,
    tweakNumber,
    splice,
    insertFromOther,
    appendOther,
    ...(dictionary.length > 0 ? [insertToken, insertToken, overwriteWithToken] : []),
    ...(between === undefined ? [] : [changePieces, changePieces, changePieces]),
    ...(json === true ? [changeJson, changeJson, changeJson, changeJson, changeJson, changeJson] : []),
  ]
}

function changeJson(input: string, { random, grammar }: Tools): string {
  return mutateJson(input, random, grammar.dictionary)
}

function flipBit(input: string, { random, grammar }: Tools): string {
  if (input === '') return input
  const at = random.below(input.length)
  const unit = input.charCodeAt(at)
  const bits = grammar.units === 'text' && random.chance(0.1) ? 16 : 8
  return replaced(input, at, at + 1, String.fromCharCode(unit > 0xff ? unit : unit ^ (1 << random.below(bits))))
}

function setUnit(input: string, tools: Tools): string {
  if (input === '') return anyUnit(tools)
  const at = tools.random.below(input.length)
  return replaced(input, at, at + 1, anyUnit(tools))
}

function insertUnits(input: string, tools: Tools): string {
  const at = tools.random.below(input.length + 1)
  const units = Array.from({ length: 1 + tools.random.below(4) }, () => anyUnit(tools))
  return replaced(input, at, at, units.join(''))
}

function deleteChunk(input: string, { random }: Tools): string {
  const [from, to] = chunk(input, random)
  return replaced(input, from, to, '')
}

function copyChunk(input: string, { random }: Tools): string {
  const [from, to] = chunk(input, random)
  const at = random.below(input.length + 1)
  return replaced(input, at, at, input.slice(from, to))
}

function moveChunk(input: string, { random }: Tools): string {
  const [from, to] = chunk(input, random)
  const rest = replaced(input, from, to, '')
  const at = random.below(rest.length + 1)
  return replaced(rest, at, at, input.slice(from, to))
}

/** Now and then until the input is as long as it may be: that is where work grows out of hand. */
function repeatChunk(input: string, { random, grammar }: Tools): string {
  const [from, to] = chunk(input, random)
  if (to === from) return input
  const fitting = Math.floor((grammar.maxLength - input.length) / (to - from))
  const times = random.chance(0.02) ? fitting : 1 + random.below(LONGEST_REPEAT)
  return replaced(input, to, to, input.slice(from, to).repeat(Math.max(0, Math.min(times, fitting))))
}

function tweakNumber(input: string, { random }: Tools): string {
  const numbers = [...input.matchAll(/\d+/g)]
  if (numbers.length === 0) return input
  const { 0: digits, index } = random.pick(numbers)
  const near = String(BigInt(digits.slice(0, 30)) + BigInt(random.pick([-1, 1, 2])))
  return replaced(input, index, index + digits.length, random.chance(0.5) ? near : random.pick(NUMBERS))
}

/** The beginning of one, the end of the other. */
function splice(input: string, { random, other }: Tools): string {
  return input.slice(0, random.below(input.length + 1)) + other.slice(random.below(other.length + 1))
}

function insertFromOther(input: string, { random, other }: Tools): string {
  const [from, to] = chunk(other, random)
  const at = random.below(input.length + 1)
  return replaced(input, at, at, other.slice(from, to))
}

/** One after the other, both whole. */
function appendOther(input: string, { other }: Tools): string {
  return input + other
}

function insertToken(input: string, { random, grammar }: Tools): string {
  const at = random.below(input.length + 1)
  return replaced(input, at, at, random.pick(grammar.dictionary))
}

function overwriteWithToken(input: string, { random, grammar }: Tools): string {
  const at = random.below(input.length + 1)
  const token = random.pick(grammar.dictionary)
  return replaced(input, at, at + token.length, token)
}

/** Drops, doubles, swaps or replaces whole pieces: words of a line, headers of a request, frames of a session. */
function changePieces(input: string, { random, grammar, other }: Tools): string {
  const between = grammar.between ?? ''
  const pieces = input.split(between)
  const at = random.below(pieces.length)
  const to = random.below(pieces.length + 1)
  switch (random.below(5)) {
    case 0:
      pieces.splice(at, 1)
      break
    case 1:
      pieces.splice(to, 0, pieces[at] ?? '')
      break
    case 2:
      pieces.splice(to, 0, ...pieces.splice(at, 1))
      break
    case 3:
      pieces.splice(to, 0, random.pick(other.split(between)))
      break
    default:
      pieces[at] = random.pick(grammar.dictionary.length > 0 ? grammar.dictionary : other.split(between))
  }
  return pieces.join(between)
}

function anyUnit({ random, grammar }: Tools): string {
  if (grammar.units === 'text' && random.chance(0.05)) return String.fromCharCode(random.pick(WIDE))
  if (grammar.units === 'text' && random.chance(0.05)) return String.fromCharCode(random.below(0x10000))
  return String.fromCharCode(random.chance(0.3) ? random.pick(BOUNDARIES) : random.below(256))
}

/** Short ones more often than long ones. */
function chunk(input: string, random: Random): readonly [from: number, to: number] {
  const from = random.below(input.length + 1)
  const longest = random.chance(0.7) ? Math.min(8, input.length - from) : input.length - from
  return [from, from + random.below(longest + 1)]
}

function replaced(input: string, from: number, to: number, by: string): string {
  return input.slice(0, from) + by + input.slice(to)
}

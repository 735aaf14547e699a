// Decodes a JSON file's bytes, and says in which line a bad one is bad. The engine's own messages are not used: they
// quote the text around the fault, which may be a secret (behaviour 18).
import {
  createScanner,
  findNodeAtLocation,
  type JSONPath,
  type Node,
  parseTree,
  printParseErrorCode,
  visit,
} from 'jsonc-parser'
import * as z from 'zod/mini'
import { $ZodError } from 'zod/v4/core'
import { defined } from '../base/defined.ts'

export interface JsonFault {
  /** What is set aside is a row where nothing is said. */
  readonly kind?: 'setting' | 'switch'
  /** 1-based. */
  readonly line?: number
  readonly message: string
}

type Decoded<T> =
  /** `setAside`: what is wrong with the parts that were left out, at most 21 of them. */
  { readonly value: T; readonly setAside: readonly JsonFault[] } | { readonly fault: JsonFault }

/**
 * Checks what `JSON.parse` gave, and returns what the store works with. Throws when the whole cannot be used, and calls
 * `setAside` with what is wrong with a part that it leaves out. A zod error leads to the line. `text`: what `JSON.parse` read, where
 * the value is what the file says.
 */
export type Parse<T> = (value: unknown, setAside: SetAside, text: string | undefined) => T

export type SetAside = (error: unknown, kind?: JsonFault['kind']) => void

/** Content that is JSON, whatever its shape. */
interface JsonContent {
  /** Undefined: the value is not what the file says, so no fault has a line. */
  readonly text: string | undefined
  readonly value: unknown
}

/** A file with one mistake in it has it in every row: more are counted, not named. */
const MAX_NAMED = 20

/**
 * Makes a `parse` for `createJsonFile`: checks against `schema` and returns the very object it was given, so that order
 * and unknown fields stay as the user wrote them. Schemas must use `z.looseObject` and no transforms.
 */
export function checkedBy<T>(schema: z.ZodMiniType<T>): (value: unknown) => T {
  return (value) => {
    z.parse(schema, value)
    return value as T
  }
}

/** Never throws. A byte order mark is allowed; bytes that are not UTF-8 are a fault, for they would be lost on rewriting. */
function readJson(bytes: Uint8Array): JsonContent | { readonly fault: JsonFault } {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { fault: { message: 'is not UTF-8 text' } }
  }
  try {
    return { text, value: JSON.parse(text) }
  } catch {
    return { fault: foundIn(() => syntaxFault(text)) }
  }
}

/** Never throws. */
function checkShape<T>({ text, value }: JsonContent, parse: Parse<T>): Decoded<T> {
  const errors: { readonly error: unknown; readonly kind: JsonFault['kind'] }[] = []
  // One tree serves all faults of a file.
  let tree: Node | undefined
  const describe = (error: unknown): JsonFault =>
    foundIn(() => {
      if (text === undefined) return shapeFault(error, undefined)
      tree ??= parseTree(text)
      return shapeFault(error, { text, tree })
    })
  try {
    const parsed = parse(value, (error, kind) => errors.push({ error, kind }), text)
    const more = errors.length - MAX_NAMED
    const named = errors.slice(0, MAX_NAMED).map(({ error, kind }) => ({ ...defined({ kind }), ...describe(error) }))
    const counted = more > 0 ? [{ message: `and ${more} more ${more === 1 ? 'row is' : 'rows are'} not valid` }] : []
    return { value: parsed, setAside: [...named, ...counted] }
  } catch (error) {
    return { fault: describe(error) }
  }
}

/** `readJson`, then `checkShape`. Never throws. */
export function decodeJson<T>(bytes: Uint8Array, parse: Parse<T>): Decoded<T> {
  const content = readJson(bytes)
  return 'fault' in content ? content : checkShape(content, parse)
}

/** Looking for the place is recursive where `JSON.parse` is not: some thousand levels end the stack. */
function foundIn(find: () => JsonFault): JsonFault {
  try {
    return find()
  } catch (error) {
    if (error instanceof RangeError)
      return { message: 'is not what it should be, and is nested too deeply to show where' }
    throw error
  }
}

function syntaxFault(text: string): JsonFault {
  if (text.trim() === '') return { line: 1, message: 'is empty' }
  let first: { readonly what: string; readonly offset: number } | undefined
  const onError = (code: number, offset: number): void => {
    first ??= { what: inWords(printParseErrorCode(code)), offset }
  }
  visit(text, { onError }, { disallowComments: true, allowTrailingComma: false })
  if (first === undefined) return { message: 'is not JSON' }
  return { line: lineAt(text, first.offset), message: `is not JSON: ${first.what}` }
}

/** `CommaExpected` → `comma expected`. */
function inWords(codeName: string): string {
  return codeName.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}

interface Source {
  readonly text: string
  readonly tree: Node | undefined
}

function shapeFault(error: unknown, source: Source | undefined): JsonFault {
  const issue = error instanceof $ZodError ? error.issues[0] : undefined
  if (issue === undefined) return { message: error instanceof Error ? error.message : 'has the wrong shape' }
  const path = issue.path.filter((key) => typeof key !== 'symbol')
  const where = path.length === 0 ? 'the whole' : pathInWords(path)
  const what = issue.code === 'invalid_type' ? `must be ${withArticle(issue.expected)}` : issue.message
  if (source === undefined) return { message: `${where} ${what}` }
  const { text, tree } = source
  const node = tree && findNodeAtLocation(tree, path)
  const place = node ?? (tree && nearestAncestor(tree, path))
  return {
    ...(place && { line: lineAt(text, place.offset) }),
    message: node === undefined ? `${where} is missing` : `${where} ${what}`,
  }
}

/** What should have held the missing field. */
function nearestAncestor(tree: Node, path: JSONPath): Node {
  for (let depth = path.length - 1; depth > 0; depth -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, depth))
    if (node !== undefined) return node
  }
  return tree
}

/** `['hooks', 2, 'secret']` → `hooks[2].secret`. */
function pathInWords(path: JSONPath): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? key : `${text}.${key}`
  }, '')
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

/** An offset behind the last text (something unclosed) counts as the last line with text. */
function lineAt(text: string, offset: number): number {
  const end = Math.min(offset, text.trimEnd().length)
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

// Which version of its format a file is in, and how an older one becomes today's (behaviour 22). The shapes that
// other programs know have no `version`: a file without one is version 1, and version 1 is written without one.

type Fields = Readonly<Record<string, unknown>>

/**
 * Makes content of one version into that of the next. Gets what `JSON.parse` gave, unchecked; keeps what it does not know;
 * may throw where the content cannot be understood, without quoting any of it. `version` itself is not its business.
 */
export type Migration = (content: Fields) => Fields

export interface FileFormat<T> {
  readonly parse: Parse<T>
  /** Written by this hookline. Default 1. */
  readonly version?: number
  /** The first makes version 2 of version 1; one for each version after the first. Default: none. */
  readonly migrate?: readonly Migration[]
}

type DecodedFile<T> = Decoded<T> & {
  /** As the file says; undefined where that cannot be told. */
  readonly version?: number
}

/** Never throws. An older file is migrated in memory; a newer one is read as if it were of today's version. */
export function decodeFile<T>(
  bytes: Uint8Array,
  { parse, version: ours = 1, migrate = [] }: FileFormat<T>,
): DecodedFile<T> {
  const content = readJson(bytes)
  if ('fault' in content) return content
  const found = checkShape(content, versionOf)
  if ('fault' in found) return found
  const version = found.value
  const current = version < ours ? migrated(content, version, ours, migrate) : content
  return { ...('fault' in current ? current : checkShape(current, parse)), version }
}

/** What is written for `content`: from version 2 on with a `version`, in its old place or else in front. */
export function withVersion(content: unknown, version = 1): unknown {
  if (version === 1 || !isFields(content)) return content
  return Object.hasOwn(content, 'version') ? { ...content, version } : { version, ...content }
}

const numbered = z.looseObject({ version: z.int('must be a whole number').check(z.positive('must be positive')) })

/** Only a number is a version: in `vars.json`, `version` may be a name like any other, and what it names is a text. */
function versionOf(value: unknown): number {
  if (!isFields(value) || !Object.hasOwn(value, 'version') || typeof value.version !== 'number') return 1
  return z.parse(numbered, value).version
}

function migrated(
  { value }: JsonContent,
  from: number,
  to: number,
  migrate: readonly Migration[],
): JsonContent | { readonly fault: JsonFault } {
  // No object, and so no version but the first: the shape's check says what is wrong.
  if (!isFields(value)) return { text: undefined, value }
  try {
    const steps = migrate.slice(from - 1, to - 1)
    const content = steps.reduce((fields, step) => step(fields), value)
    return { text: undefined, value: withVersion(content, to) }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown content'
    return { fault: { message: `version ${from} cannot be read as version ${to}: ${why}` } }
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// Whether a name in a file was probably meant to be another one. For kill switches alone: there a name too many costs a warning, and one
// too few leaves a switch on that someone thinks is off.

/**
 * The known name that `name` resembles without being it: in other letters' case, with `_`, `-`, blanks or dots, or with one letter wrong,
 * missing, too many or swapped with the next.
 * @param alsoLonger also with something added at its end (`remoteExecution`)
 */
export function nearName<Known extends string>(
  name: string,
  known: readonly Known[],
  { alsoLonger = false } = {},
): Known | undefined {
  const plain = plainOf(name)
  const isNear = (other: string): boolean => isClose(plain, other) || (alsoLonger && plain.startsWith(other))
  return known.find((candidate) => candidate !== name && isNear(plainOf(candidate)))
}

function plainOf(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

function isClose(a: string, b: string): boolean {
  if (a === b) return true
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  const [restA, restB] = [a.slice(start), b.slice(start)]
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  )
}

// Names that are twice in one object of a JSON text. `JSON.parse` takes the last one without a word.

/** `SyntaxKind` of jsonc-parser, which is a const enum. */
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COLON, STRING, END] = [1, 2, 3, 4, 6, 10, 17]

/**
 * Of the outermost object and of the objects right in it. `text` is JSON.
 * @returns paths, `['listener', 'enabled']`, in the order in which they are met again
 */
export function doubledKeys(text: string): readonly (readonly string[])[] {
  const names = namesIn(text)
  const seen = new Set<string>()
  return names.filter((path) => {
    const key = JSON.stringify(path)
    return seen.has(key) || !seen.add(key)
  })
}

/** A name that is there twice holds two objects, whose names count as those of one: they are in doubt too. */
function namesIn(text: string): readonly (readonly string[])[] {
  const scanner = createScanner(text, true)
  const names: string[][] = []
  let parent = ''
  let depth = 0
  let last = ''
  for (let token: number = scanner.scan(); token !== END; token = scanner.scan()) {
    if (token === OPEN_BRACE || token === OPEN_BRACKET) depth += 1
    if (token === CLOSE_BRACE || token === CLOSE_BRACKET) depth -= 1
    if (token === STRING) last = scanner.getTokenValue()
    if (token !== COLON || depth > 2) continue
    names.push(depth === 1 ? [last] : [parent, last])
    if (depth === 1) parent = last
  }
  return names
}

/** The first name that is twice in one object, however deep. `text` is JSON. */
export function firstDoubledKey(text: string): string | undefined {
  const scanner = createScanner(text, true)
  const open: Set<string>[] = []
  let last = ''
  for (let token: number = scanner.scan(); token !== END; token = scanner.scan()) {
    if (token === OPEN_BRACE || token === OPEN_BRACKET) open.push(new Set())
    if (token === CLOSE_BRACE || token === CLOSE_BRACKET) open.pop()
    if (token === STRING) last = scanner.getTokenValue()
    if (token !== COLON) continue
    const names = open.at(-1)
    if (names?.has(last)) return last
    names?.add(last)
  }
  return undefined
}

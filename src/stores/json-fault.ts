// Decodes a JSON file's bytes, and says in which line a bad one is bad. The engine's own messages are not used: they
// quote the text around the fault, which may be a secret (behaviour 18).
import { findNodeAtLocation, type JSONPath, type Node, parseTree, printParseErrorCode, visit } from 'jsonc-parser'
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

export type Decoded<T> =
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
export interface JsonContent {
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
export function readJson(bytes: Uint8Array): JsonContent | { readonly fault: JsonFault } {
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
export function checkShape<T>({ text, value }: JsonContent, parse: Parse<T>): Decoded<T> {
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
      return { message: 'is not what it should be, and is nested too deeply to say where' }
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

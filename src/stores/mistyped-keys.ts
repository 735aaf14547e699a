// Whether a name in a file was probably meant to be another one. For kill switches alone: there a name too many costs a warning, and one
// too few leaves a switch on that somebody thinks is off.
import { createScanner } from 'jsonc-parser'

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

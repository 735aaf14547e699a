// What is at the cursor, for completion. Works on whatever is left of the cursor, finished or not, and never throws.
import { printText } from './print.ts'
import { scanTokens, type Token } from './tokenize.ts'

interface CompletionTarget {
  /** The command the cursor is in, with the arguments before the fragment; undefined while its name is being typed. */
  readonly call: { readonly name: string; readonly words: string[] } | undefined
  /** What is typed of the piece to complete; in a comma list, of its last item; in an open quote, what follows the quote. */
  readonly fragment: string
  /** 0-based index of the fragment in the line: a candidate replaces `line.slice(start, cursor)`. */
  readonly start: number
}

interface OpenCall {
  name: string | undefined
  words: string[]
  /** Where the group around it begins; 1-based. */
  readonly groupColumn: number
}

/** @param cursor 0-based, as in `node:readline`; anything outside the line is moved to its nearest end */
export function completionTarget(line: string, cursor: number): CompletionTarget {
  const end = Math.min(Math.max(Math.trunc(cursor) || 0, 0), line.length)
  const typed = line.slice(0, end)
  let quoteIsOpen = false
  const tokens = scanTokens(typed, (problem) => {
    quoteIsOpen ||= problem.code === 'unclosed-quote'
  })
  const last = tokens.at(-1)
  const current = last !== undefined && isText(last) && last.end === end + 1 ? last : undefined
  const call = openCall(current === undefined ? tokens : tokens.slice(0, -1), typed)
  const start = current === undefined ? end : fragmentStart(current, quoteIsOpen, typed)
  const { name, words } = call
  return { call: name === undefined ? undefined : { name, words }, fragment: typed.slice(start), start }
}

/** The command that the next piece of text would belong to. */
function openCall(tokens: readonly Token[], typed: string): OpenCall {
  const outer: OpenCall[] = []
  let call: OpenCall = { name: undefined, words: [], groupColumn: 0 }
  for (const token of tokens) {
    if (token.kind === '(') {
      outer.push(call)
      call = { name: undefined, words: [], groupColumn: token.column }
    } else if (token.kind === ')') {
      const group = typed.slice(call.groupColumn - 1, token.end - 1)
      call = outer.pop() ?? call
      call.words.push(group)
    } else if (!isText(token)) {
      call = { name: undefined, words: [], groupColumn: call.groupColumn }
    } else if (call.name === undefined) {
      call.name = token.text
    } else {
      call.words.push(token.text)
    }
  }
  return call
}

function fragmentStart(token: Extract<Token, { text: string }>, quoteIsOpen: boolean, typed: string): number {
  const from = token.column - 1
  if (token.kind === 'string') return quoteIsOpen ? from + 1 : from
  return token.quotedFrom === undefined ? Math.max(from, typed.lastIndexOf(',') + 1) : from
}

function isText(token: Token): token is Extract<Token, { text: string }> {
  return token.kind === 'word' || token.kind === 'string'
}

/**
 * Names of others as they may take the place of the fragment: in quotes where they are more than a word, and not at all where they cannot be
 * typed there.
 */
export function typableNames(names: readonly string[], before: string, fragment: string): string[] {
  const quote = /["']$/.exec(before.slice(0, before.length - fragment.length))?.[0]
  return names.flatMap((name) => {
    const printed = printText(name)
    if (printed === undefined || quote === undefined) return printed ?? []
    return name.includes(quote) ? [] : name
  })
}

/** Whether a candidate goes on as was typed: a name in quotes also where its quote is not typed yet. */
export function goesOn(candidate: string, fragment: string): boolean {
  const [whole, typed] = [candidate.toLowerCase(), fragment.toLowerCase()]
  return whole.startsWith(typed) || (/^["']/.test(whole) && whole.slice(1).startsWith(typed))
}

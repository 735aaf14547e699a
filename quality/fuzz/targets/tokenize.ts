// The tokenizer, the completion that works on half a line, and the caret under an error.

import { completionTarget } from '../../../src/language/completion.ts'
import { pointAt } from '../../../src/language/language-error.ts'
import { scanTokens, type Token, tokenize } from '../../../src/language/tokenize.ts'
import { checkRefusal, LINES, refusedOr, WORDS } from '../language-oracle.ts'
import { type OpenTarget, promise } from '../target.ts'

export const open: OpenTarget = () => ({
  units: 'text',
  seeds: LINES,
  dictionary: WORDS,
  between: ' ',
  maxLength: 9_000,
  batch: 2_000,
  run(line) {
    const tokens = refusedOr(() => tokenize(line), line.length)
    if (tokens !== undefined) checkTokens(line, tokens)
    scanTokens(line, (problem) => checkRefusal(problem, line.length))
    checkCompletion(line)
    checkPointer(line)
  },
})

function checkTokens(line: string, tokens: readonly Token[]): void {
  let end = 1
  for (const token of tokens) {
    promise(token.column >= end, 'tokens stand one after another')
    promise(line.slice(end - 1, token.column - 1).trim() === '', 'nothing but blanks stands between tokens')
    promise(token.end > token.column && token.end <= line.length + 1, 'a token lies within the line')
    checkSpelling(token, line.slice(token.column - 1, token.end - 1))
    end = token.end
  }
  promise(line.slice(end - 1).trim() === '', 'nothing but blanks stands behind the last token')
}

function checkSpelling(token: Token, typed: string): void {
  if (token.kind !== 'word' && token.kind !== 'string') return promise(token.kind === typed, 'a mark is itself')
  const { kind, text, quotedFrom = kind === 'string' ? 0 : undefined } = token
  if (quotedFrom === undefined) return promise(text === typed, 'a word is what stands in the line')
  const quote = typed.charAt(quotedFrom)
  const quoted = text.slice(quotedFrom)
  promise(quote === '"' || quote === "'", 'a quoted text begins with a quote')
  promise(!quoted.includes(quote), 'a quoted text ends at the next of its quotes')
  promise(text.slice(0, quotedFrom) + quote + quoted + quote === typed, 'a quoted text is what stands in the line')
}

function checkCompletion(line: string): void {
  for (const cursor of [line.length, Math.floor(line.length / 2), 0]) {
    const { fragment, start } = completionTarget(line, cursor)
    promise(start >= 0 && start <= cursor, 'what is completed stands left of the cursor')
    promise(fragment === line.slice(start, cursor), 'what is completed is what is there')
  }
}

function checkPointer(line: string): void {
  const shown = pointAt(line, line.length).split('\n')
  promise(shown.length === 2 && shown[1]?.trimStart() === '^', 'a caret stands under one line')
}

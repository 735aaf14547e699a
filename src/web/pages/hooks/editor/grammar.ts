// A hook's command as the editor shows it: the tokens of hookline's own tokenizer, each with what it is, and where hookline's own parser
// objects. Pure.
import { defined } from '../../../../base/defined.ts'
import { parseHookChain } from '../../../../language/hook-chain.ts'
import { LanguageError } from '../../../../language/language-error.ts'
import { SLOT_START, scanTokens, type Token } from '../../../../language/tokenize.ts'

type MarkKind = 'command' | 'slot' | 'figure' | 'option' | 'variable' | 'word' | 'string' | 'link' | 'group'

/** From 0, in UTF-16 units, as editors count; `to` is behind the last. */
interface Span {
  readonly from: number
  readonly to: number
}

interface Mark extends Span {
  readonly kind: MarkKind
}

/** Why hookline would not take the command. */
export interface Fault {
  readonly message: string
  /** From 1; absent: all of it. */
  readonly column?: number
  readonly hint?: string
}

/** The command as a line has it. Each break of a line counts as a space, and columns stay what they are. */
export function asOneLine(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]/g, ' ')
}

/** Of finished text and of text that is being typed; in order, none over another. */
export function marksOf(text: string): readonly Mark[] {
  let isNamed = false
  const open: boolean[] = []
  return scan(text).map((token) => {
    const span = { from: token.column - 1, to: token.end - 1 }
    if (token.kind === '(') {
      open.push(isNamed)
      isNamed = false
      return { ...span, kind: 'group' }
    }
    if (token.kind === ')') {
      isNamed = open.pop() ?? isNamed
      return { ...span, kind: 'group' }
    }
    if (token.kind !== 'word' && token.kind !== 'string') {
      isNamed = false
      return { ...span, kind: 'link' }
    }
    const kind = token.kind === 'string' ? 'string' : kindOfWord(token.text, isNamed)
    isNamed = true
    return { ...span, kind }
  })
}

function kindOfWord(text: string, isArgument: boolean): MarkKind {
  SLOT_START.lastIndex = 0
  if (SLOT_START.test(text)) return 'slot'
  if (!isArgument) return 'command'
  if (/^--[a-z]/i.test(text)) return 'option'
  if (/^@[a-z_]/i.test(text)) return 'variable'
  return /^[-+<>=~]*\$?\d/.test(text) ? 'figure' : 'word'
}

/** Faults of the grammar, independent of the commands. */
export function faultIn(text: string): Fault | undefined {
  if (text.trim() === '') return undefined
  try {
    parseHookChain(text)
    return undefined
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    const { message, column, hint } = error
    return { message, column, ...defined({ hint }) }
  }
}

/** The span to underline: the token at the column, or the last one where the fault is behind the end. Not empty where there is text. */
export function faultSpan(text: string, { column }: Fault): Span {
  if (column === undefined) return { from: 0, to: text.length }
  const at = column - 1
  const tokens = scan(text)
  const token = tokens.find(({ end }) => at < end - 1) ?? tokens.at(-1)
  if (token === undefined) return { from: 0, to: text.length }
  const isInside = at >= token.column - 1 && at < token.end - 1
  return { from: isInside ? at : token.column - 1, to: token.end - 1 }
}

/** Also of unfinished text. */
function scan(text: string): readonly Token[] {
  return scanTokens(text, () => {}, { withSlots: true })
}

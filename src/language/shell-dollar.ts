// A line that came through a shell: within double quotes `$25` is the shell's `$2` and a 5, and an order for 25 dollars arrives as one for 5 coins.
// A whole number without a unit is therefore no size in such a line.
import type { Argument, Chain, CommandCall } from './chain.ts'
import { readDecimal } from './decimal-text.ts'
import { callsIn } from './expansion.ts'
import { parseHookChain } from './hook-chain.ts'
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'
import { coins } from './size.ts'

/** Commands that store lines given in quotes. */
const STORING = new Set(['hook', 'alias'])
/** A number behind one of these is none of a size. */
const KEYWORDS = new Set('at stop sl take tp limit from to into skew sizeskew over for every after then'.split(' '))
/** What is left of `$25`, `$100`, `$1.50`, and of `$25*2`. */
const LEFT_OVER = /^(?:\d{1,18}|\.\d{1,18})(?:[-+*/][\d.]+)*$/

interface CommandTable {
  /** Any other name may be an alias of a command. */
  has(name: string): boolean
  /** Whether a number alone is a size behind this command. */
  takesSize(name: string): boolean
}

/**
 * @throws {LanguageError} `bare-number` for a size that may be the rest of a dollar amount, in the line or in a line that it stores
 */
export function refuseEatenDollar(chain: Chain, table: CommandTable): void {
  for (const call of callsIn(chain)) refuseIn(call, table)
}

function refuseIn({ name, args }: CommandCall, table: CommandTable): void {
  if (STORING.has(name.toLowerCase())) {
    for (const [index, argument] of args.entries()) if (!isCondition(args[index - 1])) refuseStored(argument, table)
  }
  if (table.has(name) && !table.takesSize(name)) return
  for (const [index, argument] of args.entries()) {
    const before = args[index - 1]
    if (before?.kind === 'word' && KEYWORDS.has(before.text.toLowerCase())) continue
    if (argument.kind === 'word' && argument.slot === undefined && LEFT_OVER.test(argument.text)) {
      throw eaten(argument.text, argument.column)
    }
  }
}

/** The text behind `--when` compares figures, and orders nothing. */
function isCondition(before: Argument | undefined): boolean {
  return before?.kind === 'word' && before.text === '--when'
}

function refuseStored(argument: Argument, table: CommandTable): void {
  if (argument.kind !== 'string') return
  let chain: Chain
  try {
    chain = parseHookChain(argument.text)
  } catch {
    // The command itself refuses a text that cannot be parsed.
    return
  }
  try {
    refuseEatenDollar(chain, table)
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    const { code, message, hint, column } = error
    throw new LanguageError(code, message, argument.column + column, hint)
  }
}

function eaten(text: string, column: number): LanguageError {
  const amount = readDecimal(text) ?? text
  const isNothing = /^[0.]+$/.test(amount)
  const ofCoins = isNothing ? '' : `${coins(amount)} for an amount of the coin, or `
  return new LanguageError(
    'bare-number',
    `${shown(text)} has no unit, and a shell makes ${shown(text)} of a \`$\` amount in double quotes`,
    column,
    `type ${ofCoins}dollars as 25$ or 25usd`,
  )
}

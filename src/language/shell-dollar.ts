// A line that came through a shell: within double quotes `$25` is the shell's `$2` and a 5, and an order for 25 dollars arrives as one for 5 coins.
// A number without a unit that ends as dollars and cents do is therefore no size in such a line, and no sum of money where one is kept. Nor is
// `$entry` a price there: the shell leaves nothing of it but the spaces on either side.
import type { Argument, Chain, CommandCall, Word } from './chain.ts'
import { readDecimal } from './decimal-text.ts'
import { callsIn } from './expansion.ts'
import { parseHookChain } from './hook-chain.ts'
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'
import { coins } from './size.ts'

/** Commands that store lines given in quotes. */
const STORING = new Set(['hook', 'alias'])
const PROTECTIVE = new Set(['stop', 'sl', 'take', 'tp'])
/** A number behind one of these is none of a size. */
const KEYWORDS = new Set('at stop sl take tp limit from to into skew sizeskew over for every after then'.split(' '))
/** Of these, the ones that a price follows. */
const BEFORE_PRICE = new Set('at stop sl take tp limit from to'.split(' '))
/** What is left of `$25`, `$100`, `$1.50`, `$10.50`, `$100.5`, and of `$25*2`. */
const LEFT_OVER = /^(?:\d{1,18}|\d{0,18}\.\d\d|\.\d{1,18}|0\d{1,17}\.\d{1,18})(?:[-+*/][\d.]+)*$/
/** The usual lot of a coin, and of no usual amount of dollars. */
const LOT = '0.01'
/** Also `$12,500` without its first digit. */
const LEFT_OF_SUM = /^[\d.,]{1,24}$/
const MONEY_LIMITS = new Set(['order', 'position', 'day', 'loss'])

interface CommandTable {
  /** Any other name may be an alias of a command. */
  has(name: string): boolean
  /** Whether a number alone is a size behind this command. */
  takesSize(name: string): boolean
}

/**
 * @throws {LanguageError} `bare-number` for a size or a sum that may be the rest of a dollar amount, and `bad-price` for an offset that a live
 * price may have stood before, in the line or in a line that it stores
 */
export function refuseEatenDollar(chain: Chain, table: CommandTable): void {
  for (const call of callsIn(chain)) refuseIn(call, table)
}

function refuseIn({ name, args }: CommandCall, table: CommandTable): void {
  if (STORING.has(name.toLowerCase())) {
    for (const [index, argument] of args.entries()) if (!isCondition(args[index - 1])) refuseStored(argument, table)
  }
  for (const [index, argument] of args.entries()) refuseEatenPrice(argument, args[index - 1])
  const sum = sumIn(name, args)
  if (sum !== undefined)
    throw eaten(sum, `dollars as 500$ or 500usd${name === 'set' ? ", or '…' around a number" : ''}`)
  // Without its price nothing is sent, and the number is that price.
  if (PROTECTIVE.has(name.toLowerCase()) && !args.some(isPriced)) return
  const size = table.has(name) && !table.takesSize(name) ? sizeOfAmend(name, args) : args.find(isSizeLeftOver)
  if (size?.kind !== 'word') return
  const plain = readDecimal(size.text)
  const amount = plain ?? size.text
  const ofCoins =
    plain === undefined || /^[0.]+$/.test(plain) ? '' : `${coinsInShell(amount)} for an amount of the coin, or `
  throw eaten(size, `${ofCoins}dollars as ${dollarsOf(amount)}`)
}

function isPriced(argument: Argument): boolean {
  return argument.kind === 'word' && /^(?:at|breakeven)$/i.test(argument.text)
}

function isSizeLeftOver(argument: Argument, index: number, args: readonly Argument[]): boolean {
  const before = args[index - 1]
  return isLeftOver(argument) && !(before?.kind === 'word' && KEYWORDS.has(before.text.toLowerCase()))
}

/** The order that it changes may have a number for a name. */
function sizeOfAmend(name: string, args: readonly Argument[]): Argument | undefined {
  if (name.toLowerCase() !== 'amend') return undefined
  return args.find((argument, index) => index > 0 && isSizeLeftOver(argument, index, args))
}

function isLeftOver(argument: Argument | undefined): argument is Word {
  if (argument?.kind !== 'word' || argument.slot !== undefined) return false
  return LEFT_OVER.test(argument.text) && argument.text !== LOT
}

/** A sum of money without a unit, where a command keeps it: a limit of an account, or a variable. */
function sumIn(name: string, args: readonly Argument[]): Word | undefined {
  switch (name.toLowerCase()) {
    case 'guards': {
      const [form, , limit, value] = args
      if (form?.kind !== 'word' || limit?.kind !== 'word' || value?.kind !== 'word') return undefined
      if (form.text.toLowerCase() !== 'set' || !MONEY_LIMITS.has(limit.text.toLowerCase())) return undefined
      return LEFT_OF_SUM.test(value.text) ? value : undefined
    }
    case 'set': {
      const [, value] = args
      return args.length === 2 && isLeftOver(value) ? value : undefined
    }
    default:
      return undefined
  }
}

/** `at $entry -1%` arrives as `at  -1%`, which counts from last. */
function refuseEatenPrice(argument: Argument, before: Argument | undefined): void {
  if (argument.kind !== 'word' || before?.kind !== 'word' || !/^[-+]/.test(argument.text)) return
  const word = before.text
  if (!BEFORE_PRICE.has(word.toLowerCase()) || argument.column - before.column - word.length < 2) return
  throw new LanguageError(
    'bad-price',
    `two spaces before ${shown(argument.text)} are what a shell leaves of \`$entry\` in double quotes`,
    argument.column,
    `type one space for ${word} ${argument.text} from the last price, or put the line in single quotes to keep \`$entry\``,
  )
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

function eaten({ text, column }: Word, forms: string): LanguageError {
  return new LanguageError(
    'bare-number',
    `${shown(text)} has no unit; in double quotes, the shell turns \`$10.02\` into \`0.02\``,
    column,
    `type ${forms}`,
  )
}

/** `0.500` for `0.50`: no amount of dollars has three digits behind the point. A coin behind it would be no unit: it may be the symbol of `$10.50 ETH`. */
function coinsInShell(amount: string): string {
  return /\.\d\d$/.test(amount) ? `${amount}0` : coins(amount)
}

function dollarsOf(amount: string): string {
  return amount.includes('.') ? '10.50$ or 10.50usd' : '25$ or 25usd'
}

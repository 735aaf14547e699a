// Comma lists of names: symbols and order ids. A list has no spaces, so that any other word may come before or after it. Apart from other
// arguments, since the console loads it with its first page.
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'

/** A piece of a line with its 1-based column. */
export interface Name {
  readonly text: string
  readonly column: number
}

/**
 * The names of a comma list, in order: letters, digits and `/ : _ . -` (venues write `BTC-PERP`, `BTC/USDT:USDT`, order ids
 * may be UUIDs), with a letter or digit first.
 * @param kind what a name is, for messages: `symbol`
 * @throws {LanguageError} `bad-argument` for an empty, impossible or repeated name
 */
export function parseNames(text: string, column: number, kind: string): Name[] {
  const names: Name[] = []
  const seen = new Set<string>()
  let offset = 0
  for (const part of text.split(',')) {
    const at = column + offset
    offset += part.length + 1
    if (part === '') {
      throw badName(`a ${kind} is missing at a comma`, at, 'write a list without spaces, such as BTCUSDT,ETHUSDT')
    }
    if (/^--?[a-z]/i.test(part)) throw noSuchFlag(part, at)
    if (!/^[A-Za-z0-9][A-Za-z0-9/:_.-]{0,63}$/.test(part)) {
      throw badName(`${shown(part)} is not a ${kind}`, at, 'type letters and digits, such as BTCUSDT')
    }
    const key = part.toLowerCase()
    if (seen.has(key)) throw badName(`${shown(part)} is named twice`, at, 'name it once')
    seen.add(key)
    names.push({ text: part, column: at })
  }
  return names
}

/** A word in the place of a name. */
export function noSuchFlag(text: string, column: number): LanguageError {
  const hint = flagHint(text.replace(/^--?/, '').toLowerCase()) ?? 'leave it out: this command has no such flag'
  return new LanguageError('bad-argument', `unexpected ${shown(text)}`, column, hint)
}

/** What other programs have as a flag. */
function flagHint(name: string): string | undefined {
  if (/^(h|help)$/.test(name)) return 'type help and the command, as in `help buy`'
  if (/^(n|dry-?run|preview|test|simulate)$/.test(name)) return 'type --dry'
  return /^(stop|sl|tp|take|at|limit|reduce|po|ioc|fok|replace|all)$/.test(name)
    ? `type ${name} without a dash`
    : undefined
}

function badName(message: string, column: number, hint: string): LanguageError {
  return new LanguageError('bad-argument', message, column, hint)
}

/**
 * A comma list of symbols, upper-cased: `BTCUSDT,ethusdt`.
 * @throws {LanguageError} `bad-argument`
 */
export function parseSymbols(text: string, column: number): string[] {
  return parseNames(text, column, 'symbol').map((name) => {
    if (/[A-Za-z]/.test(name.text)) return name.text.toUpperCase()
    throw new LanguageError(
      'bad-argument',
      `${shown(name.text)} is not a symbol`,
      name.column,
      'type one such as BTCUSDT',
    )
  })
}

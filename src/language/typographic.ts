// Characters that word processors and chat programs put in place of those on the keyboard. None is read as the plain one: what was pasted
// may have lost more than that.
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'

interface Kind {
  readonly characters: RegExp
  readonly toPlain: (character: string) => string
  /** As in: it `has …`. */
  readonly name: string
}

/** How far the full-width block is from ASCII. */
const FULL_WIDTH_OFFSET = 0xfee0

const KINDS: readonly Kind[] = [
  { characters: /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/gu, toPlain: () => '-', name: 'a typographic minus' },
  {
    characters: /[\u2018-\u201f\u2032\u2033\u00ab\u00bb\u2039\u203a\uff02\uff07]/gu,
    toPlain: () => '',
    name: 'a typographic quote',
  },
  {
    characters: /[\uff01-\uff5e]/gu,
    toPlain: (character) => String.fromCharCode(character.charCodeAt(0) - FULL_WIDTH_OFFSET),
    name: 'a full-width character',
  },
  { characters: /\p{Cf}/gu, toPlain: () => '', name: 'an invisible character' },
]
const ANY = new RegExp(KINDS.map(({ characters }) => characters.source).join('|'), 'u')
/** Most words are plain, and telling so is cheap. */
const ASCII = /^[ -~]*$/

/** The word with plain characters, `undefined` where it has no others. */
export function plainForm(text: string): string | undefined {
  if (ASCII.test(text) || !ANY.test(text)) return undefined
  return KINDS.reduce((plain, kind) => plain.replace(kind.characters, kind.toPlain), text)
}

/**
 * @param column of the word's first character
 * @throws {LanguageError} `bad-argument` at the first character that is not the plain one
 */
export function refuseTypographic(text: string, column: number): void {
  const plain = plainForm(text)
  if (plain === undefined) return
  const at = text.search(ANY)
  const character = text.slice(at)
  const kind = KINDS.find(({ characters }) => character.search(characters) === 0)
  const hint = plain === '' ? 'remove it' : `type ${shownPlain(plain)}`
  throw new LanguageError('bad-argument', `${shown(text)} has ${kind?.name}`, column + at, hint)
}

function shownPlain(plain: string): string {
  return shown(plain).slice(1, -1)
}

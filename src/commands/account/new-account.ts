// The arguments of `account add`, read. Keys are none of them.
import { defined } from '../../base/defined.ts'
import type { Venue } from '../../exchanges/venues.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { nearest } from '../../language/typo-match.ts'
import { KEY_SOURCES, type KeySource, MARKET_KINDS } from '../../protocol/rows.ts'
import type { NewAccount } from '../../stores/accounts.ts'
import { CommandError } from '../kit/errors.ts'
import { readText, requireText, takeFlag, takeOption } from '../kit/read-arguments.ts'

export interface WantedAccount {
  readonly account: NewAccount
  readonly venue: Venue
  readonly source: KeySource
}

/** @throws {LanguageError} {CommandError} `unexpected-argument`, `not-supported` */
export function readNewAccount(args: readonly Argument[], venues: readonly Venue[]): WantedAccount {
  const { rest: withoutDemo, given: demo } = takeFlag(args, '--demo')
  const { rest: withoutKeys, value: keys } = takeOption(withoutDemo, '--keys', 'where its keys are kept')
  const { rest, value: followed } = takeOption(withoutKeys, '--prices', 'whose prices it follows')
  const name = requireText(rest, 0, "the account's name")
  const kind = MARKET_KINDS.find((each) => each === kindTyped(rest))
  refuseNearWords(rest, kind)
  refuseKeys(rest, kind === undefined ? 2 : 3)
  const venue = findTradable(venues, requireText(rest, 1, 'the exchange'))
  if (venue.id === 'paper' && (demo || keys !== undefined || kind !== undefined)) {
    throw new CommandError('not-supported', `a paper account has no kind, no demo and no keys`, {
      hint: `type \`account add ${printable(name, 40)} paper\``,
    })
  }
  requireKind(venue, kind)
  if (demo && !venue.demo) {
    throw new CommandError('not-supported', `${venue.id} has no place for practice`, {
      hint: 'leave --demo out, or practice on paper',
    })
  }
  const prices = followed === undefined ? undefined : readPrices(followed, venue, venues)
  const account = {
    name,
    exchange: venue.id,
    // Written down: another version may have another default.
    ...(venue.id !== 'paper' && { kind: kind ?? venue.kinds[0] ?? 'spot' }),
    ...(demo && { demo }),
    ...defined({ prices }),
  }
  return { account, venue, source: readSource(keys, args) }
}

export function newAccountCandidates(words: readonly string[], venues: readonly Venue[]): readonly string[] {
  const last = words.at(-1)
  if (last === '--keys') return KEY_SOURCES
  if (last === '--prices') return venues.flatMap(pricesOf)
  if (words.length === 1) return venues.map((venue) => venue.id)
  if (words[1] === 'paper') return ['--prices']
  return words.length === 2 ? [...MARKET_KINDS, '--demo', '--keys'] : ['--demo', '--keys']
}

/** Not shown: what follows here by mistake are keys. */
function refuseKeys(rest: readonly Argument[], most: number): void {
  if (rest.length <= most) return
  throw new CommandError('unexpected-argument', 'an account has a name, a venue and a kind, and nothing after them', {
    hint: 'leave keys out, hookline asks for them; the history file has what you typed: replace keys that were in it',
  })
}

/** A slip in a word is named; anything else there may be a key. */
function refuseNearWords(rest: readonly Argument[], kind: string | undefined): void {
  for (const argument of rest.slice(kind === undefined ? 2 : 3)) {
    const word = readText(argument)
    const near = nearest(word, word.startsWith('--') ? OPTIONS : MARKET_KINDS)
    if (near === undefined) continue
    const what = word.startsWith('--') ? 'an option' : 'a kind of market'
    throw new LanguageError('bad-argument', `${shown(word)} is not ${what}`, argument.column, `did you mean ${near}?`)
  }
}

const OPTIONS = ['--demo', '--keys', '--prices']

function kindTyped(rest: readonly Argument[]): string | undefined {
  return rest[2] === undefined ? undefined : readText(rest[2]).toLowerCase()
}

/** Not shown: by mistake it is a key. */
function readSource(typed = 'vault', args: readonly Argument[] = []): KeySource {
  const source = KEY_SOURCES.find((each) => each === typed)
  if (source !== undefined) return source
  const near = nearest(typed, KEY_SOURCES)
  const hint = near === undefined ? `type one of ${KEY_SOURCES.join(', ')}` : `did you mean ${near}?`
  const at = args.find((argument) => argument.kind === 'word' && /^--keys(?:=|$)/.test(argument.text))
  throw new LanguageError('bad-argument', 'keys cannot be kept there', at?.column ?? 1, hint)
}

function requireKind(venue: Venue, kind: string | undefined): void {
  if (kind === undefined || venue.kinds.some((each) => each === kind)) return
  throw new CommandError('not-supported', `hookline trades no ${kind} markets on ${venue.id}`, {
    hint: `type ${venue.kinds.join(' or ')}`,
  })
}

/** Of a live venue, as `--prices` names them: a paper account trades linear contracts. */
function pricesOf(venue: Venue): readonly string[] {
  if (venue.id === 'paper') return []
  return venue.kinds.filter((kind) => kind === 'linear').map((kind) => `${venue.id}:${kind}`)
}

/** `binance:linear`. @throws {CommandError} `not-supported` */
function readPrices(typed: string, venue: Venue, venues: readonly Venue[]): string {
  if (venue.id !== 'paper') {
    throw new CommandError('not-supported', `an account on ${venue.id} has the prices of ${venue.id}`, {
      hint: 'leave --prices out',
    })
  }
  const wanted = typed.toLowerCase()
  const known = venues.flatMap(pricesOf)
  if (known.includes(wanted)) return wanted
  throw new CommandError('not-supported', `a paper account cannot follow ${printable(typed, 40)}`, {
    hint: 'name a venue and its linear contracts, such as binance:linear',
  })
}

function findTradable(venues: readonly Venue[], id: string): Venue {
  const venue = venues.find((candidate) => candidate.id === id.toLowerCase())
  if (venue !== undefined) return venue
  // One edit only: exchanges have names that are like each other, and keys must not go to another one.
  const near = nearest(id, new Set(venues.map((candidate) => candidate.id)), 1)
  throw new CommandError('not-supported', `hookline cannot trade on ${printable(id, 40)}`, {
    hint: near === undefined ? '`exchanges` lists where it can' : `did you mean ${near}?`,
  })
}

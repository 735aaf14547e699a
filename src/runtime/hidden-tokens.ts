// Tokens of hooks that someone typed into a line (behaviour 18). The line runs as it was typed; what is kept of it, and shown by `runs`, has
// `<hidden>` in their place.

/** Anything that may hold a token: 32 hex characters in a row. Most lines have none, and cost no more than this. */
const LONG_HEX = /[0-9a-f]{32,}/gi
const TOKEN_LENGTH = 32
const HIDDEN = '<hidden>'
const ACCOUNT = /account\s/i
/** Keys that someone typed after the exchange, where none belong: no store knows them yet. */
const KEYS_TYPED = /\b(account\s+add\s+\S+\s+[^\s;&|]+[^\S\n]+)[^\s;&|][^\n]*/gi

/** The shortest text with such keys is `account add a b c`. Most of what is fired and printed is shorter, and costs no more than this. */
const SHORTEST_WITH_KEYS = 17

/** @param isSecret is asked only when the text may hold one, in lower case */
export function hideTokens(text: string, isSecret: (candidate: string) => boolean): string {
  if (text.length < SHORTEST_WITH_KEYS) return text
  // Without capturing anything: what has no such word is not rewritten.
  const typed = ACCOUNT.test(text) ? text.replace(KEYS_TYPED, `$1${HIDDEN}`) : text
  return hideStored(typed, isSecret)
}

function hideStored(text: string, isSecret: (candidate: string) => boolean): string {
  if (text.length < TOKEN_LENGTH) return text
  const runs = text.match(LONG_HEX)
  if (runs === null) return text
  const secrets = new Set(runs.flatMap(windowsOf).filter(isSecret))
  return [...secrets].reduce((hidden, secret) => hidden.replaceAll(new RegExp(secret, 'gi'), HIDDEN), text)
}

/** Every place in a longer run of hex where a token may begin. */
function windowsOf(run: string): readonly string[] {
  const text = run.toLowerCase()
  return Array.from({ length: text.length - TOKEN_LENGTH + 1 }, (_, at) => text.slice(at, at + TOKEN_LENGTH))
}

// How text from outside is shown in one line: controls, line breaks, bidi marks and lone surrogates become spaces, unit
// for unit, so that columns stay true and nothing steers the terminal (behaviour 20).

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const MAX_SHOWN = 40
/** Most text is plain ASCII, and telling so takes a fifth of the time of looking at each category. */
const PLAIN = /^[ -~]*$/

/**
 * The text made safe to print on one line. Its length in UTF-16 units stays, unless it is above `maxLength`: then it is
 * cut to that, the last unit being `…`. Default: not cut.
 */
export function printable(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
  if (PLAIN.test(cut)) return cut
  return cut.replace(UNPRINTABLE, (unit) => ' '.repeat(unit.length))
}

/** A piece of input inside a message: in backquotes, at most 40 units. */
export function shown(text: string): string {
  return `\`${printable(text, MAX_SHOWN)}\``
}

// Tokens of hooks that someone typed into a line (behaviour 18). The line runs as it was typed; what is kept of it, and shown by `runs`, has
// `<hidden>` in their place.

/** Anything that may hold a token: 32 hex characters in a row. Most lines have none, and cost no more than this. */
const LONG_HEX = /[0-9a-f]{32,}/gi
const TOKEN_LENGTH = 32
const HIDDEN = '<hidden>'
/** Without one of them there are no typed keys. */
const WITH_KEYS = /\s(?:add?|unlo?ck?|lock|change)\s/i
/** What may follow the venue of `account add`, and `vault unlock`. */
const KNOWN = String.raw`(?:spot|linear|inverse|--demo|--keys(?:=|[^\S\n]+)(?:vault|environment|file|keychain)|--prices(?:=|[^\S\n]+)[a-z0-9_-]+:(?:spot|linear|inverse)|--for(?:=|[^\S\n]+)\d+(?:ms|s|m)?)(?=[\s;&|]|$)`
/** `account` and `vault` with their other names, and as fingers write them. */
const ACCOUNT = String.raw`a\w{0,3}c\w{0,5}t\w?`
const VAULT = String.raw`v\w{0,2}u?\w{0,2}[lt]\w?`
/** Keys that someone typed after that, and passphrases after `vault unlock`, where none belong: no store knows them yet. */
const KEYS_TYPED = new RegExp(
  String.raw`\b(${ACCOUNT}\s+add?\s+\S+\s+[^\s;&|]+(?:[^\S\n]+${KNOWN})*[^\S\n]+|${VAULT}\s+(?:unlo?ck?|lock|change)(?:[^\S\n]+${KNOWN})*[^\S\n]+)(?!${KNOWN})[^\s;&|][^\n]*`,
  'gi',
)

/** The shortest text with such keys is `vault lock x`. Most of what is fired and printed is shorter, and costs no more than this. */
const SHORTEST_WITH_KEYS = 12

/** @param isSecret is asked only when the text may hold one, in lower case */
export function hideTokens(text: string, isSecret: (candidate: string) => boolean): string {
  if (text.length < SHORTEST_WITH_KEYS) return text
  return hideStored(hideKeys(text), isSecret)
}

/** As `hideTokens`, where nobody knows which hex is a token: all that may hold one is hidden. */
export function hideTyped(text: string): string {
  return hideKeys(text).replace(LONG_HEX, HIDDEN)
}

function hideKeys(text: string): string {
  // Without capturing anything: what has no such word is not rewritten.
  return WITH_KEYS.test(text) ? text.replace(KEYS_TYPED, `$1${HIDDEN}`) : text
}

function hideStored(text: string, isSecret: (candidate: string) => boolean): string {
  if (!hasLongHex(text)) return text
  const secrets = new Set((text.match(LONG_HEX) ?? []).flatMap(windowsOf).filter(isSecret))
  return [...secrets].reduce((hidden, secret) => hidden.replaceAll(new RegExp(secret, 'gi'), HIDDEN), text)
}

/** As `LONG_HEX` tells, without a look at each character: a run of 32 has one in every 32nd place. */
function hasLongHex(text: string): boolean {
  let last = TOKEN_LENGTH - 1
  while (last < text.length) {
    let before = last
    while (before > last - TOKEN_LENGTH && isHex(text.charCodeAt(before))) before -= 1
    if (before === last - TOKEN_LENGTH) return true
    last = before + TOKEN_LENGTH
  }
  return false
}

function isHex(code: number): boolean {
  const lower = code | 0x20
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x66)
}

/** Every place in a longer run of hex where a token may begin. */
function windowsOf(run: string): readonly string[] {
  const text = run.toLowerCase()
  return Array.from({ length: text.length - TOKEN_LENGTH + 1 }, (_, at) => text.slice(at, at + TOKEN_LENGTH))
}

// Rows for spreadsheets: RFC 4180 quoting, and no cell that a spreadsheet would run as a formula.

const NUMBER = /^-?\d+(\.\d+)?$/
/** How spreadsheets know a formula, also in the wide forms of East Asian keyboards. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/
const QUOTED = /[",]|^\s|\s$/

/** The header and one line for each row. Cells are texts without line breaks: what would break a line is a space here, as everywhere. */
export function renderCsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => row.map(csvCell).join(',')).join('\n')
}

export function csvCell(text: string): string {
  if (NUMBER.test(text)) return text
  const line = printable(text)
  const plain = FORMULA.test(line) ? `'${line}` : line
  return QUOTED.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

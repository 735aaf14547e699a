// What a page may call itself to be taken for something else: each of them must come out as plain text in one line.

/** What it is, and the label, of at most 200 UTF-16 units. */
export const HOSTILE_LABELS: readonly (readonly [what: string, label: string])[] = [
  ['a right-to-left override', 'Console\u202ekcatta'],
  ['bidi embeddings and isolates', '\u202a\u202b\u202c\u202d\u2066\u2067\u2068\u2069Console'],
  ['bidi marks', 'Con\u200e\u200f\u061csole'],
  ['zero-width characters', 'Con\u200b\u200c\u200d\u2060\ufeffsole'],
  ['characters that tag', `Console${String.fromCodePoint(0xe0001, 0xe0041, 0xe007f)}`],
  ['a soft hyphen', 'Con\u00adsole'],
  ['an order to clear the screen', '\u001b[2J\u001b[HConsole'],
  ['an order to reset the terminal', '\u001bcConsole'],
  ['a title for the window', '\u001b]0;owned\u0007Console'],
  ['a link', '\u001b]8;;https://evil.test\u001b\\Console\u001b]8;;\u001b\\'],
  ['eight-bit orders', '\u009b2JConsole\u009d0;owned\u009c'],
  ['backspaces', 'evil\b\b\b\bConsole'],
  ['a bell, a NUL and a DEL', '\u0007\u0000\u007fConsole'],
  ['lines of its own', 'Console\r\n  origin  https://good.test\r\napprove it? y or n'],
  ['line separators', 'Console\u2028  origin  https://good.test\u2029\u0085\u000b\u000c'],
  ['half a character', 'Console\ud800'],
  ['200 wide letters', 'W'.repeat(200)],
]

/** What steers a terminal or hides; the prompt's own ESC, CR, LF and TAB aside. */
const STEERING = /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/gu
/** Orders that the prompt never gives by itself. */
const ORDERS = ['\u001b[2J', '\u001bc', '\u001b]']

/** How much of all that a terminal was sent could have come from no prompt. */
export function steeringIn(raw: string): number {
  const orders = ORDERS.reduce((sum, order) => sum + raw.split(order).length - 1, 0)
  return (raw.match(STEERING)?.length ?? 0) + orders
}

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

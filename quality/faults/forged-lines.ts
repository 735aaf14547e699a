// What strangers send to make hookline print or log lines of their choosing, and whether one did.

/** Begins every line that somebody tries to forge. */
const MARK = 'FORGED'

/** Colours, a new line, a window title, the other reading direction, and the eight-bit forms of the first two. */
const TRICKS = [
  `\u001b[31m${MARK}`,
  `\n${MARK} listening on 6.6.6.6`,
  `\r\n${MARK}`,
  `\u001b]0;${MARK}\u0007`,
  `\u202e${MARK}`,
  `\u009b31m${MARK}`,
  `\u0085${MARK}`,
  `"}\n{"level":30,"msg":"${MARK}"}`,
]

/** As the bytes of a header. */
export const FORGED_ORIGINS: readonly string[] = TRICKS.map((trick) => `https://evil.example/${trick}`)

export const FORGED_LABELS: readonly string[] = TRICKS.map((trick) => `tab${trick}`)

/** Lines that begin as a stranger wanted, and lines with a character that does more than show. */
export function countForged(text: string): number {
  return text.split('\n').filter((line) => line.startsWith(MARK) || /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(line))
    .length
}

/** Lines of JSON that are none, that say what a stranger wanted, or that a terminal would obey. */
export function countForgedJson(text: string): number {
  return text.split('\n').filter((line) => {
    if (line === '') return false
    try {
      return JSON.parse(line).msg === MARK || countForged(line) > 0
    } catch {
      return true
    }
  }).length
}

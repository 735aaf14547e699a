// What is pasted into the terminal's field: one line goes into the line being typed, several are shown first and run one by one. Nothing is ever
// cut: half an order is another order.

/** The wire takes no longer command. */
export const MAX_LENGTH = 8_192

export type Pasted =
  /** The field takes it as it is. */
  | { readonly kind: 'text' }
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  | { readonly kind: 'too-long'; readonly length: number }

/** @param around how many characters of what is typed stay */
export function readPasted(text: string, around: number): Pasted {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/\t/g, ' '))
    .filter((line) => line.trim() !== '')
  const longest = Math.max(0, ...lines.map(({ length }) => length))
  if (longest > MAX_LENGTH) return { kind: 'too-long', length: longest }
  if (lines.length > 1) return { kind: 'lines', lines }
  const length = around + text.length
  return length > MAX_LENGTH ? { kind: 'too-long', length } : { kind: 'text' }
}

export function tooLong(length: number): string {
  return `nothing was pasted: the line would have ${count(length)} characters, and hookline takes ${count(MAX_LENGTH)}`
}

function count(characters: number): string {
  return characters.toLocaleString('en-US')
}

/** What no eye sees, and what turns the rest of a line round: by its code, so that what is read is what runs. */
export function shownWhole(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (unit) => {
    const code = (unit.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `⟨U+${code}⟩`
  })
}

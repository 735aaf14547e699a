// A code that can be read from across a desk: letters five rows high. Pure.

/** Five rows of three cells each, a row an octal digit: `A` is `.#.`, `#.#`, `###`, `#.#`, `#.#`. */
const NARROW: Readonly<Record<string, string>> = {
  0: '75557',
  1: '26227',
  2: '71747',
  3: '71717',
  4: '55711',
  5: '74717',
  6: '74757',
  7: '71122',
  8: '75757',
  9: '75717',
  A: '25755',
  B: '65656',
  C: '34443',
  D: '65556',
  E: '74647',
  F: '74644',
  G: '34553',
  H: '55755',
  I: '72227',
  J: '11152',
  K: '55655',
  L: '44447',
  O: '25552',
  P: '65644',
  Q: '25573',
  R: '65655',
  S: '34216',
  T: '72222',
  U: '55557',
  V: '55552',
  X: '55255',
  Y: '55222',
  Z: '71247',
  '-': '00700',
  ' ': '00000',
}
/** Three cells would make them look alike. */
const WIDE: Readonly<Record<string, readonly string[]>> = {
  M: ['#...#', '##.##', '#.#.#', '#...#', '#...#'],
  N: ['#..#', '##.#', '#.##', '#..#', '#..#'],
  W: ['#...#', '#...#', '#.#.#', '##.##', '#...#'],
}
const ROWS = [0, 1, 2, 3, 4]
const [INK, PAPER] = ['██', '  ']

/** @param columns of the terminal @returns undefined: it has no room, or the code has letters that are not drawn */
export function largeCode(code: string, columns: number): string | undefined {
  const glyphs = [...code.toUpperCase()].map(glyphOf)
  if (glyphs.length === 0 || glyphs.includes(undefined)) return undefined
  const lines = ROWS.map((row) => glyphs.map((glyph) => cells(glyph?.[row])).join(PAPER))
  return lines.some((line) => line.length > columns) ? undefined : lines.map((line) => line.trimEnd()).join('\n')
}

function glyphOf(letter: string): readonly string[] | undefined {
  const wide = WIDE[letter]
  if (wide !== undefined) return wide
  const digits = NARROW[letter]
  return digits === undefined
    ? undefined
    : [...digits].map((digit) => [4, 2, 1].map((bit) => (Number(digit) & bit ? '#' : '.')).join(''))
}

function cells(row = ''): string {
  return row.replaceAll('#', INK).replaceAll('.', PAPER)
}

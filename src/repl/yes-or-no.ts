// The lines that answer a question of the terminal (behaviour 33).
const ANSWERS: ReadonlyMap<string, boolean> = new Map([
  ['y', true],
  ['yes', true],
  ['n', false],
  ['no', false],
])

/** @returns undefined for any other line, which is a command */
export function readYesOrNo(line: string): boolean | undefined {
  return ANSWERS.get(line.trim().toLowerCase())
}

// The person at hookline's terminal.
import type { PseudoTerminal } from '../test/support/pseudo-terminal.ts'

const QUESTION = 'a web page asks to run commands here:'
const TOO_SOON = 'please read it again'

/** What the question on the screen says of the page that asks. */
export interface AskedAbout {
  readonly label: string
  readonly origin: string
  /** The first 8 characters of its clientId. */
  readonly client: string
}

/** Resolves once the terminal has asked `times` times since it was started. @returns what it says of the last page */
export async function isAsked(hookline: PseudoTerminal, times = 1): Promise<AskedAbout> {
  await hookline.until(() => questions(hookline) >= times)
  await hookline.shows('approve it? y or n')
  const lines = hookline.lines()
  const about = (word: keyof AskedAbout) => {
    const line = lines.findLast((each) => each.startsWith(`  ${word} `))
    return line?.slice(`  ${word}`.length).trim() ?? ''
  }
  return { label: about('label'), origin: about('origin'), client: about('client') }
}

/** How often it has asked since it was started. */
export function questions(hookline: PseudoTerminal): number {
  return count(hookline, QUESTION)
}

/** Types the answer; again where hookline says that it came too soon to have been read. */
export async function answer(hookline: PseudoTerminal, word: 'y' | 'n'): Promise<void> {
  const verdict = word === 'y' ? 'approved ' : 'denied '
  for (;;) {
    const before = [count(hookline, verdict), count(hookline, TOO_SOON)] as const
    hookline.send(`${word}\r`)
    await hookline.until(() => count(hookline, verdict) > before[0] || count(hookline, TOO_SOON) > before[1])
    if (count(hookline, verdict) > before[0]) return
  }
}

function count(hookline: PseudoTerminal, text: string): number {
  return hookline.lines().filter((line) => line.includes(text)).length
}

// The person at hookline's terminal, who is asked about pages.
import type { PseudoTerminal } from '../harness/process/pseudo-terminal.ts'
import type { ConsolePage } from './console-page.ts'

/** What the question on the screen says of the page that asks. */
export interface AskedAbout {
  readonly label: string
  readonly origin: string
  /** The first 8 characters of its clientId. */
  readonly client: string
  readonly proof: string
}

/** Resolves once hookline asks about this page, and the page says so too. @returns what hookline shows */
export async function isAsked(hookline: PseudoTerminal, console: ConsolePage): Promise<AskedAbout> {
  await console.badgeSays('Waiting for your y')
  const client = await console.clientId()
  await hookline.until((screen) => asksAbout(screen, client))
  const lines = hookline.lines()
  const shown = (word: keyof AskedAbout) => {
    const line = lines.findLast((each) => each.startsWith(`  ${word} `))
    return line?.slice(`  ${word}`.length).trim() ?? ''
  }
  return { label: shown('label'), origin: shown('origin'), client: shown('client'), proof: shown('proof') }
}

/** The question about this client is the last thing on the screen, but for the prompt. */
function asksAbout(hookline: PseudoTerminal, client: string): boolean {
  const lines = hookline.lines()
  const at = lines.findLastIndex((line) => line.startsWith('  client ') && line.endsWith(` ${client}`))
  return at >= 0 && /^approve it\? y or n/.test(lines[at + 2] ?? '')
}

/** How often it has asked since it was started. */
export function questions(hookline: PseudoTerminal): number {
  return times(hookline, 'approve it? y or n')
}

/** Types the answer; again where hookline says that it came too soon to have been read. */
export async function answer(hookline: PseudoTerminal, word: 'y' | 'n'): Promise<void> {
  const verdict = `${word === 'y' ? 'approved' : 'denied'} console in `
  const given = times(hookline, verdict)
  for (;;) {
    const refused = times(hookline, 'please read it again')
    hookline.send(`${word}\r`)
    await hookline.until(() => times(hookline, verdict) > given || times(hookline, 'please read it again') > refused)
    if (times(hookline, verdict) > given) return
  }
}

/** In all that was ever written: the screen is drawn anew now and then, and counts twice or not at all while it is. */
function times(hookline: PseudoTerminal, text: string): number {
  return hookline.raw.split(text).length - 1
}

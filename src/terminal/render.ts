// From a run's output to the lines a terminal shows. Whatever comes from outside passes `printable` here, and only here.

import { printable } from '../language/printable.ts'
import type { OutputKind, RunRequest } from '../runs/run.ts'
import { fitLines } from './fit.ts'
import { cellWidth } from './width.ts'

interface LineStyle {
  readonly coloured: boolean
  /** Put before every line: `[hook:dip] `. */
  readonly prefix?: string
  /** Longer lines are cut, in code points. Default 10,000: a whole typed line and what is said about it. */
  readonly maxLength?: number
  /** Cells of the terminal: wider lines are broken between words. Default: they stay whole, as for a file or pipe. */
  readonly width?: number
}

const COLOUR: Readonly<Record<OutputKind, string>> = { print: '', success: '32', info: '90', warn: '33', error: '31' }
/** What the colour would have said. */
const WORD: Readonly<Record<OutputKind, string>> = {
  print: '',
  success: '',
  info: '',
  warn: 'warning: ',
  error: 'error: ',
}
const MAX_OWN_LINE = 10_000
/** In UTF-16 units: a hook's name has at most 64 characters and is shown whole; a page calls itself what it likes. */
const MAX_NAME = { hook: 128, other: 40 }
const MIN_ROOM = 16

/** Lines of runs that were not typed at this terminal are cut here (behaviour 20). */
export const MAX_MIRRORED_LINE = 1_000

/** https://no-color.org: any value but the empty one forbids colours. */
export function mayColour(output: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
}

/** One entry per line shown, without control characters other than our colours. */
export function renderLines(kind: OutputKind, text: string, style: LineStyle): string[] {
  const { coloured, prefix = '', maxLength = MAX_OWN_LINE, width } = style
  // Most of what fires print: thousands of lines a second.
  if (!coloured && width === undefined && !text.includes('\n'))
    return [`${prefix}${WORD[kind]}${printable(text, maxLength)}`]
  const clean = (text.includes('\n') ? text.split(/\r?\n/) : [text]).map((line) => printable(line, maxLength))
  if (!coloured) clean[0] = `${WORD[kind]}${clean[0]}`
  const room = width === undefined ? 0 : width - cellWidth(prefix)
  // A prefix that takes nearly all of the line leaves no room to arrange anything.
  const lines = room >= MIN_ROOM ? fitLines(clean, room) : clean
  const colour = coloured ? COLOUR[kind] : ''
  return lines.map((line) => (colour === '' ? `${prefix}${line}` : `${prefix}\u001b[${colour}m${line}\u001b[39m`))
}

/**
 * The prefix of runs mirrored from elsewhere (behaviour 34): `[hook:dip] `, `[web:my laptop] `, `[hook:dip on swing] ` of another account.
 * @param account of the run, or of this line
 * @param focus the account that the prompt shows
 */
export function mirrorPrefix(
  { source, origin = '' }: Pick<RunRequest, 'source' | 'origin'>,
  account?: string,
  focus?: string,
): string {
  const name = printable(origin, source === 'hook' ? MAX_NAME.hook : MAX_NAME.other)
  // A line of a task has its name alone: `[every 3f9c2a71]`.
  return `[${source === 'exec' ? '' : `${source}:`}${name}${isOther(account, focus) ? ` on ${printable(account, MAX_NAME.other)}` : ''}] `
}

/** The prefix of a line typed here about an order of another account than the one in focus: `[swing] `; '' of the one in focus. */
export function accountPrefix(account: string | undefined, focus: string | undefined): string {
  return isOther(account, focus) ? `[${printable(account, MAX_NAME.other)}] ` : ''
}

function isOther(account: string | undefined, focus: string | undefined): account is string {
  return account !== undefined && focus !== undefined && account !== focus
}

// From a run's output to the lines a terminal shows. Whatever comes from outside passes `printable` here, and only here.

import { printable } from '../language/printable.ts'
import type { OutputKind, RunRequest } from '../runs/run.ts'

export interface LineStyle {
  readonly coloured: boolean
  /** Put before every line: `[hook:dip] `. */
  readonly prefix?: string
  /** Longer lines are cut, in code points. Default 10,000: a whole typed line and what is said about it. */
  readonly maxLength?: number
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

/** Lines of runs that were not typed at this terminal are cut here (behaviour 20). */
export const MAX_MIRRORED_LINE = 1_000

/** https://no-color.org: any value but the empty one forbids colours. */
export function mayColour(output: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
}

/** One entry per line of `text`, without control characters other than our colours. */
export function renderLines(kind: OutputKind, text: string, style: LineStyle): string[] {
  const { coloured, prefix = '', maxLength = MAX_OWN_LINE } = style
  const lines = text.includes('\n') ? text.split(/\r?\n/) : [text]
  return lines.map((line, index) => {
    const clean = printable(line, maxLength)
    if (!coloured) return `${prefix}${index === 0 ? WORD[kind] : ''}${clean}`
    const colour = COLOUR[kind]
    return colour === '' ? `${prefix}${clean}` : `${prefix}\u001b[${colour}m${clean}\u001b[39m`
  })
}

/** The prefix of runs mirrored from elsewhere (behaviour 34): `[hook:dip] `, `[web:my laptop] `. */
export function mirrorPrefix({ source, origin = '' }: Pick<RunRequest, 'source' | 'origin'>): string {
  return `[${source}:${printable(origin, source === 'hook' ? MAX_NAME.hook : MAX_NAME.other)}] `
}

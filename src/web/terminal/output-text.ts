// Output as the terminal shows it: made printable, coloured by kind, and readable without the colour. The colours are names of the
// theme's palette (terminal-theme.ts).
import { printable } from '../../language/printable.ts'
import type { OutputLine } from '../console-state.ts'

const COLOUR: Readonly<Record<OutputLine['kind'], string>> = {
  print: '39',
  success: '32',
  info: '90',
  warn: '33',
  error: '31',
}
/** What the colour would have said. */
const WORD: Readonly<Record<OutputLine['kind'], string>> = {
  print: '',
  success: '',
  info: '',
  warn: 'warning: ',
  error: 'error: ',
}
const MAX_LINE = 10_000

/** @param prefix who speaks, where it is not the command above: `[hook:dip] ` @returns lines, each to be ended by the writer */
export function renderOutput({ kind, text }: OutputLine, prefix = ''): readonly string[] {
  return text.split(/\r?\n/).map((line, index) => {
    const word = index === 0 ? WORD[kind] : ''
    return `${muted(prefix)}\x1b[${COLOUR[kind]}m${word}${printable(line, MAX_LINE)}\x1b[39m`
  })
}

export function muted(text: string): string {
  return text === '' ? '' : `\x1b[90m${printable(text)}\x1b[39m`
}

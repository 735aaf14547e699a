// Where a command may run: a hook or a web page never reaches what only a person at this machine may do (behaviours 18, 19).

import type { Source } from '../../runs/run.ts'
import { ROW_LIMITS } from '../../stores/rows.ts'
import type { Where } from './command.ts'
import { CommandError } from './command-error.ts'

const SOURCES: Record<Where, readonly Source[]> = {
  anywhere: ['repl', 'exec', 'hook', 'web'],
  'by hand': ['repl', 'exec', 'web'],
  trusted: ['repl', 'exec'],
  repl: ['repl'],
}

const PLACES: Record<Where, string> = {
  anywhere: 'anywhere',
  'by hand': 'only by hand, not from hooks',
  trusted: 'only in the terminal, not from hooks or web pages',
  repl: "only at hookline's own prompt",
}

export function mayRun(where: Where, source: Source): boolean {
  return SOURCES[where].includes(source)
}

/** For `help`: `runs only at hookline's own prompt`. */
export function describeWhere(where: Where): string {
  return `runs ${PLACES[where]}`
}

/** Refuses a command outside its place. @throws {CommandError} `not-allowed-here` */
export function requireMayRun(path: string, where: Where, source: Source): void {
  if (mayRun(where, source)) return
  throw new CommandError('not-allowed-here', `\`${path}\` runs ${PLACES[where]}`, {
    hint: 'type it there',
  })
}

/** How many rows there may be for a run of this source to add one; people add as many as they like (behaviour 141). */
export function maxRowsOf(rows: 'hooks' | 'variables', source: Source): number | undefined {
  return mayRun('trusted', source) ? undefined : ROW_LIMITS[rows]
}

/** Secrets leave the process only through a terminal's own run (behaviour 18). */
export function mayShowSecrets(source: Source): boolean {
  return mayRun('trusted', source)
}

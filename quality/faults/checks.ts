// Scenarios that are a table of their own: facts by name, of which all must hold.
import type { Finding } from './scenario.ts'

export type Checks = Readonly<Record<string, boolean>>

/** `7 of 8 checks hold, not: the journal goes on`. @param figures what was measured besides, as the table shows it */
export function findingOf(checks: Checks, figures = ''): Finding {
  const names = Object.keys(checks)
  const failed = names.filter((name) => checks[name] !== true)
  const which = failed.length === 0 ? '' : `, not: ${failed.join('; ')}`
  const counts = `${names.length - failed.length} of ${names.length} checks hold${which}`
  return { got: figures === '' ? counts : `${figures}; ${counts}`, holds: names.length > 0 && failed.length === 0 }
}

// A table of cases as one figure: how many came out as wanted, and the first that did not.
import type { Finding } from './scenario.ts'

export interface CaseRow {
  readonly what: string
  readonly wanted: string
  readonly got: string
}

/** @param note further figures, behind a comma */
export function tally(rows: readonly CaseRow[], note = ''): Finding {
  const [odd, ...others] = rows.filter(({ wanted, got }) => got !== wanted)
  const count = rows.length - (odd === undefined ? 0 : others.length + 1)
  const which = odd === undefined ? '' : `; ${odd.what}: ${odd.got}, not ${odd.wanted}`
  const got = `${count} of ${rows.length} rows as wanted${which}${note === '' ? '' : `, ${note}`}`
  return { got, holds: rows.length > 0 && odd === undefined }
}

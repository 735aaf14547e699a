// The lines of the stops that every page has. A name that cannot be typed is left out: each line runs on the account that is shown.
import { typedLine } from '../../language/print.ts'

/** Tasks end too: a twap that goes on would buy again what was closed. */
export function flattenLine(account: string, guard: string | undefined): string {
  return guard === 'halted' ? haltAndFlattenLine(account) : 'nuke --yes'
}

export function haltLine(account: string): string {
  return typedLine`halt ${account}` ?? 'halt'
}

export function haltAndFlattenLine(account: string): string {
  return typedLine`halt ${account} --flatten` ?? 'halt --flatten'
}

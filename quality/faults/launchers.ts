// hookline under a launcher of this folder that changes what the program finds.
import { resolve } from 'node:path'
import { RunningHookline } from '../../harness/process/hookline.ts'

/** As `new RunningHookline`. @param launcher a file of this folder */
export function startUnder(launcher: string, directory: string, args: readonly string[]): RunningHookline {
  return new RunningHookline(directory, args, { binary: resolve(import.meta.dirname, launcher) })
}

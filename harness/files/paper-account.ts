import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { initialState, type PaperState } from '../../src/exchanges/paper/state.ts'
import { PAPER_FORMAT } from '../../src/exchanges/paper/state-file.ts'
import { openPaperState } from '../../src/stores/paper-state.ts'

/** A paper account as its files have it now. @returns undefined where there is none @throws where it cannot be read */
export function readPaperAccount(directory: string, account: string): PaperState | undefined {
  if (!existsSync(join(directory, `paper-${account}.json`))) return undefined
  const defaults = initialState({ seed: '', balance: '0' })
  const file = openPaperState(directory, account, { ...PAPER_FORMAT, defaults })
  const state = file.read()
  const problem = file.problem()
  if (problem !== undefined) throw new Error(`${problem.path}: ${problem.message}`)
  return state
}

/** The files that hold the changes of a paper account since its snapshot, by name. */
export function paperJournals(directory: string, account: string): readonly string[] {
  return readdirSync(directory).filter((name) => name.startsWith(`paper-${account}.changes-`))
}

// hookline as a user who may not do everything: root may read and write what nobody else can, so root becomes somebody else first.
import { chmodSync, chownSync, copyFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BINARY, LISTENING, RunningHookline } from '../../harness/process/hookline.ts'
import { startUnder } from './launchers.ts'

const NOBODY = 65_534

/** The REPL over a directory of its own (`giveToNobody`), once it listens. Whoever is not root stays who they are. */
export async function startAsNobody(directory: string): Promise<RunningHookline> {
  const isRoot = process.getuid?.() === 0
  const repl = isRoot ? startUnder('as-nobody.cjs', directory, [readableBinary()]) : new RunningHookline(directory)
  await repl.prints(LISTENING)
  return repl
}

/** A file, or a directory and the files in it. */
export function giveToNobody(path: string): void {
  if (process.getuid?.() !== 0) return
  chownSync(path, NOBODY, NOBODY)
  if (statSync(path).isDirectory()) for (const name of readdirSync(path)) giveToNobody(join(path, name))
}

/** The work tree may be closed to other users. */
function readableBinary(): string {
  const directory = tempDirectory()
  // Without the code cache: it starts without it too.
  for (const file of ['hookline.cjs', 'main.cjs']) copyFileSync(join(dirname(BINARY), file), join(directory, file))
  chmodSync(directory, 0o755)
  return join(directory, 'hookline.cjs')
}

// One command per file of the config directory that makes hookline write it, and what became of the files.
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunningHookline } from '../../harness/process/hookline.ts'
import { ask } from '../../harness/process/piped-repl.ts'

/** By file; every call writes something new. */
export const WRITES: Readonly<Record<string, () => string>> = {
  'config.json': () => `symbol ${symbols[calls++ % symbols.length]}`,
  'hooks.json': () => `hook create ${newName()} "echo new"`,
  'accounts.json': () => `account add ${newName()} paper`,
  'trusted-clients.json': () => `clients trust ${randomUUID()}`,
  'vars.json': () => `set @a ${newName()}`,
  'aliases.json': () => `alias ${newName()} "echo short"`,
  'paper-paper.json': () => 'buy 60.0 DOGEUSDT',
}

const symbols = ['ETHUSDT', 'SOLUSDT', 'BTCUSDT']
let calls = 0

function newName(): string {
  return `n${randomUUID().slice(0, 8)}`
}

/** Writes every store once. @returns what was said, by file */
export async function writeStores(repl: RunningHookline): Promise<Readonly<Record<string, string>>> {
  const said: Record<string, string> = {}
  for (const [file, line] of Object.entries(WRITES)) said[file] = await ask(repl, line())
  return said
}

/** How many of the answers are as expected. */
export function countSaying(said: Readonly<Record<string, string>>, expected: RegExp): number {
  return Object.values(said).filter((text) => expected.test(text)).length
}

/** What the stores hold, byte for byte. */
export function fingerprint(directory: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(directory)
    .filter((each) => each.endsWith('.json') || each.includes('.changes-'))
    .sort())
    hash.update(name).update(readFileSync(join(directory, name)))
  return hash.digest('hex')
}

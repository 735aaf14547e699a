// A directory in which everything is made, what must hold while none of it can be written, and what once it can.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type CreatedHook, createHook, type RunningHookline } from '../../harness/process/hookline.ts'
import { ask, startRepl } from '../../harness/process/piped-repl.ts'
import { knock } from '../../harness/wire/ws-client.ts'
import type { Checks } from './checks.ts'
import { fire } from './fire-hook.ts'
import { countSaying, fingerprint, WRITES, writeStores } from './store-writes.ts'

export const STORES = Object.keys(WRITES).length
export const FIRES = 20

/** A stranger's knock is a line of the log. @returns whether hookline answered, and lives */
export async function survivesLogLine(): Promise<boolean> {
  const refused = await (await knock({ headers: { Origin: 'https://evil.example' } })).answer()
  const health = await fetch('http://127.0.0.1:53219/health').catch(() => undefined)
  return refused.status === 403 && health?.status === 200
}

/** Fires in a row. @returns how many were accepted and have run */
export async function countRuns(repl: RunningHookline, hook: { url: string; token: string }): Promise<number> {
  const from = repl.stdout.length
  let accepted = 0
  for (let fires = 0; fires < FIRES; fires++) if ((await fire(hook)).status === 200) accepted++
  await ask(repl, 'echo after them')
  return Math.min(accepted, repl.stdout.slice(from).split('[hook:alert] seen\n').length - 1)
}

/** Everything is made, and nobody has a file of it open. */
export async function prepareStores(directory: string): Promise<CreatedHook> {
  const hook = await createHook(directory, 'alert', 'echo seen')
  const repl = await startRepl(directory)
  await writeStores(repl)
  await expect.poll(() => existsSync(join(directory, 'hookline.log'))).toBe(true)
  repl.child.stdin.end()
  await repl.ended()
  return hook
}

const JOURNAL_FAILS = 'warning: runs are no longer recorded in runs.jsonl: '
const JOURNAL_WORKS = 'warning: runs are recorded in runs.jsonl again'

/** What must hold while the files cannot be written. `code`: as the system says it. */
export async function checkRefusals(repl: RunningHookline, directory: string, hook: CreatedHook, code: string) {
  const before = fingerprint(directory)
  const ran = await countRuns(repl, hook)
  const refused = countSaying(await writeStores(repl), new RegExp(`error: .*cannot write [\\w.-]+\\.jsonl?: .*${code}`))
  return {
    figures: `${ran} of ${FIRES} fires ran, ${refused} of ${STORES} writes refused`,
    checks: {
      'fires run': ran === FIRES,
      'each write says why': refused === STORES,
      'files stay': fingerprint(directory) === before,
      'the journal is missed, once': repl.stdout.split(JOURNAL_FAILS).length === 2,
    },
  }
}

/** What must hold once they can be written again. */
export async function checkRecovery(repl: RunningHookline, hook: CreatedHook): Promise<Checks> {
  const ran = await countRuns(repl, hook)
  const refused = countSaying(await writeStores(repl), /error: /)
  return {
    'fires run afterwards': ran === FIRES,
    'all are written afterwards': refused === 0,
    'the journal goes on': repl.stdout.includes(JOURNAL_WORKS),
  }
}

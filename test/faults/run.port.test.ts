// `npm run faults` as people type it, for the scenarios that take no time.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'

function faults(...args: string[]) {
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env
  return spawnSync(process.execPath, ['quality/faults/run.mjs', ...args], { env, encoding: 'utf8' })
}

it('shows what was wanted and got, in a table and as JSON, leaves out the soak nobody asked for, and says what there is not', () => {
  const json = join(tempDirectory(), 'faults.json')
  const { status, stdout, stderr } = faults('bound', 'soak', 'nonsense', '--json', json)
  expect(stdout).toMatch(/^bound +the port is tried .+ all refused +\d+ of \d+ rows as wanted +holds$/m)
  expect(stdout).toMatch(/^2 rows: 1 holds, 0 SHORT, 1 left out, 0 FAILS$/m)
  expect(stderr).toContain('there is no scenario nonsense')
  expect(status).toBe(1)
  expect(JSON.parse(readFileSync(json, 'utf8')).rows).toMatchObject([
    { number: 'bound', verdict: 'holds', finding: { holds: true } },
    { number: 'soak', verdict: 'left out', reason: expect.stringContaining('--soak') },
  ])
})

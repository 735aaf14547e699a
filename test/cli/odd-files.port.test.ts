// Names in the config directory that lead to something else than a file of the operator's (behaviour 21): hookline starts, works and stops.
import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, post, RunningHookline, run } from '../../harness/process/hookline.ts'

const JOURNALS = ['runs.jsonl', 'run-output.jsonl', 'orders.jsonl', 'hookline.log', 'history', 'audit.jsonl']

const ODD: readonly [string, (path: string, target: string) => void][] = [
  ['FIFOs', (path) => execFileSync('mkfifo', [path])],
  ['links out of the directory', (path, target) => symlinkSync(target, path)],
]

it.each(ODD)('works and stops where all journals are %s, and writes nothing there', async (_what, make) => {
  const directory = tempDirectory()
  const hook = await createHook(directory, 'alert', 'buy 60.0 DOGEUSDT')
  const target = join(tempDirectory(), 'theirs')
  writeFileSync(target, '')
  for (const name of JOURNALS) {
    execFileSync('rm', ['-f', join(directory, name)])
    make(join(directory, name), target)
  }
  const hookline = await RunningHookline.listening(directory)
  expect((await post(hook.url, hook.token)).status).toBe(200)
  // The intent of an order must be on the disk before it is sent.
  await hookline.prints('[hook:alert] ')
  hookline.signal('SIGTERM')
  const { code, stdout } = await hookline.ended()
  expect(code).toBe(0)
  expect(stdout).toContain('orders.jsonl cannot be read: it ')
  expect(stdout).toContain('runs are no longer recorded in runs.jsonl')
  expect(stdout).toContain('output of runs is no longer saved in run-output.jsonl')
  expect(stdout).not.toContain('bought')
  expect(readFileSync(target, 'utf8')).toBe('')
})

it.each(['/proc/x', '/proc/x/y'])('refuses %s as its directory in words', async (directory) => {
  const { stdout, stderr, code } = await run(directory, ['exec', 'echo one'])
  expect([stdout, code]).toEqual(['', 1])
  expect(stderr).toMatch(
    /^error: hookline cannot start: [^\n]*nothing can be made in \/proc[^\n]*HOOKLINE_CONFIG_DIR[^\n]*\n$/,
  )
})

// A file that is damaged while hookline runs: the operator is told which and where, once, and `status` says it too.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { LISTENING, RunningHookline } from '../../harness/process/hookline.ts'

const MISTYPED = '{ "listener": { "enabled": false, } }'

/** Every store of the config directory. */
const FILES = [
  'config.json',
  'hooks.json',
  'accounts.json',
  'trusted-clients.json',
  'aliases.json',
  'vars.json',
  'listener.json',
  'tasks.json',
  'cross-trade.json',
  'cross-trade-running.json',
  'web-settings.json',
  'vault.json',
]

it.each(FILES)('a mistake in %s is named as soon as it is there', async (name) => {
  const directory = tempDirectory()
  const hookline = new RunningHookline(directory)
  await hookline.prints(LISTENING)
  // The files are looked at once more behind that line: the start is over when it runs lines.
  hookline.say('echo ready')
  await hookline.prints('ready')
  writeFileSync(join(directory, name), MISTYPED)
  await hookline.prints(join(directory, name))
  hookline.say('status')
  hookline.say('exit')
  const { stdout } = await hookline.ended()
  expect(stdout.split(join(directory, name))).toHaveLength(3)
  expect(stdout).not.toContain('all readable')
})

it.each(FILES)('a mistake in %s that was there before is told by the start, by status, and once each', async (name) => {
  const directory = tempDirectory()
  writeFileSync(join(directory, name), MISTYPED)
  const hookline = new RunningHookline(directory)
  await hookline.prints(join(directory, name))
  hookline.say('status')
  hookline.say('exit')
  const { stdout } = await hookline.ended()
  expect(stdout.split(join(directory, name))).toHaveLength(3)
  expect(stdout).toContain('1 invalid')
})

// A file that is damaged while hookline runs: the operator is told which and where, once, and `status` says it too.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { LISTENING, RunningHookline } from '../../harness/process/hookline.ts'

const MISTYPED = '{ "listener": { "enabled": false, } }'

it.each(['config.json', 'hooks.json', 'accounts.json', 'trusted-clients.json', 'aliases.json', 'vars.json'])(
  'a mistake in %s is named as soon as it is there',
  async (name) => {
    const directory = tempDirectory()
    const hookline = new RunningHookline(directory)
    await hookline.prints(LISTENING)
    writeFileSync(join(directory, name), MISTYPED)
    await hookline.prints(join(directory, name))
    hookline.say('status')
    hookline.say('exit')
    const { stdout } = await hookline.ended()
    expect(stdout.split(join(directory, name))).toHaveLength(3)
  },
)

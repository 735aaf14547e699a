import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openHookStore } from '../../src/stores/hooks.ts'
import { openIdentity } from '../../src/stores/identity.ts'
import { bundleChild, runChild } from './child-program.ts'

const hookWriter = `
  import { openHookStore } from './hooks.ts'
  const [directory, writer] = process.argv.slice(2)
  const hooks = openHookStore(directory)
  const made = []
  async function main() {
    for (let at = 0; at < 200; at += 1) made.push((await hooks.create({ name: writer + at, command: 'echo ok' })).id)
    process.stdout.write(JSON.stringify(made))
  }
  void main()
`

test('two processes that write 200 hooks each lose none', { timeout: 60_000 }, async () => {
  const directory = tempDirectory()
  const program = await bundleChild(directory, hookWriter)
  const config = join(directory, 'config')
  mkdirSync(config)
  const printed = await Promise.all(['a', 'b'].map((writer) => runChild(program, [config, writer])))
  const made = printed.flatMap((text) => JSON.parse(text) as string[])
  const stored = openHookStore(config)
    .list()
    .map((hook) => hook.id)
  expect(stored).toHaveLength(400)
  expect(new Set(stored)).toEqual(new Set(made))
})

const firstStart = `
  import { openIdentity } from './identity.ts'
  void openIdentity(process.argv[2]).load().then((identity) => process.stdout.write(JSON.stringify(identity)))
`

test('processes that start together for the first time agree on one identity', async () => {
  const directory = tempDirectory()
  const program = await bundleChild(directory, firstStart)
  const printed = await Promise.all([1, 2, 3, 4].map(() => runChild(program, [directory])))
  const loaded = await openIdentity(directory).load()
  expect(printed.map((text) => JSON.parse(text))).toEqual([loaded, loaded, loaded, loaded])
})

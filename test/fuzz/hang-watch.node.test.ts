// An input that never ends blocks the thread that would tell of it: another one does.
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { bundleChild, startChild } from '../stores/child-program.ts'

const PROGRAM = `
import { startHangWatch } from '../../quality/fuzz/hang-watch.ts'
const watch = startHangWatch('loops', 300)
watch.begins('is over')
watch.rests()
setTimeout(() => {
  watch.begins('for\\u0001ever')
  for (;;) {}
}, 1_000)
`

it('prints the input that does not end, and ends the process', { timeout: 30_000 }, async () => {
  const program = await bundleChild(tempDirectory(), PROGRAM)
  const child = startChild(program, [], { stdio: ['ignore', 'ignore', 'pipe'] })
  if (child.stderr === null) throw new Error('there is no stderr')
  const [said, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect(said).toBe('loops: does not end within 0.3 s: "for\\u0001ever"\n')
  expect([code, signal]).toEqual([null, 'SIGKILL'])
})

// What runs print while hookline stops is printed, to the last line.
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, openTerminal, post, RunningHookline } from '../../harness/process/hookline.ts'

const BODY = 'echo begin; sleep 1s; echo finished; sleep 1s; echo last'

describe('while hookline stops', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'a hook prints its last line, after %s to a pipe',
    async (signal) => {
      const directory = tempDirectory()
      const hook = await createHook(directory, 'slow', BODY)
      const hookline = new RunningHookline(directory)
      await hookline.prints('listening on')
      await post(hook.url, hook.token)
      await hookline.prints('[hook:slow] begin')
      hookline.signal(signal)
      const { stdout, code } = await hookline.ended()
      expect(stdout).toContain('waiting up to 5 s for 1 run to end\n')
      expect(stdout).toMatch(/\[hook:slow\] finished\n\[hook:slow\] last\n$/)
      expect(code).toBe(0)
    },
  )

  it('a hook prints its last line, after the end of input', async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'slow', BODY)
    const hookline = new RunningHookline(directory)
    await hookline.prints('listening on')
    await post(hook.url, hook.token)
    await hookline.prints('[hook:slow] begin')
    hookline.child.stdin.end()
    expect((await hookline.ended()).stdout).toMatch(/\[hook:slow\] finished\n\[hook:slow\] last\n$/)
  })

  it('a hook prints its last line, after exit in a terminal', async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'slow', BODY)
    const terminal = await openTerminal(directory)
    await post(hook.url, hook.token)
    await terminal.shows('[hook:slow] begin')
    terminal.send('exit\r')
    await terminal.shows('[hook:slow] last')
  })
})

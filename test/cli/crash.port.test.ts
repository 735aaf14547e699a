// A hookline that was killed (behaviour 31): what ran is told once, and nothing is started again.
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, LISTENING, post, RunningHookline, run } from '../../harness/process/hookline.ts'

async function killDuringARun(directory: string): Promise<void> {
  const hook = await createHook(directory, 'night', 'echo begin; sleep 10m; buy $250 BTCUSDT')
  const killed = await RunningHookline.listening(directory)
  await post(hook.url, hook.token)
  await killed.prints('[hook:night] begin')
  killed.signal('SIGKILL')
  expect((await killed.ended()).code).toBeNull()
}

describe('the start after kill -9 during a run', () => {
  it('tells which run was interrupted, once, and starts nothing', async () => {
    const directory = tempDirectory()
    await killDuringARun(directory)
    const first = await run(directory, [], { input: 'positions\nruns\n' })
    const [listening, notice, which, positions, ...runs] = first.stdout.split('\n')
    expect(listening).toBe(LISTENING)
    expect(notice).toMatch(/^warning: 1 run was interrupted when hookline stopped; nothing was started again/)
    expect(which).toContain('[hook:night] echo begin; sleep 10m; buy $250 BTCUSDT (account paper)')
    expect(positions).toBe('no open positions')
    expect(runs.join('\n')).not.toMatch(/night.*running/)
    expect(first).toMatchObject({ stderr: '', code: 0 })

    const second = await run(directory, [], { input: 'positions\n' })
    expect(second).toEqual({ stdout: `${LISTENING}\nno open positions\n`, stderr: '', code: 0 })
  })

  it('tells it under `hookline listen` too', async () => {
    const directory = tempDirectory()
    await killDuringARun(directory)
    const listener = new RunningHookline(directory, ['listen'])
    await listener.prints('1 run was interrupted')
    listener.signal('SIGTERM')
    expect((await listener.ended()).stdout).not.toContain('[hook:night] begin')
  })
})

// `hookline listen`: a listener for a service manager, and how it ends.
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BUSY_MS } from '../../harness/patience.ts'
import {
  createHook,
  isPortClosed,
  LISTENING,
  post,
  RunningHookline,
  run,
  withoutTimes,
} from '../../harness/process/hookline.ts'

/** A listener in whose one hook a run is going on. */
async function startBusy(command: string) {
  const directory = tempDirectory()
  const hook = await createHook(directory, 'busy', `echo begin; ${command}; echo end`)
  const listener = await RunningHookline.listening(directory)
  expect((await post(hook.url, hook.token)).status).toBe(200)
  await listener.prints('[hook:busy] begin')
  return { listener, hook }
}

describe('hookline listen', () => {
  it('answers /health with its pid and prints what hooks print', async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'x', 'echo ok')
    const listener = await RunningHookline.listening(directory)
    const health = await fetch('http://127.0.0.1:53219/health', { headers: { connection: 'close' } })
    expect(await health.json()).toEqual({ ok: true, pid: listener.pid, port: 53219 })
    await post(hook.url, hook.token)
    await listener.prints('[hook:x] ok\n')
    expect(withoutTimes(listener.stdout)).toBe(`${LISTENING}\n[hook:x] ok\n`)
  })

  it('prints that a hook failed, after what went wrong', async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'x', 'buy 0.001 NOPEUSDT')
    const listener = await RunningHookline.listening(directory)
    await post(hook.url, hook.token)
    await listener.prints('[hook:x] error: the hook failed\n')
    const said = withoutTimes(listener.stdout)
      .split('\n')
      .filter((line) => line.startsWith('[hook:x]'))
    expect(said[0]).toMatch(/^\[hook:x\] error: .*NOPEUSDT/)
    expect(said.at(-1)).toBe('[hook:x] error: the hook failed')
  })

  it('knows at once which hooks another process makes, rotates and revokes', async () => {
    const directory = tempDirectory()
    await RunningHookline.listening(directory)
    const hook = await createHook(directory, 'x', 'echo ok')
    expect((await post(hook.url, hook.token)).status).toBe(200)
    const rotated = await run(directory, ['hook', 'rotate', hook.id, '--json'])
    expect((await post(hook.url, hook.token)).status).toBe(401)
    expect((await post(hook.url, JSON.parse(rotated.stdout).token)).status).toBe(200)
    await run(directory, ['hook', 'revoke', '--all'])
    expect((await post(hook.url, hook.token)).status).toBe(404)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'lets a running fire end at %s, accepts no other, and ends with 0',
    async (name) => {
      const { listener, hook } = await startBusy('sleep 2s')
      listener.signal(name)
      await expect.poll(isPortClosed).toBe(true)
      expect(listener.stdout).not.toContain('end')
      await expect(post(hook.url, hook.token)).rejects.toThrow('ECONNREFUSED')
      const { stdout, ...ended } = await listener.ended()
      expect(withoutTimes(stdout)).toBe(`${LISTENING}\n[hook:busy] begin\n[hook:busy] end\n`)
      expect(ended).toEqual({ stderr: '', code: 0 })
    },
  )

  it('cuts a fire that takes longer than 5 s, says so, and still ends with 0', async () => {
    const { listener } = await startBusy('sleep 10m')
    const from = performance.now()
    listener.signal('SIGTERM')
    const { stdout, code } = await listener.ended()
    expect(performance.now() - from).toBeGreaterThan(4_500)
    expect(performance.now() - from).toBeLessThan(5_000 + BUSY_MS)
    expect(stdout).toContain('[hook:busy] error: ')
    expect(stdout).toContain('[hook:busy] warning: not run: echo end\n')
    expect(stdout).not.toContain('[hook:busy] end')
    expect(code).toBe(0)
  })

  it('ends at once at the second signal', async () => {
    const { listener } = await startBusy('sleep 10m')
    listener.signal('SIGTERM')
    await expect.poll(isPortClosed).toBe(true)
    const from = performance.now()
    listener.signal('SIGTERM')
    expect((await listener.ended()).code).toBe(130)
    // Without it, the fire would have had 5 s.
    expect(performance.now() - from).toBeLessThan(4_500)
  })

  it('ends with 0 when it is stopped while it waits for a taken port', async () => {
    const directory = tempDirectory()
    await RunningHookline.listening(directory)
    const second = new RunningHookline(directory, ['listen'])
    await second.prints('is held by')
    second.signal('SIGTERM')
    expect(await second.ended()).toMatchObject({ stderr: '', code: 0 })
  })
})

import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { CRASH_WINDOW_MS, MAX_CRASHES, STOP, superviseEngine } from '../../src/app/supervise-engine.ts'

/** A child that does what the test says. */
class Child extends EventEmitter {
  connected = true
  readonly sent: unknown[] = []
  readonly killed: unknown[] = []
  send(message: unknown): boolean {
    this.sent.push(message)
    return true
  }
  kill(signal: unknown): boolean {
    this.killed.push(signal)
    return true
  }
  die(code: number | null, signal: string | null = null): void {
    this.emit('close', code, signal)
  }
  end(code: number): void {
    this.emit('message', { t: 'ending', code })
    this.die(code)
  }
}

/** @param waits a pause ends by a signal only */
function stage(waits = false) {
  const children: Child[] = []
  const pauses: number[] = []
  const said: string[] = []
  const clock = { now: 0 }
  let signal = (): void => {}
  let spawned = (): void => {}
  let paused = (): void => {}
  const pausing = new Promise<void>((resolve) => {
    paused = resolve
  })
  const result = superviseEngine({
    spawn() {
      const child = new Child()
      children.push(child)
      queueMicrotask(() => spawned())
      return child as never
    },
    now: () => clock.now,
    async delay(ms, signal) {
      pauses.push(ms)
      clock.now += ms
      paused()
      if (waits) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
    notify: ({ text }) => said.push(text),
    onSignal(handler) {
      signal = handler
    },
  })
  const child = async (index: number): Promise<Child> => {
    while (children[index] === undefined) {
      await new Promise<void>((resolve) => {
        spawned = resolve
        setImmediate(resolve)
      })
    }
    return children[index] as Child
  }
  return { pausing, children, pauses, said, clock, result, child, signal: () => signal() }
}

describe('an engine that ends by itself', () => {
  test.each([0, 1])('with code %i is not started again', async (code) => {
    const { result, child, children } = stage()
    ;(await child(0)).end(code)
    await expect(result).resolves.toBe(code)
    expect(children).toHaveLength(1)
  })
})

describe('an engine that dies', () => {
  test('is started again, after pauses that grow, and given up after too many', async () => {
    const { result, child, pauses, said } = stage()
    for (let crash = 0; crash <= MAX_CRASHES; crash += 1) (await child(crash)).die(null, 'SIGKILL')
    await expect(result).resolves.toBe(1)
    expect(pauses).toEqual([1_000, 2_000, 5_000, 10_000, 30_000])
    expect(said[0]).toBe(
      'the engine died by SIGKILL; it is started again in 1 s, and first settles what it had ordered',
    )
    expect(said.at(-1)).toMatch(/^the engine died by SIGKILL, 6 times within 10 minutes, and is not started again/)
  })

  test('now and then only is started again for ever', async () => {
    const { child, pauses, clock, signal, result } = stage()
    for (let crash = 0; crash < 20; crash += 1) {
      ;(await child(crash)).die(7)
      clock.now += CRASH_WINDOW_MS
    }
    expect(new Set(pauses)).toEqual(new Set([1_000]))
    const last = await child(20)
    signal()
    last.end(0)
    await expect(result).resolves.toBe(0)
  })
})

describe('a signal', () => {
  test('is handed on once by the channel, and the child ends in its own time', async () => {
    const { result, child, signal, children } = stage()
    const first = await child(0)
    signal()
    expect(first.sent).toEqual([STOP])
    first.end(0)
    await expect(result).resolves.toBe(0)
    expect(children).toHaveLength(1)
  })

  test('that ended the child as it began is a clean end', async () => {
    const { result, child, signal } = stage()
    const first = await child(0)
    signal()
    first.die(null, 'SIGTERM')
    await expect(result).resolves.toBe(0)
  })

  test('a second one ends the child at once', async () => {
    const { result, child, signal } = stage()
    const first = await child(0)
    signal()
    signal()
    expect(first.killed).toEqual(['SIGKILL'])
    first.die(null, 'SIGKILL')
    await expect(result).resolves.toBe(1)
  })

  test('while it waits to start again ends the wait', async () => {
    const { result, child, signal, children, pausing } = stage(true)
    ;(await child(0)).die(1)
    await pausing
    signal()
    await expect(result).resolves.toBe(0)
    expect(children).toHaveLength(1)
  })
})

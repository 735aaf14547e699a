import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openCrossTradeEngine } from '../../src/stores/cross-trade.ts'
import { ownIdentity, ownPlace } from '../../src/stores/kernel-files.ts'
import { bundleChild, runChild } from './child-program.ts'

const START = 1_000_000

const heartbeat = (fields: Record<string, unknown> = {}) => ({
  pid: 4711,
  startedAt: START - 60_000,
  heartbeatAt: START,
  configIds: ['0a6f1c2e-3b4d-4e5f-8a9b-0c1d2e3f4a5b'],
  ...fields,
})

const known = { pid: 4711, startedAt: START - 60_000 }

/** `clock.now` stands where it is set and goes on from there with real time. */
function engine(content?: unknown) {
  const directory = tempDirectory()
  const save = (value: unknown) =>
    writeFileSync(
      join(directory, 'cross-trade-running.json'),
      typeof value === 'string' ? value : JSON.stringify(value),
    )
  if (content !== undefined) save(content)
  let [set, setAt] = [START, performance.now()]
  const clock = {
    get now() {
      return set + Math.floor(performance.now() - setAt)
    },
    set now(ms: number) {
      ;[set, setAt] = [ms, performance.now()]
    },
  }
  return { save, clock, store: openCrossTradeEngine(directory, () => clock.now) }
}

describe('reading', () => {
  test('an engine of this machine that has died does not run, however fresh its heartbeat', () => {
    const of = (fields: object) => engine(heartbeat({ lease: 'l', place: ownPlace(), ...fields })).store.read().running
    expect(of(ownIdentity())).toBe(true)
    expect(of({ ...ownIdentity(), born: '1' })).toBe(ownIdentity().born === undefined)
    expect(of({ pid: 2 ** 22 + 1 })).toBe(false)
    expect(of({ pid: 2 ** 22 + 1, place: 'another machine' })).toBe(true)
  })

  test.each([
    ['fresh', {}, true],
    ['just not too old', { heartbeatAt: START - 15_000 }, true],
    ['too old', { heartbeatAt: START - 15_001 }, false],
    ['just not too far ahead', { heartbeatAt: START + 15_000 }, true],
    ['too far ahead', { heartbeatAt: START + 15_001 }, false],
  ])('a heartbeat that is %s: %o', (_what, fields, running) => {
    const directory = tempDirectory()
    writeFileSync(join(directory, 'cross-trade-running.json'), JSON.stringify(heartbeat(fields)))
    expect(openCrossTradeEngine(directory, () => START).read()).toStrictEqual({ running, ...known })
  })

  test.each<[string, unknown, object]>([
    ['no file', undefined, {}],
    ['no JSON', '{"pid":', {}],
    ['no object', '[]', {}],
    ['no heartbeat', heartbeat({ heartbeatAt: undefined }), known],
    ['a heartbeat that is no time', heartbeat({ heartbeatAt: 'now' }), {}],
    ['a pid that is no number', heartbeat({ pid: 'x' }), {}],
  ])('%s: not running', (_what, content, told) => {
    expect(engine(content).store.read()).toStrictEqual({ running: false, ...told })
  })

  test('a file that turns bad: not running, and the last pid is still told', () => {
    const { save, store } = engine(heartbeat())
    expect(store.read()).toStrictEqual({ running: true, ...known })
    save('{')
    expect(store.read()).toStrictEqual({ running: false, ...known })
  })
})

describe('watching', () => {
  /** @param at where the clock stands when the watch begins */
  function watched(content?: unknown, at = START) {
    const session = engine(content)
    session.clock.now = at
    const seen: boolean[] = []
    const stop = session.store.watch(() => seen.push(session.store.read().running))
    onTestFinished(stop)
    const until = (length: number) => vi.waitUntil(() => seen.length >= length, { timeout: 30_000, interval: 5 })
    return { ...session, seen, stop, until }
  }

  test('tells when an engine starts, when its file turns bad, and when another takes over', async () => {
    const { save, clock, seen, until } = watched()
    save(heartbeat({ heartbeatAt: clock.now }))
    await until(1)
    save('{')
    await until(2)
    save(heartbeat({ heartbeatAt: clock.now }))
    await until(3)
    save(heartbeat({ heartbeatAt: clock.now, pid: 4712 }))
    await until(4)
    expect(seen).toEqual([true, false, true, true])
  })

  test('is silent about a heartbeat that only goes on', async () => {
    const { save, clock, store, seen } = watched(heartbeat())
    for (let beat = 0; beat < 3; beat += 1) {
      save(heartbeat({ heartbeatAt: clock.now }))
      await sleep(60)
    }
    expect(store.read().running).toBe(true)
    expect(seen).toEqual([])
  })

  test('tells when the clock alone turns it stale', async () => {
    const { clock, seen, until } = watched(heartbeat(), START + 14_800)
    await until(1)
    expect(clock.now).toBeGreaterThan(START + 15_000)
    expect(seen).toEqual([false])
  })

  test('a new heartbeat puts the end off', async () => {
    const { save, clock, store, seen } = watched(heartbeat(), START + 14_700)
    save(heartbeat({ heartbeatAt: clock.now }))
    await sleep(600)
    expect(store.read().running).toBe(true)
    expect(seen).toEqual([])
  })

  test('tells soon when the machine slept through the end', async () => {
    const { clock, seen, until } = watched(heartbeat())
    clock.now = START + 60_000
    await until(1)
    expect(seen).toEqual([false])
  })

  test('tells when a heartbeat from a clock that runs ahead comes within reach', async () => {
    const { seen, until } = watched(heartbeat({ heartbeatAt: START + 15_200 }))
    await until(1)
    expect(seen).toEqual([true])
  })

  test('is silent once stopped', async () => {
    const { save, store, seen, stop } = watched(heartbeat(), START + 14_900)
    save(heartbeat({ pid: 4712 }))
    stop()
    await sleep(400)
    expect(store.read()).toMatchObject({ running: false, pid: 4712 })
    expect(seen).toEqual([])
  })

  test('keeps no process alive', async () => {
    const directory = tempDirectory()
    writeFileSync(join(directory, 'cross-trade-running.json'), JSON.stringify(heartbeat({ heartbeatAt: Date.now() })))
    const program = await bundleChild(
      directory,
      `import { openCrossTradeEngine } from './cross-trade.ts'
       const engine = openCrossTradeEngine(process.argv[2])
       engine.watch(() => console.log('changed'))
       console.log(engine.read().running)`,
    )
    await expect(runChild(program, [directory])).resolves.toBe('true\n')
  })
})

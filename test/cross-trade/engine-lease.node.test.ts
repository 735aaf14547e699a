// One engine at a time, over real processes and a real file; `kill -9` included.
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { askToStop, EngineLease, engineOf } from '../../src/cross-trade/engine-lease.ts'
import { openCrossTradeEngine } from '../../src/stores/cross-trade.ts'
import { ownIdentity, ownPlace } from '../../src/stores/kernel-files.ts'
import { bundleChild, startChild } from '../stores/child-program.ts'

const START = 1_773_239_400_000
const ID = '0a6f1c2e-3b4d-4e5f-8a9b-0c1d2e3f4a5b'
const BEAT = { configIds: [ID], copiers: [] }

function stage(content?: object) {
  const directory = tempDirectory()
  const path = join(directory, 'cross-trade-running.json')
  if (content !== undefined) writeFileSync(path, JSON.stringify(content))
  const clock = { now: START }
  const now = () => clock.now
  const open = () => openCrossTradeEngine(directory, now)
  return {
    directory,
    path,
    clock,
    open,
    lease: () => new EngineLease(open(), now),
    stored: () => JSON.parse(readFileSync(path, 'utf8')),
  }
}

/** A process that takes the lease, says what came of it, and stays. */
async function rival(directory: string) {
  const program = await bundleChild(
    tempDirectory(),
    `import { EngineLease } from '../cross-trade/engine-lease.ts'
     import { openCrossTradeEngine } from './cross-trade.ts'
     const lease = new EngineLease(openCrossTradeEngine(process.argv[2]), Date.now)
     lease.beat({ configIds: [], copiers: [] }).then((other) => {
       console.log(JSON.stringify({ other: other ?? null, isHeld: lease.isHeld() }))
       setInterval(() => {}, 1000)
     })`,
  )
  const child = startChild(program, [directory])
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data')
  return { pid: child.pid, child, said: JSON.parse(String(line)) }
}

describe('two processes', () => {
  test('the second is told who runs, and the first keeps the lease', async () => {
    const { directory } = stage()
    const first = await rival(directory)
    expect(first.said).toEqual({ other: null, isHeld: true })
    const second = await rival(directory)
    expect(second.said).toEqual({ other: { pid: first.pid }, isHeld: false })
  })

  test('one that is killed leaves it to the next at once, though its heartbeat is fresh', async () => {
    const { directory } = stage()
    const first = await rival(directory)
    first.child.kill('SIGKILL')
    await once(first.child, 'close')
    expect(openCrossTradeEngine(directory).read()).toMatchObject({ running: false, pid: first.pid })
    expect((await rival(directory)).said).toEqual({ other: null, isHeld: true })
  })

  test('one that hangs keeps it, though its heartbeat is old', async () => {
    const { directory, path, stored } = stage()
    const first = await rival(directory)
    writeFileSync(path, JSON.stringify({ ...stored(), heartbeatAt: START }))
    expect(openCrossTradeEngine(directory).read().running).toBe(false)
    expect((await rival(directory)).said).toEqual({ other: { pid: first.pid }, isHeld: false })
  })
})

describe('a lease', () => {
  test('is held from the first beat until it is given back, and the file names the last holder', async () => {
    const { lease, stored, open } = stage()
    const own = lease()
    expect(own.isHeld()).toBe(false)
    await expect(own.beat(BEAT)).resolves.toBeUndefined()
    expect(own.isHeld()).toBe(true)
    expect(stored()).toMatchObject({ ...ownIdentity(), startedAt: START, heartbeatAt: START, configIds: [ID] })
    expect(open().read()).toEqual({ running: true, pid: process.pid, startedAt: START, copiers: [] })
    await own.release()
    expect(own.isHeld()).toBe(false)
    expect(stored()).toEqual({ pid: process.pid, startedAt: START, configIds: [ID] })
    expect(open().read()).toEqual({ running: false, pid: process.pid, startedAt: START })
  })

  test.each([
    ['15 s without a beat', 15_000, true],
    ['more than 15 s', 15_001, false],
    ['a clock that was set back', -15_001, false],
  ])('after %s: held is %s', async (_what, ms, isHeld) => {
    const { lease, clock } = stage()
    const own = lease()
    await own.beat(BEAT)
    clock.now += ms
    expect(own.isHeld()).toBe(isHeld)
    await own.beat(BEAT)
    expect(own.isHeld()).toBe(true)
  })

  test('is not held while its file is another one’s, gone or bad', async () => {
    const { lease, path, stored } = stage()
    const own = lease()
    await own.beat(BEAT)
    const mine = stored()
    for (const text of [JSON.stringify({ ...mine, lease: 'x' }), '{', undefined]) {
      if (text === undefined) rmSync(path)
      else writeFileSync(path, text)
      expect(own.isHeld()).toBe(false)
    }
    await expect(own.beat(BEAT)).resolves.toBeUndefined()
    expect(own.isHeld()).toBe(true)
  })

  test('of a start before in this very process is taken over, and the one before loses it', async () => {
    const { lease } = stage()
    const [before, after] = [lease(), lease()]
    await before.beat(BEAT)
    await expect(after.beat(BEAT)).resolves.toBeUndefined()
    expect([before.isHeld(), after.isHeld()]).toEqual([false, true])
    await before.release()
    expect(after.isHeld()).toBe(true)
  })
})

describe('who holds it', () => {
  const dead = { pid: 2 ** 22 - 1, lease: 'x', place: ownPlace(), heartbeatAt: START }

  test.each<[string, object, boolean]>([
    ['a process that died here', dead, false],
    ['a pid that came round again', { ...dead, pid: process.ppid, born: '1' }, false],
    ['a process of another machine that beats', { ...dead, place: 'elsewhere' }, true],
    [
      'a process of another machine that was silent for 15 s',
      { ...dead, place: 'y', heartbeatAt: START - 15_001 },
      false,
    ],
    ['a program that knows no leases and beats', { pid: 4711, heartbeatAt: START }, true],
    ['a program that knows no leases and was silent', { pid: process.ppid, heartbeatAt: START - 15_001 }, false],
    ['nobody', {}, false],
  ])('%s: %o', async (_what, content, isHeld) => {
    const { lease, open } = stage(content)
    expect(engineOf(open().readFile(), START) !== undefined).toBe(isHeld)
    expect((await lease().beat(BEAT)) !== undefined).toBe(isHeld)
  })
})

describe('asking it to stop', () => {
  test('reaches the holder, and nothing is asked where none runs', async () => {
    const { lease, open } = stage()
    await expect(askToStop(open(), 'the terminal', START)).resolves.toBeUndefined()
    const own = lease()
    await own.beat(BEAT)
    expect(own.stopAskedBy()).toBeUndefined()
    await expect(askToStop(open(), 'the terminal', START)).resolves.toEqual({ pid: process.pid })
    expect(own.stopAskedBy()).toBe('the terminal')
    await own.beat(BEAT)
    expect(own.stopAskedBy()).toBe('the terminal')
    await own.release()
    const next = lease()
    await next.beat(BEAT)
    expect(next.stopAskedBy()).toBeUndefined()
  })
})

// The engine of a process, with a double in the place of the copier: when it begins, what it answers, and how it ends.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createEngineHost } from '../../src/app/engine-host.ts'
import { openStores } from '../../src/app/open-stores.ts'
import type { EngineEvent } from '../../src/app/running-engine.ts'
import type { CrossTradeEngineOptions } from '../../src/cross-trade/engine.ts'
import { askEngine, askToStop, EngineLease } from '../../src/cross-trade/engine-lease.ts'
import type { CopierState } from '../../src/cross-trade/engine-port.ts'
import type { TaskPort } from '../../src/tasks/task-port.ts'

const COPIER: CopierState = {
  configId: 'r',
  account: 'swing',
  symbol: 'BTCUSDT',
  state: 'in-step',
  desired: '1',
  owned: '1',
}
const clock = {
  now: Date.now,
  delay: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {}),
}

function stage(directory = tempDirectory()) {
  const stores = openStores(directory)
  const told: EngineEvent[] = []
  const deeds: string[] = []
  const made: CrossTradeEngineOptions[] = []
  const fails = { start: undefined as Error | undefined }
  const now = { skew: 0 }
  const host = createEngineHost({
    directory,
    stores,
    clock: { ...clock, now: () => Date.now() + now.skew },
    connect: () => Promise.reject(new Error('nobody connects here')),
    tasks: {} as TaskPort,
    report: (event) => told.push(event),
    bug: (error) => deeds.push(`bug ${String(error)}`),
    createEngine(options) {
      made.push(options)
      return {
        async start() {
          deeds.push('start')
          if (fails.start) throw fails.start
        },
        async stop() {
          deeds.push(`stop, leading ${options.isLeader()}`)
        },
        report: () => ({ configs: [], copiers: [COPIER] }),
        plan: async (_id, flags) => {
          deeds.push(`plan ${flags?.flatten}`)
          return []
        },
        async resync() {
          throw new Error('broken')
        },
        isStale: () => false,
      }
    },
  })
  onTestFinished(() => host.stop())
  const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 10_000, interval: 5 })
  return { directory, stores, told, deeds, made, fails, now, host, until }
}

describe('the engine of a process', () => {
  test('runs from its start to its stop, and others see it at once', async () => {
    const { host, stores, deeds, made } = stage()
    await host.start({ force: false })
    expect(host.isRunning()).toBe(true)
    expect(made[0]?.isLeader()).toBe(true)
    expect(stores.crossTradeEngine.read()).toMatchObject({ running: true, pid: process.pid, copiers: [COPIER] })
    await host.stop()
    expect(stores.crossTradeEngine.read()).toMatchObject({ running: false, pid: process.pid })
    expect(host.isRunning()).toBe(false)
    // What is under way may end while it leads; after that nothing is ordered.
    expect(deeds).toEqual(['start', 'stop, leading true'])
    expect(made[0]?.isLeader()).toBe(false)
    await host.start({ force: false })
    expect(made).toHaveLength(2)
  })

  test('starts once, however often it is told to', async () => {
    const { host, deeds } = stage()
    await Promise.all([host.start({ force: false }), host.start({ force: false })])
    await host.start({ force: false })
    expect(deeds).toEqual(['start'])
  })

  test('is refused while another one runs, and says which', async () => {
    const { host, stores, deeds, directory } = stage()
    const path = join(directory, 'cross-trade-running.json')
    writeFileSync(path, JSON.stringify({ pid: 4711, startedAt: 1, heartbeatAt: Date.now() }))
    await expect(host.start({ force: true })).rejects.toMatchObject({
      code: 'engine-runs',
      message: expect.stringContaining('pid 4711'),
    })
    expect(deeds).not.toContain('start')
    expect(host.isRunning()).toBe(false)
    expect(stores.crossTradeEngine.read()).toMatchObject({ running: true, pid: 4711 })
  })

  test('is refused while a page leads, but for --force, and warns of one that comes later', async () => {
    const { host, stores, told, until } = stage()
    await stores.leadingPages.write(['My tab'])
    await expect(host.start({ force: false })).rejects.toMatchObject({
      code: 'page-leads',
      message: expect.stringContaining('My tab'),
    })
    await stores.leadingPages.write([])
    await host.start({ force: false })
    await stores.leadingPages.write(['Other tab'])
    await until(() => told.length > 0)
    expect(told).toEqual([{ type: 'pages', labels: ['Other tab'] }])
    await host.stop()
    await host.start({ force: true })
    expect(host.isRunning()).toBe(true)
  })

  test('gives the lease back when it cannot begin', async () => {
    const { host, stores, fails } = stage()
    fails.start = new Error('no disk')
    await expect(host.start({ force: false })).rejects.toThrow('no disk')
    expect(stores.crossTradeEngine.read().running).toBe(false)
    fails.start = undefined
    await host.start({ force: false })
    expect(host.isRunning()).toBe(true)
  })

  test('ends when somebody asks it to, in whatever process', async () => {
    const { host, stores, told, until } = stage()
    await host.start({ force: false })
    const ended = host.endsAlone()
    await askToStop(stores.crossTradeEngine, 'hook dip', Date.now())
    await expect(ended).resolves.toBe('asked')
    await until(() => told.length > 0)
    expect(told).toEqual([{ type: 'ended', why: 'asked', text: 'hook dip asked the engine to stop' }])
    expect(host.isRunning()).toBe(false)
  })

  test('answers what it is asked, and tells a failure without its text', async () => {
    const { host, stores, deeds } = stage()
    await host.start({ force: false })
    const ports = { file: stores.crossTradeEngine, clock, signal: new AbortController().signal }
    const request = { id: randomUUID(), op: 'plan', configId: 'r', flatten: true, source: 'repl', runId: 'x' } as const
    await expect(askEngine(request, ports)).resolves.toEqual({ id: request.id, orders: [], copiers: [] })
    await expect(askEngine({ ...request, id: 'second', op: 'resync' }, ports)).resolves.toMatchObject({
      error: { code: 'internal', message: 'internal error in the engine; see hookline.log' },
    })
    expect(deeds).toEqual(['start', 'plan true', 'bug Error: broken'])
  })

  test('after a sleep ends, takes the lease again, and begins anew', async () => {
    const { host, told, deeds, made, now, until } = stage()
    await host.start({ force: false })
    now.skew = 60_000
    await until(() => told.length > 0)
    expect(told).toEqual([{ type: 'resumed' }])
    expect(deeds).toEqual(['start', 'stop, leading false', 'start'])
    expect(made.map(({ isLeader }) => isLeader()).at(-1)).toBe(true)
  })

  test('after a sleep through which another one took over, stops', async () => {
    const { host, told, stores, now, until, directory } = stage()
    await host.start({ force: false })
    const elsewhere = { pid: 7, lease: 'x', place: 'elsewhere', heartbeatAt: Date.now() + 60_000 }
    writeFileSync(join(directory, 'cross-trade-running.json'), JSON.stringify(elsewhere))
    now.skew = 60_000
    await until(() => told.length > 0)
    expect(told).toEqual([{ type: 'ended', why: 'lost', text: 'another engine took over: pid 7' }])
    expect(host.isRunning()).toBe(false)
    expect(stores.crossTradeEngine.readFile()).toEqual(elsewhere)
  })

  test('of a lease that a start before left in this process is its own', async () => {
    const { host, stores } = stage()
    await new EngineLease(stores.crossTradeEngine, Date.now).beat({ configIds: [], copiers: [] })
    await host.start({ force: false })
    expect(host.isRunning()).toBe(true)
  })
})

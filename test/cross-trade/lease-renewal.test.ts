import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type EngineLease, type EngineRequest, LeaseRenewal } from '../../src/cross-trade/engine-lease.ts'
import type { CopierState } from '../../src/cross-trade/engine-port.ts'

const COPIER: CopierState = {
  configId: '1',
  account: 'swing',
  symbol: 'BTCUSDT',
  state: 'in-step',
  desired: '1',
  owned: '1',
}

/** A heartbeat whose clock only the test moves. */
function stage() {
  vi.useFakeTimers()
  const state = {
    isStale: false,
    copiers: [COPIER],
    by: '',
    other: undefined as { pid: number } | undefined,
    request: undefined as EngineRequest | undefined,
  }
  const told: string[] = []
  const beats: number[] = []
  const lease = {
    async beat({ copiers }: { copiers: readonly CopierState[] }) {
      beats.push(copiers.length)
      return state.other
    },
    isHeld: () => true,
    stopAskedBy: () => state.by || undefined,
    request: () => state.request,
  } as unknown as EngineLease
  const renewal = new LeaseRenewal({
    lease,
    now: () => Date.now(),
    report: () => ({ configs: [], copiers: state.copiers }),
    isStale: () => state.isStale,
    onSlept: () => told.push('slept'),
    onLost: ({ pid }) => told.push(`lost to ${pid}`),
    onStopAsked: (by) => told.push(`stop, says ${by}`),
    onRequest: ({ id, op }) => told.push(`${op} ${id}`),
    onProblem: (error) => told.push(String(error)),
  })
  onTestFinished(async () => {
    await renewal.stop()
    vi.useRealTimers()
  })
  return { state, told, beats, renewal, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
}

describe('beats', () => {
  test('come every 5 s', async () => {
    const { renewal, beats, pass } = stage()
    await renewal.beat()
    renewal.start()
    await pass(20_000)
    expect(beats).toHaveLength(5)
  })

  test('come soon after a copier’s state changed, and not again for the same', async () => {
    const { renewal, beats, state, pass } = stage()
    await renewal.beat()
    renewal.start()
    state.copiers = [{ ...COPIER, state: 'behind' }]
    await pass(500)
    expect(beats).toHaveLength(2)
    await pass(2_000)
    expect(beats).toHaveLength(2)
  })

  test('stop while the data are stale, and go on after', async () => {
    const { renewal, beats, state, pass } = stage()
    await renewal.beat()
    renewal.start()
    state.isStale = true
    await pass(20_000)
    expect(beats).toHaveLength(1)
    state.isStale = false
    await pass(500)
    expect(beats).toHaveLength(2)
  })

  test('tell of a thousand copiers, first of those that are not in step', async () => {
    const { renewal, beats, state } = stage()
    state.copiers = Array.from({ length: 1_500 }, () => COPIER)
    await renewal.beat()
    expect(beats).toEqual([1_000])
  })
})

describe('leading', () => {
  test('ends when the machine slept, before anything is looked at, and goes on only when taken again', async () => {
    const { renewal, told, pass } = stage()
    await renewal.beat()
    renewal.start()
    expect(renewal.isLeader()).toBe(true)
    vi.setSystemTime(Date.now() + 16_000)
    expect(renewal.isLeader()).toBe(false)
    await pass(500)
    expect(told).toEqual(['slept'])
    expect(renewal.isLeader()).toBe(false)
    await renewal.beat()
    expect(renewal.isLeader()).toBe(false)
    await renewal.resume()
    expect(renewal.isLeader()).toBe(true)
  })

  test('ends when another engine has the lease', async () => {
    const { renewal, told, state, pass } = stage()
    await renewal.beat()
    renewal.start()
    state.other = { pid: 7 }
    await pass(5_500)
    expect(told).toEqual(['lost to 7'])
    expect(renewal.isLeader()).toBe(false)
  })

  test('ends with the heartbeat', async () => {
    const { renewal, pass, beats } = stage()
    await renewal.beat()
    renewal.start()
    await renewal.stop()
    expect(renewal.isLeader()).toBe(false)
    await pass(20_000)
    expect(beats).toHaveLength(1)
  })
})

test('who asks it to stop is told', async () => {
  const { renewal, told, state, pass } = stage()
  await renewal.beat()
  renewal.start()
  state.by = 'the terminal'
  await pass(500)
  expect(told).toEqual(['stop, says the terminal'])
})

test('a request is told once', async () => {
  const { renewal, told, state, pass } = stage()
  await renewal.beat()
  renewal.start()
  state.request = { id: 'r1', op: 'plan', configId: '1', flatten: false, source: 'repl', runId: 'x', askedAt: 0 }
  await pass(2_000)
  state.request = { ...state.request, id: 'r2', op: 'resync' }
  await pass(1_000)
  expect(told).toEqual(['plan r1', 'resync r2'])
})

// Turns between hooks, places per hook, room for the others, and ages on two clocks.
import { describe, expect, it } from 'vitest'
import { type FiredHook, FireQueue, RUN_LIMITS } from '../../src/runtime/fire-queue.ts'

const START = { monotonicMs: 0, wallMs: 0 }

function queueOf(limits: Partial<typeof RUN_LIMITS> = {}) {
  const queue = new FireQueue<{ readonly hook: FiredHook; readonly acceptedAt: typeof START; readonly name: string }>({
    ...RUN_LIMITS,
    ...limits,
  })
  const hookOf = (id: string, more: Partial<FiredHook> = {}): FiredHook => ({ id, name: id, secret: 's', ...more })
  function add(hook: FiredHook, name: string, acceptedAt = START) {
    queue.announce(hook)
    queue.add({ hook, acceptedAt, name })
  }
  function take(count: number): string[] {
    return Array.from({ length: count }, () => queue.take()?.name ?? '-')
  }
  return { queue, hookOf, add, take }
}

describe('the queue of fires', () => {
  it('lets hooks take turns, each in its own order', () => {
    const { hookOf, add, take } = queueOf()
    for (const name of ['a1', 'a2', 'a3', 'a4']) add(hookOf('a'), name)
    for (const name of ['b1', 'b2']) add(hookOf('b'), name)
    add(hookOf('c'), 'c1')
    expect(take(8)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4', '-'])
  })

  it('runs no more of one hook than its places, and gives each that comes free to the next in its line', () => {
    const { queue, hookOf, add, take } = queueOf({ runningPerHook: 2 })
    for (const name of ['a1', 'a2', 'a3']) add(hookOf('a'), name)
    for (const name of ['b1', 'b2', 'b3']) add(hookOf('b', { parallel: 1 }), name)
    expect(take(4)).toEqual(['a1', 'b1', 'a2', '-'])
    queue.ended('b')
    expect(take(2)).toEqual(['b2', '-'])
    queue.ended('a')
    expect(take(2)).toEqual(['a3', '-'])
  })

  it('runs no more of all hooks than there are places', () => {
    const { queue, hookOf, add, take } = queueOf({ running: 2 })
    for (const id of ['a', 'b', 'c']) add(hookOf(id), id)
    expect(take(3)).toEqual(['a', 'b', '-'])
    queue.ended('a')
    expect(take(2)).toEqual(['c', '-'])
  })

  it('keeps room for other hooks when the line of one is full, and none when all is full', () => {
    const { queue, hookOf, add, take } = queueOf({ running: 0, waiting: 3, waitingPerHook: 2 })
    add(hookOf('a'), 'a1')
    queue.announce(hookOf('a'))
    expect([queue.hasRoom('a'), queue.hasRoom('b')]).toEqual([false, true])
    add(hookOf('b'), 'b1')
    expect([queue.hasRoom('b'), queue.hasRoom('c')]).toEqual([false, false])
    expect(take(1)).toEqual(['-'])
  })

  it('takes out what has waited longer than its hook lets it, by the clock that says more', () => {
    const { queue, hookOf, add, take } = queueOf({ maxAgeMs: 30_000 })
    add(hookOf('a'), 'old')
    add(hookOf('a'), 'young', { monotonicMs: 20_000, wallMs: 20_000 })
    add(hookOf('b', { maxAgeMs: 60_000 }), 'patient')
    expect(queue.nextExpiryMs({ monotonicMs: 20_000, wallMs: 20_000 })).toBe(10_000)
    expect(queue.removeExpired({ monotonicMs: 30_001, wallMs: 10_000 }).map(({ name }) => name)).toEqual(['old'])
    // The machine slept: one clock stood still meanwhile.
    expect(queue.removeExpired({ monotonicMs: 20_001, wallMs: 50_001 }).map(({ name }) => name)).toEqual(['young'])
    expect(take(2)).toEqual(['patient', '-'])
    expect(queue.queued).toBe(0)
  })

  it('goes on with the others after some were taken out', () => {
    const { queue, hookOf, add, take } = queueOf()
    for (const name of ['a1', 'a2']) add(hookOf('a'), name)
    for (const name of ['b1', 'b2']) add(hookOf('b'), name)
    expect(queue.removeWhere(({ name }) => name !== 'b2').map(({ name }) => name)).toEqual(['a1', 'a2', 'b1'])
    expect(queue.queued).toBe(1)
    expect(take(2)).toEqual(['b2', '-'])
    add(hookOf('a'), 'a3')
    expect(take(1)).toEqual(['a3'])
  })

  it('remembers no more than some hundred hooks of which nothing waits or runs', () => {
    const { queue, hookOf, add } = queueOf()
    for (let index = 0; index < 1_000; index++) {
      const hook = hookOf(`hook-${index}`)
      add(hook, 'once')
      queue.take()
      queue.ended(hook.id)
    }
    expect(queue.laneCount).toBeLessThan(300)
  })
})

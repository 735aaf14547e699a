import { describe, expect, it, vi } from 'vitest'
import {
  BoundedMap,
  BoundedSet,
  backoffMs,
  SerialQueue,
  type StartTimer,
  startUnheldTimer,
  withTimeout,
} from '../../src/base/concurrency.ts'

/** A timer that a test lets run out. */
function heldTimer() {
  const timer = { runOut: () => {}, ms: 0, stopped: 0 }
  const start: StartTimer = (ms, run) => {
    timer.ms = ms
    timer.runOut = run
    return () => {
      timer.stopped += 1
    }
  }
  return { timer, start }
}

describe('withTimeout', () => {
  it('gives the result of work that settles in time and stops its timer', async () => {
    const { timer, start } = heldTimer()
    expect(await withTimeout(Promise.resolve('done'), 50, () => 'late', start)).toBe('done')
    expect(timer).toMatchObject({ ms: 50, stopped: 1 })
  })

  it('gives the late result when the time is up, and drops a failure that comes after it', async () => {
    const { timer, start } = heldTimer()
    let fail = (_: Error): void => {}
    const work = new Promise<string>((_, reject) => {
      fail = reject
    })
    const result = withTimeout(work, 50, () => 'late', start)
    timer.runOut()
    expect(await result).toBe('late')
    fail(new Error('after the limit'))
    await new Promise((resolve) => setImmediate(resolve))
  })

  it('fails as the work fails, and as the late result fails', async () => {
    const { timer, start } = heldTimer()
    await expect(withTimeout(Promise.reject(new Error('refused')), 50, () => 'late', start)).rejects.toThrow('refused')
    expect(timer.stopped).toBe(1)
    const late = (): never => {
      throw new Error('timed out')
    }
    const result = withTimeout(new Promise(() => {}), 50, late, start)
    timer.runOut()
    await expect(result).rejects.toThrow('timed out')
  })

  it('waits in real time where no timer is given', async () => {
    expect(await withTimeout(new Promise(() => {}), 1, () => 'late')).toBe('late')
  })
})

describe('startUnheldTimer', () => {
  it('does not run once it is stopped', () => {
    vi.useFakeTimers()
    const run = vi.fn()
    startUnheldTimer(10, run)()
    const other = vi.fn()
    startUnheldTimer(10, other)
    vi.advanceTimersByTime(10)
    vi.useRealTimers()
    expect(run).not.toHaveBeenCalled()
    expect(other).toHaveBeenCalledOnce()
  })
})

describe('SerialQueue', () => {
  it('begins work when the work before it has ended, failed or not', async () => {
    const queue = new SerialQueue()
    const seen: string[] = []
    let end = (): void => {}
    const first = queue.run(async () => {
      seen.push('first begins')
      await new Promise<void>((resolve) => {
        end = resolve
      })
      seen.push('first ends')
      throw new Error('first fails')
    })
    const second = queue.run(() => {
      seen.push('second')
      return 2
    })
    await Promise.resolve()
    expect(seen).toEqual(['first begins'])
    end()
    await expect(first).rejects.toThrow('first fails')
    expect(await second).toBe(2)
    expect(seen).toEqual(['first begins', 'first ends', 'second'])
  })

  it('is idle when the work of until now has ended', async () => {
    const queue = new SerialQueue()
    let isDone = false
    void queue.run(async () => {
      await new Promise((resolve) => setImmediate(resolve))
      isDone = true
    })
    await queue.idle()
    expect(isDone).toBe(true)
  })
})

describe('BoundedMap', () => {
  it('drops the oldest, and a key that is set again is the newest', () => {
    const dropped: [string, number][] = []
    const map = new BoundedMap<string, number>(2, (...entry) => dropped.push(entry))
    map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
    expect([...map]).toEqual([
      ['a', 3],
      ['c', 4],
    ])
    expect(dropped).toEqual([['b', 2]])
  })
})

describe('BoundedSet', () => {
  it('drops the oldest, and a value that is added again is the newest', () => {
    const set = new BoundedSet<string>(2)
    set.add('a').add('b').add('a').add('c')
    expect([...set]).toEqual(['a', 'c'])
  })
})

describe('backoffMs', () => {
  it('doubles from the first pause to the longest', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 2_000].map((failures) => backoffMs(failures, { firstMs: 100, mostMs: 1_000 }))
    expect(pauses).toEqual([0, 100, 200, 400, 800, 1_000, 1_000])
  })
})

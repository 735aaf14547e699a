import { describe, expect, it } from 'vitest'
import { FrameBatches, type FramePorts } from '../../src/web/frame-batches.ts'

/** A page whose frames and clock the test moves. */
function stage() {
  const callbacks = { drawing: new Set<() => void>(), clock: new Set<() => void>() }
  const kept = (set: Set<() => void>, callback: () => void) => {
    set.add(callback)
    return () => void set.delete(callback)
  }
  const ports: FramePorts = {
    beforeDrawing: (callback) => kept(callbacks.drawing, callback),
    after: (_ms, callback) => kept(callbacks.clock, callback),
  }
  const taken: (readonly number[])[] = []
  const batches = new FrameBatches<number>((batch) => taken.push(batch), ports)
  const call = (set: Set<() => void>) => {
    for (const callback of [...set]) callback()
  }
  return { batches, taken, callbacks, draw: () => call(callbacks.drawing), wait: () => call(callbacks.clock) }
}

describe('frames that wait to be drawn', () => {
  it('are given on together, in their order, when the page is drawn', () => {
    const { batches, taken, draw } = stage()
    for (const each of [1, 2, 3]) batches.add(each)
    expect(taken).toEqual([])
    draw()
    expect(taken).toEqual([[1, 2, 3]])
  })

  it('come by the clock to a page that is not drawn', () => {
    const { batches, taken, wait } = stage()
    batches.add(1)
    wait()
    expect(taken).toEqual([[1]])
  })

  it('come once: the other wish is taken back', () => {
    const { batches, callbacks, draw } = stage()
    batches.add(1)
    draw()
    expect([callbacks.drawing.size, callbacks.clock.size]).toEqual([0, 0])
  })

  it('come at once when they are called for, and nothing comes where nothing waits', () => {
    const { batches, taken, draw } = stage()
    batches.flush()
    batches.add(1)
    batches.flush()
    draw()
    expect(taken).toEqual([[1]])
  })

  it('that come while others are given on are the next batch', () => {
    const { batches, taken, draw } = stage()
    const nested = new FrameBatches<number>(() => batches.add(2), {
      beforeDrawing: () => () => {},
      after: () => () => {},
    })
    nested.add(1)
    nested.flush()
    draw()
    expect(taken).toEqual([[2]])
  })
})

// Output in batches: when a frame goes out, what is in it, and what is left out of it.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BatchedLine, OutputBatches } from '../../../src/listener/sessions/run-output.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'
import type { RunRequest } from '../../../src/runs/run.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const run = (runId: string): RunRequest => ({ runId, source: 'hook', command: 'c' })

function stage() {
  const frames: { readonly id: string; readonly lines: readonly BatchedLine[]; readonly dropped: number }[] = []
  const batches = new OutputBatches(({ runId: id }, lines, dropped) => void frames.push({ id, lines, dropped }))
  const texts = () => frames.map(({ lines }) => lines.map(({ text }) => text).join())
  return { batches, frames, texts }
}

describe('a batch of output', () => {
  it('is the first line at once, and what follows within 50 ms together', () => {
    const { batches, texts } = stage()
    const a = run('a')
    for (const text of ['1', '2', '3']) batches.add(a, 'print', text)
    expect(texts()).toEqual(['1'])
    vi.advanceTimersByTime(WIRE_LIMITS.batchMs - 1)
    expect(texts()).toEqual(['1'])
    vi.advanceTimersByTime(1)
    expect(texts()).toEqual(['1', '2,3'])
    batches.add(a, 'print', '4')
    vi.advanceTimersByTime(50)
    expect(texts()).toEqual(['1', '2,3', '4'])
    vi.advanceTimersByTime(50)
    batches.add(a, 'print', '5')
    expect(texts()).toEqual(['1', '2,3', '4', '5'])
  })

  it('never waits behind the end of its run, nor for another run', () => {
    const { batches, texts } = stage()
    const [a, b] = [run('a'), run('b')]
    batches.add(a, 'print', 'a1')
    batches.add(b, 'print', 'b1')
    batches.add(a, 'print', 'a2')
    batches.end(a)
    batches.end(b)
    expect(texts()).toEqual(['a1', 'b1', 'a2'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('leaves out the oldest lines that only tell, counts them, and keeps what was done or refused', () => {
    const { batches, frames } = stage()
    const a = run('a')
    batches.add(a, 'print', 'first')
    batches.add(a, 'success', 'bought')
    batches.add(a, 'error', 'refused')
    for (let n = 0; n < 1_000; n += 1) batches.add(a, 'print', `${n}`)
    batches.end(a)
    const last = frames.at(-1)
    expect(last?.lines).toHaveLength(WIRE_LIMITS.batchLines)
    expect(last?.lines.slice(0, 3).map(({ text }) => text)).toEqual(['bought', 'refused', '802'])
    expect(last?.lines.at(-1)?.text).toBe('999')
    expect(last?.dropped).toBe(802)
  })

  it('is bounded by its length too, and of what is said of deeds the oldest goes', () => {
    const { batches, frames } = stage()
    const a = run('a')
    batches.add(a, 'print', 'first')
    for (let n = 0; n < 10; n += 1) batches.add(a, 'success', String(n).repeat(20_000))
    batches.end(a)
    expect(frames.at(-1)?.lines.map(({ text }) => text[0])).toEqual(['7', '8', '9'])
    expect(frames.at(-1)?.dropped).toBe(7)
  })
})

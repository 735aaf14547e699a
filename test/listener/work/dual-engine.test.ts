import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DUAL_ENGINE_QUIET_MS, DualEngineNotices } from '../../../src/listener/sessions/dual-engine.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function notices() {
  const told: boolean[] = []
  return { told, dual: new DualEngineNotices((isDual) => void told.push(isDual), Date.now) }
}

describe('the notice of two engines', () => {
  it('comes once, and its end once, however often a page flaps within a minute', () => {
    const { told, dual } = notices()
    for (let flaps = 0; flaps < 50; flaps++) for (const isDual of [true, false]) dual.note(isDual)
    vi.advanceTimersByTime(DUAL_ENGINE_QUIET_MS)
    expect(told).toEqual([true, false])
  })

  it('comes after the minute for what is still so', () => {
    const { told, dual } = notices()
    for (const isDual of [true, false, true]) dual.note(isDual)
    expect(told).toEqual([true, false])
    vi.advanceTimersByTime(DUAL_ENGINE_QUIET_MS - 1)
    expect(told).toEqual([true, false])
    vi.advanceTimersByTime(1)
    expect(told).toEqual([true, false, true])
  })

  it('comes at once for a change a minute later', () => {
    const { told, dual } = notices()
    for (const isDual of [true, false]) dual.note(isDual)
    vi.advanceTimersByTime(DUAL_ENGINE_QUIET_MS)
    dual.note(true)
    expect(told).toEqual([true, false, true])
  })

  it('comes no more once it was stopped', () => {
    const { told, dual } = notices()
    for (const isDual of [true, false, true]) dual.note(isDual)
    dual.stop()
    vi.advanceTimersByTime(DUAL_ENGINE_QUIET_MS)
    expect(told).toEqual([true, false])
  })
})

// When a connected hookline counts as silent, and what is known of its clock.
import { describe, expect, it } from 'vitest'
import { Pulse } from '../../src/client/pulse.ts'
import { WIRE_LIMITS } from '../../src/protocol/frames.ts'
import { ManualTimers } from './manual-timers.ts'

function begun() {
  const timers = new ManualTimers()
  const pulse = new Pulse(timers)
  const said: (number | undefined)[] = []
  pulse.onSilence((since) => said.push(since))
  const beat = (ahead = 0) => pulse.received(timers.now() + ahead)
  return { timers, pulse, said, beat }
}

describe('a hookline that beats', () => {
  it('is silent within 10 s of its last word, and no more with the next', () => {
    const { timers, pulse, said, beat } = begun()
    for (let beats = 0; beats < 5; beats++) {
      beat()
      timers.advance(WIRE_LIMITS.beatMs)
    }
    const lastBeat = timers.now() - WIRE_LIMITS.beatMs
    expect(said).toEqual([])
    timers.advance(10_000 - WIRE_LIMITS.beatMs)
    expect(said).toEqual([lastBeat])
    expect(pulse.silentSince).toBe(lastBeat)
    timers.advance(60_000)
    beat()
    expect(said).toEqual([lastBeat, undefined])
    timers.advance(10_000)
    expect(said).toHaveLength(3)
  })

  it('is not silent for what only came late to this page', () => {
    const { timers, said, beat } = begun()
    beat()
    timers.advance(8_100)
    beat()
    expect(said).toEqual([])
  })

  it('is heard in any frame, and not asked for after its connection', () => {
    const { timers, pulse, said, beat } = begun()
    beat()
    timers.advance(7_000)
    pulse.received(undefined)
    timers.advance(7_000)
    expect(said).toEqual([])
    pulse.stop()
    timers.advance(60_000)
    expect(said).toEqual([])
  })

  it('tells its clock best by the beat that took the least time', () => {
    const { timers, pulse, beat } = begun()
    expect(pulse.time).toBe(timers.now())
    beat(3_600_000)
    beat(3_600_000 - 40_000)
    expect(pulse.time).toBe(timers.now() + 3_600_000)
    for (let beats = 0; beats < 3; beats++) beat(-500)
    expect(pulse.time).toBe(timers.now() - 500)
  })
})

it('a hookline that does not beat is never silent', () => {
  const { timers, pulse, said } = begun()
  pulse.received(undefined)
  timers.advance(600_000)
  expect(said).toEqual([])
})

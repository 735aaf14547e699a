import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BegunRun,
  type FireFacts,
  leftOf,
  showWindow,
  whyNotOnlyIf,
  whySkipped,
} from '../../src/hooks/fire-limits.ts'
import type { HookCare, HookLimits } from '../../src/stores/hooks.ts'

const NOON = Date.parse('2026-11-23T12:00:00Z')
const DAY_MS = 86_400_000

function facts(begunAt: readonly number[], more: Partial<FireFacts> = {}): FireFacts {
  const begun = begunAt.map((at, index) => ({ runId: `${index}`, at, resumed: 0 }))
  return { begun, failures: 0, steadyMs: NOON, wallMs: NOON, ...more }
}

function why(hook: HookCare, known: FireFacts): string | undefined {
  return whySkipped(hook, known)?.why
}

describe('whether a fire is skipped', () => {
  it('is no without limits', () => {
    expect(whySkipped({}, facts([NOON, NOON]))).toBeUndefined()
    expect(whySkipped({ limits: {} }, facts([NOON, NOON]))).toBeUndefined()
  })

  it.each<readonly [string, HookLimits, readonly number[], string | undefined]>([
    ['before the first run', { cooldownMs: 30_000 }, [], undefined],
    ['a moment after a run', { cooldownMs: 30_000 }, [NOON - 29_999], 'cooldown of 30s'],
    ['when the cooldown is over', { cooldownMs: 30_000 }, [NOON - 30_000], undefined],
    ['below the rate', { rate: { fires: 2, ms: 60_000 } }, [NOON - 1], undefined],
    ['at the rate', { rate: { fires: 2, ms: 60_000 } }, [NOON - 59_999, NOON], 'its rate is 2/1m'],
    ['when the oldest has left the minute', { rate: { fires: 2, ms: 60_000 } }, [NOON - 60_000, NOON], undefined],
    ['below the day', { perDay: 2 }, [NOON - DAY_MS, NOON], undefined],
    ['at the day', { perDay: 2 }, [NOON - DAY_MS, NOON - 1, NOON], 'its limit of 2 a day (UTC) is used up'],
    ['with the runs of yesterday', { perDay: 1 }, [NOON - DAY_MS / 2 - 1], undefined],
    ['with the first of today', { perDay: 1 }, [NOON - DAY_MS / 2], 'its limit of 1 a day (UTC) is used up'],
    ['before its one run', { once: true }, [], undefined],
    ['after its one run', { once: true }, [NOON - 400 * DAY_MS], 'its one run is used up'],
  ])('%s', (_, limits, begun, expected) => {
    expect(why({ limits }, facts(begun))).toBe(expected)
  })

  it('counts the one run since the hook was resumed', () => {
    const hook = { limits: { once: true }, resumed: 1 } as const
    const before: BegunRun = { runId: 'a', at: NOON, resumed: 0 }
    expect(why(hook, facts([], { begun: [before] }))).toBeUndefined()
    expect(why(hook, facts([], { begun: [before, { ...before, resumed: 1 }] }))).toBe('its one run is used up')
  })

  it('is yes while the hook is paused, with the reason that was given', () => {
    expect(why({ paused: { since: 0, by: 'terminal' } }, facts([]))).toBe('the hook is paused')
    const paused = { since: 0, by: 'terminal', why: 'holiday', until: NOON + 1 } as const
    expect(whySkipped({ paused }, facts([]))).toEqual({
      code: 'paused',
      why: 'the hook is paused (holiday)',
      until: NOON + 1,
    })
    expect(whySkipped({ paused: { ...paused, until: NOON } }, facts([]))).toBeUndefined()
  })

  it('is yes after five failures in a row, also before the pause is in the file', () => {
    expect(why({}, facts([], { failures: 4 }))).toBeUndefined()
    expect(why({}, facts([], { failures: 5 }))).toBe('its last 5 runs failed')
  })

  it('tells when it ends, where the clock ends it', () => {
    expect(whySkipped({ limits: { cooldownMs: 5_000 } }, facts([NOON]))?.until).toBe(NOON + 5_000)
    expect(whySkipped({ limits: { rate: { fires: 1, ms: 9_000 } } }, facts([NOON]))?.until).toBe(NOON + 9_000)
    expect(whySkipped({ limits: { perDay: 1 } }, facts([NOON]))?.until).toBe(NOON + DAY_MS / 2)
    expect(whySkipped({ limits: { once: true } }, facts([NOON]))?.until).toBeUndefined()
  })

  it('is yes for a position of another state, of any symbol', () => {
    const held = [
      { symbol: 'BTCUSDT', state: 'flat' },
      { symbol: 'ETHUSDT', state: 'long' },
    ] as const
    expect(whyNotOnlyIf('flat', held)?.why).toBe('ETHUSDT is long, and it runs only if flat')
    expect(whyNotOnlyIf('flat', held.slice(0, 1))).toBeUndefined()
  })
})

describe('what is left', () => {
  it('is counted down, limit by limit', () => {
    const limits = { cooldownMs: 30_000, rate: { fires: 3, ms: 60_000 }, perDay: 4, once: true } as const
    expect(leftOf({ limits }, facts([]))).toEqual({ once: 1, rate: 3, perDay: 4, cooldown: 0 })
    const some = facts([NOON - DAY_MS, NOON - 61_000, NOON - 10_000])
    expect(leftOf({ limits }, some)).toEqual({ once: 0, rate: 2, perDay: 2, cooldown: 20_000 })
    expect(leftOf({}, some)).toEqual({})
  })
})

describe('hours', () => {
  const window = (from: string, to: string, more: object = {}) => ({ limits: { window: { from, to, ...more } } })
  const at = (text: string) => facts([], { wallMs: Date.parse(text) })

  it.each([
    ['2026-11-23T08:59:59Z', false],
    ['2026-11-23T09:00:00Z', true],
    ['2026-11-23T16:59:59Z', true],
    ['2026-11-23T17:00:00Z', false],
  ])('0900-1700 at %s', (time, isIn) => {
    expect(whySkipped(window('0900', '1700'), at(time)) === undefined).toBe(isIn)
  })

  it.each([
    ['2026-11-20T22:00:00Z', true],
    ['2026-11-21T05:59:00Z', true],
    ['2026-11-21T06:00:00Z', false],
    ['2026-11-21T22:00:00Z', false],
    ['2026-11-22T05:00:00Z', false],
  ])('over midnight the hours after it are those of the day before: fri 2200-0600 at %s', (time, isIn) => {
    expect(whySkipped(window('2200', '0600', { days: ['fri'] }), at(time)) === undefined).toBe(isIn)
  })

  it('follows the clocks of its zone, summer time included', () => {
    const open = window('0930', '1600', { zone: 'America/New_York', days: ['mon', 'tue', 'wed', 'thu', 'fri'] })
    expect(whySkipped(open, at('2026-07-06T13:30:00Z'))).toBeUndefined()
    expect(whySkipped(open, at('2026-12-07T13:30:00Z'))?.why).toBe(
      'outside 0930-1600 mon,tue,wed,thu,fri America/New_York',
    )
    expect(whySkipped(open, at('2026-12-07T14:30:00Z'))).toBeUndefined()
    expect(whySkipped(open, at('2026-12-06T15:00:00Z'))?.code).toBe('window')
  })

  it('reach to the end of the day as 2400', () => {
    expect(whySkipped(window('0000', '2400'), at('2026-11-23T23:59:59.999Z'))).toBeUndefined()
    expect(showWindow({ from: '0000', to: '2400' })).toBe('0000-2400 UTC')
  })
})

describe('whatever the sequence of fires', () => {
  const limit = fc.record(
    {
      cooldownMs: fc.integer({ min: 1_000, max: 20_000 }),
      rate: fc.record({ fires: fc.integer({ min: 1, max: 4 }), ms: fc.integer({ min: 1_000, max: 60_000 }) }),
      perDay: fc.integer({ min: 1, max: 6 }),
      once: fc.constant(true as const),
    },
    { requiredKeys: [] },
  )
  const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.constant(8 * 3_600_000)), { maxLength: 60 })

  it('never more runs begin than each limit lets, in any stretch of time', () => {
    fc.assert(
      fc.property(limit, gaps, (limits, waits) => {
        const began = play(limits, waits)
        const { cooldownMs = 0, rate, perDay = Number.POSITIVE_INFINITY, once } = limits
        for (const [index, at] of began.entries()) {
          expect(at - (began[index - 1] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(cooldownMs)
          if (rate) expect(at - (began[index - rate.fires] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(rate.ms)
          const sameDay = began.filter((each) => Math.floor(each / DAY_MS) === Math.floor(at / DAY_MS))
          expect(sameDay.length).toBeLessThanOrEqual(perDay)
        }
        if (once) expect(began.length).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('a fire that is let through has something left of every limit, and one that is not has not', () => {
    fc.assert(
      fc.property(limit, gaps, (limits, waits) => {
        const known = facts(play(limits, waits), { steadyMs: NOON + sum(waits) })
        const { once = 1, rate = 1, perDay = 1, cooldown = 0 } = leftOf({ limits }, known)
        const isFree = once > 0 && rate > 0 && perDay > 0 && cooldown === 0
        expect(whySkipped({ limits }, known) === undefined).toBe(isFree)
      }),
    )
  })

  function play(limits: HookLimits, waits: readonly number[]): number[] {
    const began: number[] = []
    let now = NOON
    for (const wait of waits) {
      now += wait
      if (whySkipped({ limits }, facts(began, { steadyMs: now, wallMs: now })) === undefined) began.push(now)
    }
    return began
  }

  function sum(numbers: readonly number[]): number {
    return numbers.reduce((total, each) => total + each, 0)
  }
})

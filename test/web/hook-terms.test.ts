import { describe, expect, it } from 'vitest'
import { showClock } from '../../src/web/figures.ts'
import { leftText, limitsText, pauseText } from '../../src/web/pages/hooks/hook-terms.ts'

const hook = { id: 'a', name: 'dip', command: 'buy', createdAt: 1 }

describe('the terms of a hook on its page', () => {
  it('are one line, and none without limits', () => {
    expect(limitsText(hook)).toBe('')
    const window = { from: '0930', to: '1600', days: ['mon', 'fri'] }
    const limits = {
      once: true,
      cooldownMs: 90_000,
      rate: { fires: 5, ms: 60_000 },
      perDay: 3,
      max: '500',
      window,
      onlyIf: 'flat',
    }
    expect(limitsText({ ...hook, limits })).toBe(
      'once · cooldown 90s · 5 in 1m · 3 a day · $500 a fire · 0930-1600 mon,fri UTC · only if flat',
    )
  })

  it('say how many run at once, how long a fire may wait, and that nothing is sent', () => {
    expect(limitsText({ ...hook, parallel: 1, maxAgeMs: 5_000, dry: true })).toBe(
      '1 at once · waits 5s at most · dry: its orders are worked out and not sent',
    )
  })

  it('say what is left of the limits that count, and from when on the next fire runs', () => {
    expect(leftText(undefined, 0)).toBe('')
    expect(leftText({ hookId: 'a', cooldownMs: 0 }, 0)).toBe('')
    expect(leftText({ hookId: 'a', once: 0 }, 0)).toBe('Left: not one run: it has had it')
    expect(leftText({ hookId: 'a', once: 1, rate: 2, perDay: 3, cooldownMs: 4_000 }, 1_000)).toBe(
      `Left: its one run, 2 by its rate, 3 until 00:00 UTC · Next run from ${showClock(5_000)} on`,
    )
  })

  it('say why it is paused, and until when', () => {
    expect(pauseText({ since: 1, by: 'failures', why: 'its last 5 runs failed' })).toBe('its last 5 runs failed')
    const until = Date.parse('2026-11-23T12:30:00Z')
    expect(pauseText({ since: 1, by: 'terminal', until })).toBe('by the terminal until 2026-11-23 12:30 UTC')
  })
})

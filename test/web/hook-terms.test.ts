import { describe, expect, it } from 'vitest'
import { showClock } from '../../src/web/figures.ts'
import { careRows, pauseText, termRows, triggerRows } from '../../src/web/pages/hooks/hook-lines.ts'

const hook = { id: 'a', name: 'dip', command: 'buy', createdAt: 1 }
const limits = {
  once: true,
  cooldownMs: 90_000,
  rate: { fires: 5, ms: 60_000 },
  perDay: 3,
  max: '500',
  onlyIf: 'flat',
  window: { from: '0930', to: '1600', days: ['mon', 'fri'] },
}

describe('the terms of a hook on its page', () => {
  it('are a row for each limit that it has', () => {
    expect(termRows(hook, undefined, 0)).toEqual([])
    const rows = termRows({ ...hook, limits, dry: true }, undefined, 0)
    expect(rows.map(({ title, value }) => `${title}: ${value}`)).toEqual([
      'Orders: calculated, not sent',
      'Runs: once',
      'Entries of a fire: at most $500.00',
      'Position: only if flat',
      'Cooldown: 90 s',
      'Rate: 5 in 1 min',
      'A day: 3 runs',
      'Hours: 09:30–16:00 mon, fri UTC',
    ])
  })

  it('say what is left of the limits that count, and from when on the next fire runs', () => {
    const left = { hookId: 'a', once: 0, rate: 2, perDay: 0, cooldownMs: 4_000 }
    const asides = termRows({ ...hook, limits }, left, 1_000).flatMap(({ aside }) => aside ?? [])
    expect(asides).toEqual([
      'it has',
      'reductions are not limited',
      `next run from ${showClock(5_000)} on`,
      '2 left now',
      'none left until 00:00 UTC',
    ])
    const fresh = termRows({ ...hook, limits }, { hookId: 'a', once: 1, cooldownMs: 0 }, 1_000)
    expect(fresh.flatMap(({ aside }) => aside ?? [])).toEqual(['still to come', 'reductions are not limited'])
  })

  it('say how many run at once and how long a fire may wait, and which of them every hook has', () => {
    expect(careRows({ ...hook, parallel: 1 })).toEqual([
      { title: 'Concurrent runs', value: '1 run' },
      { title: 'Maximum wait', value: '30 s', aside: 'by default' },
      { title: 'Pauses after', value: '5 failures in a row' },
    ])
  })

  it('say why it is paused, and until when', () => {
    expect(pauseText({ since: 1, by: 'failures', why: 'its last 5 runs failed' })).toBe('its last 5 runs failed')
    const until = Date.parse('2026-11-23T12:30:00Z')
    expect(pauseText({ since: 1, by: 'terminal', until })).toBe('by the terminal until 2026-11-23 12:30 UTC')
  })
})

describe('what fires a hook by itself', () => {
  it('has its values, and how far each comparison is from its other side', () => {
    const values = { 'rsi(14, 1h)': 58.2345, funding: null }
    const comparisons = [{ text: 'rsi(14, 1h) < 30', left: 58.2345, right: 30 }]
    expect(triggerRows({ values, comparisons, trouble: 'it does not answer' }, 0)).toEqual([
      { title: 'Not judged', value: 'it does not answer' },
      { title: 'rsi(14, 1h) < 30', value: '58.23 against 30', aside: '28.23 apart' },
      { title: 'funding', value: 'not known' },
    ])
  })

  it('says whether it is true, unless that is old', () => {
    const rows = [{ holds: true }, { holds: false }, {}, { holds: true, trouble: 'it does not answer' }]
    expect(rows.map((row) => triggerRows(row, 0).map(({ title, value }) => `${title}: ${value}`))).toEqual([
      ['Condition: true now'],
      ['Condition: not true now'],
      [],
      ['Not judged: it does not answer'],
    ])
  })

  it('has the times of a schedule and of the last bar', () => {
    const titles = triggerRows({ next: 3, judgedAt: 1, firedAt: 2 }, 4).map(({ title }) => title)
    expect(titles).toEqual(['Last bar judged', 'Next time', 'Last fired'])
  })
})

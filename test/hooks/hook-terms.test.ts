import { describe, expect, it } from 'vitest'
import { defined } from '../../src/base/defined.ts'
import { changeTerms, type HookTerms, loosenedTerms, newTerms, type TermsChange } from '../../src/hooks/hook-terms.ts'

const BARE: HookTerms = { command: 'echo' }
const terms = (limits: HookTerms['limits'], more: Partial<HookTerms> = {}): HookTerms => ({
  ...BARE,
  ...defined({ limits }),
  ...more,
})

describe('a change of the terms of a hook', () => {
  it('leaves what it does not name', () => {
    const now = terms({ cooldownMs: 5_000, once: true })
    expect(changeTerms(now, { limits: { perDay: 3 } }).limits).toEqual({ cooldownMs: 5_000, once: true, perDay: 3 })
    expect(changeTerms(now, { parallel: 2 })).toEqual({ parallel: 2 })
  })

  it('takes limits away, and the last of them with all', () => {
    expect(changeTerms(terms({ once: true, perDay: 1 }), { limits: { once: undefined } }).limits).toEqual({ perDay: 1 })
    expect(changeTerms(terms({ once: true }), { limits: { once: undefined } })).toEqual({ limits: undefined })
  })

  it.each<readonly [string, HookTerms['limits'], TermsChange['hours'], unknown]>([
    ['hours', undefined, { between: { from: '0900', to: '1700' } }, { from: '0900', to: '1700' }],
    ['days alone, which are whole', undefined, { days: ['mon'] }, { from: '0000', to: '2400', days: ['mon'] }],
    ['a zone alone, which says nothing', undefined, { zone: 'Europe/Berlin' }, undefined],
    [
      'a zone of hours that are there',
      { window: { from: '0900', to: '1700' } },
      { zone: 'UTC' },
      { from: '0900', to: '1700', zone: 'UTC' },
    ],
    [
      'no days any more',
      { window: { from: '0900', to: '1700', days: ['mon'] } },
      { days: undefined },
      { from: '0900', to: '1700' },
    ],
    [
      'no hours any more',
      { window: { from: '0900', to: '1700', days: ['mon'] } },
      { between: undefined, days: undefined },
      undefined,
    ],
  ])('reads %s', (_, limits, hours = {}, window) => {
    expect(changeTerms(terms(limits), { hours }).limits?.window).toEqual(window)
  })

  it('of a new hook leaves nothing undefined', () => {
    expect(newTerms({ parallel: undefined, limits: { once: undefined } })).toEqual({})
  })
})

describe('what an edit lets through', () => {
  it.each<readonly [HookTerms, HookTerms, readonly string[]]>([
    [BARE, terms({ cooldownMs: 1_000, perDay: 1, once: true, max: '5', onlyIf: 'flat' }), []],
    [terms({ cooldownMs: 5_000 }), terms({ cooldownMs: 6_000 }), []],
    [terms({ cooldownMs: 5_000 }), terms({ cooldownMs: 4_000 }), ['--cooldown']],
    [terms({ cooldownMs: 5_000 }), BARE, ['--cooldown']],
    [terms({ rate: { fires: 5, ms: 60_000 } }), terms({ rate: { fires: 4, ms: 90_000 } }), []],
    [terms({ rate: { fires: 5, ms: 60_000 } }), terms({ rate: { fires: 4, ms: 50_000 } }), ['--rate']],
    [terms({ rate: { fires: 5, ms: 60_000 } }), terms({ rate: { fires: 6, ms: 90_000 } }), ['--rate']],
    [terms({ max: '500' }), terms({ max: '499.99' }), []],
    [terms({ max: '500' }), terms({ max: '1000' }), ['--max']],
    [terms({ max: '500', perDay: 4 }), BARE, ['--max', '--per-day']],
    [terms({ once: true }), BARE, ['--once']],
    [terms({ onlyIf: 'flat' }), terms({ onlyIf: 'long' }), ['--only-if']],
    [terms({ window: { from: '0900', to: '1700' } }), terms({ window: { from: '0900', to: '1600' } }), ['--window']],
    [terms({ window: { from: '0900', to: '1700' } }), terms({ window: { from: '0900', to: '1700', zone: 'UTC' } }), []],
    [BARE, { ...BARE, command: 'echo 2' }, ['the command']],
    [{ ...BARE, dry: true }, BARE, ['--dry']],
    [BARE, { ...BARE, dry: true, parallel: 1, maxAgeMs: 1_000 }, []],
    [BARE, { ...BARE, parallel: 21, maxAgeMs: 31_000 }, ['--parallel', '--max-age']],
    [{ ...BARE, parallel: 1 }, BARE, ['--parallel']],
  ])('%j to %j: %j', (before, after, loosened) => {
    expect(loosenedTerms(before, after)).toEqual(loosened)
  })
})

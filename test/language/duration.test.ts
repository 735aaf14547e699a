import { describe, expect, test } from 'vitest'
import { MAX_SLEEP_MS, parseDuration } from '../../src/language/time.ts'
import { caught, refusalOf } from './refusal.ts'

describe('parseDuration', () => {
  test.each([
    ['250ms', 250],
    ['5s', 5000],
    ['5', 5000],
    ['2m', 120_000],
    ['1.5s', 1500],
    ['.5', 500],
    ['1.005s', 1005],
    ['0', 0],
    ['5S', 5000],
    ['250MS', 250],
    ['2147483647ms', 2_147_483_647],
  ])('reads %s as %i ms', (text, durationMs) => {
    expect(parseDuration(text, 1)).toBe(durationMs)
  })

  test.each([
    '',
    's',
    '-5s',
    '+5s',
    '5h',
    '5 s',
    '1e3',
    '5ss',
    '1,000ms',
    '1.2.3s',
    '5constructor',
    '2147483648ms',
    '99999999m',
  ])('refuses %j', (text) => {
    expect(refusalOf(() => parseDuration(text, 7))).toBe('bad-duration@7')
  })

  test('takes the longest allowed and refuses one more', () => {
    const options = { maxMs: MAX_SLEEP_MS }
    expect(parseDuration('10m', 1, options)).toBe(600_000)
    const error = caught(() => parseDuration('600001ms', 3, options))
    expect(error).toMatchObject({ code: 'bad-duration', column: 3, hint: 'type at most 10m' })
  })

  test.each([
    [2500, 'type at most 2s'],
    [250, 'type at most 250ms'],
  ])('says a limit of %i ms in its unit', (maxMs, hint) => {
    expect(caught(() => parseDuration('10m', 1, { maxMs })).hint).toBe(hint)
  })
})

import { describe, expect, test } from 'vitest'
import { parseChase, parseTwap } from '../../src/language/task-intents.ts'
import { parseLongDuration } from '../../src/language/time.ts'
import { caught, refusalOf } from './refusal.ts'
import { argumentsOf } from './words.ts'

const quote = (amount: string) => ({ kind: 'quote', amount }) as const
const begin = { kind: 'begin', side: 'buy', symbols: [], size: quote('100'), rest: 'cancel', reduce: false } as const
const absolute = (price: string) => ({ kind: 'price', price: { base: { kind: 'absolute', price } } }) as const

describe('parseChase', () => {
  test.each<[string, object]>([
    ['buy $100', begin],
    ['$100 buy', begin],
    ['BUY $100 btcusdt', { ...begin, symbols: ['BTCUSDT'] }],
    ['buy WIF,ENA $100', { ...begin, symbols: ['WIF', 'ENA'] }],
    ['sell 50% reduce', { ...begin, side: 'sell', size: { kind: 'percent', percent: '50' }, reduce: true }],
    ['buy $100 to 66000', { ...begin, to: absolute('66000') }],
    ['to 66000 buy $100', { ...begin, to: absolute('66000') }],
    [
      'buy $100 to $last +100 reduce',
      {
        ...begin,
        to: {
          kind: 'price',
          price: { base: { kind: 'anchor', anchor: 'last' }, offset: { kind: 'amount', value: '100' } },
        },
        reduce: true,
      },
    ],
    ['buy $100 to 1%', { ...begin, to: { kind: 'distance', unit: 'percent', value: '1' } }],
    ['buy $100 to $50', { ...begin, to: { kind: 'distance', unit: 'quote', value: '50' } }],
    [
      'buy $100 to +1%',
      {
        ...begin,
        to: {
          kind: 'price',
          price: { base: { kind: 'anchor', anchor: 'last' }, offset: { kind: 'percent', value: '1' } },
        },
      },
    ],
    ['buy $100 for 5m', { ...begin, lastsMs: 300_000 }],
    ['buy $100 for 5', { ...begin, lastsMs: 300_000 }],
    ['buy $100 for 90s then market', { ...begin, lastsMs: 90_000, rest: 'market' }],
    ['buy $100 then cancel', begin],
    ['cancel', { kind: 'cancel' }],
    ['CANCEL ethusdt', { kind: 'cancel', symbol: 'ETHUSDT' }],
  ])('%s', (line, intent) => {
    expect(parseChase(argumentsOf(line))).toEqual(intent)
  })

  test.each([
    ['', 'missing-argument@1', undefined],
    ['$100', 'missing-argument@5', 'type `chase buy $100`, or sell'],
    ['buy', 'missing-argument@4', 'type a size such as $250, 0.01 or 50%'],
    ['buy sell $100', 'bad-argument@5', 'keep one'],
    ['buy $100 for', 'missing-argument@13', 'type for and how long, as in for 5m'],
    ['buy $100 for 1w', 'bad-duration@14', undefined],
    ['buy $100 for 5m for 6m', 'unexpected-argument@17', 'keep one'],
    ['buy $100 then wait', 'bad-argument@15', 'type then market, or then cancel'],
    ['buy $100 to', 'missing-argument@12', undefined],
    ['buy $100 to 0%', 'bad-price@13', undefined],
    ['buy $100 to 100%', 'bad-price@13', 'type a distance below 100%'],
    ['buy $100 to 1% to 2%', 'unexpected-argument@16', 'keep one'],
    ['buy $100 at 65000', 'unexpected-argument@10', 'leave it out: a task chooses its own orders'],
    ['buy $100 po', 'unexpected-argument@10', 'leave it out: a task chooses its own orders'],
    ['buy $100 stop -1%', 'unexpected-argument@10', 'leave it out: `stop at` and `take at` protect what it opens'],
    ['long $100', 'unexpected-argument@1', 'type buy or sell'],
    ['sell all reduce', 'unexpected-argument@6', 'type 100% and reduce for the position'],
    ['cancel keep', 'unexpected-argument@8', 'name one symbol at most: the resting order is canceled with its chase'],
    ['cancel BTCUSDT,ETHUSDT', 'bad-argument@8', '`tasks` lists them, `tasks cancel <id>` ends any one'],
    ['buy $100 "x"', 'unexpected-argument@10', undefined],
  ])('refuses %s', (line, refusal, hint) => {
    const error = () => parseChase(argumentsOf(line))
    expect(refusalOf(error)).toBe(refusal)
    if (hint !== undefined) expect(caught(error).hint).toBe(hint)
  })
})

const hour = {
  side: 'buy',
  symbols: [],
  size: quote('1000'),
  slices: 12,
  durationMs: 3_600_000,
  reduce: false,
} as const

describe('parseTwap', () => {
  test.each<[string, object]>([
    ['buy $1000 into 12 over 1h', { ...hour, columns: { slices: 16 } }],
    ['buy $1000 into 12 over 60', { ...hour, columns: { slices: 16 } }],
    ['into 12 over 1h buy $1000', { ...hour, columns: { slices: 6 } }],
    [
      'sell 0.5 ETHUSDT into 4 over 1d random 20% limit 2000 reduce',
      {
        side: 'sell',
        symbols: ['ETHUSDT'],
        size: { kind: 'base', amount: '0.5' },
        slices: 4,
        durationMs: 86_400_000,
        random: '20',
        reduce: true,
        columns: { slices: 23 },
        limit: { base: { kind: 'absolute', price: '2000' } },
      },
    ],
    ['buy $1000 into 12 over 1h random 20', { ...hour, random: '20', columns: { slices: 16 } }],
    ['buy $1000 into 2 over 2s', { ...hour, slices: 2, durationMs: 2000, columns: { slices: 16 } }],
  ])('%s', (line, intent) => {
    expect(parseTwap(argumentsOf(line))).toEqual(intent)
  })

  test.each([
    ['buy $1000', 'missing-argument@10', 'type `twap buy $1000 into 10 over 1h`'],
    ['$100 BTC 10m', 'unexpected-argument@10', 'type `twap buy $100 BTC into 10 over 10m`, or sell'],
    ['buy $1000 into 12', 'missing-argument@18', 'type `twap buy $1000 into 12 over 1h`'],
    ['$1000 into 12 over 1h', 'missing-argument@22', 'type `twap buy $1000 into 12 over 1h`, or sell'],
    ['buy into 12 over 1h', 'missing-argument@20', undefined],
    ['buy $1000 into 1 over 1h', 'bad-argument@16', 'type a whole number from 2 to 1000'],
    ['buy $1000 into 1001 over 1h', 'bad-argument@16', undefined],
    ['buy $1000 into 2.5 over 1h', 'bad-argument@16', undefined],
    ['buy $1000 into 12 over 10s', 'bad-argument@16', 'type into 10 at most, or a longer time'],
    ['buy $1000 into 12 over 8d', 'bad-duration@24', 'type at most 7d'],
    ['buy $1000 into 12 over 1h random 51%', 'bad-argument@34', undefined],
    ['buy $1000 into 12 over 1h random 0', 'bad-argument@34', undefined],
    ['buy $1000 into 12 over 1h limit', 'missing-argument@32', undefined],
    ['buy $1000 duration=1h slices=10', 'unexpected-argument@11', 'type into 10 over 1h'],
  ])('refuses %s', (line, refusal, hint) => {
    const error = () => parseTwap(argumentsOf(line))
    expect(refusalOf(error)).toBe(refusal)
    if (hint !== undefined) expect(caught(error).hint).toBe(hint)
  })
})

describe('parseLongDuration', () => {
  test.each([
    ['5', 300_000],
    ['90s', 90_000],
    ['5m', 300_000],
    ['1.5h', 5_400_000],
    ['1D', 86_400_000],
    ['7d', 604_800_000],
    ['0.02', 1200],
  ])('reads %s as %i ms', (text, durationMs) => {
    expect(parseLongDuration(text, 1)).toBe(durationMs)
  })

  test.each(['', 'h', '-1h', '1w', '250ms', '1e3', '0', '0.5s', '7.1d', '99999999999999999d'])('refuses %j', (text) => {
    expect(refusalOf(() => parseLongDuration(text, 7))).toBe('bad-duration@7')
  })
})

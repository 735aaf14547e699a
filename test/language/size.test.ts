import { describe, expect, test } from 'vitest'
import { isSizeShaped, parseSize, printSize, type Size } from '../../src/language/size.ts'
import { caught, refusalOf } from './refusal.ts'

describe('parseSize', () => {
  test.each<[string, Size]>([
    ['$250', { kind: 'quote', amount: '250' }],
    ['250$', { kind: 'quote', amount: '250' }],
    ['$0.5', { kind: 'quote', amount: '0.5' }],
    ['$.5', { kind: 'quote', amount: '0.5' }],
    ['$007', { kind: 'quote', amount: '7' }],
    ['250usd', { kind: 'quote', amount: '250' }],
    ['0.5USDT', { kind: 'quote', amount: '0.5' }],
    ['250usdc', { kind: 'quote', amount: '250' }],
    ['25u', { kind: 'quote', amount: '25' }],
    ['$1,000', { kind: 'quote', amount: '1000' }],
    ['1,234,567.5$', { kind: 'quote', amount: '1234567.5' }],
    ['$10k', { kind: 'quote', amount: '10000' }],
    ['1.25K$', { kind: 'quote', amount: '1250' }],
    ['1.2345kusd', { kind: 'quote', amount: '1234.5' }],
    ['0.5ku', { kind: 'quote', amount: '500' }],
    ['0.01', { kind: 'base', amount: '0.01' }],
    ['.01', { kind: 'base', amount: '0.01' }],
    ['00.10', { kind: 'base', amount: '0.10' }],
    ['1', { kind: 'base', amount: '1' }],
    ['99', { kind: 'base', amount: '99' }],
    ['100.0', { kind: 'base', amount: '100.0' }],
    ['250.5', { kind: 'base', amount: '250.5' }],
    ['123456789012345678.123456789012345678', { kind: 'base', amount: '123456789012345678.123456789012345678' }],
    ['50%', { kind: 'percent', percent: '50' }],
    ['0.1%', { kind: 'percent', percent: '0.1' }],
    ['100%', { kind: 'percent', percent: '100' }],
    ['100.00%', { kind: 'percent', percent: '100.00' }],
    ['50%bal', { kind: 'percent', percent: '50', of: 'balance' }],
    ['50%POS', { kind: 'percent', percent: '50', of: 'position' }],
    ['$1000/3', { kind: 'quote', amount: '333.33333333' }],
    ['$100*3', { kind: 'quote', amount: '300' }],
    ['$1k+$500-$250/2', { kind: 'quote', amount: '1375' }],
    ['0.01*2+0.005', { kind: 'base', amount: '0.025' }],
    ['10/4', { kind: 'base', amount: '2.5' }],
    ['$Equity', { kind: 'account', terms: [{ of: 'equity', times: '1', over: '1' }], text: '$Equity' }],
    ['$balance*0.25', { kind: 'account', terms: [{ of: 'balance', times: '25', over: '100' }], text: '$balance*0.25' }],
    [
      '$equity/10-$50',
      {
        kind: 'account',
        terms: [
          { of: 'equity', times: '1', over: '10' },
          { times: '-50', over: '1' },
        ],
        text: '$equity/10-$50',
      },
    ],
  ])('reads %s', (text, size) => {
    expect(parseSize(text, 1)).toEqual(size)
  })

  test.each([
    ['100', 'bare-number@5'],
    ['250', 'bare-number@5'],
    ['0100', 'bare-number@5'],
    ['65000', 'bare-number@5'],
    ['200/2', 'bare-number@5'],
    ['$equity*$balance', 'bad-size@5'],
    ['100/$equity', 'bad-size@5'],
    ['$equity/0', 'bad-size@5'],
    ['$equity-100', 'bad-size@5'],
    ['$100-$100', 'bad-size@5'],
    ['$equity/10%', 'bad-size@5'],
    ['$equity//2', 'bad-size@5'],
    ['$wallet/10', 'bad-size@5'],
    ['0', 'bad-size@5'],
    ['0.000', 'bad-size@5'],
    ['$0', 'bad-size@5'],
    ['0%', 'bad-size@5'],
    ['-5', 'bad-size@5'],
    ['+5', 'bad-size@5'],
    ['-$5', 'bad-size@5'],
    ['$-5', 'bad-size@5'],
    ['-1%', 'bad-size@5'],
    ['100.01%', 'bad-size@5'],
    ['100.000000000000000001%', 'bad-size@5'],
    ['101%', 'bad-size@5'],
    ['1000%', 'bad-size@5'],
    ['50%%', 'bad-size@8'],
    ['50%foo', 'bad-size@8'],
    ['$50%', 'bad-size@5'],
    ['$', 'bad-size@5'],
    ['%', 'bad-size@5'],
    ['', 'bad-size@5'],
    ['.', 'bad-size@5'],
    ['1.', 'bad-size@5'],
    ['1.2.3', 'bad-size@5'],
    ['$1,00', 'bad-size@5'],
    ['$1,0000', 'bad-size@5'],
    ['$1.000,5', 'bad-size@5'],
    ['1,000', 'bare-number@5'],
    ['10k', 'bare-number@5'],
    ['0.5k', 'bare-number@5'],
    ['0k', 'bad-size@5'],
    ['$k', 'bad-size@5'],
    ['usd', 'bad-size@5'],
    ['5uu', 'bad-size@5'],
    ['$5usd', 'bad-size@5'],
    ['1kk$', 'bad-size@5'],
    ['1e5', 'bad-size@5'],
    ['$10m', 'bad-size@5'],
    ['0x10', 'bad-size@5'],
    ['$last', 'bad-size@5'],
    ['$5$', 'bad-size@5'],
    ['１００', 'bad-size@5'],
    ['1234567890123456789', 'bad-size@5'],
    ['Infinity', 'bad-size@5'],
    ['NaN', 'bad-size@5'],
  ])('refuses %j', (text, refusal) => {
    expect(refusalOf(() => parseSize(text, 5))).toBe(refusal)
  })

  test.each([
    ['250', 'type $250 for quote currency, at 250 for a price, or 250.0 for an amount of the coin'],
    ['10k', 'type $10000 for quote currency, at 10000 for a price, or 10000.0 for an amount of the coin'],
    ['1,000', 'type $1000 for quote currency, at 1000 for a price, or 1000.0 for an amount of the coin'],
    ['1,5', 'type the number with a point and without commas'],
    ['$10m', 'write the number out in digits'],
    ['-1%', 'type at -1% for a price'],
    ['150%', 'type 100% for everything'],
    ['50%x', 'type 50%, 50%bal (of the free balance) or 50%pos (of the position)'],
    ['$x', 'type a size such as $250, 0.01 or 50%'],
  ])('says what to type instead of %s', (text, hint) => {
    expect(caught(() => parseSize(text, 1)).hint).toBe(hint)
  })
})

describe('printSize', () => {
  test.each(['$250', '5.0', '0.01', '50%', '50%bal', '50%pos', '$equity/10'])('%s is read again as it was', (text) => {
    expect(printSize(parseSize(text, 1))).toBe(text)
  })

  // An amount of an inverse contract is money: as coins, a trail of 100 dollars would be one of 100 coins.
  test.each<[Size, string]>([
    [{ kind: 'quote', amount: '100' }, '$100'],
    [{ kind: 'base', amount: '100' }, '100.0'],
  ])('%j is %s', (size, text) => expect(printSize(size)).toBe(text))
})

describe('isSizeShaped', () => {
  test.each([
    '$250',
    '250$',
    '1',
    '0.01',
    '250',
    '50%',
    '50%bal',
    '1,000',
    '$1,000',
    '-5',
    '-$5',
    '$x',
    '.',
    '1.2.3',
    '10k',
    '25u',
    '100usd',
    '1kusdt',
    '$equity/10',
    '0.01*2',
    '1000/$3',
    '5-1',
  ])('is true of %s', (text) => expect(isSizeShaped(text)).toBe(true))
  test.each([
    'BTCUSDT',
    '1000PEPEUSDT',
    '1INCHUSDT',
    'at',
    '',
    '1e5',
    '--account',
    'p17',
    'a1',
    'u',
    'usd',
    '1000SATSUSDT',
    '5eth',
    'BTC-PERP',
    '1INCH-PERP',
  ])('is false of %j', (text) => expect(isSizeShaped(text)).toBe(false))
})

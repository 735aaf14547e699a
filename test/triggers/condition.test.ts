import { describe, expect, it } from 'vitest'
import { LanguageError } from '../../src/language/language-error.ts'
import { type Condition, levelOf, parseCondition, showCondition } from '../../src/triggers/condition.ts'

const parse = (text: string): Condition => parseCondition([{ text, column: 1 }])

function refusal(text: string): string {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof LanguageError) return `${error.column}: ${error.message}; ${error.hint}`
    throw error
  }
  return 'accepted'
}

const seriesOf = (text: string) =>
  parse(text).series.map(({ frame, field, indicator }) =>
    [indicator?.name ?? 'bar', ...(indicator?.params ?? []), field, frame].join(' '),
  )

describe('the level of a condition', () => {
  it.each([
    ['last > 70000', 70_000],
    ['price < 60000.5', 60_000.5],
    ['60000 >= mark', 60_000],
    ['last crosses above 70000', 70_000],
    ['last > 70000 for 5m', 70_000],
    ['last == 70000', undefined],
    ['last > 70000 and rsi(14, 1h) < 30', undefined],
    ['not last > 70000', undefined],
    ['close(1h) > 70000', undefined],
    ['pnl < 100', undefined],
    ['last > mark', undefined],
  ])('%s: %s', (text, level) => expect(levelOf(parse(text))).toBe(level))
})

describe('frames and sources of a condition', () => {
  it.each([
    ['close(1h) crosses above ema(50)', ['bar close 1h', 'ema 50 close 1h']],
    ['ema(20) > ema(50, 4h)', ['ema 20 close 4h', 'ema 50 close 4h']],
    ['close(1h) > ema(50) and rsi(14) < 60', ['bar close 1h', 'ema 50 close 1h', 'rsi 14 close 1h']],
    ['close(1h) > ema(50) and rsi(14, 1d) < 60', ['bar close 1h', 'ema 50 close 1h', 'rsi 14 close 1d']],
    ['highest(high, 20, 15m)[1] < close', ['highest 20 high 15m', 'bar close 15m']],
    ['rsi(1h) < 30', ['rsi 14 close 1h']],
    ['macd.histogram(5m) > 0', ['macd.histogram 12 26 9 close 5m']],
    ['close(5m) < bb.lower(20, 2.5)', ['bar close 5m', 'bb.lower 20 2.5 close 5m']],
    ['last > 70000', []],
  ])('%s', (text, series) => {
    expect(seriesOf(text)).toEqual(series)
  })

  it('count a series once, and read more bars for what smooths', () => {
    const { series, needs, reads, frames } = parse('ema(50, 1h) > ema(50, 1h)[1] and close(5m)[3] < close(5m)')
    expect(series).toHaveLength(2)
    expect(frames).toEqual(['5m', '1h'])
    expect(needs).toEqual({ '1h': 52, '5m': 5 })
    expect(reads).toEqual({ '1h': 552, '5m': 5 })
  })
})

describe('thousands of a condition', () => {
  it.each([
    ['last > 70,000', 'last > 70000'],
    ['last > 1,070,000.5 and bid < 2', 'last > 1070000.5 and bid < 2'],
    ['macd(12,260,9,1h) > 1,000', 'macd(12, 260, 9, 1h) > 1000'],
  ])('may have commas: %s', (typed, plain) => {
    expect(parse(typed)).toEqual(parse(plain))
  })

  it.each([
    ['last > 70000 and sma(1000, 1m) < 65000.5', 'last > 70,000 and sma(1000, 1m) < 65,000.5'],
    [
      '(close(1h) > 50000 or rsi(14) < 30) and volume > 1234567',
      '(close(1h) > 50,000 or rsi(14) < 30) and volume > 1,234,567',
    ],
    ['last > 999', 'last > 999'],
  ])('are shown with commas: %s', (typed, shown) => {
    expect(showCondition(typed)).toBe(shown)
  })

  it.each([
    ['last > 7000,000', '12: unexpected `,`'],
    ['last > 70,00', '10: unexpected `,`'],
  ])('are whole: %s', (text, said) => {
    expect(refusal(text)).toContain(said)
  })
})

describe('the price of a condition', () => {
  it.each([
    ['price > 5', 'ask > 5'],
    ['price >= 5', 'ask >= 5'],
    ['price < 5', 'bid < 5'],
    ['5 < price', '5 < ask'],
    ['5 > price', '5 > bid'],
    ['price crosses above 5', 'ask crosses above 5'],
    ['price crosses below 5', 'bid crosses below 5'],
    ['price crosses 5', 'last crosses 5'],
    ['price == 5', 'last == 5'],
    ['price - 5 > 3', 'last - 5 > 3'],
    ['not price > 5 or rsi(14, 1h) > 60', 'not ask > 5 or rsi(14, 1h) > 60'],
  ])('%s is %s', (typed, meant) => {
    expect(parse(typed)).toEqual(parse(meant))
  })
})

describe('a condition that is refused says where', () => {
  it.each([
    ['', '1: the condition is missing; type one such as close(1h) > ema(50), or last > 70000'],
    ['ema(50) > 3', '1: ema has no frame; type ema(50, 1h)'],
    ['close > last', '1: close has no frame; type close(1h)'],
    [
      'rsi(14) < 30 and close(1h) > ema(9) and close(5m) > ema(9)',
      '1: rsi may be of more than one frame; type rsi(14, 1h)',
    ],
    ['rsi(14, 1h) > 100', '13: it can never be true; compare other values'],
    ['rsi(14, 1h) >= 0', '13: it is always true, so it never becomes true; compare other values'],
    ['last > -5', '6: it is always true, so it never becomes true; compare other values'],
    ['3 > 2', '3: it is always true, so it never becomes true; compare other values'],
    ['2 > 3', '3: it can never be true; compare other values'],
    [
      'close(1h) > highest(20)',
      '11: the last bar is one of them, so it can never be true; type [1] after it for the bars before',
    ],
    ['close(1h) > close(1h)', '11: it can never be true; compare other values'],
    [
      'close(1h) crosses above highest(20)',
      '11: it can never cross; type one such as close(1h) > ema(50), or last > 70000',
    ],
    ['rsi(14, 1h) > 70 and rsi(14, 1h) < 30', '18: both sides of this `and` can never be true together; type or'],
    ['rsi(14, 1h) > 60 and not rsi(14, 1h) > 50', '18: both sides of this `and` can never be true together; type or'],
    ['not last >= 5 and last > 5', '15: both sides of this `and` can never be true together; type or'],
    ['last < 5 and last == 5', '10: both sides of this `and` can never be true together; type or'],
    ['bb.upper(20, 2, 1h) < bb.lower(20, 2)', '21: it can never be true; compare other values'],
    [
      'bb.middle(20, 2, 1h) <= bb.upper(20, 2)',
      '22: it is always true, so it never becomes true; compare other values',
    ],
    ['high(1h) < low(1h)', '10: it can never be true; compare other values'],
    ['close(1h) > high(1h)', '11: it can never be true; compare other values'],
    [
      'highest(high, 20, 1h) < lowest(low, 20)',
      '23: the last bar is one of them, so it can never be true; type [1] after it for the bars before',
    ],
    ['close(1h) * 0 > 1', '15: it can never be true; compare other values'],
    ['last / high(1h) < 0', '17: it can never be true; compare other values'],
    ['rsi(14, 1h) / 2 > 50', '17: it can never be true; compare other values'],
    ['last / 0 > 1', '6: it divides by zero; divide by another value'],
    ['last / (bid - bid) > 1', '6: it divides by zero; divide by another value'],
    ['last / (2 - 2) > 1', '6: it divides by zero; divide by another value'],
    ['sma(1000, 1m) > last', '1: it needs 1001 bars of 1m, and at most 1000 are read; ask for fewer bars'],
    ['close(1h)[1000] > last', '1: it needs 1002 bars of 1h, and at most 1000 are read; ask for fewer bars'],
    ['close(2h) > 1', '7: `2h` is not a frame; type one of 1m 5m 15m 1h 4h 1d'],
    ['close(1h) > emma(50)', '13: `emma` is not a value of a condition; did you mean ema?'],
    ['prise > 5', '1: `prise` is not a value of a condition; did you mean price?'],
    ['last = 5', '6: `=` is not a comparison; type =='],
    ['last > $5', '8: `$5` is not a number; type 5'],
    ['last > 5 && bid > 3', '10: `&&` joins commands; type and'],
    ['last > 5 & bid > 3', '10: `&` joins commands; type and'],
    ['last > 5 || bid > 3', '10: `||` joins commands; type or'],
    ['last => 5', '6: `=>` is not a comparison; type >='],
    ['last =< 5', '6: `=<` is not a comparison; type <='],
    ['close(1h) cross above ema(50)', '11: `cross` is not a comparison; type crosses above'],
    ['close(1h) crossed below ema(50)', '11: `crossed` is not a comparison; type crosses below'],
    ['close(1h) crossunder ema(50)', '11: `crossunder` is not a comparison; type crosses below'],
    ['last > 0', '6: it is always true, so it never becomes true; compare other values'],
    ['0 < close(1h)', '3: it is always true, so it never becomes true; compare other values'],
    ['last != -1', '6: it is always true, so it never becomes true; compare other values'],
    ['last == 0', '6: it can never be true; compare other values'],
    ['last > 5 for 0s', '10: `for 0s` has no effect; leave it out, or type one such as for 30s'],
    ['close(1h) < bb.top(20, 2)', '13: bb has three lines; type bb.upper(20, 2), bb.middle(20) or bb.lower(20, 2)'],
    ['macd.line(1h) > 5', '1: macd has three lines; type macd, macd.signal or macd.histogram'],
    ['last', '1: this is a number, not a condition; compare it, as in close(1h) > ema(50)'],
    ['last > 5 and bid', '14: this is a number, not a condition; compare it, as in close(1h) > ema(50)'],
    ['(last > 5) + 1 > 2', '7: a comparison is not a number; join comparisons with and, or or'],
    ['1 < last < 5', '10: a comparison has two sides; join two comparisons with and'],
    ['(last > 5', '1: this "(" has no closing ")"; type ) where it ends'],
    ['ema(50, 1h > 5', '12: this "(" has no closing ")"; type ema(50, 1h)'],
    ['rsi(14 > 70', '8: this "(" has no closing ")"; type rsi(14)'],
    ['rsi(14 and last > 5', '8: this "(" has no closing ")"; type rsi(14)'],
    ['close(1h > ema(50)', '1: this "(" has no closing ")"; type close(1h)'],
    ['last > rsi(', '12: this "(" has no closing ")"; type rsi(14)'],
    ['macd(12 26 9) > 0', '9: a "," is missing; type macd(12, 26, 9)'],
    ['rsi 14 > 70', '5: the numbers of rsi go in ( ); type rsi(14)'],
    ['last > ema 50', '12: the numbers of ema go in ( ); type ema(50)'],
    ['sma(rsi(14), 5) > 3', '5: sma takes a price, and no other indicator; type sma(20)'],
    ['ema() > close(1h)', '1: ema needs a number of bars; type ema(20)'],
    ['ema(2.5) > close(1h)', '5: `2.5` is not a number of bars; type a whole number from 1 to 1000'],
    ['macd(26, 12, 9, 1h) > 0', '1: the fast average of macd needs fewer bars than the slow one; type macd(12, 26, 9)'],
    ['bb(20, 1h) > 0', '1: bb has three lines; type bb.upper(20, 2), bb.middle(20) or bb.lower(20, 2)'],
    [
      'close(1h) > 5 for 30s',
      '15: closed bars are judged once each, so `for` has no effect; type live, or remove the `for`',
    ],
    ['live last > 5', '1: `live` has no effect here: prices are judged as they come; remove the `live`'],
    [
      'close(1h) > 5 or live close(1h) < 3',
      '18: unexpected `live`; type live at the beginning: it is for the whole condition',
    ],
    ['last > 5 for', '13: `for` needs a duration; type one such as for 30s'],
    ['last > 5 4', '10: unexpected `4`; type one such as close(1h) > ema(50), or last > 70000'],
    ['last >', '7: a value is missing; type one such as close(1h) > ema(50), or last > 70000'],
  ])('%s', (text, said) => {
    expect(refusal(text)).toBe(said)
  })

  it('counts the column in the line, word by word', () => {
    const pieces = [
      { text: 'last', column: 10 },
      { text: '>', column: 20 },
      { text: 'emma(5)', column: 33 },
    ]
    expect(() => parseCondition(pieces)).toThrow(expect.objectContaining({ column: 33 }))
  })

  it('has at most 8 indicators, and no depth without end', () => {
    const many = Array.from({ length: 9 }, (_, index) => `sma(${index + 2}, 1h) > 3`).join(' and ')
    expect(refusal(many)).toMatch(/at most 8 indicators/)
    expect(refusal(`${'('.repeat(5_000)}last > 1`)).toMatch(/nested more than 32 deep/)
    expect(refusal(`${'not '.repeat(1_500)}last > 1`)).toMatch(/nested more than 32 deep/)
  })

  it('throws nothing but LanguageError, whatever is typed', () => {
    const words = [
      'close',
      '(',
      ')',
      '1h',
      'ema',
      '50',
      ',',
      '>',
      'and',
      'crosses',
      'above',
      '[',
      ']',
      '1',
      'for',
      '30s',
      'not',
      '-',
      '/',
    ]
    let state = 9
    for (let round = 0; round < 5_000; round += 1) {
      const text = Array.from({ length: 1 + (round % 12) }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return words[state % words.length]
      }).join(' ')
      refusal(text)
    }
  })
})

import { describe, expect, test } from 'vitest'
import { lookup } from '../../src/commands/catalogue.ts'
import { parseChain } from '../../src/language/parse.ts'
import { refuseEatenDollar } from '../../src/language/shell-dollar.ts'
import { caught } from './refusal.ts'

const read = (line: string) => refuseEatenDollar(parseChain(line), lookup)

describe('a line that came through a shell', () => {
  test.each([
    // Typed, what is left of it, at which text.
    ['buy $25 ETHUSDT', 'buy 5 ETHUSDT', '5 ETHUSDT'],
    ['buy ETHUSDT $25 stop -2%', 'buy ETHUSDT 5 stop -2%', '5 stop -2%'],
    ['buy $100', 'buy 00', '00'],
    ['sell $1.50', 'sell .50', '.50'],
    ['B $250', 'B 50', '50'],
    ['position long $500 from flat', 'position long 00 from flat', '00 from flat'],
    ['twap sell $3000 into 6 over 30m', 'twap sell 000 into 6 over 30m', '000 into 6 over 30m'],
    ['scale buy $1000 into 5 from -1% to -3%', 'scale buy 000 into 5 from -1% to -3%', '000 into'],
    ['chase buy $25', 'chase buy 5', '5'],
    ['close $25', 'close 5', '5'],
    ['stop $25 at -2%', 'stop 5 at -2%', '5 at -2%'],
    ['echo a; buy $25 || close', 'echo a; buy 5 || close', '5 || close'],
    ['repeat 3 (buy $25)', 'repeat 3 (buy 5)', '5)'],
    // An alias may be one of `buy`.
    ['long $25', 'long 5', '5'],
    [
      'hook create dip "buy $25 ETHUSDT; stop at -2%"',
      'hook create dip "buy 5 ETHUSDT; stop at -2%"',
      '5 ETHUSDT; stop',
    ],
    ["alias dip 'buy $25'", "alias dip 'buy 5'", "5'"],
    ['hook create dip "buy $25" --when "last > 7"', 'hook create dip "buy 5" --when "last > 7"', '5" --when'],
  ])('%s arrives as %s, and is refused', (_typed, line, at) => {
    const error = caught(() => read(line))
    expect([error.code, line.slice(error.column - 1).startsWith(at)]).toEqual(['bare-number', true])
    expect(error.hint).toContain('25$ or 25usd')
  })

  test.each([
    'buy 25$ ETHUSDT',
    'buy 25usd ETHUSDT stop -2%',
    'buy 5.0 ETHUSDT',
    'buy 0.01 at 65000',
    'buy 50% stop 60000 tp 70000',
    'twap sell 3k$ into 6 over 30m',
    'scale buy 1ku into 5 from 60000 to 59000',
    'leverage 10 BTCUSDT',
    'cancel 12345',
    'sleep 5',
    'repeat 3 (buy 25u)',
    'trail 500',
    'wait price > 5',
    'echo 5',
    'hook create dip "buy 25usd; stop at -2%" --per-day 10',
    'hook create n "buy {n:number<=5} ETHUSDT"',
    'hook create dip "buy 25usd ETHUSDT" --when "last > 70000 and rsi(14, 1h) < 5"',
    'hook edit dip --when "last > 5"',
    'notify "buy 5"',
    'alias five "not a (line"',
  ])('%s is meant as it stands', (line) => {
    expect(() => read(line)).not.toThrow()
  })
})

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
    ['buy $10.50 ETHUSDT', 'buy 0.50 ETHUSDT', '0.50 ETHUSDT'],
    ['buy $10.50 eth', 'buy 0.50 eth', '0.50 eth'],
    ['buy $20.05', 'buy 0.05', '0.05'],
    ['buy $2500.50', 'buy 500.50', '500.50'],
    ['buy $100.5', 'buy 00.5', '00.5'],
    ['buy $10.50*2', 'buy 0.50*2', '0.50*2'],
    ['twap sell $31.25 into 6 over 30m', 'twap sell 1.25 into 6 over 30m', '1.25 into'],
    ['alias dip "buy $10.50"', 'alias dip "buy 0.50"', '0.50"'],
    ['hook create dip "buy $20.05 stop -2%"', 'hook create dip "buy 0.05 stop -2%"', '0.05 stop'],
    ['hook edit dip "buy $20.05 stop -2%"', 'hook edit dip "buy 0.05 stop -2%"', '0.05 stop'],
    ['when last > 5 (buy $10.50)', 'when last > 5 (buy 0.50)', '0.50)'],
    ['amend p17 $250', 'amend p17 50', '50'],
    ['guards set paper order $500', 'guards set paper order 00', '00'],
    ['guards set paper day $1500 --yes', 'guards set paper day 500 --yes', '500 --yes'],
    ['guards set paper loss $1,500', 'guards set paper loss ,500', ',500'],
    ['set @x $250', 'set @x 50', '50'],
    ['set @x $20.05', 'set @x 0.05', '0.05'],
  ])('%s arrives as %s, and is refused', (_typed, line, at) => {
    const error = caught(() => read(line))
    expect([error.code, line.slice(error.column - 1).startsWith(at)]).toEqual(['bare-number', true])
    expect(error.hint).toMatch(/(25|10\.50|500)\$ or \1usd/)
  })

  test.each([
    ['buy 0.50 ETHUSDT', 'type 0.500 for an amount of the coin, or dollars as 10.50$ or 10.50usd'],
    ['stop 5 at -2%', 'type 5.0 for an amount of the coin, or dollars as 25$ or 25usd'],
    ['buy 5 ETHUSDT', 'type 5.0 for an amount of the coin, or dollars as 25$ or 25usd'],
    ['buy 00', 'type dollars as 25$ or 25usd'],
    ['guards set paper order 00', 'type dollars as 500$ or 500usd'],
    ['set @x 50', "type dollars as 500$ or 500usd, or '…' around a number"],
  ])('%s has the spelling that a shell leaves alone', (line, hint) => {
    expect(caught(() => read(line)).hint).toBe(hint)
  })

  test.each([
    ['stop BTCUSDT at $entry -1% replace', 'stop BTCUSDT at  -1% replace', '-1% replace'],
    ['buy 25usd stop $entry -1%', 'buy 25usd stop  -1%', '-1%'],
    ['hook create s "stop at $entry +1%"', 'hook create s "stop at  +1%"', '+1%"'],
    ['repeat 2 (take at $entry +1%)', 'repeat 2 (take at  +1%)', '+1%)'],
  ])('%s arrives as %s, without its price', (_typed, line, at) => {
    const error = caught(() => read(line))
    expect([error.code, line.slice(error.column - 1).startsWith(at)]).toEqual(['bad-price', true])
  })

  test.each([
    'buy 25$ ETHUSDT',
    'buy 25usd ETHUSDT stop -2%',
    'buy 5.0 ETHUSDT',
    'buy 0.01 at 65000',
    'buy 0.500 ETHUSDT',
    'buy 0.5 ETHUSDT',
    'buy 10.50usd ETHUSDT',
    'buy  0.003  stop -1%  tp +2%',
    'stop BTCUSDT at -1% replace',
    'stop 60000',
    'take BTCUSDT 70000',
    'amend 12345 at 64000',
    'guards set paper order 500usd',
    'guards set paper rate 30',
    'guards set paper band 3',
    'set @x 25usd',
    "set @x '5'",
    'set @x 5.0',
    'set',
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

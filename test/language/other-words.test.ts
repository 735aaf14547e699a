import { describe, expect, test } from 'vitest'
import { lookup } from '../../src/commands/catalogue.ts'
import { CommandError } from '../../src/commands/kit/errors.ts'
import { LanguageError } from '../../src/language/language-error.ts'
import { parseChain } from '../../src/language/parse.ts'

/** As a terminal shows it: what the line is refused with, and the character under which the caret is. */
function refusal(line: string): { readonly at: string; readonly message: string; readonly hint: string | undefined } {
  const call = parseChain(line).stages[0]?.commands[0]
  if (call === undefined) throw new Error('no command')
  try {
    const { form, args } = lookup.resolve(call)
    form.check?.(args)
  } catch (error) {
    if (error instanceof CommandError) return { at: call.name, message: error.message, hint: error.hint }
    if (!(error instanceof LanguageError)) throw error
    return { at: line.slice(error.column - 1), message: error.message, hint: error.hint }
  }
  throw new Error(`${line} was not refused`)
}

describe('what other terminals call things is refused with what to type here', () => {
  test.each([
    ['buy $100 BTCUSDT @ 50000', '@ 50000', 'type at 50000'],
    ['buy $100 @50000', '@50000', 'type at 50000'],
    ['buy $100 @ $bid', '@ $bid', 'type at $bid'],
    ['buy $100 @', '@', 'type at and a price, as in at 65000'],
    ['buy $100 limit 50000', 'limit 50000', 'type at 50000'],
    ['buy limit $100', 'limit $100', 'type at and a price, as in at 65000'],
    ['buy $100 market', 'market', 'leave it out: an order without `at` is at the market'],
    ['buy $100 at market', 'market', 'leave `at` out: an order without a price is at the market'],
    ['buy $100 at best', 'best', 'type `best`, without `at`'],
    ['buy $100 target 70000', 'target 70000', 'type tp 70000'],
    ['sell $100 take-profit', 'take-profit', 'type tp +5%'],
    ['stop at -2% tp +5%', 'tp +5%', 'type `take at +5%`'],
    ['take all at +5%', 'all at +5%', 'leave it out: without a size a take-profit covers the whole position'],
    ['take long at +5%', 'long at +5%', 'leave it out: profit is taken on the position that is open'],
    ['take +5%', '+5%', 'type `take at +5%`'],
    ['buy $100 stop at 60000', 'at 60000', 'type only the price, as in stop -2%'],
    ['buy long $100', 'long $100', 'leave it out: `buy` opens a long, `sell` a short'],
    ['sell short', 'short', 'leave it out: `buy` opens a long, `sell` a short'],
    ['buy $100 10x', '10x', 'leave it out; `leverage <n>` sets it for the orders that follow'],
    ['buy $100 BTCUSDT x10', 'x10', 'leave it out; `leverage <n>` sets it for the orders that follow'],
    ['sell all', 'all', 'type `close` to end the position, or 50% reduce for half of it'],
    ['sell BTCUSDT all', 'all', 'type `close` to end the position, or 50% reduce for half of it'],
    ['buy $100 at -1% postonly', 'postonly', 'type po'],
    ['sell 50% reduce-only', 'reduce-only', 'type reduce'],
    ['buy $100 at -1% gtc', 'gtc', 'leave it out: a limit order rests until it fills or is canceled'],
    ['stop at -2% ioc', 'ioc', 'leave it out: only limit orders have it'],
    ['buy €100', '€100', 'type $ before a sum of money: it is in the quote currency'],
    ['stop -2%', '-2%', 'type `stop at 2%`: below a long, above a short'],
    ['stop -2% limit -0.2%', '-2% limit -0.2%', 'type `stop at 2% limit -0.2%`: below a long, above a short'],
    ['stop $entry', '$entry', 'type `stop at $entry`, or `stop breakeven` to round towards profit'],
    ['take $entry +2%', '$entry +2%', 'type `take at $entry +2%`'],
    ['stop BTCUSDT +100', '+100', 'type `stop BTCUSDT at +100`'],
    ['stop sl -2%', 'sl -2%', 'type `stop at -2%`'],
    ['stop all at -2%', 'all at -2%', 'leave it out: without a size a stop covers the whole position'],
    ['close market', 'market', 'leave it out: an order without `at` is at the market'],
  ])('%s', (line, at, hint) => {
    expect(refusal(line)).toMatchObject({ at, hint })
  })

  test.each([
    ['take-profit', 'type `take at +5%`'],
    ['stoploss -3%', 'type `stop at -3%`'],
    ['modify p17', 'type what is to change: `amend p17 at -1%`'],
    ['LONG $100', 'type `buy $100`'],
    ['short 0.1', 'type `sell 0.1`'],
    ['limit buy 0.1', 'type `buy $250 at -1%`, with a price after at'],
    ['market buy 0.1', 'type `buy 0.1`'],
    ['market', 'type `buy $250`: an order without `at` is at the market'],
    ['profit', 'type `pnl` for what was realized, `positions` for what is open'],
    ['trade', 'type `fills` for what was executed, `trades` for round trips'],
    ['10x', 'type `leverage 10`'],
    ['isolated', 'type `margin cross` or `margin isolated`'],
    ['flatten', 'type `close all`; `help nuke` has the line for orders and tasks too'],
    ['flatten btc', 'type `close btc`'],
    ['flat all', 'type `close all`'],
    ['portfolio', 'type `balance`'],
    ['ticker', 'type `price`'],
    ['$100 BTCUSDT', 'type `buy` or `sell` before a size'],
    ['“buy $100”', 'type buy, in plain characters'],
    ['byu $100', '`help` lists the commands'],
    ['reduce 50%', 'type `close 50%`'],
    ['reverse', 'type `flip`'],
    ['chart', 'type `price`; charts are in the console: `hookline web --open`'],
    ['monitor', 'type `watch`'],
  ])('as the first word: %s', (line, hint) => {
    expect(refusal(line)).toMatchObject({ hint, message: expect.stringMatching(/^unknown command/) })
  })

  test.each([
    'take-profit',
    'stoploss',
    'modify',
    'long',
    'short',
    'limit',
    'market',
    'profit',
    'trade',
    '10x',
    'isolated',
    'flatten',
    'cancelall',
    'portfolio',
    'ticker',
    'stop at -2% tp +5%',
    'take +5%',
    'stop -2%',
    'stop sl -2%',
    'sell all',
    'long btc 100',
    'short eth $50 stop +2%',
    'limit sell 0.5 eth 3000',
    'buy limit 5 60',
    'twap $100 BTC 10m',
    'twap buy $100 into 5',
    'chase 0.1 eth',
    'oco 70000 60000 BTCUSDT',
    'repeat (buy $50)',
    'repeat 3 buy $50',
    'reduce 25%',
    'trailing 2%',
    'risk 2%',
    'use swing',
    'hook add dip buy $250',
    '/buy $250 stop -2%',
  ])('what the hint of `%s` shows as a line is one', (line) => {
    const lines = [...(refusal(line).hint ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '')
    for (const shown of lines.filter((each) => each !== 'at')) {
      const call = parseChain(shown).stages[0]?.commands[0]
      if (call === undefined) throw new Error('no command')
      const { form, args } = lookup.resolve(call)
      expect(() => form.check?.(args)).not.toThrow()
    }
    expect(lines.length).toBeGreaterThan(0)
  })
})

describe('numbers of other places', () => {
  test.each([
    ['buy $1 000', '000', 'type $1000 without a space'],
    ['buy $1\u00a0000 BTCUSDT', '000 BTCUSDT', 'type $1000 without a space'],
    ['buy $12 345 678,50', '345 678,50', 'type $12345678.50 without a space'],
    ['buy 1 000$', '000$', 'type 1000$ without a space'],
    ['buy $1.000,50', '$1.000,50', 'type $1000.50'],
    ['buy 1.000.000', '1.000.000', 'type 1000000'],
    ['buy $1,00.50', '$1,00.50', 'type the number with a point and without commas'],
    ['buy 0.1 at 50.000,5', '50.000,5', 'type 50000.5'],
    ['buy 0.01 trigger 64000', '64000', 'type `stop buy 0.01 at 64000`'],
    ['buy $5 65000', '65000', 'type at 65000 if it is a price'],
  ])('%s', (line, at, hint) => {
    expect(refusal(line)).toMatchObject({ at, hint })
  })
})

describe('characters that are not on the keyboard', () => {
  test.each([
    ['buy $100 stop −2%', '−2%', 'a typographic minus', 'type -2%'],
    ['buy 0.1 at $last –0.5%', '–0.5%', 'a typographic minus', 'type -0.5%'],
    ['stop at $entry−2%', '−2%', 'a typographic minus', 'type $entry-2%'],
    ['buy “$100”', '“$100”', 'a typographic quote', 'type $100'],
    ['buy ‘$100’ BTCUSDT', '‘$100’ BTCUSDT', 'a typographic quote', 'type $100'],
    ['buy $100 „BTCUSDT“', '„BTCUSDT“', 'a typographic quote', 'type BTCUSDT'],
    ['buy ＄100', '＄100', 'a full-width character', 'type $100'],
    ['buy 50％', '％', 'a full-width character', 'type 50%'],
    ['buy ＄１００', '＄１００', 'a full-width character', 'type $100'],
    ['buy 0.1 at ＋100', '＋100', 'a full-width character', 'type +100'],
    ['buy $100 BTC\u200bUSDT', '\u200bUSDT', 'an invisible character', 'type BTCUSDT'],
    ['buy $100 \u200b', '\u200b', 'an invisible character', 'remove it'],
    ['cancel p1–p3', '–p3', 'a typographic minus', 'type p1-p3'],
    ['wait price < −1%', '−1%', 'a typographic minus', 'type -1%'],
  ])('%s', (line, at, name, hint) => {
    expect(refusal(line)).toMatchObject({ at, hint, message: expect.stringContaining(` has ${name}`) })
  })

  test('are left alone in text', () => {
    const call = parseChain('echo “it’s −2% done”').stages[0]?.commands[0]
    expect(() => call && lookup.resolve(call).form.check?.(call.args)).not.toThrow()
  })
})

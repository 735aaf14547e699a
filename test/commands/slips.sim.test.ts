// What people type who come from other terminals, and what a hand gets wrong: nothing is sent, and the answer names the line to type.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'

describe('a line of another terminal', () => {
  it.each([
    ['long btc 100', 'type `buy $250`'],
    ['short btc $100', 'type `sell $250`'],
    ['market buy btc 0.01', 'type `buy $250`: an order without `at` is at the market'],
    ['limit buy btc 0.01 60000', 'type `buy $250 at -1%`, with a price after at'],
    ['buy limit 60000 0.01', 'type at 60000'],
    ['buy $250 @ 50000', 'type at 50000'],
    ['buy $250 @50000', 'type at 50000'],
    ['@ 50000', 'type `buy $250 at 50000`, the price behind its order'],
    ['/buy $250', 'leave out the mark in front of the command'],
    ['!close', 'leave out the mark in front of the command'],
    ['buy 10k', 'type $10000 for quote currency, at 10000 for a price, or 10000.0 for an amount of the coin'],
    ['buy 1e-3', 'write the number out in digits'],
    ['buy half', 'type 50% or 25%'],
    ['sell all', 'type `close` to end the position, or 100% for all that is free'],
    ['buy btc usdt 250u', 'join it to the number, as in 250usd, or type $250'],
    ['buy $250 sl=-2%', 'type stop -2%'],
    ['buy $250 tp=4%', 'type tp 4%'],
    ['buy $250 x10', 'leave it out: `leverage <n>` sets it, and orders follow'],
    ['buy $250 stop 2%', 'type `stop -2%` for a loss, or as take-profit: `tp 66300`'],
    ['sl 60000', 'type `stop at 60000`'],
    ['sl -2%', 'type `stop at -2%`'],
    ['stop 60000', 'type `stop at 60000`'],
    ['tp 70000', 'type `take at 70000`'],
    ['take +4%', 'type `take at +4%`'],
    ['stoploss 60000', 'type `stop at -2%`, and limit <price> for a limit order then'],
    ['buy −2%', 'type -2%'],
    ['sell “50%”', 'type 50%'],
    ['dca buy $1000', 'type `twap buy $1000 into 10 over 24h`'],
    ['grid $1000', 'type `scale buy $1000 into 5 from -1% to -3%`'],
    ['reverse', 'type `flip`'],
    ['cover btc', 'type `close`'],
    ['reduce 50%', 'type `close 50%`'],
    ['show positions', 'leave it out: `positions`, `orders`, `balance`'],
    ['portfolio', 'type `balance`'],
    ['BTCUSDT', 'type `symbol BTCUSDT` to work on it, `price BTCUSDT` for its price'],
    ['btc', 'type `symbol BTCUSDT` to work on it, `price BTCUSDT` for its price'],
    ['BTCUSDT  long  0.01  650.00', 'type `symbol BTCUSDT` to work on it, `price BTCUSDT` for its price'],
    ['alert BTCUSDT > 70000', 'type `wait price > 70000; echo there`; `notify` sends a text to your channels'],
    ['when price > 70000 (buy $50)', 'type `wait price > 70000; buy $50`'],
    ['at 14:30 (buy $50)', 'type `wait time 1430; buy $50`: at 14:30 UTC'],
    ['every day 09:00 (buy $50)', 'type `repeat 3 (buy $50; sleep 10m)`'],
    ['wait 09:00', 'type `wait time 0900`: a time of day, in UTC'],
    ['wait 9:30', 'type `wait time 0930`: a time of day, in UTC'],
    ['wait price 72000', 'type `wait price > 72000`, or <'],
    ['trailing stop 1%', 'type `trail 1%`'],
    ['be', 'type `stop breakeven`'],
    ['undo', 'an order is not undone: `orders` and `positions` show what there is'],
    ['again', 'press Up for the last line'],
    ['risk 1%', 'type `buy risk 1% stop -2%`'],
    ['monitor', 'type `watch`'],
    ['flatten-all', undefined],
    ['buy $1.000,50', 'type $1000.50'],
    ['buy $250, sell $250', 'type the number with a point and without commas'],
    ['buy $250 BTC-USDT', 'did you mean BTCUSDT?'],
    ['leverage', undefined],
    ['symbol | side | amount', undefined],
    ['twap buy $100 10m', undefined],
    ['position btc', undefined],
    ['stop be', undefined],
    ['set sl 60000', undefined],
    ['pnl today', undefined],
    ['', undefined],
  ])('`%s` sends nothing', async (line, hint) => {
    const session = await createSession()
    await session.run('buy 0.01')
    const before = session.journal.length
    const said = (await session.run(line)).join('\n')
    expect(session.journal.length).toBe(before)
    if (hint !== undefined) expect(said).toContain(`| ${hint}`)
  })
})

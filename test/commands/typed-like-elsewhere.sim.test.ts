// Words that are typed where a symbol or a price belongs: each is answered with the line to type, none by a market of that name, and nothing is sent.
import { expect, it } from 'vitest'
import { restingOrders } from '../../harness/commands/account-state.ts'
import { createSession } from '../../harness/commands/command-session.ts'

it.each([
  ['stop at breakeven', 'bad-price: unexpected `at` | type `stop breakeven`'],
  ['stop BTCUSDT at be +0.1%', 'bad-price: unexpected `at` | type `stop BTCUSDT breakeven +0.1%`'],
  ['stop breakeven at', 'bad-price: unexpected `at` | type `stop breakeven`'],
  [
    'take at breakeven',
    'bad-price: a take-profit is beyond the entry, not at it | type `stop breakeven` for a stop at the entry, or `take at $entry +1%`',
  ],
  ['move BTCUSDT to be', 'bad-price: `be` is not a price | type $entry, as in at $entry +0.1%'],
  [
    'buy $100 BTCUSDT add',
    'unexpected-argument: unexpected `add` | leave it out: an entry adds to the position; `stop at -2% replace` moves its stop',
  ],
  ['buy $100 add', 'unexpected-argument: unexpected `add` | leave it out'],
  ['sell $100 replace', 'unexpected-argument: unexpected `replace` | leave it out'],
  ['trades 5', 'bad-argument: `5` is a number, not a symbol | type `--since 5d` for days; a list takes `--limit 5`'],
  ['fills 10', 'bad-argument: `10` is a number, not a symbol | type `--since 10d`'],
  ['pnl 7', 'bad-argument: `7` is a number, not a symbol | type `--since 7d`'],
  ['pnl today', 'bad-argument: `today` is a time, not a symbol | type `--since 00:00`'],
  ['tp 25% 1R, 25% 2R', 'bad-price: a ladder is typed with its entry | type `take 25% at 1R; take 25% at 2R`'],
  [
    'take BTCUSDT 25% +1%,25% +2%',
    'bad-price: a ladder is typed with its entry | type `take 25% BTCUSDT at +1%; take 25% BTCUSDT at +2%`',
  ],
  ['tp 50% 2R, trail 1%', 'bad-price: a ladder is typed with its entry | type `take 50% at 2R; trail 1% replace`'],
  ['tp 2R', 'bad-price: a price needs `at` before it | type `take at 2R`'],
])('%s', async (line, refusal) => {
  for (const source of ['repl', 'exec', 'web', 'hook'] as const) {
    const session = await createSession()
    await session.run('buy 0.04 stop -1%')
    const before = await restingOrders(session)
    expect(await session.run(line, { source })).toEqual([expect.stringContaining(`error ${refusal}`)])
    expect(await restingOrders(session)).toEqual(before)
  }
})

it.each([
  ['take 25% at 1R; take 25% at 2R', 3],
  ['take 50% at 2R; trail 1% replace', 2],
])('the line to type for a ladder works: %s', async (line, orders) => {
  const session = await createSession()
  await session.run('buy 0.04 stop -1%')
  const run = session.start(line, { source: 'hook' })
  while (!run.ended) await session.advance(250)
  expect(await run.done).toBe(true)
  expect(await restingOrders(session)).toHaveLength(orders)
})

// What is refused all the same is refused before anybody is asked: by what is free, by what the market takes, by a halt. Where a limit would be asked
// about too, the venue's no comes first.
import { expect, it } from 'vitest'
import { deciding } from '../../harness/commands/answering.ts'
import { createSession } from '../../harness/commands/command-session.ts'

const SHORT = 'error insufficient-funds: '
const HALTED = 'error halted: '
const LIMIT = 'guards set paper order $500'

it.each([
  ['', 'buy risk $1000 BTCUSDT stop -0.5%', SHORT],
  ['', 'buy $150000', SHORT],
  ['', 'buy $150000 stop -0.05% --far', SHORT],
  ['', 'buy 2.5', 'error bare-number: '],
  ['', 'swarm buy $150000 into 4', SHORT],
  ['', 'scale buy $150000 into 4 from -1% to -4%', SHORT],
  ['', 'chase buy $150000', SHORT],
  ['', 'twap buy $1500000 over 10m into 10', SHORT],
  ['', 'position long $150000', SHORT],
  ['', 'stop buy $150000 at +1%', SHORT],
  ['', 'buy $150000 BTCUSDT,ETHUSDT', SHORT.slice(0, 6)],
  ['buy 0.1 at -1%', 'amend p1 $150000', SHORT],
  ['buy 0.1', 'leverage BTCUSDT 500', 'error invalid-order: BTCUSDT has no leverage of 500'],
  [LIMIT, 'buy $150000 --far', SHORT],
  [LIMIT, 'swarm buy $150000 into 4 --far', SHORT],
  [LIMIT, 'position long $150000 --far', SHORT],
  [`${LIMIT}; buy 0.005 at -1%`, 'amend p1 $150000 --far', SHORT],
  ['halt', 'buy $1000 stop -0.05%', HALTED],
  ['halt', 'grid $1000 into 4 from -4% to +4%', HALTED],
  ['halt', 'dca buy $1000 into 4 every -1%', HALTED],
  ['buy 0.1 at -1%; halt', 'amend p1 at 20000', HALTED],
  ['buy 0.1; halt', 'leverage BTCUSDT 50', HALTED],
  ['buy 0.1; halt', 'flip stop +0.05%', HALTED],
])('after `%s`, `%s` asks nothing', async (before, line, refusal) => {
  const { terminal, asked } = deciding(Array(5).fill(true))
  const session = await createSession({ terminal })
  if (before !== '') expect((await session.run(before)).join()).not.toContain('error')
  const orders = await session.market.exchange.fetchOpenOrders()
  const printed = await session.run(line)
  expect(asked).toEqual([])
  expect(printed.at(0)).toContain(refusal)
  expect(await session.market.exchange.fetchOpenOrders()).toEqual(orders)
  expect(session.ports.tasks.list()).toEqual([])
})

it.each([
  [LIMIT, 'buy $1000', 'the order is worth'],
  ['buy 0.1', 'leverage BTCUSDT 50', 'raise the leverage'],
  ['', 'grid $1000 into 4 from -4% to +4%', 'start the grid?'],
])('after `%s`, `%s` asks once', async (before, line, question) => {
  const { terminal, asked } = deciding(Array(5).fill(true))
  const session = await createSession({ terminal })
  if (before !== '') await session.run(before)
  expect((await session.run(line)).join('\n')).not.toContain('error')
  expect(asked).toEqual([expect.stringContaining(question)])
})

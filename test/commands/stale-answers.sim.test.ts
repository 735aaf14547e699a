// A question that waits while another process trades, or while the price moves: the yes is to what was asked.
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import type { Terminal } from '../../src/commands/kit/ports.ts'

type Meanwhile = string | ((session: CommandSession) => void)

/** @param meanwhile happens while the first question waits, while the second waits, … @param answers in turn, then n */
async function stage(before: string, meanwhile: readonly Meanwhile[], answers: boolean[]) {
  const asked: string[] = []
  let known: Awaited<ReturnType<typeof state>> | undefined
  const terminal: Terminal = {
    askHidden: async () => '',
    clear: () => {},
    history: () => [],
    quit: () => {},
    confirm: async (question) => {
      expect(question).toMatch(/\? y or n >$/)
      const then = meanwhile[asked.push(question) - 1]
      if (typeof then === 'string') {
        const lines = await session.run(then, { source: 'exec' })
        expect(lines.filter((line) => line.startsWith('error'))).toEqual([])
      } else then?.(session)
      known = await state(session)
      return answers.shift() ?? false
    },
  }
  const session: CommandSession = await createSession({ terminal })
  await session.run(before, { source: 'exec' })
  return { session, asked, atAnswer: () => known }
}

const state = async ({ market, ports }: CommandSession) => ({
  positions: await market.exchange.fetchPositions(),
  orders: await market.exchange.fetchOpenOrders(),
  tasks: ports.tasks.list().filter(({ status }) => status === 'running').length,
})

const at = (price: string) => (session: CommandSession) => session.market.setPrice('BTCUSDT', price)

/** What is there, the line, what it asks, what happens meanwhile, what it asks then. */
const CASES: readonly (readonly [string, string, RegExp, Meanwhile, RegExp])[] = [
  [
    'sell 0.01',
    'buy 0.02 stop -1%',
    /closes 0.01 BTC and opens a long of 0.01 BTC/,
    'close',
    /the buy opens a long of 0.02 BTC; send it\?/,
  ],
  [
    'sell 0.01',
    'buy 0.02',
    /opens a long of 0.01 BTC/,
    'close 50%',
    /closes 0.005 BTC and opens a long of 0.015 BTC; send it\?/,
  ],
  [
    'buy 0.02',
    'sell 0.05',
    /opens a short of 0.03 BTC/,
    'buy 0.05',
    /the sell closes 0.05 BTC of the long of 0.07 BTC; send it\?/,
  ],
  ['buy 0.02', 'sell 0.05', /opens a short of 0.03 BTC/, at('68000'), /opens a short of 0.03 BTC; send it\?/],
  [
    'buy 0.02',
    'sell 0.05 BTCUSDT,ETHUSDT',
    /opens a short of 0.03 BTC/,
    'close',
    /BTCUSDT: the sell opens a short of 0.05 BTC; ETHUSDT: the sell opens a short of 0.05 ETH; send it\?/,
  ],
  [
    'buy 0.02',
    'scale sell 0.05 into 2 from +1% to +2%',
    /opens a short/,
    'close',
    /once it fills, the sell opens a short of 0.05 BTC; send it\?/,
  ],
  ['buy 0.02', 'swarm sell 0.05 into 2', /opens a short/, 'close', /the sell opens a short of 0.05 BTC; send it\?/],
  [
    'buy 0.02',
    'twap sell 0.05 into 2 over 10m',
    /opens a short/,
    'close',
    /the sell opens a short of 0.05 BTC; send it\?/,
  ],
  ['buy 0.02', 'chase sell 0.05', /opens a short/, 'close', /the sell opens a short of 0.05 BTC; send it\?/],
  ['price', 'dca buy $1000 into 4 every -1%', /start the DCA\?/, at('60000'), /start the DCA\?/],
  ['price', 'grid $1000 from 60000 to 70000 into 4', /start the grid\?/, at('61000'), /start the grid\?/],
  [
    'guards set paper order $200',
    'buy $500',
    /the order is worth .* the limit is \$200.00; send it anyway/,
    'guards set paper order $100',
    /the limit is \$100.00; send it anyway/,
  ],
  [
    'guards set paper order $200',
    'buy $500',
    /the limit is \$200.00; send it anyway/,
    'sell 0.002',
    /the buy closes 0.002 BTC and opens a long/,
  ],
  [
    'guards set paper order $200',
    'position long $500',
    /the limit is \$200.00; send it anyway/,
    'guards set paper order $100',
    /the limit is \$100.00; send it anyway/,
  ],
  [
    'buy 0.01; guards set paper order $300',
    'flip',
    /the order is worth .* the limit is \$300.00; send it anyway/,
    'close 50%',
    /the order is worth .* the limit is \$300.00; send it anyway/,
  ],
  [
    'buy 0.02; twap buy 0.02 into 4 over 10m',
    'close',
    /still runs; close anyway\?/,
    'tasks cancel --all',
    /run `close` anyway\?/,
  ],
  [
    'buy 0.02; twap buy 0.02 into 4 over 10m',
    'close all',
    /still runs; close anyway\?/,
    'tasks cancel --all',
    /run `close all` anyway\?/,
  ],
  [
    'buy 0.01 stop -2%',
    'trail 1%',
    /already protects the BTCUSDT long; place another\?/,
    'close; sell 0.01 stop +2%',
    /already protects the BTCUSDT short; place another\?/,
  ],
  [
    'sell 0.01',
    'trail 0.05%',
    /inside spread and fees .*place it\?/,
    'close; buy 0.01',
    /inside spread and fees .*place it\?/,
  ],
  [
    'buy 0.01 stop -2%',
    'stop at 1%',
    /already protects the BTCUSDT long/,
    'close; sell 0.01 stop +2%',
    /already protects the BTCUSDT short/,
  ],
  ['buy 0.01', 'stop at 0.05%', /inside spread and fees/, 'sell 0.02 flip', /inside spread and fees/],
  [
    'buy 0.01 tp +2%',
    'take at 1%',
    /already takes the profit of the BTCUSDT long/,
    'close; sell 0.01 tp -2%',
    /already takes the profit of the BTCUSDT short/,
  ],
  [
    'buy 0.01 stop -2%',
    'oco at 2% stop 1%',
    /already protects the BTCUSDT long/,
    'close; sell 0.01 stop +2%',
    /already protects the BTCUSDT short/,
  ],
  ['buy 0.01 at 64000', 'amend p1 at 66000', /fills at once/, at('63000'), /fills at once/],
  [
    'buy 0.01',
    'leverage 50',
    /raise the leverage .* with a long of 0.01 BTC open/,
    'close 50%',
    /with a long of 0.005 BTC open/,
  ],
]

describe('a question whose figures change while it waits', () => {
  it.each(CASES)('%s; `%s` is asked again, and n sends nothing', async (before, line, first, meanwhile, then) => {
    const { session, asked, atAnswer } = await stage(before, [meanwhile], [true])
    const lines = await session.run(line)
    expect(asked).toEqual([expect.stringMatching(first), expect.stringMatching(then)])
    expect(lines.join('\n')).toMatch(/^warn .* changed since that question/m)
    expect(await state(session)).toEqual(atAnswer())
  })
})

/** `flip` asks once more, once the position has ended. */
const UNCHANGED = CASES.filter(([, line]) => line !== 'flip')

describe('a question with the same figures after the answer', () => {
  it.each(UNCHANGED)('%s; `%s` takes the yes, and is asked once', async (before, line, first) => {
    const { session, asked } = await stage(before, [], [true])
    const was = await state(session)
    const lines = await session.run(line)
    expect(asked).toEqual([expect.stringMatching(first)])
    expect(lines.filter((each) => /^error|changed since/.test(each))).toEqual([])
    expect(new Set(lines).size).toBe(lines.length)
    if (!line.startsWith('leverage')) expect(await state(session)).not.toEqual(was)
  })

  it('is asked once where the price moves a little', async () => {
    const { session, asked } = await stage('buy 0.02', [at('65300')], [true])
    await session.run('sell 0.05')
    expect(asked).toHaveLength(1)
    expect(await session.market.exchange.fetchPositions()).toMatchObject([{ side: 'short', amount: '0.03' }])
  })
})

it.each([
  // The lot takes 4.3%, then 4.2%; a comma ends the price of a stop that has no decimals, then some.
  ['dca buy $1000 into 4 every -1%', '60742.7', '60755.5'],
  ['dca buy $1000 into 4 every -1% stop -8%', '100000', '100010'],
  ['grid $1000 from 60000 to 70000 into 4', '65000', '65010.1'],
])('%s is asked about once where the price moves by ticks', async (line, before, after) => {
  const { session, asked } = await stage('price', [at(after)], [true, true])
  session.market.setPrice('BTCUSDT', before)
  await session.run(line)
  expect(asked).toHaveLength(1)
  expect(await state(session)).toMatchObject({ tasks: 1 })
})

describe('a yes to what is asked in its place', () => {
  it('sends the order of now', async () => {
    const { session, asked } = await stage('sell 0.01', ['close'], [true, true])
    await session.run('buy 0.02')
    expect(asked).toHaveLength(2)
    expect(await session.market.exchange.fetchPositions()).toMatchObject([{ side: 'long', amount: '0.02' }])
  })

  it('is asked again where that changes too', async () => {
    const { session, asked } = await stage('sell 0.01', ['close', 'sell 0.005'], [true, true])
    await session.run('buy 0.02')
    expect(asked.slice(1)).toEqual([
      expect.stringContaining('the buy opens a long of 0.02 BTC'),
      expect.stringContaining('the buy closes 0.005 BTC and opens a long of 0.015 BTC'),
    ])
    expect(await session.market.exchange.fetchPositions()).toMatchObject([{ side: 'short', amount: '0.005' }])
  })
})

it('a position that is gone at the answer is said, and nothing is placed', async () => {
  const { session, asked } = await stage('sell 0.01', ['close'], [true])
  const lines = await session.run('trail 0.05% replace')
  expect(asked).toHaveLength(1)
  expect(lines.at(-1)).toMatch(/^error no-position/)
  expect(await state(session)).toMatchObject({ positions: [], orders: [], tasks: 0 })
})

it('nuke ends what is there at the answer', async () => {
  const { session, asked } = await stage('sell 0.01', ['buy 0.1 ETHUSDT'], [true])
  await session.run('nuke')
  expect(asked).toHaveLength(1)
  expect(await state(session)).toMatchObject({ positions: [], orders: [] })
})

it('a question whose detail is long is asked whole', async () => {
  const { session, asked } = await stage('buy 0.039; stop 0.01 BTCUSDT at -1%; stop 0.013 BTCUSDT at -2% add', [], [])
  await session.run('trail $100')
  expect(asked).toEqual([
    expect.stringMatching(/0.016 BTC of the BTCUSDT long of 0.039 BTC has no stop; place another\? y or n >$/),
  ])
})

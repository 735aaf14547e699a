// `buy risk 1% stop -2%`, `tp 2R` and ladders: what the stop really loses, where the profit is taken, and that no part of an entry is without its stop.
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { movePrice, positionsOf, restingOrders } from '../../harness/commands/account-state.ts'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import type { Source } from '../../src/runs/run.ts'

const walletOf = async ({ market }: CommandSession) =>
  new Decimal((await market.exchange.fetchBalances()).find(({ currency }) => currency === 'USDT')?.wallet ?? 0)

/** Moves the clock until the line has ended. */
async function finished(session: CommandSession, line: string, source: Source = 'repl'): Promise<readonly string[]> {
  const run = session.start(line, { source })
  while (!run.ended) await session.advance(250)
  await session.advance(3_000)
  return run.lines
}

describe('a size by risk', () => {
  it.each([
    ['buy risk 1% stop -2%', '63000', 100],
    ['buy risk $50 stop -2%', '63000', 50],
    ['sell risk 0.5% stop +3%', '67500', 50],
    ['buy BTCUSDT risk 2% at 64000 stop $entry -5%', '60000', 200],
  ])('%s loses that much where the stop is hit, fees included', async (line, price, allowed) => {
    const session = await createSession()
    const before = await walletOf(session)
    const said = await session.run(line)
    expect(said.join('\n')).toMatch(
      new RegExp(`risks \\$[\\d.]+ of \\$${allowed}\\.00 if stopped at [\\d,.]+, fees included`),
    )
    if (line.includes(' at ')) await movePrice(session, '63990')
    expect(await positionsOf(session)).toHaveLength(1)
    await movePrice(session, price)
    expect([await positionsOf(session), await restingOrders(session)]).toEqual([[], []])
    const lost = before.minus(await walletOf(session))
    // A stop fills at the price that it meets, here 1 to 3 % of the risk past its own; the lot takes less than 2 %.
    expect(lost.toNumber()).toBeGreaterThan(allowed * 0.97)
    expect(lost.toNumber()).toBeLessThan(allowed * 2)
  })

  it.each([
    ['buy risk 1%', /missing-argument: a size by risk needs a stop/],
    ['buy risk 1 stop -2%', /bare-number: `1` could be percent or money \| .*risk 1% or risk \$1/],
    ['buy risk 1% $100 stop -2%', /second size/],
    [
      'buy risk 0.001% stop -2%',
      /below-minimum: risk 0.001% is less than the smallest BTCUSDT order loses at its stop/,
    ],
    ['buy risk 50%bal stop -2%', /bad-size/],
    ['buy $100 tp 2R', /a target in R needs a stop/],
    ['buy $100 at 2R stop -2%', /bad-price: `2R` counts in risks/],
    ['buy $900 stop -2% tp 60% 1R, 50% 2R', /110% together/],
    ['buy $900 stop -2% tp 50% 1R, 50% 2R, trail 1%', /no rest to trail/],
    ['buy $900 stop -2% tp 25% 1R,', /the next part is missing/],
    ['buy $100 stop -2% tp 5% 1R, 5% 2R', /below the minimum BTCUSDT order/],
  ])('%s is refused, and nothing is sent', async (line, why) => {
    const session = await createSession()
    for (const source of ['repl', 'hook'] as const) {
      const run = session.start(line, { source })
      expect(await run.done).toBe(false)
      expect(run.lines.join('\n')).toMatch(why)
    }
    expect([await positionsOf(session), await restingOrders(session)]).toEqual([[], []])
  })
})

describe('a profit in risks', () => {
  it.each([
    ['buy 0.02 stop -2% tp 2R', ['sell stop 0.02 @ 63700, 67600 profit']],
    ['sell 0.02 stop +1% tp 1.5r', ['buy stop 0.02 @ 65650, 64025 profit']],
  ])('%s', async (line, orders) => {
    const session = await createSession()
    await session.run(line)
    expect(await restingOrders(session)).toEqual(orders)
  })
})

describe('the risk of a position', () => {
  it.each([
    ['take at 2R', ['sell stop 0.02 @ 63700, no profit', 'sell take-profit 0.02 @ 67600.3, no profit']],
    ['take 50% at 1.5R', ['sell stop 0.02 @ 63700, no profit', 'sell take-profit 0.01 @ 66950.3, no profit']],
    ['stop at 0.5R replace', ['sell stop 0.02 @ 65650.2, no profit']],
  ])('%s counts from its entry in what its stop risked', async (line, orders) => {
    for (const source of ['repl', 'exec', 'web', 'hook'] as const) {
      const session = await createSession()
      await session.run('buy 0.02 stop -2%')
      if (line.startsWith('stop')) await movePrice(session, '66500')
      const run = session.start(line, { source })
      expect(await run.done, run.lines.join('\n')).toBe(true)
      expect((await restingOrders(session)).sort()).toEqual(orders)
    }
  })

  it.each(['take at 2R', 'stop at 1R'])('is not guessed: %s without a stop at its entry', async (line) => {
    const session = await createSession()
    expect((await session.run(line)).join('\n')).toMatch(/no position/)
    await session.run('buy 0.02')
    expect((await session.run(line)).join('\n')).toMatch(/no-risk: the risk of the BTCUSDT long is not known/)
    expect(await restingOrders(session)).toEqual([])
  })
})

describe('a ladder', () => {
  it('sends a part for each rung, each with its stop; the rest has its stop alone', async () => {
    const session = await createSession()
    await session.run('buy 0.04 BTCUSDT stop -2% tp 25% 1R, 25% 2R')
    expect(await positionsOf(session)).toEqual(['long 0.04'])
    expect((await restingOrders(session)).sort()).toEqual([
      'sell stop 0.01 @ 63700, 66300 profit',
      'sell stop 0.01 @ 63700, 67600 profit',
      'sell stop 0.02 @ 63700, no profit',
    ])
    await movePrice(session, '66400')
    expect(await positionsOf(session)).toEqual(['long 0.03'])
    expect((await restingOrders(session)).sort()).toEqual([
      'sell stop 0.01 @ 63700, 67600 profit',
      'sell stop 0.02 @ 63700, no profit',
    ])
    await movePrice(session, '63600')
    expect([await positionsOf(session), await restingOrders(session)]).toEqual([[], []])
  })

  it('is refused whole where one part is: nothing is sent', async () => {
    const session = await createSession()
    await session.run('guards set paper rate 3')
    const run = session.start('buy 0.04 stop -2% tp 25% 1R, 25% 2R, 25% 3R', { source: 'hook' })
    expect(await run.done).toBe(false)
    expect(run.lines.join('\n')).toMatch(/none-placed: .*BTCUSDT the rest \(25%\) refused: no order was placed/)
    expect([await positionsOf(session), await restingOrders(session)]).toEqual([[], []])
  })

  it('trails the rest by a stop that follows the best price, in place of the stop of the line', async () => {
    const session = await createSession()
    const said = await finished(session, 'buy 0.04 BTCUSDT stop -2% tp 50% 1R, trail 1%')
    expect(said.join('\n')).toMatch(/keeps a stop for 0.02 BTCUSDT 1% below the best price/)
    expect((await restingOrders(session)).sort()).toEqual([
      'sell stop 0.02 @ 63700, 66300 profit',
      'sell stop 0.02 @ 64350, no profit',
    ])
    await movePrice(session, '66400')
    expect(await positionsOf(session)).toEqual(['long 0.02'])
    await movePrice(session, '65000')
    await session.advance(10_000)
    expect([await positionsOf(session), await restingOrders(session)]).toEqual([[], []])
  })

  it.each([
    ['buy 0.04 BTCUSDT stop -2% tp 50% 1R, trail 3%', 'sell stop 0.02 @ 63700, no profit', '66000', '64020'],
    ['sell 0.04 BTCUSDT stop +2% tp 50% 1R, trail 3%', 'buy stop 0.02 @ 66300, no profit', '64000', '65920'],
    ['buy 0.04 BTCUSDT stop -1000 tp 50% 3R, trail 2000', 'sell stop 0.02 @ 64000, no profit', '66500', '64500'],
  ])('`%s` begins no farther away than the stop of the line', async (line, first, price, stop) => {
    for (const source of ['repl', 'hook', 'web'] as const) {
      const session = await createSession()
      await finished(session, line, source)
      expect(await restingOrders(session)).toContain(first)
      expect(await restingOrders(session)).toHaveLength(2)
      await movePrice(session, price)
      await session.advance(20_000)
      expect((await restingOrders(session)).join('\n')).toContain(`@ ${stop}, no profit`)
    }
  })

  it('never has stops for more than the position, whatever its parts are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('buy', 'sell'),
        fc.integer({ min: 20, max: 100 }),
        fc.array(fc.integer({ min: 10, max: 40 }), { minLength: 1, maxLength: 2 }),
        fc.integer({ min: 5, max: 40 }),
        async (side, lots, shares, trail) => {
          const session = await createSession()
          const rungs = shares.map((share, index) => `${share}% ${index + 1}R`).join(', ')
          const amount = new Decimal(lots).times('0.001').toFixed()
          const stop = side === 'buy' ? '-2%' : '+2%'
          await finished(session, `${side} ${amount} BTCUSDT stop ${stop} tp ${rungs}, trail ${trail / 10}%`)
          const orders = await session.market.exchange.fetchOpenOrders()
          expect(Decimal.sum(0, ...orders.map((order) => order.amount)).toFixed()).toBe(amount)
        },
      ),
      { numRuns: 15 },
    )
  })

  it('has parts that are the whole together, on the lot', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 10, max: 100 }),
        fc.array(fc.integer({ min: 5, max: 40 }), { minLength: 1, maxLength: 3 }),
        async (lots, shares) => {
          fc.pre(shares.reduce((sum, share) => sum + share, 0) <= 100)
          const session = await createSession()
          const rungs = shares.map((share, index) => `${share}% ${index + 1}R`).join(', ')
          const amount = new Decimal(lots).times('0.001').toFixed()
          const run = session.start(`buy ${amount} BTCUSDT stop -2% tp ${rungs}`)
          const isDone = await run.done
          const held = await positionsOf(session)
          expect(held).toEqual(isDone ? [`long ${amount}`] : [])
          const stops = (await session.market.exchange.fetchOpenOrders()).filter(({ type }) => type === 'stop')
          expect(Decimal.sum(0, ...stops.map((stop) => stop.amount)).toFixed()).toBe(isDone ? amount : '0')
        },
      ),
      { numRuns: 10 },
    )
  })
})

describe('a market entry that fills away from the price that its stop was counted from', () => {
  const offBy = async (offset: number) => {
    const session = await createSession()
    const { exchange } = session.market
    const seen = async (symbol: string) => {
      const ticker = await exchange.fetchTicker(symbol)
      return { ...ticker, last: new Decimal(ticker.last).plus(offset).toFixed() }
    }
    const { knownTicker: _, ...rest } = exchange
    session.useExchange({ ...rest, fetchTicker: seen })
    return session
  }

  it.each(['repl', 'exec', 'hook', 'web'] as const)('states what its stop loses now, from %s', async (source) => {
    const long = await offBy(-300)
    expect(await long.run('buy 0.01 stop -2%', { source })).toContain(
      'warn filled at 65,000.1, 23% farther from the stop at 63,406.0 than planned: that stop loses $15.94, not $12.94, before fees',
    )
    const short = await offBy(300)
    expect((await short.run('sell 0.01 stop +2%', { source })).join('\n')).toMatch(
      /warn filled at 64,999\.9, 23% farther from the stop at 66,606.0 than planned: that stop loses \$16\.06, not \$13\.06/,
    )
  })

  it.each([
    [-100, 'buy 0.01 stop -2%'],
    [300, 'buy 0.01 stop -2%'],
    [-300, 'buy 0.01'],
    [-300, 'buy 0.01 tp +2%'],
    [-300, 'buy 0.01 at -1% stop -2%'],
    // Less than a cent.
    [4, 'sell 0.001 stop +0.045% --near'],
  ])('with last off by %s, `%s` says nothing of it', async (offset, line) => {
    const session = await offBy(offset)
    expect((await session.run(line)).join('\n')).not.toContain('farther')
  })
})

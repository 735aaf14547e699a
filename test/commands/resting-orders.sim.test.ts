import { describe, expect, it } from 'vitest'
import { movePrice, restingOrders } from '../../harness/commands/account-state.ts'
import { createSession } from '../../harness/commands/command-session.ts'
import { place } from '../../harness/venues/place.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'

describe('a resting order', () => {
  it('prints its later fill under the run that placed it', async () => {
    const session = await createSession()
    const run = session.start('buy 0.01 at 64000', { source: 'hook' })
    expect(await run.done).toBe(true)
    session.market.setPrice('BTCUSDT', '63990')
    await session.advance(1000)
    expect(run.lines).toEqual([
      'success order p1: buy 0.01 BTCUSDT at 64,000.0 is open',
      'success order p1: bought 0.01 BTCUSDT at 64,000.0 ($640.00), fee $0.13',
    ])
    await session.settle()
  })

  it('tells why it ended when nobody here ended it', async () => {
    const session = await createSession()
    await session.run('buy 0.01')
    const run = session.start('stop at -2%')
    await run.done
    await session.run('close')
    await session.settle()
    expect(run.lines.at(-1)).toBe('info stop p2 (sell 0.01 BTCUSDT at 63,700.0, reduce-only) ended with the long')
  })

  it('ends silently when it is canceled here', async () => {
    const session = await createSession()
    const run = session.start('buy 0.01 at -1%')
    await run.done
    await session.run('cancel p1')
    await session.settle()
    expect(run.lines).toHaveLength(1)
  })

  it('reads as placed even when the venue does not tell its trades', async () => {
    const session = await createSession()
    const fetchMyTrades = () => Promise.reject(new ExchangeError('network', 'the venue does not answer'))
    const subscribe = () => () => {}
    const exchange = { ...session.market.exchange, fetchMyTrades, subscribe }
    session.useExchange(exchange)
    expect((await session.run('buy 0.01'))[0]).toBe('success bought 0.01 BTCUSDT at 65,000.1 ($650.00)')
  })

  it('is followed though the run is cut short: it may fill all the same', async () => {
    const session = await createSession()
    const run = session.start('buy 0.01 at -1%')
    await run.done
    run.abort()
    await session.settle()
    session.market.setPrice('BTCUSDT', '60000')
    await session.advance(1000)
    expect(run.lines.slice(0, 2)).toEqual([
      expect.stringContaining('is open'),
      expect.stringContaining('bought 0.01 BTCUSDT'),
    ])
  })

  it('is followed until it is over, however long that takes', async () => {
    const session = await createSession()
    const run = session.start('buy 0.01 at -1%')
    await run.done
    await session.advance(2 * 60 * 60_000)
    session.market.setPrice('BTCUSDT', '60000')
    await session.advance(1000)
    expect(run.lines[1]).toMatch(/^success order p1: bought 0.01 BTCUSDT/)
  }, 60_000)
})

describe('an order that got no answer', () => {
  it('fails its step after a minute, is shown by `orders`, and says so when it is found', async () => {
    const session = await createSession()
    const { paper } = session.market.exchange
    await paper.setFaults({ lostAnswers: 1 })
    const run = session.start('buy 0.01')
    await session.settle()
    await paper.setFaults({ lostAnswers: 1, lostQuestions: 1 })
    await session.advance(65_000)
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual([
      'warn no answer to the BTCUSDT order: its outcome is unknown; asking the venue',
      expect.stringMatching(/^error outcome-unknown: /),
    ])
    await paper.setFaults({ lostAnswers: 1 })
    await session.advance(1000)
    const [warning, ...rest] = await session.run('orders')
    expect(warning).toMatch(
      /^warn no answer to buy 0.01 BTCUSDT, sent 2026-01-01 00:00:00 UTC: its outcome is unknown; nothing is added on BTCUSDT until that is known /,
    )
    expect(rest).toEqual(['info no open orders'])
    await session.advance(31_000)
    expect(run.lines.slice(2)).toEqual([
      'warn the BTCUSDT order that got no answer was placed: it is order p1',
      expect.stringMatching(/^success bought 0.01 BTCUSDT/),
    ])
  })
})

describe('an attached stop', () => {
  it('goes in at once after a market entry, as large as what filled', async () => {
    const session = await createSession()
    expect(await session.run('sell $250 stop +2%')).toEqual([
      'success sold 0.003 BTCUSDT at 64,999.9 ($195.00), fee $0.11',
      'info $250 rounded down to the lot size of 0.001 BTC: 22% less',
      'success order p2: stop buy 0.003 BTCUSDT at 66,300.0 is open, reduce-only',
    ])
  })

  it('is said not to be there after an entry that only reduced the other side', async () => {
    const session = await createSession()
    await session.run('sell 0.01')
    expect((await session.run('buy 0.004 stop -2%', { source: 'hook' })).slice(1)).toEqual([
      'info the buy reduced a short: nothing to protect',
    ])
  })

  it('goes in when a resting entry fills', async () => {
    const session = await createSession()
    const run = session.start('buy 0.01 at 64000 stop $entry -2%', { source: 'hook' })
    expect(await run.done).toBe(true)
    expect(run.lines).toEqual([
      'success order p1: buy 0.01 BTCUSDT at 64,000.0 is open',
      'info stop 62,720.0 is placed on fill, while hookline runs',
    ])
    session.market.setPrice('BTCUSDT', '63990')
    await session.advance(2000)
    expect(run.lines.slice(2)).toEqual([
      'success order p1: bought 0.01 BTCUSDT at 64,000.0 ($640.00), fee $0.13',
      'success order p2: stop sell 0.01 BTCUSDT at 62,720.0 is open, reduce-only',
    ])
  })

  it('closes at the market when the price fell through the entry and the stop at once', async () => {
    const session = await createSession()
    const run = session.start('buy 0.01 at 64000 stop $entry -2%')
    await run.done
    session.market.setPrice('BTCUSDT', '60000')
    await session.advance(2000)
    expect(run.lines.slice(2)).toEqual([
      'success order p1: bought 0.01 BTCUSDT at 64,000.0 ($640.00), fee $0.13',
      'warn BTCUSDT has passed the stop at 62,720.0: closing now',
      'success sold 0.01 BTCUSDT at 59,999.9 ($600.00), fee $0.33, pnl -$40.00 before fees',
    ])
    expect(await session.market.exchange.fetchPositions()).toEqual([])
  })

  it('says so when hookline ends before the entry fills', async () => {
    const session = await createSession()
    const run = session.start('buy 0.01 at 64000 stop $entry -2%')
    await run.done
    ;(await session.connect('paper')).orders.close()
    expect(run.lines.at(-1)).toBe(
      'warn after exit, another running hookline places the stop of the resting BTCUSDT entry when it fills; with none running, the stop waits until the account is connected again',
    )
  })

  it('says nothing more when the resting entry is canceled', async () => {
    const session = await createSession()
    const run = session.start('buy 0.01 at 64000 stop $entry -2%')
    await run.done
    await session.run('cancel')
    await session.settle()
    expect(run.lines).toHaveLength(2)
  })

  it('fails the step when it is refused, and says that the entry stands', async () => {
    const session = await createSession()
    // The venue takes the entry and is full when the stop comes.
    const resting = { symbol: 'BTCUSDT', side: 'buy', type: 'limit', price: '61750', amount: '0.001' } as const
    await Promise.all(Array.from({ length: 500 }, () => place(session.market.exchange, resting)))
    const lines = await session.run('buy 0.01 stop -2%')
    expect(lines).toEqual([
      expect.stringMatching(/^success bought 0.01/),
      expect.stringMatching(/^error stop-failed: BTCUSDT is without its stop: .*500 orders are open/),
    ])
  })

  // 64,350 is one percent below last.
  it.each([
    ['buy 0.02 at -1% stop -1.5%', ['sell stop 0.02 @ 63384.8, no profit']],
    ['buy 0.02 at -1% stop -500 tp +1000', ['sell stop 0.02 @ 63850, 65350 profit']],
    ['buy 0.02 at 64350 stop -2% tp 2R', ['sell stop 0.02 @ 63063, 66924 profit']],
    ['buy 0.02 at -1% stop $last -2%', ['sell stop 0.02 @ 63700, no profit']],
    [
      'buy 0.02 at 64350 stop -2% tp 50% +1%',
      ['sell stop 0.01 @ 63063, 64993.5 profit', 'sell stop 0.01 @ 63063, no profit'],
    ],
    ['buy risk $30 at -1% stop -1.5%', ['sell stop 0.028 @ 63384.8, no profit']],
  ])('of a resting entry counts from its own price, from every door: %s', async (line, orders) => {
    for (const source of ['repl', 'hook', 'web'] as const) {
      const session = await createSession()
      const [order] = (await session.ports.preview({ command: line, source })).orders
      expect(orders[0]).toContain(`@ ${order?.stop?.triggerPrice}, `)
      await session.run(line, { source })
      await movePrice(session, '64300')
      expect(await restingOrders(session)).toEqual(orders)
    }
  })

  it.each([
    [
      'buy 0.01 at -5% stop $last -2%',
      'repl',
      /the price would reach the stop at 63,700.0 before the entry at 61,750.0/,
    ],
    ['sell 0.01 at +5% stop $last +2%', 'repl', /the price would reach the stop at 66,300.0 before/],
    ['buy 0.01 at -1% stop -2%', 'exec', /this process ends before the entry fills/],
    ['sell 0.01 reduce stop -2%', 'repl', /opens no position for a stop/],
    ['buy 0.01 at 64000 stop 64000', 'repl', /equals the entry price/],
  ] as const)('is refused before the entry is placed: %s', async (line, source, says) => {
    const session = await createSession()
    await session.run('buy 0.01')
    const before = await session.market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })
    const lines = await session.run(line, { source })
    expect(lines).toEqual([expect.stringMatching(says)])
    expect(lines[0]).toMatch(/^error bad-stop: /)
    expect(await session.market.exchange.fetchOpenOrders()).toEqual([])
    expect(await session.market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toEqual(before)
  })
})

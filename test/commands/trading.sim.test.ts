import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { cancelLine } from '../../src/web/pages/trade/position-lines.ts'

interface Row {
  readonly line: string
  /** Run before, its output not looked at. */
  readonly after?: string
  readonly says: readonly (string | RegExp)[]
}

/** BTCUSDT stands at 65,000 (bid 64,999.9, ask 65,000.1, lot 0.001), ETHUSDT at 3,000 (lot 0.01); 10,000 USDT are free. */
async function expectLines({ line, after, says }: Row): Promise<void> {
  const session = await createSession()
  if (after !== undefined) await session.run(after)
  const lines = await session.run(line)
  expect(lines).toEqual(says.map((say) => (typeof say === 'string' ? say : expect.stringMatching(say))))
}

describe('buy and sell', () => {
  it.each<Row>([
    {
      line: 'buy $250 BTCUSDT',
      says: [
        'success bought 0.003 BTCUSDT at 65,000.1 ($195.00), fee $0.11',
        'info $250 rounded down to the lot size of 0.001 BTC: 22% less',
        'info the BTCUSDT long of 0.003 BTC has no stop: `stop BTCUSDT at -2%` places one',
      ],
    },
    {
      line: 'b BTCUSDT 0.01',
      says: [
        'success bought 0.01 BTCUSDT at 65,000.1 ($650.00), fee $0.36',
        'info the BTCUSDT long of 0.01 BTC has no stop: `stop BTCUSDT at -2%` places one',
      ],
    },
    {
      line: 's $250',
      says: [
        'success sold 0.003 BTCUSDT at 64,999.9 ($195.00), fee $0.11',
        'info $250 rounded down to the lot size of 0.001 BTC: 22% less',
        'info the BTCUSDT short of 0.003 BTC has no stop: `stop BTCUSDT at +2%` places one',
      ],
    },
    {
      line: 'buy 10%',
      says: [
        'success bought 0.015 BTCUSDT at 65,000.1 ($975.00), fee $0.54',
        'info 10% rounded down to the lot size of 0.001 BTC: 2.5% less',
        'info the BTCUSDT long of 0.015 BTC has no stop: `stop BTCUSDT at -2%` places one',
      ],
    },
    { line: 'buy 0.01 at 64000', says: ['success order p1: buy 0.01 BTCUSDT at 64,000.0 is open'] },
    { line: 'buy 0.01 at -1%', says: ['success order p1: buy 0.01 BTCUSDT at 64,350.0 is open'] },
    { line: 'buy $6400 at 64000', says: ['success order p1: buy 0.1 BTCUSDT at 64,000.0 is open'] },
    { line: 'buy 0.01 at 64000.06', says: ['success order p1: buy 0.01 BTCUSDT at 64,000.1 is open'] },
    { line: 'buy 0.01 at 64000.06 po', says: ['success order p1: buy 0.01 BTCUSDT at 64,000.0 is open, post-only'] },
    { line: 'sell 0.01 at 66000.01 po', says: ['success order p1: sell 0.01 BTCUSDT at 66,000.1 is open, post-only'] },
    { line: 'buy 0.01 best', says: ['success order p1: buy 0.01 BTCUSDT at 64,999.9 is open'] },
    { line: 'sell 0.01 best po', says: ['success order p1: sell 0.01 BTCUSDT at 65,000.1 is open, post-only'] },
    { line: 'sell 0.01 at $ask +10', says: ['success order p1: sell 0.01 BTCUSDT at 65,010.1 is open'] },
    {
      line: 'buy 0.01 at 66000 --far',
      says: [
        'success bought 0.01 BTCUSDT at 65,000.1 ($650.00), fee $0.36',
        'info the BTCUSDT long of 0.01 BTC has no stop: `stop BTCUSDT at -2%` places one',
      ],
    },
    {
      line: 'sell 50% at +1% reduce',
      after: 'buy 0.01',
      says: ['success order p2: sell 0.005 BTCUSDT at 65,650.0 is open, reduce-only'],
    },
    {
      line: 'buy $100 BTCUSDT,ETHUSDT',
      says: [
        'success bought 0.001 BTCUSDT at 65,000.1 ($65.00), fee $0.04',
        'info $100 rounded down to the lot size of 0.001 BTC: 35% less',
        'info the BTCUSDT long of 0.001 BTC has no stop: `stop BTCUSDT at -2%` places one',
        'success bought 0.03 ETHUSDT at 3,000.01 ($90.00), fee $0.05',
        'info $100 rounded down to the lot size of 0.01 ETH: 10% less',
        'info the ETHUSDT long of 0.03 ETH has no stop: `stop ETHUSDT at -2%` places one',
      ],
    },
  ])('$line', expectLines)

  it.each<Row>([
    { line: 'buy', says: [/^error missing-argument: the size is missing/] },
    { line: 'buy 500', says: [/^error bare-number: /] },
    {
      line: 'buy $5',
      says: [/^error below-minimum: \$5 is below the minimum BTCUSDT order \| type at least \$65\.01/],
    },
    { line: 'buy $250 BTCUSD', says: [/^error unknown-symbol: .* \| did you mean BTCUSDT\?$/] },
    { line: 'buy 0.01 at $entry', says: [/^error no-position: /] },
    { line: 'buy 50%pos', says: [/^error no-position: /] },
    { line: 'sell 50% reduce', says: [/^error no-position: /] },
    { line: 'buy 0.01 at 66000 po', says: [/^error order-immediately-fillable: /] },
    { line: 'buy 90.0 BTCUSDT --far', says: [/^error insufficient-funds: /] },
    {
      line: 'buy 90 BTCUSDT',
      says: [
        /^error bare-number: 90 could be money: 90 BTC is worth \$5,850,\d{3}\.\d\d, and \$10,000\.00 is free \| /,
      ],
    },
    { line: 'position long 90 BTCUSDT', says: [/^error bare-number: /] },
    { line: 'scale buy 90 BTCUSDT into 2 from -1% to -2%', says: [/^error bare-number: /] },
    { line: 'swarm buy 90 BTCUSDT into 2', says: [/^error bare-number: /] },
    { line: 'chase buy 90 BTCUSDT', says: [/^error bare-number: /] },
    { line: 'twap buy 90 BTCUSDT into 3 over 30m', says: [/^error bare-number: /] },
    { line: 'buy 0.01 at -70000', says: [/^error bad-price: that price would be -5,000/] },
    {
      line: 'buy $100 BTCUSDT,NOPE,ETHUSDT',
      says: [/^error unknown-symbol: paper has no market NOPE \| `markets` lists them$/],
    },
  ])('refuses: $line', expectLines)

  it('takes the same part of the balance for each symbol', async () => {
    const session = await createSession()
    await session.run('buy 50% BTCUSDT,ETHUSDT')
    const positions = await session.market.exchange.fetchPositions()
    expect(positions.map(({ symbol, amount }) => [symbol, amount])).toEqual([
      ['BTCUSDT', '0.076'],
      ['ETHUSDT', '1.66'],
    ])
  })

  it('trades on the account and the symbol that the run is pinned to', async () => {
    const session = await createSession()
    await session.run('account add other paper')
    await session.run('buy 0.1', { account: 'other', symbol: 'ETHUSDT' })
    expect(await session.market.exchange.fetchPositions()).toEqual([])
    const other = await session.connect('other')
    expect(await other.venue.fetchPositions()).toMatchObject([{ symbol: 'ETHUSDT', amount: '0.1' }])
  })
})

describe('stop', () => {
  it.each<Row>([
    {
      line: 'stop at -2%',
      after: 'buy 0.01',
      says: ['success order p2: stop sell 0.01 BTCUSDT at 63,700.0 is open, reduce-only'],
    },
    {
      line: 'stop at +2%',
      after: 'sell 0.01',
      says: ['success order p2: stop buy 0.01 BTCUSDT at 66,300.0 is open, reduce-only'],
    },
    {
      line: 'stop 50% at $entry -1000',
      after: 'buy 0.01',
      says: ['success order p2: stop sell 0.005 BTCUSDT at 64,000.1 is open, reduce-only'],
    },
    {
      line: 'stop sell 0.002 at 64000',
      after: 'buy 0.01',
      says: ['success order p2: stop sell 0.002 BTCUSDT at 64,000.0 is open, reduce-only'],
    },
    { line: 'stop buy $250 ETHUSDT at +100', says: ['success order p1: stop buy 0.08 ETHUSDT at 3,100.00 is open'] },
    {
      line: 'stop buy 0.01 at +1%',
      after: 'buy 0.01',
      says: ['success order p2: stop buy 0.01 BTCUSDT at 65,650.0 is open'],
    },
    { line: 'stop at -2%', says: [/^error bad-stop: no position on BTCUSDT to protect \| /] },
    { line: 'stop buy at +100', says: [/^error bad-stop: /] },
    { line: 'stop $250 at +100', says: [/^error bad-stop: /] },
    { line: 'stop buy at +1%', after: 'buy 0.01', says: [/^error bad-stop: a stop to buy adds to the BTCUSDT long/] },
    { line: 'stop', says: [/^error missing-argument: /] },
  ])('$line', expectLines)
})

describe('close', () => {
  it('fails when the book is too thin for the whole position, and says what is left to do', async () => {
    const session = await createSession()
    await session.run('buy 0.1')
    await session.market.exchange.paper.setFaults({ partialFills: 1 })
    const lines = await session.run('close')
    expect(lines.slice(-2)).toEqual([
      'warn order p2 (sell 0.086 BTCUSDT, reduce-only) canceled: the book has no more liquidity within reach; 0.086 of 0.1 is not filled',
      'error partly-closed: 0.014 of 0.1 BTCUSDT closed | `close` again: the book was empty',
    ])
  })

  it('waits for the end of an order that the venue acknowledges before it fills', async () => {
    const session = await createSession({
      exchange: (inner) => ({
        ...inner,
        async createOrder(request) {
          const outcome = await inner.createOrder(request)
          if (outcome.kind !== 'placed') return outcome
          const { average: _, ...order } = outcome.order
          return { kind: 'placed', order: { ...order, filled: '0', remaining: order.amount, status: 'open' } }
        },
      }),
    })
    await session.run('buy 0.01')
    const run = session.start('close')
    await session.settle()
    await session.advance(1000)
    expect([await run.done, run.lines.filter((line) => line.startsWith('error'))]).toEqual([true, []])
  })

  it.each<Row>([
    {
      line: 'close',
      after: 'buy 0.01',
      says: [/^success sold 0.01 BTCUSDT at 64,999.9 \(\$650.00\), fee \$0.36, pnl -\$0.002 before fees$/],
    },
    { line: 'close 50%', after: 'sell 0.01', says: [/^success bought 0.005 BTCUSDT/] },
    { line: 'close BTCUSDT 0.004', after: 'buy 0.01', says: [/^success sold 0.004 BTCUSDT/] },
    { line: 'close 100%', after: 'buy 0.001', says: [/^success sold 0.001 BTCUSDT/] },
    {
      line: 'close all',
      after: 'buy 0.01; sell 0.1 ETHUSDT',
      says: [/^success sold 0.01 BTCUSDT/, /^success bought 0.1 ETHUSDT/],
    },
    { line: 'close shorts', after: 'buy 0.01; sell 0.1 ETHUSDT', says: [/^success bought 0.1 ETHUSDT/] },
    { line: 'close longs', after: 'sell 0.1 ETHUSDT', says: ['info no long positions'] },
    { line: 'close long', after: 'buy 0.01; buy 0.1 ETHUSDT', says: [/^success sold 0.01 BTCUSDT/] },
    { line: 'close short 50%', after: 'sell 0.01; sell 0.1 ETHUSDT', says: [/^success bought 0.005 BTCUSDT/] },
    { line: 'close long ETHUSDT', after: 'buy 0.01; buy 0.1 ETHUSDT', says: [/^success sold 0.1 ETHUSDT/] },
    {
      line: 'close long',
      after: 'sell 0.01; buy 0.1 ETHUSDT',
      says: ['error no-position: no long position on BTCUSDT | type `close longs` for every long'],
    },
    {
      line: 'close short',
      after: 'sell 0.1 ETHUSDT',
      says: ['error no-position: no short position on BTCUSDT | type `close shorts` for every short'],
    },
    { line: 'close long', after: 'sell 0.01', says: ['info no long position on BTCUSDT'] },
    { line: 'close long positions', says: [/^error bad-argument: .* \| type `close longs`$/] },
    { line: 'close all', says: ['info no open positions'] },
    { line: 'close', says: ['info no position on BTCUSDT'] },
    {
      line: 'close BTCUSDT,ETHUSDT',
      after: 'buy 0.01',
      says: ['info no position on ETHUSDT', /^success sold 0.01 BTCUSDT/],
    },
    { line: 'close NOPE', says: [/^error unknown-symbol: /] },
  ])('$line, after: $after', expectLines)
})

describe('cancel', () => {
  const resting = 'buy 0.01 at -1%; sell 0.1 ETHUSDT at +1%; buy 0.1 ETHUSDT at -2%'

  it.each<Row>([
    { line: 'cancel', after: resting, says: ['success canceled order p1: buy 0.01 BTCUSDT at 64,350.0'] },
    {
      line: 'cancel p1,p3',
      after: resting,
      says: [
        'success canceled order p1: buy 0.01 BTCUSDT at 64,350.0',
        'success canceled order p3: buy 0.1 ETHUSDT at 2,940.00',
      ],
    },
    {
      line: 'cancel ethusdt',
      after: resting,
      says: [/^success canceled order p2/, /^success canceled order p3/],
    },
    { line: 'cancel all', after: resting, says: [/p1/, /p2/, /p3/] },
    { line: 'cancel', says: ['info no open orders on BTCUSDT'] },
    { line: 'cancel all', says: ['info no open orders'] },
  ])('$line, after: $after', expectLines)

  describe('where a venue calls an order `all`', () => {
    const named = async () => {
      const session = await createSession({
        exchange: (paper) => ({
          ...paper,
          fetchOpenOrders: async (symbol) =>
            (await paper.fetchOpenOrders(symbol)).map((order) => (order.id === 'p2' ? { ...order, id: 'all' } : order)),
          cancelOrder: async (ref, context) => {
            const order = await paper.cancelOrder(ref.id === 'all' ? { ...ref, id: 'p2' } : ref, context)
            return order.id === 'p2' ? { ...order, id: 'all' } : order
          },
        }),
      })
      await session.run(resting)
      return { session, left: async () => (await session.market.exchange.fetchOpenOrders()).map(({ id }) => id) }
    }

    it('the bare word is every order all the same', async () => {
      const { session, left } = await named()
      await session.run('cancel all')
      expect(await left()).toEqual([])
    })

    it('the word in quotes is that order alone, and so it is for the button of a page', async () => {
      const { session, left } = await named()
      expect(cancelLine('all')).toBe('cancel "all"')
      expect(await session.run('cancel "all"', { source: 'web' })).toEqual([
        expect.stringMatching(/^success canceled order all: sell 0\.1 ETHUSDT/),
      ])
      expect(await left()).toEqual(['p1', 'p3'])
    })

    it('a symbol in quotes is no symbol', async () => {
      const { session, left } = await named()
      expect(await session.run('cancel "ETHUSDT"')).toEqual([
        expect.stringMatching(/^error bad-argument: `ETHUSDT` is neither an open order nor a symbol/),
      ])
      expect(await left()).toHaveLength(3)
    })
  })

  it('names the order whose number was typed alone', async () => {
    const session = await createSession()
    await session.run(resting)
    expect(await session.run('cancel 1')).toEqual([expect.stringMatching(/\| type `cancel p1`$/)])
    expect(await session.market.exchange.fetchOpenOrders()).toHaveLength(3)
  })

  it('cancels nothing when one name is not understood, and points at it', async () => {
    const session = await createSession()
    await session.run(resting)
    const run = session.start('cancel p1,p99')
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual([
      expect.stringMatching(/^error bad-argument: `p99` is neither an open order nor a symbol/),
    ])
    expect(run.columns).toEqual([11])
    expect(await session.market.exchange.fetchOpenOrders()).toHaveLength(3)
  })
})

describe('what is shown', () => {
  it.each<Row>([
    { line: 'price', says: ['print BTCUSDT 65,000.0  bid 64,999.9  ask 65,000.1', 'print   mark 65,000.0  24 h 0%'] },
    {
      line: 'price ETHUSDT,NOPE',
      says: [/^print ETHUSDT/, /^print {3}mark 3,000.00 {2}24 h 0%$/, /^error NOPE: /, /^error partly-failed/],
    },
    {
      line: 'markets eth',
      says: [
        /^print symbol +tick +lot +smallest +maker +taker$/,
        /^print ETHUSDT +0.01 +0.01 +\$5 \/ 0.01 +0.02% +0.055%$/,
      ],
    },
    { line: 'markets zzz', says: ['info no market has ZZZ in its name'] },
    { line: 'markets a b', says: [/^error unexpected-argument: unexpected argument `b`/] },
    {
      line: 'balance',
      says: [
        'print currency      wallet      equity   used        free',
        /^print USDT +\$10,000.00 +\$10,000.00 +\$0.00/,
      ],
    },
    { line: 'positions', says: ['info no open positions'] },
    {
      line: 'positions',
      after: 'sell 0.01',
      says: [
        /^print symbol +side +amount +value +entry +mark +liquidation +leverage +margin +pnl +% +stop +realized$/,
        /^print BTCUSDT +short +0.01 +\$650.00 +64,999.9 +65,000.0 +1,059,\d+\.\d +10x +\$65.00 +-\$0.001 +0.00% +bare +\$0.00$/,
      ],
    },
    { line: 'orders', says: ['info no open orders'] },
    { line: 'orders ETHUSDT', after: 'buy 0.01 at -1%', says: ['info no open orders on ETHUSDT'] },
    {
      line: 'orders',
      after: 'buy 0.01; buy 0.01 at -1% po; stop at -2%',
      says: [
        /^print id +symbol +side +type +amount +filled +price +flags +placed \(UTC\)$/,
        /^print p2 +BTCUSDT +buy +limit +0.01 +0 +64,350.0 +po +2026-01-01 00:00:00$/,
        /^print p3 +BTCUSDT +sell +stop +0.01 +0 +63,700.0 +reduce +2026-01-01 00:00:00$/,
      ],
    },
  ])('$line, after: $after', expectLines)
})

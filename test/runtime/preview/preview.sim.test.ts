import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type CommandSession, createSession } from '../../../harness/commands/command-session.ts'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { ExchangeError } from '../../../src/exchange/exchange-error.ts'
import { preview as schema } from '../../../src/protocol/preview.ts'
import { WIRE_LIMITS } from '../../../src/protocol/wire-limits.ts'

/** A venue that can be asked, and tells only by doing what becomes of an order. */
const live = (exchange: Exchange, own: Partial<Exchange> = {}): Exchange => {
  const { trial: _, ...rest } = exchange
  return { ...rest, ...own }
}

async function look(session: CommandSession, command: string, source: 'repl' | 'web' | 'hook' = 'repl') {
  const preview = await session.ports.preview({ command, source })
  // What crosses the wire has these fields and no others.
  expect(schema.parse(preview)).toEqual(preview)
  return preview
}

describe('a preview', () => {
  it('has every figure of an entry with its stop and its target', async () => {
    const session = await createSession()
    const { orders, positions, ok } = await look(session, 'buy $250 stop -2% tp +4%')
    expect(ok).toBe(true)
    expect(orders).toEqual([
      {
        account: 'paper',
        symbol: 'BTCUSDT',
        side: 'buy',
        type: 'market',
        amount: '0.003',
        unit: 'BTC',
        roundedBy: '21.9999',
        at: '65000.1',
        notional: '195.0003',
        quote: 'USDT',
        fee: { amount: '0.10725017', currency: 'USDT', rate: '0.00055', as: 'taker' },
        margin: { amount: '19.50003', currency: 'USDT', leverage: '10' },
        stop: { triggerPrice: '63700', pnl: '-3.9003', net: '-4.11265517', currency: 'USDT' },
        takeProfit: { triggerPrice: '67600', pnl: '7.7997', net: '7.58090984', currency: 'USDT' },
      },
    ])
    expect(positions).toEqual([{ account: 'paper', symbol: 'BTCUSDT', unit: 'BTC', before: '0', after: '0.003' }])
  })

  it('loses at the stop what the size by risk says, though the price moves while it is worked out', async () => {
    let moved = 0
    const session = await createSession({
      exchange: (paper) =>
        live(paper, {
          fetchTicker: async (symbol) => {
            const ticker = await paper.fetchTicker(symbol)
            moved += 5
            const plus = (price: string) => `${Number(price) + moved}`
            return { ...ticker, bid: plus(ticker.bid), ask: plus(ticker.ask), last: plus(ticker.last) }
          },
        }),
    })
    const { orders, notes } = await look(session, 'buy risk $50 stop 63000')
    const [, said] = /risks \$([\d.]+) of/.exec(notes.join('; ')) ?? []
    expect(Number(orders[0]?.stop?.net).toFixed(2)).toBe(`-${said}`)
  })

  it('of a close names what may open the position again: tasks, lines of tasks and entries', async () => {
    const session = await createSession()
    await session.run('buy 0.02 BTCUSDT')
    await session.run('twap buy $2000 BTCUSDT into 10 over 30m')
    await session.run('every 10m (buy $50 BTCUSDT)')
    await session.run('buy 0.01 BTCUSDT at -5%')
    const ends = [
      expect.stringMatching(/^twap [0-9a-f]{8} still runs on BTCUSDT: `tasks cancel [0-9a-f]{8}` ends it$/),
      expect.stringMatching(/^every [0-9a-f]{8} \(buy \$50 BTCUSDT\) still runs: `tasks cancel [0-9a-f]{8}` ends it$/),
    ]
    const entry = '1 entry still rests on BTCUSDT: `cancel entries BTCUSDT` cancels it'
    for (const line of ['close BTCUSDT', 'close all'])
      expect((await look(session, line, 'web')).notes, line).toEqual(expect.arrayContaining([...ends, entry]))
    expect((await look(session, 'close BTCUSDT 50%', 'web')).notes).toEqual([])
  })

  it('says the liquidation price that the position then has', async () => {
    const session = await createSession()
    const [order] = (await look(session, 'buy $90000 --far')).orders
    await session.run('buy $90000 --far')
    const [position] = await session.market.exchange.fetchPositions()
    expect(order?.liquidationPrice).toBeDefined()
    expect(order?.liquidationPrice).toBe(position?.liquidationPrice)
  })

  it('says what the venue would refuse, on a paper account', async () => {
    const session = await createSession()
    const { ok, errors, orders } = await look(session, 'buy $9000000 --far')
    expect(ok).toBe(false)
    expect(errors.map(({ code }) => code)).toEqual(['insufficient-funds'])
    expect(orders.map(({ refused }) => refused?.code)).toEqual(['insufficient-funds'])
  })

  describe('of `halt`', () => {
    const held = async () => {
      const session = await createSession()
      await session.run('buy 0.01 stop -2%; buy 0.1 ETHUSDT at -1%')
      return session
    }
    const active = (session: CommandSession) =>
      session.ports.guards.readAll().state === undefined && session.ports.guards.read('paper').state === 'active'

    it('says what stays and what is refused from then on, and halts nothing', async () => {
      const session = await held()
      const { ok, notes, orders } = await look(session, 'halt paper', 'web')
      expect(ok).toBe(true)
      expect(orders).toEqual([])
      expect(notes).toEqual([
        'account paper keeps 2 open orders and 1 position; what rests may still fill',
        'account paper sends only cancels, `close` and reduce-only orders from then on',
      ])
      expect((await look(session, 'halt --reducing', 'web')).notes.at(-1)).toBe(
        'every account sends only orders that reduce a position from then on',
      )
      expect(active(session)).toBe(true)
    })

    it('with --flatten, has every order that closes and every order that is canceled', async () => {
      const session = await held()
      const { orders, cancels, positions, notes } = await look(session, 'halt paper --flatten', 'web')
      expect(orders).toMatchObject([
        { symbol: 'BTCUSDT', side: 'sell', amount: '0.01', at: '64999.9', reduceOnly: true },
      ])
      expect(cancels).toMatchObject([{ id: 'p3', symbol: 'ETHUSDT' }])
      expect(positions).toMatchObject([{ before: '0.01', after: '0' }])
      expect(notes).toEqual([
        'account paper: would cancel 1 reduce-only order after the close',
        'account paper sends only cancels, `close` and reduce-only orders from then on',
      ])
      expect(active(session)).toBe(true)
      expect(await session.market.exchange.fetchPositions()).toHaveLength(1)
      expect(await session.market.exchange.fetchOpenOrders()).toHaveLength(2)
    })

    it('of another account than a page trades on, closes nothing of it and says nothing that it holds', async () => {
      const session = await held()
      await session.run('account add other paper')
      expect((await look(session, 'halt other', 'web')).notes).toEqual([
        'account other sends only cancels, `close` and reduce-only orders from then on',
      ])
      const { ok, errors } = await look(session, 'halt other --flatten', 'web')
      expect([ok, errors[0]?.code]).toEqual([false, 'not-allowed-here'])
    })
  })

  it('says what a limit of the account would refuse', async () => {
    const session = await createSession()
    await session.run('guards set paper order $100')
    const { ok, errors, orders } = await look(session, 'buy $500')
    expect(ok).toBe(false)
    expect(errors.map(({ code }) => code)).toEqual(['guarded'])
    expect(orders[0]?.refused).toMatchObject({ code: 'guarded', text: expect.stringContaining('$100') })
  })

  it('says how much of each limit is used before the line and with it, added up over its orders', async () => {
    const session = await createSession()
    await session.run('guards set paper order $2000; guards set paper day $5000; guards set paper loss $900')
    await session.run('guards set paper rate 30; buy 0.01')
    const { limits } = await look(session, 'buy 0.01; buy 0.02 at -1%')
    expect(limits).toEqual([
      { account: 'paper', limit: 'loss', max: '900', before: '0.36' },
      { account: 'paper', limit: 'order', max: '2000', after: '1287' },
      { account: 'paper', limit: 'day', max: '5000', before: '650', after: '2587' },
      { account: 'paper', limit: 'rate', max: '30', before: '1', after: '3' },
    ])
  })

  it('says how far over a limit a refused order would be', async () => {
    const session = await createSession()
    await session.run('guards set paper order $100')
    const { limits, ok } = await look(session, 'buy 0.01')
    expect(ok).toBe(false)
    expect(limits).toEqual([{ account: 'paper', limit: 'order', max: '100', after: '650' }])
  })

  it('counts no limit for what only ends a position', async () => {
    const session = await createSession()
    await session.run('guards set paper order $2000; buy 0.01')
    expect((await look(session, 'close')).limits).toBeUndefined()
  })

  it('does not set an account to reducing when it finds its loss limit reached', async () => {
    const session = await createSession()
    await session.run('guards set paper loss $1; buy 0.1')
    session.market.setPrice('BTCUSDT', '60000')
    await session.advance(1000)
    expect((await look(session, 'buy $500')).errors.map(({ code }) => code)).toEqual(['halted'])
    expect(session.ports.guards.read('paper').state).toBe('active')
    await session.run('buy $500')
    expect(session.ports.guards.read('paper').state).toBe('reducing')
  })

  it('works each step of a chain out on what the steps before leave, on a paper account', async () => {
    const session = await createSession()
    await session.run('buy 0.01; buy 0.02 at -1%')
    const { orders, cancels } = await look(session, 'cancel; close; position long $650')
    expect(orders.map(({ side, amount, reduceOnly }) => [side, amount, reduceOnly])).toEqual([
      ['sell', '0.01', true],
      ['buy', '0.009', undefined],
    ])
    expect(cancels).toMatchObject([{ id: 'p2', side: 'buy', type: 'limit', amount: '0.02', price: '64350' }])
  })

  it('names what it leaves out and what it does not wait for', async () => {
    const session = await createSession()
    const { notes, orders, ok } = await look(session, 'panic; wait price > 99999; sleep 10m; account use x; buy 0.001')
    expect(ok).toBe(true)
    expect(orders).toHaveLength(1)
    expect(notes).toEqual([
      '`panic` places no orders',
      '`wait` is not waited for: the next steps are computed at present prices',
      '`sleep` is not waited for: the next steps are computed at present prices',
      '`account use` places no orders',
    ])
  })

  it('points at the place of a mistake', async () => {
    const session = await createSession()
    const { errors } = await look(session, 'buy 0.001; buy 100')
    expect(errors).toMatchObject([{ code: 'bare-number', column: 16 }])
  })

  it('refuses a page what a page may not', async () => {
    const session = await createSession()
    expect((await look(session, 'vault lock', 'web')).errors).toMatchObject([{ code: expect.any(String) }])
    expect((await look(session, 'vault lock', 'web')).ok).toBe(false)
  })

  it('tells a task that would begin, and begins none', async () => {
    const session = await createSession()
    const { tasks, orders } = await look(session, 'chase buy $250')
    expect(tasks).toMatchObject([{ kind: 'chase', side: 'buy', amount: '0.003', price: '64999.9', lastsMs: 3_600_000 }])
    expect(orders).toEqual([])
    expect(session.ports.tasks.list()).toEqual([])
  })

  it('says that simulation keeps the line from sending anything', async () => {
    const session = await createSession()
    await session.run('sim on')
    expect(await look(session, 'buy $250')).toMatchObject({ ok: false, blocked: { code: 'simulated' } })
  })

  it('says what a moved exit makes at its new price', async () => {
    const session = await createSession()
    await session.run('buy 0.01; stop at -2%')
    const [stop] = await session.market.exchange.fetchOpenOrders()
    const [position] = await session.market.exchange.fetchPositions()
    expect(position?.entryPrice).toBe('65000.1')
    expect((await look(session, `move ${stop?.id} to 64000`)).changes).toMatchObject([
      { triggerPrice: '64000', pnl: '-10.001' },
    ])
  })

  it('of a change leaves the order and the journal as they are', async () => {
    const session = await createSession()
    await session.run('guards set paper day $50000; buy 0.1 ETHUSDT at -1%')
    await session.settle()
    const { length } = session.journal
    const { changes, ok } = await look(session, 'bump +1 ETHUSDT')
    expect({ changes, ok }).toMatchObject({ changes: [{ symbol: 'ETHUSDT', price: '2971' }], ok: true })
    await session.settle()
    expect(session.journal.length).toBe(length)
    expect(await session.market.exchange.fetchOpenOrders()).toMatchObject([{ price: '2970' }])
  })

  it('keeps what a line sets for that line alone', async () => {
    const session = await createSession()
    expect((await look(session, 'set @x 0.002; buy @x')).orders.map(({ amount }) => amount)).toEqual(['0.002'])
    expect(session.ports.variables.read()).toEqual({})
  })

  it('leaves out what the venue does not say', async () => {
    const session = await createSession({
      exchange: (paper) =>
        live(paper, {
          loadMarkets: async () =>
            (await paper.loadMarkets()).map(({ makerFee: _, takerFee: __, ...market }) => market),
          fetchMargin: async () => ({}),
        }),
    })
    const [order] = (await look(session, 'buy $250 stop -2%')).orders
    expect(order).toMatchObject({ amount: '0.003', stop: { pnl: '-3.9003' } })
    expect(order).not.toHaveProperty('fee')
    expect(order).not.toHaveProperty('margin')
    expect(order).not.toHaveProperty('liquidationPrice')
  })

  it('works the same orders out where nothing can be tried', async () => {
    const session = await createSession({ exchange: (paper) => live(paper) })
    const { orders, ok } = await look(session, 'buy 0.01 at -1% po; sell $500 stop +2%; close')
    expect(ok).toBe(true)
    expect(
      orders.map(({ side, type, amount, price, stop }) => [side, type, amount, price, stop?.triggerPrice]),
    ).toEqual([
      ['buy', 'limit', '0.01', '64350', undefined],
      ['sell', 'market', '0.007', undefined, '66300'],
    ])
  })

  it('names a question that has no answer, and leaves its figures out', async () => {
    let asked = 0
    const session = await createSession({
      exchange: (paper) =>
        live(paper, {
          async fetchMargin() {
            asked += 1
            throw new ExchangeError('network', 'no answer')
          },
        }),
    })
    const { orders, notes } = await look(session, 'buy 0.01')
    expect(asked).toBe(1)
    expect(orders[0]).not.toHaveProperty('margin')
    expect(notes).toContain('the leverage of BTCUSDT is not known: no answer')
  })

  it('ends in time when the venue does not answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const session = await createSession({
      exchange: (paper) => live(paper, { fetchTicker: () => new Promise(() => {}) }),
    })
    let preview: unknown
    void session.ports.preview({ command: 'buy $250', source: 'repl' }).then((ended) => {
      preview = ended
    })
    await vi.advanceTimersByTimeAsync(WIRE_LIMITS.previewMs - 1)
    expect(preview).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(preview).toMatchObject({ ok: false, orders: [], errors: [{ code: 'not-finished' }] })
  })

  it('ends at once when it is called off, and tells when nothing of it is under way any more', async () => {
    let isAnswering = false
    let answer = (): void => {}
    const hung = new Promise<void>((resolve) => {
      answer = resolve
    })
    const session = await createSession({
      exchange: (paper) =>
        live(paper, {
          fetchTicker: (symbol) =>
            isAnswering ? paper.fetchTicker(symbol) : hung.then(() => paper.fetchTicker(symbol)),
        }),
    })
    const calledOff = new AbortController()
    let ended = false
    const asked = session.ports.preview(
      { command: 'buy $250', source: 'repl' },
      {
        signal: calledOff.signal,
        onEnded: () => {
          ended = true
        },
      },
    )
    await session.settle()
    calledOff.abort()
    expect((await asked).errors.map(({ code }) => code)).toEqual(['not-finished'])
    expect(ended).toBe(false)
    isAnswering = true
    answer()
    await session.settle()
    expect(ended).toBe(true)
  })

  it('stops at a thousand steps, and says so', async () => {
    const session = await createSession()
    const { notes } = await look(session, 'repeat 1000 (echo x; echo y)')
    expect(notes).toEqual(['only the first 1000 steps are computed'])
  })
})

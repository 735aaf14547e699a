import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSession } from '../../../harness/commands/command-session.ts'
import type { ExchangeEvent } from '../../../src/exchange/exchange.ts'
import type { Order } from '../../../src/exchange/order.ts'
import { ANSWER_MS, PortfolioSource } from '../../../src/listener/topics/portfolio.ts'
import type { TradingAccount } from '../../../src/trading/order-desk.ts'
import { BUY, STOP, stageDesk } from '../../trading/desk-stage.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

async function start() {
  const session = await createSession()
  await session.run('account add slow paper')
  const asked: string[] = []
  const source = new PortfolioSource({
    services: session.ports,
    connect(name) {
      asked.push(name)
      return name === 'slow' ? new Promise(() => {}) : session.connect(name)
    },
    hasSubscribers: () => true,
    onBug(error) {
      throw error
    },
  })
  const stop = source.watch(() => {})
  return { session, source, asked, stop }
}

describe('a venue that never answers', () => {
  it('is told of after ten seconds, and asked no second time meanwhile', async () => {
    const { session, source, asked, stop } = await start()
    await session.run('account use slow')
    for (let seconds = 0; seconds < 30; seconds++) {
      await vi.advanceTimersByTimeAsync(ANSWER_MS / 10)
      if (seconds === 8) expect(source.problem()).toBeUndefined()
    }
    expect(source.problem()).toBe('account slow does not answer')
    expect(asked).toEqual(['slow'])
    stop()
  })

  it('is not told of an account that is being asked when its symbol changes', async () => {
    const { session, source, stop } = await start()
    source.snapshot()
    const problems: (string | undefined)[] = []
    source.watchProblem(() => problems.push(source.problem()))
    await session.ports.focus.set({ symbol: 'ETHUSDT' })
    await session.settle()
    expect(source.snapshot()).toMatchObject({ account: 'paper', symbol: 'ETHUSDT' })
    expect(problems.filter((problem) => problem !== undefined)).toEqual([])
    stop()
  })

  it('does not keep the next account in focus waiting', async () => {
    const { session, source, stop } = await start()
    await session.run('account use slow')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(source.snapshot()).toBeUndefined()
    await session.run('account use paper')
    await session.settle()
    expect(source.snapshot()).toMatchObject({ account: 'paper' })
    expect(source.problem()).toBeUndefined()
    stop()
  })
})

/** The paper account of the session as if it were elsewhere, and every question counted. */
async function startLive() {
  const session = await createSession()
  const account = await session.connect('paper')
  const handlers = new Set<(event: ExchangeEvent) => void>()
  const live = { stream: 'live' as 'live' | 'stale', looks: 0, balances: await account.venue.fetchBalances() }
  const venue = new Proxy(account.venue, {
    get(target, name) {
      if (name === 'id') return 'binance'
      if (name === 'stream') return live.stream
      if (name === 'fetchBalances') return async () => live.balances
      if (name === 'fetchOpenOrders') live.looks += 1
      if (name !== 'subscribe') return Reflect.get(target, name)
      return (handler: (event: ExchangeEvent) => void) => {
        handlers.add(handler)
        return () => handlers.delete(handler)
      }
    },
  })
  const source = new PortfolioSource({
    services: session.ports,
    connect: async () => ({ ...account, venue }),
    hasSubscribers: () => true,
    onBug(error) {
      throw error
    },
  })
  const stop = source.watch(() => {})
  const tell = (event: ExchangeEvent) => {
    for (const handler of handlers) handler(event)
  }
  const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000)
  return { session, source, live, stop, tell, pass }
}

describe('a live account', () => {
  it('is shown in what its contracts settle in, whatever coins are beside it', async () => {
    const { session, source, live, stop } = await startLive()
    const [money] = live.balances
    if (money === undefined) throw new Error('there is no money')
    live.balances = [{ ...money, currency: 'BNB', wallet: '3', total: '3' }, ...live.balances]
    source.snapshot()
    await session.settle()
    expect(source.snapshot()).toMatchObject({ balance: money })
    stop()
  })

  it('is asked every ten seconds while nothing happens there', async () => {
    const { session, source, live, stop, pass } = await startLive()
    source.snapshot()
    await session.settle()
    expect(live.looks).toBe(1)
    await pass(9)
    expect(live.looks).toBe(1)
    await pass(21)
    expect(live.looks).toBe(4)
    stop()
  })

  it('is asked once at the next second, however much happens', async () => {
    const { session, source, live, stop, tell, pass } = await startLive()
    source.snapshot()
    await session.settle()
    for (let fill = 0; fill < 50; fill += 1) tell({ type: 'stream', state: 'resynced' })
    await pass(1)
    await session.settle()
    await pass(1)
    expect(live.looks).toBe(2)
    stop()
  })

  it('is told as stale at once, and as current again', async () => {
    const { session, source, live, stop, tell } = await startLive()
    source.snapshot()
    await session.settle()
    const told: boolean[] = []
    source.watchProblem(() => told.push(source.isStale()))
    expect(source.isStale()).toBe(false)
    live.stream = 'stale'
    tell({ type: 'stream', state: 'stale' })
    live.stream = 'live'
    tell({ type: 'stream', state: 'resynced' })
    expect(told).toEqual([true, false])
    stop()
    expect(source.isStale()).toBe(false)
  })
})

describe('a paper account', () => {
  it('is looked at with each price of its symbol: position, last price and book are of one moment', async () => {
    const session = await createSession()
    await session.run('buy 0.01 BTCUSDT')
    const source = new PortfolioSource({
      services: session.ports,
      connect: (name) => session.connect(name),
      hasSubscribers: () => true,
      onBug(error) {
        throw error
      },
    })
    const stop = source.watch(() => {})
    source.snapshot()
    await session.settle()
    for (const price of ['65100', '64900']) {
      session.market.setPrice('BTCUSDT', price)
      await session.advance(1_000)
      expect(source.snapshot()).toMatchObject({ last: price, positions: [{ markPrice: price }] })
    }
    stop()
  })
})

describe('an entry that another hookline of this directory protects', () => {
  it('has its stop, as one of this process has', async () => {
    const desks = stageDesk()
    const [first, second] = [desks.openDesk(), desks.openDesk()]
    first.start({ ...BUY, type: 'limit', price: '62000', protection: STOP })
    await desks.settle()
    const session = await createSession()
    const stops = [first, second].map(async ({ desk }) => {
      const source = new PortfolioSource({
        services: session.ports,
        connect: async () => ({ venue: desks.market.exchange, orders: desk }) as unknown as TradingAccount,
        hasSubscribers: () => true,
        onBug(error) {
          throw error
        },
      })
      const stop = source.watch(() => {})
      source.snapshot()
      await vi.waitFor(() => expect(source.snapshot()).toBeDefined())
      stop()
      return source.snapshot()
    })
    expect(second.desk.records.isOwn((await desks.market.exchange.fetchOpenOrders())[0] as Order)).toBe(false)
    const shown = { orders: [{ stop: { triggerPrice: '60000' } }] }
    expect(await Promise.all(stops)).toMatchObject([shown, shown])
  })
})

// A tab with an account of its own: what its header is told is of that account or of none, whatever venues do and wherever the focus goes.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSession } from '../../../harness/commands/command-session.ts'
import { delay } from '../../../src/app/delay.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'
import { MarketWatches, PortfolioWatches } from '../../../src/listener/requests/watches.ts'
import { ANSWER_MS } from '../../../src/listener/topics/portfolio.ts'
import { type ServerFrame, WIRE_LIMITS } from '../../../src/protocol/frames.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

function tab(id: string) {
  const frames: ServerFrame[] = []
  return { id, isWelcomed: true, isBehind: false, frames, send: (frame: ServerFrame) => void frames.push(frame) }
}

async function start() {
  const session = await createSession()
  await session.run('account add slow paper')
  const asked: string[] = []
  const ports = {
    config: session.ports.config,
    connect(name: string) {
      asked.push(name)
      return name === 'slow' ? new Promise<never>(() => {}) : session.connect(name)
    },
    clock: { now: () => Date.now(), delay },
    onBug(error: unknown) {
      throw error
    },
  }
  return { session, asked, portfolios: new PortfolioWatches(ports), markets: new MarketWatches(ports) }
}

describe('a tab on an account whose venue never answers', () => {
  it('is told so, and never the figures of another account, also when the focus moves', async () => {
    const { session, portfolios } = await start()
    const [slow, paper] = [tab('1'), tab('2')]
    portfolios.begin(slow, 'p', { account: 'slow', symbol: 'BTCUSDT' })
    portfolios.begin(paper, 'p', { account: 'paper', symbol: 'BTCUSDT' })
    await session.run('account use slow; account use paper; symbol ETHUSDT')
    for (let step = 0; step < 15; step += 1) await vi.advanceTimersByTimeAsync(ANSWER_MS / 10)
    expect(slow.frames).toEqual([{ t: 'error', id: 'p', error: 'account slow does not answer' }])
    expect(paper.frames.length).toBeGreaterThan(0)
    for (const frame of paper.frames)
      expect(frame).toMatchObject({ t: 'state:portfolio', id: 'p', account: 'paper', symbol: 'BTCUSDT' })
    portfolios.stop()
  })

  it('is asked once for all who watch it, and no more once nobody does', async () => {
    const { portfolios, markets, asked } = await start()
    const tabs = [tab('1'), tab('2'), tab('3')]
    for (const each of tabs) {
      portfolios.begin(each, 'p', { account: 'slow', symbol: 'BTCUSDT' })
      markets.begin(each, 'm', { account: 'slow', symbol: 'BTCUSDT', interval: '1m' })
    }
    await vi.advanceTimersByTimeAsync(3 * ANSWER_MS)
    expect(asked).toEqual(['slow', 'slow'])
    for (const each of tabs) {
      portfolios.forget(each)
      markets.forget(each)
    }
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked).toEqual(['slow', 'slow'])
    portfolios.stop()
    markets.stop()
  })
})

describe('a tab on an account that is changed', () => {
  it('goes on at its new venue', async () => {
    const { session, markets } = await start()
    const each = tab('1')
    markets.begin(each, 'm', { account: 'paper', symbol: 'BTCUSDT', interval: '1m' })
    await session.settle()
    const account = await session.connect('paper')
    const other = new Proxy(account.venue, {
      get: (target, name) => (name === 'id' ? 'elsewhere' : Reflect.get(target, name)),
    })
    vi.spyOn(session, 'connect').mockImplementation(async () => ({ ...account, venue: other }))
    await vi.advanceTimersByTimeAsync(20_000)
    await session.settle()
    await vi.advanceTimersByTimeAsync(WIRE_LIMITS.marketMs)
    session.market.setPrice('BTCUSDT', '64000')
    await session.advance(1_000)
    await vi.advanceTimersByTimeAsync(4 * WIRE_LIMITS.marketMs)
    expect(each.frames.at(-1)).toMatchObject({ t: 'state:market', exchange: 'elsewhere' })
    markets.stop()
  })
})

describe('what all tabs watch together', () => {
  it('is so many and no more; what nobody watches is kept for 5 s, and then makes room', async () => {
    const { portfolios, markets, asked } = await start()
    for (let n = 0; n < LISTENER_LIMITS.markets; n += 1) {
      const place = { account: 'slow', symbol: `COIN${n}`, interval: '1m' } as const
      expect(markets.begin(tab(`${n}`), 'm', place)).toBeUndefined()
    }
    const late = tab('late')
    const place = { account: 'slow', symbol: 'LATE', interval: '1m' } as const
    expect(markets.begin(late, 'm', place)).toBe(`more than ${LISTENER_LIMITS.markets} markets are watched`)
    const [first] = [tab('0')]
    for (let n = 0; n < LISTENER_LIMITS.portfolios; n += 1)
      portfolios.begin(tab(`${n}`), 'p', { account: 'slow', symbol: `COIN${n}` })
    const refusal = `more than ${LISTENER_LIMITS.portfolios} portfolios are watched`
    expect(portfolios.begin(late, 'p', { account: 'slow', symbol: 'LATE' })).toBe(refusal)

    const before = asked.length
    markets.end(first, 'm')
    expect(markets.begin(late, 'm', place)).toBeDefined()
    expect(markets.begin(late, 'm', { ...place, symbol: 'COIN0' })).toBeUndefined()
    expect(asked).toHaveLength(before)
    markets.end(late, 'm')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(markets.begin(late, 'm', place)).toBeUndefined()
    expect(asked.length).toBeGreaterThan(before)
    portfolios.stop()
    markets.stop()
  })
})

describe('a tab that reads slowly', () => {
  it('is sent nothing meanwhile, and then the newest of its market', async () => {
    const { session, markets } = await start()
    const slow = tab('1')
    markets.begin(slow, 'm', { account: 'paper', symbol: 'BTCUSDT', interval: '1m' })
    await session.settle()
    await vi.advanceTimersByTimeAsync(WIRE_LIMITS.marketMs)
    slow.isBehind = true
    const before = slow.frames.length
    expect(before).toBeGreaterThan(0)
    for (const price of ['61000', '62000', '63000']) {
      session.market.setPrice('BTCUSDT', price)
      await session.advance(1_000)
      await vi.advanceTimersByTimeAsync(2 * WIRE_LIMITS.marketMs)
    }
    expect(slow.frames).toHaveLength(before)
    slow.isBehind = false
    await vi.advanceTimersByTimeAsync(WIRE_LIMITS.marketMs)
    expect(slow.frames.slice(before)).toMatchObject([{ t: 'state:market', id: 'm', ticker: { last: '63000' } }])
    markets.stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})

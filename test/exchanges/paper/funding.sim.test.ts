// What longs pay shorts, on a paper account that follows a venue.
import { describe, expect, it } from 'vitest'
import { CALM, openLive, settle } from '../../../harness/venues/followed-stage.ts'
import { balanceOf, place, type Wanted } from '../../../harness/venues/place.ts'

const buy: Wanted = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.1' }

describe('funding', () => {
  async function openHolding(side: 'buy' | 'sell') {
    const stage = await openLive()
    const at = stage.now() + 90_000
    stage.feed.funding = { symbol: 'BTCUSDT', rate: '0.0001', at }
    await place(stage.exchange, { ...buy, side })
    const wallet = (await balanceOf(stage.exchange)).wallet
    const passTime = async (ms: number) => {
      for (let left = ms; left > 0; left -= 1000) {
        await stage.advance(1000)
        stage.feed.quote('BTCUSDT', '65000', CALM)
        await settle()
      }
    }
    const received = async () => Number((await balanceOf(stage.exchange)).wallet) - Number(wallet)
    return { ...stage, at, passTime, received }
  }

  it.each([
    { side: 'buy', paid: -0.65, amount: '0.1' },
    { side: 'sell', paid: 0.65, amount: '-0.1' },
  ] as const)('is booked when it is due, once: $side gets $paid', async ({ side, paid, amount }) => {
    const { exchange, passTime, received, at, store } = await openHolding(side)
    await passTime(80_000)
    expect(await received()).toBe(0)
    await passTime(200_000)
    expect(await received()).toBeCloseTo(paid, 8)
    const [position] = await exchange.fetchPositions()
    expect(Number(position?.realizedPnl)).toBeCloseTo(paid, 8)
    expect(store.read().payments).toEqual([
      { symbol: 'BTCUSDT', at, rate: '0.0001', amount, markPrice: '65000', received: paid.toFixed(2) },
    ])
  })

  it('is not paid by a position that was opened after it was due', async () => {
    const { exchange, passTime, received } = await openHolding('buy')
    await passTime(60_000)
    await place(exchange, { ...buy, side: 'sell', reduceOnly: true })
    const before = await received()
    await passTime(40_000)
    await place(exchange, buy)
    const fee = 0.1 * 65_000.1 * 0.0005
    await passTime(10_000)
    expect((await received()) - before).toBeCloseTo(-fee, 8)
  })

  it('is paid once by two processes on the account', async () => {
    const { openExchange, feeds, passTime, store } = await openHolding('buy')
    const other = openExchange()
    other.subscribe(() => {})
    const [first, second] = feeds
    await settle()
    if (second === undefined || first === undefined) throw new Error('there is no second feed')
    second.funding = first.funding
    const asked = other.fetchTicker('BTCUSDT')
    await settle()
    second.quote('BTCUSDT', '65000', CALM)
    second.stream('BTCUSDT', 'live')
    await asked
    await passTime(89_000)
    second.quote('BTCUSDT', '65000', CALM)
    await passTime(10_000)
    second.quote('BTCUSDT', '65000', CALM)
    await settle()
    expect(store.read().payments).toHaveLength(1)
  })

  it('is not made up for a gap: what fell due long before prices are heard again is not booked', async () => {
    const { feed, advance, received } = await openHolding('buy')
    await advance(1000)
    feed.stream('BTCUSDT', 'stale')
    await advance(90_000 + 6 * 60_000)
    feed.quote('BTCUSDT', '65000', CALM)
    feed.stream('BTCUSDT', 'resynced')
    await settle()
    expect(await received()).toBe(0)
  })
})

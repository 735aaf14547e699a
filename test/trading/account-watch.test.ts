// Two desks on one account are two processes: each is told what the other does, and not what it does itself.
import { describe, expect, it } from 'vitest'
import { watchAccount } from '../../src/trading/account-watch.ts'
import type { OrderEvent } from '../../src/trading/order-event.ts'
import { OwnOrders } from '../../src/trading/own-orders.ts'
import { BUY, STOP, stageDesk } from './desk-stage.ts'

function stage() {
  const staged = stageDesk()
  const here = staged.openDesk()
  const elsewhere = staged.openDesk()
  const told: OrderEvent[] = []
  const stop = watchAccount({
    venue: staged.market.openExchange(),
    orders: here.desk,
    tell: (event) => told.push(event),
  })
  return { ...staged, here, elsewhere, told, stop }
}

describe('watching an account', () => {
  it('tells the fills of an order that another process placed, once and together', async () => {
    const { elsewhere, told, settle } = stage()
    elsewhere.start(BUY)
    await settle()
    expect(told).toMatchObject([{ type: 'elsewhere', trades: [{ amount: '0.01' }], order: { status: 'closed' } }])
  })

  it('tells nothing of what this process places, fills, protects and takes back', async () => {
    const { here, told, settle } = stage()
    here.start({ ...BUY, protection: STOP })
    here.start({ ...BUY, type: 'limit', price: '60000' })
    await settle()
    await here.desk.cancelAll(undefined, here.by())
    await settle()
    expect(told).toEqual([])
  })

  it('tells nothing of a cancel by this process of an order that another one placed', async () => {
    const { here, elsewhere, told, settle, market } = stage()
    for (const price of ['60000', '61000']) elsewhere.start({ ...BUY, type: 'limit', price })
    await settle()
    const [first] = await market.exchange.fetchOpenOrders()
    await here.desk.cancel({ symbol: 'BTCUSDT', id: first?.id ?? '' }, here.by())
    await here.desk.cancelAll('BTCUSDT', here.by())
    await settle()
    expect(told).toEqual([])
  })

  it('tells a cancel by another process, though this one placed nothing', async () => {
    const { elsewhere, told, settle } = stage()
    elsewhere.start({ ...BUY, type: 'limit', price: '60000' })
    await settle()
    await elsewhere.desk.cancelAll(undefined, elsewhere.by())
    await settle()
    expect(told).toMatchObject([{ type: 'elsewhere', trades: [], order: { status: 'canceled' } }])
  })

  it('tells a stop that fires and a limit that fills later', async () => {
    const { elsewhere, told, settle, market, advance } = stage()
    elsewhere.start(BUY)
    elsewhere.start({ symbol: 'BTCUSDT', side: 'sell', type: 'stop', amount: '0.01', triggerPrice: '60000' })
    await settle()
    told.length = 0
    market.setPrice('BTCUSDT', '59000')
    await advance(1_000)
    expect(told).toMatchObject([
      { order: { type: 'stop', status: 'closed' }, trades: [{ side: 'sell', amount: '0.01' }] },
    ])
  })

  it('tells a liquidation with its reason', async () => {
    const { elsewhere, told, settle, market, advance } = stage()
    elsewhere.start({ ...BUY, amount: '1.4' })
    await settle()
    told.length = 0
    market.setPrice('BTCUSDT', '57000')
    await advance(1_000)
    expect(told).toMatchObject([{ type: 'elsewhere', reason: expect.stringContaining('liquidated') }])
  })

  it('ends when it is told to, and tells what has come by then', async () => {
    const { elsewhere, told, settle, stop } = stage()
    elsewhere.start(BUY)
    await settle()
    stop()
    elsewhere.start(BUY)
    await settle()
    expect(told).toHaveLength(1)
  })
})

describe('an order of this process', () => {
  it('is known by its number on its own symbol: another symbol has others of that number', () => {
    const own = new OwnOrders()
    own.addPlaced({ symbol: 'BTCUSDT', id: '1' })
    own.addTakenBack('BTCUSDT', '1')
    const names = ['BTCUSDT', 'ETHUSDT'].map((symbol) => ({ symbol, id: '1' }))
    expect(names.map((each) => [own.has(each), own.isTakenBack(each)])).toEqual([
      [true, true],
      [false, false],
    ])
  })
})

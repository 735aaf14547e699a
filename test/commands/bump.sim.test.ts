import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { defined } from '../../src/base/defined.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'

const prices = async (exchange: Exchange) =>
  (await exchange.fetchOpenOrders()).map(({ id, price, triggerPrice }) => [id, price ?? triggerPrice])

async function stage(exchange?: (paper: Exchange) => Exchange) {
  const session = await createSession(defined({ exchange }))
  await session.run('buy 0.01 at 60000; buy 0.01 at 64000 po; sell 0.01 at 66000; sell 1 ETHUSDT at 3100')
  return session
}

const noEdit = (paper: Exchange): Exchange => ({
  ...paper,
  capabilities: { ...paper.capabilities, editOrder: false },
  editOrder: () => Promise.reject(new Error('it cannot')),
})

describe('bump', () => {
  it('moves every limit order on the symbol in focus, in its place, by the same offset', async () => {
    const { run, market } = await stage()
    expect(await run('bump -100')).toEqual([
      'success order p1 is now: buy 0.01 BTCUSDT at 59,900',
      'success order p2 is now: buy 0.01 BTCUSDT at 63,900, post-only',
      'success order p3 is now: sell 0.01 BTCUSDT at 65,900',
    ])
    expect(await prices(market.exchange)).toEqual([
      ['p1', '59900'],
      ['p2', '63900'],
      ['p3', '65900'],
      ['p4', '3100'],
    ])
  })

  it('counts a percentage from the price of each, and keeps post-only orders on their side of it', async () => {
    const { run } = await stage()
    expect(await run('bump p1,p2 -0.0337%')).toEqual([
      'success order p1 is now: buy 0.01 BTCUSDT at 59,979.8',
      'success order p2 is now: buy 0.01 BTCUSDT at 63,978.4, post-only',
    ])
  })

  it('takes ids and symbols, each order once', async () => {
    const { run, market } = await stage()
    await run('bump p3 BTCUSDT,ETHUSDT +10')
    expect(await prices(market.exchange)).toEqual([
      ['p1', '60010'],
      ['p2', '64010'],
      ['p3', '66010'],
      ['p4', '3110'],
    ])
  })

  it('moves none through the market: none at all where one would go', async () => {
    const { run, market } = await stage()
    expect(await run('bump +1500')).toEqual([
      expect.stringMatching(/^error p2: a buy at 65,500 would not rest: the ask is 65,000.1 \(/),
      'error none-moved: p2 refused: no order was moved | choose another offset, or name the orders to move',
    ])
    expect(await run('bump p3 -1000.1')).toEqual([
      expect.stringMatching(/^error bad-price: a sell at 64,999.9 would not rest: the bid is 64,999.9 \| /),
    ])
    expect(await prices(market.exchange)).toEqual([
      ['p1', '60000'],
      ['p2', '64000'],
      ['p3', '66000'],
      ['p4', '3100'],
    ])
  })

  it('refuses what would not move an order, or leave it no price', async () => {
    const { run } = await stage()
    expect(await run('bump p1 +0.01')).toEqual([
      'error bad-price: order p1 would stay at 60,000 | BTCUSDT trades in steps of 0.1',
    ])
    expect(await run('bump p1 -60000')).toEqual([expect.stringMatching(/^error bad-price: that price would be 0/)])
  })

  it('leaves stops alone, and says so of one that was named', async () => {
    const { run, market } = await stage()
    await run('cancel all; buy 0.01 ETHUSDT stop -2%')
    expect(await run('bump ETHUSDT +1')).toEqual([
      'error order-not-found: no limit order rests on ETHUSDT | `orders` lists what rests',
    ])
    const [stop] = await market.exchange.fetchOpenOrders()
    expect(await run(`bump ${stop?.id} +1`)).toEqual([
      `error bad-price: order ${stop?.id} is a stop order, and \`bump\` moves limit orders | \`move ${stop?.id} to <price>\` moves its trigger`,
    ])
    expect(await run('bump +1')).toEqual([
      'error order-not-found: no limit order rests on BTCUSDT | `orders` lists what rests',
    ])
    expect(await run('bump p99 +1')).toEqual([
      'error bad-argument: `p99` is neither an open order nor a symbol | `orders` lists what can be moved',
    ])
  })

  it('takes nothing back without being told to, where the venue changes no orders', async () => {
    const { run, market } = await stage(noEdit)
    expect(await run('bump -100')).toEqual([
      'error not-supported: paper cannot change an order in its place | add `replace` to cancel it and place another, at the end of the queue',
    ])
    expect(await run('bump -100 replace')).toHaveLength(6)
    expect(await prices(market.exchange)).toEqual([
      ['p4', '3100'],
      ['p5', '59900'],
      ['p6', '63900'],
      ['p7', '65900'],
    ])
    expect((await market.exchange.fetchOpenOrders()).filter(({ postOnly }) => postOnly)).toMatchObject([{ id: 'p6' }])
  })

  it('tells programs each order as it is now, and sends nothing with --dry', async () => {
    const session = await stage()
    const run = session.start('bump +10')
    await run.done
    expect(run.data).toMatchObject([
      { type: 'amended', order: { id: 'p1', price: '60010' } },
      { type: 'amended', order: { id: 'p2', price: '64010' } },
      { type: 'amended', order: { id: 'p3', price: '66010' } },
    ])
    expect(await session.run('bump +10 --dry')).toEqual([
      'info simulated: would change order p1 to at 60,020',
      'info simulated: would change order p2 to at 64,020',
      'info simulated: would change order p3 to at 66,020',
    ])
  })
})

describe('move', () => {
  it('moves an order, or the trigger of a stop, to a price', async () => {
    const { run, market } = await stage()
    expect(await run('move p1 to 61000')).toEqual(['success order p1 is now: buy 0.01 BTCUSDT at 61,000'])
    expect(await run('move p1 62000')).toEqual(['success order p1 is now: buy 0.01 BTCUSDT at 62,000'])
    expect(await run('move p1 at -1%')).toEqual(['success order p1 is now: buy 0.01 BTCUSDT at 64,350'])
    await run('cancel all; buy 0.01 stop -2%')
    const [stop] = await market.exchange.fetchOpenOrders()
    expect(await run(`move ${stop?.id} to 64000`)).toEqual([
      `success order ${stop?.id} is now: stop sell 0.01 BTCUSDT at 64,000, reduce-only`,
    ])
  })

  it('takes a bare number for a price, where `amend` takes it for a size', async () => {
    const { run } = await stage()
    expect(await run('amend p1 0.02')).toEqual(['success order p1 is now: buy 0.02 BTCUSDT at 60,000'])
    expect(await run('move p3 0.02')).toEqual([
      expect.stringMatching(/^error bad-price: 0.1 is more than 5% below the bid/),
    ])
  })
})

// Coins are held, not entered: what a spot account takes, and what it refuses in words before anything leaves.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { type SpotMarket, spotOver } from '../../harness/venues/spot-market.ts'
import type { Capabilities } from '../../src/exchange/exchange.ts'

/** 0.5 BTC are free. */
async function stage(capabilities: Partial<Capabilities> = {}) {
  let venue: SpotMarket | undefined
  const session = await createSession({
    exchange(paper) {
      venue = spotOver(paper, '0.5', capabilities)
      return venue
    },
  })
  if (venue === undefined) throw new Error('no venue was made')
  return { session, venue }
}

describe('on spot', () => {
  it.each<[string, object]>([
    ['stop at -2%', { side: 'sell', type: 'stop', amount: '0.5', triggerPrice: '63700' }],
    [
      'stop at -2% limit -0.2%',
      { side: 'sell', type: 'stop-limit', amount: '0.5', triggerPrice: '63700', price: '63572.6' },
    ],
    ['stop 50% at -2%', { side: 'sell', type: 'stop', amount: '0.25', triggerPrice: '63700' }],
    ['take at +4%', { side: 'sell', type: 'take-profit', amount: '0.5', triggerPrice: '67600' }],
    ['tp 0.1 at +4%', { side: 'sell', type: 'take-profit', amount: '0.1' }],
    ['close', { side: 'sell', type: 'market', amount: '0.5' }],
    ['close 50%', { side: 'sell', type: 'market', amount: '0.25' }],
    ['buy $100 ioc at +0.1%', { side: 'buy', type: 'limit', timeInForce: 'ioc' }],
  ])('%s sends an order that reduces no position', async (line, order) => {
    const { session, venue } = await stage()
    expect(await session.start(line).done).toBe(true)
    expect(venue.sent).toEqual([expect.objectContaining(order)])
    expect(venue.sent[0]).not.toHaveProperty('reduceOnly')
  })

  it.each<[string, readonly object[]]>([
    [
      'scale sell 50% into 2 from 66000 to 67000',
      [
        { side: 'sell', type: 'limit', amount: '0.125', price: '66000' },
        { side: 'sell', type: 'limit', amount: '0.125', price: '67000' },
      ],
    ],
    [
      'swarm sell 100% into 2',
      [
        { side: 'sell', type: 'market', amount: '0.25' },
        { side: 'sell', type: 'market', amount: '0.25' },
      ],
    ],
  ])('%s is of the coins that are free', async (line, orders) => {
    const { session, venue } = await stage()
    await session.start(line).done
    expect(venue.sent).toMatchObject(orders)
  })

  it.each(['scale sell 50% into 2 from 66000 to 67000 reduce', 'swarm sell 50% into 2 reduce'])(
    '%s is refused: coins are no position',
    async (line) => {
      const { session, venue } = await stage()
      expect(await session.run(line)).toEqual([expect.stringMatching(/^error not-supported: a spot account has no/)])
      expect(venue.sent).toEqual([])
    },
  )

  it('nuke takes back what buys, sells no coins, leaves their stops, and says so', async () => {
    const { session, venue } = await stage()
    await session.run('buy 0.01 at -1%; stop 0.1 at -2%')
    const lines = await session.run('nuke --yes')
    expect(lines).toContain('success account paper: resting orders are canceled, except stops that sell its coins')
    expect(lines).toContainEqual(expect.stringMatching(/^warn account paper: coins of a spot account are not sold/))
    expect((await venue.fetchOpenOrders()).map(({ type }) => type)).toEqual(['stop'])
  })

  it('a stop of an entry sells the coins again', async () => {
    const { session, venue } = await stage()
    await session.run('buy 0.01 stop -2%')
    expect(venue.sent).toMatchObject([
      { side: 'buy', amount: '0.01' },
      { side: 'sell', type: 'stop', triggerPrice: '63700' },
    ])
    expect(venue.sent[1]).not.toHaveProperty('reduceOnly')
  })

  it('stop and take-profit of an entry are one order where the venue has such orders', async () => {
    const { session, venue } = await stage({ oco: true })
    await session.run('buy 0.01 stop -2% tp +4%')
    expect(venue.sent).toMatchObject([
      { side: 'buy' },
      { side: 'sell', type: 'stop', triggerPrice: '63700', takeProfitPrice: '67600' },
    ])
  })

  it.each<[string, RegExp]>([
    ['buy $100 stop -2% tp +4%', /^error not-supported: coins cannot hold a stop and a take-profit for the same coins/],
    ['sell 0.1 stop +2%', /^error not-supported: selling BTC on spot opens no position to protect/],
    ['sell 0.1 reduce', /^error not-supported: a spot account has no positions that could be reduced/],
    ['leverage', /^error not-supported: a spot account has no margin/],
    ['leverage 5', /^error not-supported: a spot account has no margin/],
    ['margin isolated', /^error not-supported: a spot account has no margin/],
    ['close 7.0', /^error above-position: 7\.0 is more than what is free on BTCUSDT: 0\.5 BTC/],
    ['close all', /^error not-supported: a spot account has no positions, only coins/],
    ['close longs', /^error not-supported: a spot account has no positions, only coins/],
  ])('%s is refused, and nothing leaves', async (line, refusal) => {
    const { session, venue } = await stage()
    expect(await session.run(line)).toEqual([expect.stringMatching(refusal)])
    expect(venue.sent).toEqual([])
    expect(session.journal).toEqual([])
  })

  it('refuses what the venue does not take by its own list', async () => {
    const { session, venue } = await stage({ orderTypes: ['market', 'limit'] })
    for (const line of ['stop at -2%', 'stop at -2% limit -0.2%', 'take at +4%', 'buy $100 stop -2%']) {
      expect(await session.run(line), line).toEqual([
        expect.stringMatching(/^error not-supported: coins takes no [a-z-]+ orders \| use market, limit$/),
      ])
    }
    expect(venue.sent).toEqual([])
  })

  it('closes no coins that are not there', async () => {
    const { session, venue } = await stage()
    expect(await session.run('close ETHUSDT')).toEqual(['info no ETH is free'])
    expect(venue.sent).toEqual([])
  })
})

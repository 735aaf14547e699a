// What a person or the venue does at the market beside hookline, where no stream tells: it is in no list of open orders.
import { describe, expect, it } from 'vitest'
import { bitgetModel } from '../../../harness/venues/models/bitget.ts'
import { bybitModel } from '../../../harness/venues/models/bybit.ts'
import { gateModel } from '../../../harness/venues/models/gate.ts'
import type { ModelSpec } from '../../../harness/venues/models/model.ts'
import type { Trade } from '../../../src/exchange/order.ts'
import { Stage } from './describe-scenes.ts'
import './play.ts'

const VENUES: Readonly<Record<string, () => ModelSpec>> = {
  Gate: () => gateModel('linear'),
  Bybit: () => bybitModel('linear'),
  Bitget: bitgetModel,
}

describe.each(Object.entries(VENUES))('on %s', (_name, start) => {
  async function staged(play: (stage: Stage) => Promise<void>): Promise<void> {
    const stage = await Stage.open(start())
    try {
      await play(stage)
    } finally {
      await stage.close()
    }
  }

  /** A position whose own fills have been told, a while ago. */
  const held = async (stage: Stage) => {
    await stage.place()
    await stage.advance(9_000)
    stage.events.length = 0
  }
  const told = ({ events }: Stage): readonly Trade[] =>
    events.flatMap((event) => (event.type === 'trade' ? [event.trade] : []))

  it('a position that the trader closes on the page is told within 5 s', () =>
    staged(async (stage) => {
      await held(stage)
      const { engine } = stage.model
      const { amount } = engine.account.held(stage.market)
      engine.place({ market: stage.market, clientId: '', side: 'sell', amount, reduceOnly: true, timeInForce: 'ioc' })
      await stage.advance(5_000)
      expect(told(stage)).toMatchObject([{ side: 'sell' }])
    }))

  it('a liquidation is told within 5 s, as one', () =>
    staged(async (stage) => {
      await held(stage)
      stage.model.engine.takeAway(stage.symbol, 'liquidation')
      await stage.advance(5_000)
      expect(told(stage)).toMatchObject([{ side: 'sell', cause: 'liquidation' }])
      const ends = stage.events.flatMap((event) => (event.type === 'order' ? [event.order.status] : []))
      expect(ends.filter((status) => status !== 'closed')).toEqual([])
    }))

  it('a take-profit that is asked for after a restart as what it was is listed as one', () =>
    staged(async (stage) => {
      const { amount } = await stage.guarded()
      const triggerPrice = await stage.price(4)
      const take = await stage.place({ side: 'sell', type: 'take-profit', amount, triggerPrice, reduceOnly: true })
      await stage.restart()
      const { id, symbol, clientOrderId = '', type } = take
      await stage.exchange.fetchOpenOrders(symbol)
      await stage.exchange.fetchOrder({ symbol, id, clientOrderId, isTrigger: true, type })
      const listed = await stage.exchange.fetchOpenOrders(symbol)
      expect(listed.find((order) => order.id === id)).toMatchObject({ type: 'take-profit', clientOrderId })
    }))

  it('a stop that is known by both of its ids is found by ours after a restart', () =>
    staged(async (stage) => {
      const { stop } = await stage.guarded()
      await stage.restart()
      const { id, symbol, clientOrderId = '' } = stop
      const isTrigger = true
      expect(await stage.exchange.fetchOrder({ symbol, id, clientOrderId, isTrigger })).toMatchObject({ id })
      expect(await stage.exchange.fetchOrder({ symbol, clientOrderId, isTrigger })).toMatchObject({ id, clientOrderId })
    }))
})

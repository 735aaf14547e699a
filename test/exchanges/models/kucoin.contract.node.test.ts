// The adapter on KuCoin, as its documents say that it behaves.
import { describe, expect, it } from 'vitest'
import { kucoinModel } from '../../../harness/venues/models/kucoin.ts'
import { refOf } from '../../../src/exchange/order.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'
import { describeScenes, Stage } from './describe-scenes.ts'
import { STREAMLESS, startModel } from './play.ts'

const PASSED = 'a stop that the price has passed fires at once'

describeVenueContract('a model of KuCoin, linear', () => startModel(kucoinModel('linear')), STREAMLESS)
describeScenes('KuCoin, linear', () => kucoinModel('linear'), {
  saysWhyTriggersFail: false,
  lacks: { 'would-trigger': PASSED },
})

describeVenueContract('a model of KuCoin, spot', () => startModel(kucoinModel('spot')), STREAMLESS)
describeScenes('KuCoin, spot', () => kucoinModel('spot'), {
  saysWhyTriggersFail: false,
  lacks: { 'would-trigger': PASSED, liquidation: 'spot', deleveraging: 'spot' },
})

describe('KuCoin, linear, that lists an order by its id a moment late:', () => {
  it('an order that it has acknowledged is not told as ended, and is found', async () => {
    const stage = await Stage.open(kucoinModel('linear'))
    await stage.advance(3500)
    stage.model.engine.foundLaterMs = 400
    const order = await stage.place()
    await stage.advance(300)
    expect(stage.told(order)?.status ?? 'open').not.toMatch(/canceled|expired|rejected/)
    await expect(stage.exchange.fetchOrder(refOf(order))).rejects.toMatchObject({ code: 'order-not-found' })
    await stage.advance(6000)
    expect(await stage.exchange.fetchOrder(refOf(order))).toMatchObject({ status: 'closed', filled: order.amount })
    expect(stage.told(order)).toMatchObject({ status: 'closed', filled: order.amount })
    await stage.close()
  })
})

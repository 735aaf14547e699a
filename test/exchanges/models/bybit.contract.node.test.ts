// The adapter on Bybit, as its documents say that it behaves.
import { describe, expect, it } from 'vitest'
import { bybitModel } from '../../../harness/venues/models/bybit.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'
import { describeScenes, Stage } from './describe-scenes.ts'
import { advance, STREAMLESS, startModel } from './play.ts'

describeVenueContract('a model of Bybit, linear', () => startModel(bybitModel('linear')), STREAMLESS)
describeScenes('Bybit, linear', () => bybitModel('linear'), { saysWhyTriggersFail: false })

describeVenueContract('a model of Bybit, spot', () => startModel(bybitModel('spot')), STREAMLESS)
describeScenes('Bybit, spot', () => bybitModel('spot'), {
  saysWhyTriggersFail: false,
  lacks: {
    liquidation: 'spot',
    deleveraging: 'spot',
  },
})

describe('Bybit after a release of its own:', () => {
  for (const kind of ['linear', 'spot'] as const) {
    it(`an order that ended before is found by our id in its history, ${kind}`, async () => {
      const spec = bybitModel(kind)
      const stage = await Stage.open(spec)
      const { amount, clientOrderId = '' } = await stage.place({ side: kind === 'spot' ? 'sell' : 'buy' })
      await advance(1000)
      spec.restartVenue(Date.now())
      for (const isKnown of [true, false]) {
        const found = await stage.exchange
          .fetchOrder({ symbol: stage.symbol, clientOrderId })
          .catch((error) => error.code)
        expect([isKnown, found]).toMatchObject([isKnown, { status: 'closed', filled: amount }])
        await stage.restart()
      }
      await stage.close()
    })
  }
})

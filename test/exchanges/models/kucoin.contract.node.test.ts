// The adapter on KuCoin, as its documents say that it behaves.
import { kucoinModel } from '../../../harness/venues/models/kucoin.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'
import { describeScenes } from './describe-scenes.ts'
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

// The adapter on Kraken, as its documents say that it behaves.
import { krakenModel } from '../../../harness/venues/models/kraken.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'
import { describeScenes } from './describe-scenes.ts'
import { STREAMLESS, startModel } from './play.ts'

describeVenueContract('a model of Kraken, spot', () => startModel(krakenModel()), STREAMLESS)
describeScenes('Kraken, spot', krakenModel, {
  lacks: {
    ...{ 'would-trigger': 'a stop that the price has passed fires at once', clock: 'nothing that is sent is dated' },
    ...{ liquidation: 'spot', deleveraging: 'spot', twice: 'a request that comes twice has a number that was used' },
  },
  saysWhyTriggersFail: false,
})

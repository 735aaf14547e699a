// The adapter on Kraken Futures, as its documents say that it behaves.
import { krakenFuturesModel } from '../../../harness/venues/models/krakenfutures.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'
import { describeScenes } from './describe-scenes.ts'
import { STREAMLESS, startModel } from './play.ts'

describeVenueContract('a model of Kraken Futures, linear', () => startModel(krakenFuturesModel()), STREAMLESS)
describeScenes('Kraken Futures, linear', krakenFuturesModel, {
  lacks: { 'would-trigger': 'a stop that the price has passed fires at once', clock: 'nothing that is sent is dated' },
  saysWhyTriggersFail: false,
})

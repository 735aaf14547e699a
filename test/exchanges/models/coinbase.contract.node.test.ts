// The adapter on Coinbase Advanced, as its documents say that it behaves.
import { coinbaseModel } from '../../../harness/venues/models/coinbase.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'
import { describeScenes } from './describe-scenes.ts'
import { STREAMLESS, startModel } from './play.ts'

describeVenueContract('a model of Coinbase Advanced, spot', () => startModel(coinbaseModel()), STREAMLESS)
describeScenes('Coinbase Advanced, spot', coinbaseModel, {
  lacks: {
    'lost-stop': 'it has no stop at market',
    'would-trigger': 'a stop that the price has passed fires at once',
    'fired-in-part': 'a stop there is a limit order then, and rests',
    liquidation: 'spot',
    deleveraging: 'spot',
    clock: 'nothing that is sent is dated to the second',
  },
  saysWhyTriggersFail: false,
})

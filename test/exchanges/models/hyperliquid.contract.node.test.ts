// The adapter on Hyperliquid, as its documents say that it behaves.
import { hyperliquidModel } from '../../../harness/venues/models/hyperliquid.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'
import { describeScenes } from './describe-scenes.ts'
import { STREAMLESS, startModel } from './play.ts'

describeVenueContract('a model of Hyperliquid, linear', () => startModel(hyperliquidModel()), STREAMLESS)
describeScenes('Hyperliquid, linear', hyperliquidModel, {
  lacks: {
    'would-trigger': 'a stop that the price has passed fires at once',
    clock: 'nothing that is sent is dated to the second',

    deleveraging: 'no document says how it is told',
    twice: 'a nonce that was used is refused before the order is looked at',
  },
})

// The adapter on Kraken, as its documents say that it behaves.
import { krakenModel } from '../../../harness/venues/models/kraken.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'
import { describeScenes } from './describe-scenes.ts'
import { STREAMLESS, startModel } from './play.ts'

// Its allowance lets a question for open orders through each three seconds, and one for fills each six.
const SLOW = { patience: 6 }

describeVenueContract('a model of Kraken, spot', () => startModel(krakenModel(), SLOW), {
  ...STREAMLESS,
  openAnother: 'numbers of requests rise with each key: one key is for one process',
})
describeScenes('Kraken, spot', krakenModel, {
  lacks: {
    'would-trigger': 'a stop that the price has passed fires at once',
    clock: 'nothing that is sent is dated',
    liquidation: 'spot',
    deleveraging: 'spot',
    twice: 'a request that comes twice has a number that was used',
  },
  ...SLOW,
  saysWhyTriggersFail: false,
})

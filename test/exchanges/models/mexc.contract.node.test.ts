// The adapter on MEXC, as its documents say that it behaves.
import { mexcModel } from '../../../harness/venues/models/mexc.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'
import { describeScenes } from './describe-scenes.ts'
import { NO_STOPS, STREAMLESS, startModel } from './play.ts'

const LACKS = { ...STREAMLESS, listAll: 'open orders are listed of one symbol at a time' }

describeVenueContract('a model of MEXC, spot', () => startModel(mexcModel()), LACKS)
describeScenes('MEXC, spot', mexcModel, {
  lacks: { ...NO_STOPS, liquidation: 'spot', deleveraging: 'spot', twice: 'an id may come again' },
})

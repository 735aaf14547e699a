// The adapter on Gate, as its documents say that it behaves.
import { gateModel } from '../../../harness/venues/models/gate.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'
import { describeScenes } from './describe-scenes.ts'
import { NO_STOPS, STREAMLESS, startModel } from './play.ts'

describeVenueContract('a model of Gate, linear', () => startModel(gateModel('linear')), STREAMLESS)
describeScenes('Gate, linear', () => gateModel('linear'), { lacks: { twice: 'a text may come again' } })

describeVenueContract('a model of Gate, spot', () => startModel(gateModel('spot')), STREAMLESS)
describeScenes('Gate, spot', () => gateModel('spot'), {
  lacks: { ...NO_STOPS, liquidation: 'spot', deleveraging: 'spot', twice: 'a text may come again' },
})
// The newer of its documents: a text names an order only while it rests.
describeScenes('Gate, spot, where a text names what rests alone', () => gateModel('spot', { textMs: 0 }), {
  only: ['lost-market', 'strangers'],
})

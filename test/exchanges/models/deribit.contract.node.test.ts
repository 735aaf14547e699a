// The adapter on Deribit, as its documents say that it behaves.
import { deribitModel } from '../../../harness/venues/models/deribit.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'
import { describeScenes } from './describe-scenes.ts'
import { STREAMLESS, startModel } from './play.ts'

describeVenueContract('a model of Deribit, linear', () => startModel(deribitModel()), STREAMLESS)
describeScenes('Deribit, linear', deribitModel, {
  lacks: { twice: 'a label may come again' },
})

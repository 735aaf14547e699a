// The adapter on Bitget, as its documents say that it behaves.
import { bitgetModel } from '../../../harness/venues/models/bitget.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'
import { describeScenes } from './describe-scenes.ts'
import { STREAMLESS, startModel } from './play.ts'

describeVenueContract('a model of Bitget, linear', () => startModel(bitgetModel()), STREAMLESS)
describeScenes('Bitget, linear', bitgetModel)

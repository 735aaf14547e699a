// The adapter keeps the contract on Bybit, as its documents say that it behaves.
import { bybitModel } from '../../../harness/venues/models/bybit.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'
import { startModel } from './play.ts'

const LACKS = { openGap: 'nothing is streamed: all is asked for' }

describeVenueContract('a model of Bybit, linear', () => startModel(bybitModel('linear')), LACKS)
describeVenueContract('a model of Bybit, spot', () => startModel(bybitModel('spot')), LACKS)

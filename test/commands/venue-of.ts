// A venue of a build that is told from outside what it can trade on.
import type { Venue } from '../../src/exchanges/venues.ts'

export function venueOf(fields: Pick<Venue, 'id'> & Partial<Venue>): Venue {
  const { id, needsCredentials = true } = fields
  return {
    ...{ name: id, canTrade: true, needsCredentials, credentialWords: {}, proof: 'unproven' },
    credentials: needsCredentials ? ['apiKey', 'secret'] : [],
    kinds: ['spot', 'linear', 'inverse'],
    demo: false,
    ...fields,
  }
}

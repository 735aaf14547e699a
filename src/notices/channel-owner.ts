// Under which name the secret of a channel is kept. No account can have it, because of the dot.
import type { KeyOwner } from '../credentials/credentials.ts'

export function ownerOf(channel: string): KeyOwner {
  return { name: `notices.${channel}`, exchange: 'notices' }
}

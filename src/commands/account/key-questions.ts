// The keys that a venue wants, asked for by the names that they have there.
import type { Keys } from '../../credentials/keys.ts'
import type { Venue } from '../../exchanges/venues.ts'
import type { CommandContext } from '../kit/command.ts'
import { CommandError } from '../kit/command-error.ts'
import { askSecret } from './dialog.ts'

/** @throws {CommandError} `no-credentials`, `no-terminal`, `cancelled` */
export async function askKeys(context: CommandContext<'terminal'>, venue: Venue): Promise<Keys> {
  const keys: Record<string, string> = {}
  for (const { field, label } of venue.credentials) {
    const answer = (await askSecret(context, `${label} (${venue.id}): `)).trim()
    if (answer === '') throw new CommandError('no-credentials', 'no key was given; the account was not added')
    keys[field] = answer
  }
  return keys
}

/** @throws {CommandError} `no-credentials`: a source has some of the keys only */
export function requireAllKeys(venue: Venue, keys: Keys, where: string): void {
  const had: Readonly<Record<string, string>> = keys
  const missing = venue.credentials.filter(({ field }) => had[field] === undefined)
  if (missing.length === 0) return
  const names = missing.map(({ field }) => `\`${field}\``).join(' and ')
  throw new CommandError('no-credentials', `${where} has no ${names}, which ${venue.id} wants`, {
    hint: 'add it there',
  })
}

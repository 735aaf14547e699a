// The keys that a venue wants, asked for by the names that they have there.
import type { Keys } from '../../credentials/keys.ts'
import type { Venue } from '../../exchanges/venues.ts'
import type { Credential } from '../../protocol/rows.ts'
import type { CommandContext } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { credentialWords } from './credential-words.ts'
import { askSecret } from './dialog.ts'

/** @throws {CommandError} `no-credentials`, `bad-keys`, `no-terminal`, `cancelled` */
export async function askKeys(context: CommandContext<'terminal'>, venue: Venue): Promise<Keys> {
  const keys: Partial<Record<Credential, string>> = {}
  for (const name of venue.credentials) {
    const answer = (await askSecret(context, `${credentialWords(venue, name)} (${venue.id}): `)).trim()
    if (answer === '') throw new CommandError('no-credentials', 'no key was given; the account was not added')
    requireForm(venue, name, answer)
    keys[name] = answer
  }
  return keys
}

/** Says nothing of what was given. @throws {CommandError} `bad-keys` */
function requireForm(venue: Venue, name: Credential, given: string): void {
  const form = venue.credentialForms[name]
  if (form === undefined || form.pattern.test(given)) return
  const what = credentialWords(venue, name).split(',')[0]
  throw new CommandError(
    'bad-keys',
    `the ${what?.replace(/^the /, '')} has ${form.words}, and what was given has not; nothing was stored`,
    {
      hint: `copy it from ${venue.name} again`,
    },
  )
}

/** @throws {CommandError} `no-credentials`: a source has some of the keys only; `bad-keys` */
export function requireAllKeys(venue: Venue, keys: Keys, where: string): void {
  const missing = venue.credentials.filter((name) => keys[name] === undefined)
  if (missing.length === 0) {
    for (const name of venue.credentials) requireForm(venue, name, keys[name] ?? '')
    return
  }
  const names = missing.map((name) => `\`${name}\``).join(' and ')
  throw new CommandError('no-credentials', `${where} has no ${names}, which ${venue.id} wants`, {
    hint: 'add it there',
  })
}

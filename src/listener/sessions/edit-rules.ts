// What holds for every edit by a client, whatever it edits (behaviour 17).
import { CommandError } from '../../commands/kit/command-error.ts'

/** `mutate:ack.data` of an edit that a newer one has overtaken. */
export const LOST = { applied: false } as const

/** An edit from far ahead would win over all others for that long; a clock that is a little fast is common. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1_000

/** @throws {CommandError} `bad-time` */
export function requireOurTime(updatedAt: number | undefined, now: number): void {
  if (updatedAt === undefined || updatedAt <= now + MAX_AHEAD_MS) return
  throw new CommandError('bad-time', '`updatedAt` is more than a day ahead of this machine', {
    hint: 'send milliseconds since 1970, and check the clocks',
  })
}

/** @throws {CommandError} `missing-field` */
export function required<T>(
  value: T | undefined,
  field: string,
  { t, op }: { readonly t: string; readonly op: string },
): T {
  if (value !== undefined) return value
  throw new CommandError('missing-field', `${t} with op ${op} needs \`${field}\``)
}

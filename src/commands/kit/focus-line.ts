// What a changed focus is worth, told where it was changed (behaviour 32).
import { LISTENER_HOST, LISTENER_PORT } from '../../protocol/address.ts'
import type { CommandContext } from './command.ts'
import { CommandError } from './command-error.ts'
import type { FocusKept } from './ports.ts'

/**
 * @param done what to say of the change itself; absent where the command has said it
 * @throws {CommandError} `focus-elsewhere`: this process ends with its line, so nothing has changed
 */
export function sayFocus({ out, source }: CommandContext, kept: FocusKept, done?: string): void {
  const holder = kept.isDefault ? '' : describeHolder(kept)
  if (!kept.isDefault && source === 'exec') {
    throw new CommandError('focus-elsewhere', `nothing has changed: ${holder} keeps its own focus`, {
      hint: 'type it there, or name the account of each line with --account',
    })
  }
  if (done !== undefined) out.success(done)
  if (!kept.isDefault)
    out.info(`in this terminal only: ${holder} keeps its own focus and the default of the next start`)
}

function describeHolder({ pid }: { readonly pid?: number }): string {
  return `the hookline that holds ${LISTENER_HOST}:${LISTENER_PORT}${pid === undefined ? '' : ` (pid ${pid})`}`
}

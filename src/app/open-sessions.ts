// What the first page brings in: the sessions.
import { Sessions } from '../listener/sessions/sessions.ts'
import type { SessionsOptions } from '../listener/sessions/sessions-options.ts'

export type OpenSessionsOptions = Omit<SessionsOptions, 'now'>

export function openSessions(options: OpenSessionsOptions): Sessions {
  return new Sessions({ ...options, now: Date.now })
}

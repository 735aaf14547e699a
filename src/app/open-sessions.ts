// What the first page brings in: the sessions.
import { Sessions, type SessionsOptions } from '../listener/sessions/sessions.ts'

export type OpenSessionsOptions = Omit<SessionsOptions, 'now'>

export function openSessions(options: OpenSessionsOptions): Sessions {
  return new Sessions({ ...options, now: Date.now })
}

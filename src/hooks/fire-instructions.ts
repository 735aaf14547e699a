// How to fire a hook, ready to paste.
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import type { Hook } from '../stores/hooks.ts'

export interface FireInstructions {
  readonly url: string
  readonly token: string
  /** For a POSIX shell. */
  readonly curl: string
}

/** @param token the secret, or what is shown instead where it must stay hidden */
export function fireInstructions(hook: Pick<Hook, 'id'>, token: string): FireInstructions {
  const url = `http://${LISTENER_HOST}:${LISTENER_PORT}/hook/${hook.id}`
  return { url, token, curl: `curl -sS -w '\\n' -X POST -H 'X-Hook-Token: ${token}' ${url}` }
}

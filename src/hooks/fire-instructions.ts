// How to fire a hook, ready to paste.
import { sampleValues } from '../language/hook-chain.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import type { Hook } from '../stores/hooks.ts'
import { slotsOf } from './alert.ts'

export interface FireInstructions {
  readonly url: string
  readonly token: string
  /** For a POSIX shell. */
  readonly curl: string
}

/**
 * With values that its slots would take, where it has some.
 * @param token the secret, or what is shown instead where it must stay hidden
 */
export function fireInstructions(hook: Pick<Hook, 'id' | 'command'>, token: string): FireInstructions {
  const url = `http://${LISTENER_HOST}:${LISTENER_PORT}/hook/${hook.id}`
  const [values] = sampleValues(slotsOf(hook.command))
  // Names and values have no apostrophe.
  const body = values === undefined || Object.keys(values).length === 0 ? '' : `-d '${JSON.stringify(values)}' `
  return { url, token, curl: `curl -sS -w '\\n' -X POST -H 'X-Hook-Token: ${token}' ${body}${url}` }
}

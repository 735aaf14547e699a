// `POST /hook/<id>`: its status table (behaviour 114) as one column, then the fire. The order is behaviour 1: 503, 404, 401,
// 423, 429; a caller without the secret learns nothing about `remoteExec`.
import { randomUUID, timingSafeEqual } from 'node:crypto'
import { quote } from '../../protocol/json-text.ts'
import type { Runner } from '../../runtime/runner.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { Hook, HookStore } from '../../stores/hooks.ts'
import type { PanicStore } from '../../stores/panic.ts'

export interface FireAnswer {
  readonly status: 200 | 401 | 404 | 423 | 429 | 503
  readonly body: string
}

/** Exact bodies: behaviour 114, and behaviour 6 for 429. */
export const FIRE_REFUSALS = {
  disabled: refusal(503, 'listener disabled'),
  unknownHook: refusal(404, 'unknown hook'),
  invalidToken: refusal(401, 'invalid token'),
  remoteExecDisabled: refusal(423, 'remoteExec disabled'),
  tooManyRuns: refusal(429, 'too many runs'),
} as const

function refusal(status: FireAnswer['status'], error: string): FireAnswer {
  return { status, body: JSON.stringify({ ok: false, error }) }
}

export interface FirePorts {
  readonly config: ConfigStore
  readonly hooks: HookStore
  readonly panic: Pick<PanicStore, 'readOncePerTurn'>
  readonly runner: Pick<Runner, 'hasRoom' | 'fire'>
}

/** Decides and fires. `answer` is called once: at once for a refusal, after the journal has the run for an acceptance. */
export function fireHook(
  id: string,
  token: string | undefined,
  ports: FirePorts,
  answer: (answer: FireAnswer) => void,
): void {
  const flags = ports.config.readOncePerTurn().listener
  if (!flags.enabled) return answer(FIRE_REFUSALS.disabled)
  const hook = ports.hooks.findOncePerTurn(id)
  if (!hook) return answer(FIRE_REFUSALS.unknownHook)
  if (!tokenMatches(token, hook.secret)) return answer(FIRE_REFUSALS.invalidToken)
  // To a sender, panic is remoteExec off: both end with the operator.
  if (!flags.remoteExec || ports.panic.readOncePerTurn()) return answer(FIRE_REFUSALS.remoteExecDisabled)
  if (!ports.runner.hasRoom(hook.id)) return answer(FIRE_REFUSALS.tooManyRuns)
  accept(hook, ports, answer)
}

function accept(hook: Hook, { runner }: FirePorts, answer: (answer: FireAnswer) => void): void {
  const runId = randomUUID()
  const { command, account } = hook
  const request = { runId, source: 'hook', command, origin: hook.name, hookId: hook.id } as const
  const pin = account === undefined ? '' : `,"account":${quote(account)}`
  runner.fire(account === undefined ? request : { ...request, account }, hook, () =>
    answer({ status: 200, body: `{"ok":true,"runId":"${runId}","command":${quote(command)}${pin}}` }),
  )
}

/**
 * Compares as bytes, length first, then in constant time (behaviour 5 and 116). Node decodes header
 * bytes as latin1 and joins duplicate headers with a comma, so a second token makes the length wrong.
 */
function tokenMatches(token: string | undefined, secret: string): boolean {
  if (token === undefined || token.length !== secret.length) return false
  return timingSafeEqual(Buffer.from(token, 'latin1'), Buffer.from(secret, 'latin1'))
}

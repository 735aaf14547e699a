// `POST /hook/<id>`: its status table (behaviour 114) as one column, then the fire. The order is behaviour 1: 503, 404, 401,
// 423, 429; a caller without the secret learns nothing about `remoteExec`. Behind them 422, for what an alert says (behaviour 44).

import { timingSafeEqual } from 'node:crypto'
import { defined } from '../../base/defined.ts'
import { AlertError, type AlertTerms, alertTermsOf, takeAlert, whyNotFresh } from '../../hooks/alert.ts'
import { isPausedAt } from '../../hooks/fire-limits.ts'
import { quote } from '../../protocol/json-text.ts'
import type { RunRequest } from '../../runs/run.ts'
import type { RunJournal } from '../../runtime/run-journal.ts'
import type { Runner } from '../../runtime/runner.ts'
import { digestOf, fireRequest } from '../../runtime/trigger-fire.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { Hook, HookStore } from '../../stores/hooks.ts'
import type { PanicStore } from '../../stores/panic.ts'
import type { ReadBody } from './request-body.ts'

export interface FireAnswer {
  readonly status: 200 | 401 | 403 | 404 | 422 | 423 | 429 | 503
  readonly body: string
}

/**
 * Exact bodies: behaviour 114, behaviour 6 for 429, and behaviour 7 for 403. The first that holds is the answer. Four of them have no `code`: their
 * bodies are fixed, and their `error` is one word for word.
 */
export const FIRE_REFUSALS = {
  foreignPage: refusal(403, 'forbidden origin', 'forbidden-origin'),
  disabled: refusal(503, 'listener disabled'),
  unknownHook: refusal(404, 'unknown hook'),
  invalidToken: refusal(401, 'invalid token'),
  remoteExecDisabled: refusal(423, 'remoteExec disabled'),
  tooManyRuns: refusal(429, 'too many runs', 'too-many-runs'),
  /** A restart would forget its key, and run what comes again under it (behaviour 46). */
  keyNotWritten: refusal(503, 'key not written', 'key-not-written'),
} as const

/** @param code stable, where `error` is for people or may change */
function refusal(status: FireAnswer['status'], error: string, code?: string): FireAnswer {
  return { status, body: JSON.stringify({ ok: false, error, code }) }
}

export interface FirePorts {
  readonly config: ConfigStore
  readonly hooks: HookStore
  readonly panic: Pick<PanicStore, 'readOncePerTurn'>
  /** A caller knew the hook's id and not its token. */
  onWrongToken(hook: Pick<Hook, 'id' | 'name'>): void
  readonly runner: Pick<Runner, 'hasRoom' | 'fire' | 'refuseFire'>
  readonly journal: Pick<RunJournal, 'firstRun' | 'repeated'>
  /** False while shutting down: fires get the 503 of a listener that is not there. */
  isServing(): boolean
}

export interface FireCall {
  readonly id: string
  readonly token: string | undefined
  /** What the sender gave as the key of this alert (behaviour 46). */
  readonly key: string | undefined
  /** A person fires it: what the alert would say of itself is not asked for. */
  readonly isByHand?: true
  /** Called once the token was right, for a hook that takes something of it; `then` never, where the sender goes away. */
  readBody(then: (body: ReadBody) => void): void
}

/** Decides and fires. `answer` is called once: at once for a refusal, after the journal has the run for an acceptance. */
export function fireHook(call: FireCall, ports: FirePorts, answer: (answer: FireAnswer) => void): void {
  const found = admit(call, ports)
  if ('status' in found) return answer(found)
  if (alertTermsOf(found.command).isEmpty) return accept(found, keyed(call), ports, answer)
  call.readBody((body) => {
    // That took time: all is asked again.
    const hook = admit(call, ports, found)
    if ('status' in hook) return answer(hook)
    acceptAlert(hook, call, body, ports, answer)
  })
}

/**
 * @param known the row that the token was compared with before: as long as the registry has this very row, its token is the same
 * @returns the hook that may fire, or the answer
 */
function admit({ id, token }: FireCall, ports: FirePorts, known?: Hook): Hook | FireAnswer {
  const flags = ports.config.readOncePerTurn().listener
  if (!flags.enabled || !ports.isServing()) return FIRE_REFUSALS.disabled
  const hook = ports.hooks.findOncePerTurn(id)
  if (!hook) return FIRE_REFUSALS.unknownHook
  if (hook !== known && !tokenMatches(token, hook.secret)) {
    ports.onWrongToken(hook)
    return FIRE_REFUSALS.invalidToken
  }
  // To a sender, panic is remoteExec off: both end with the operator.
  if (!flags.remoteExec || ports.panic.readOncePerTurn()) return FIRE_REFUSALS.remoteExecDisabled
  return ports.runner.hasRoom(hook.id) ? hook : FIRE_REFUSALS.tooManyRuns
}

type Filled = Pick<RunRequest, 'values' | 'key' | 'sent' | 'isByHand'>
const UNFILLED: Filled = {}

function keyed({ key, isByHand }: Pick<FireCall, 'key' | 'isByHand'>): Filled {
  if (isByHand === true) return { isByHand, ...(key === undefined ? {} : { key: digestOf(key) }) }
  return key === undefined ? UNFILLED : { key: digestOf(key) }
}

/** Where the command takes nothing of its alerts any more, the body no longer counts. */
function acceptAlert(
  hook: Hook,
  call: FireCall,
  body: ReadBody,
  ports: FirePorts,
  answer: (answer: FireAnswer) => void,
): void {
  const terms = alertTermsOf(hook.command)
  const filled = terms.isEmpty ? UNFILLED : fill(terms, body, call)
  if (!('why' in filled)) return accept(hook, filled === UNFILLED ? keyed(call) : filled, ports, answer)
  const why = `bad alert: ${filled.why}`
  ports.runner.refuseFire(fireRequest(hook, defined({ isByHand: call.isByHand })), hook, why, () =>
    answer(refusal(422, why, 'bad-alert')),
  )
}

/** The key that the hook's author has declared wins over a header. */
function fill(terms: AlertTerms, body: ReadBody, call: FireCall): Filled | { readonly why: string } {
  if ('why' in body) return body
  try {
    const { values, sent, key = call.key } = takeAlert(terms, body.bytes, call.isByHand)
    return { values, ...keyed({ key, ...defined({ isByHand: call.isByHand }) }), ...defined({ sent }) }
  } catch (error) {
    if (!(error instanceof AlertError)) throw error
    return { why: error.message }
  }
}

/** What came under its key before is answered with its first run, once the journal has that, and does not run. */
function accept(
  hook: Hook,
  filled: Filled,
  { runner, journal }: FirePorts,
  answer: (answer: FireAnswer) => void,
): void {
  const first = filled.key === undefined ? undefined : journal.firstRun(hook.id, filled.key)
  const answerFor = (runId: string, isRepeat: boolean) => (isAccepted: boolean) =>
    answer(isAccepted ? acceptance(hook, runId, isRepeat, filled.sent) : FIRE_REFUSALS.keyNotWritten)
  if (first !== undefined) return journal.repeated(first, answerFor(first, true))
  const request = fireRequest(hook, filled)
  runner.fire(request, hook, answerFor(request.runId, false))
}

/** @param isRepeat its key came before, and this fire runs nothing @param sent of an alert with a time */
function acceptance(
  { command, account, paused }: Hook,
  runId: string,
  isRepeat: boolean,
  sent: Filled['sent'],
): FireAnswer {
  const pin = account === undefined ? '' : `,"account":${quote(account)}`
  const repeat = isRepeat ? ',"repeat":true' : ''
  const pause = paused !== undefined && isPausedAt(paused, Date.now()) ? ',"paused":true' : ''
  const skip = isRepeat ? '' : skippedFor(sent)
  return {
    status: 200,
    body: `{"ok":true,"runId":"${runId}","command":${quote(command)}${pin}${repeat}${pause}${skip}}`,
  }
}

/** What is too old now never runs; what is ahead of the clock here may run when it is taken up. */
function skippedFor(sent: Filled['sent']): string {
  const now = Date.now()
  const why = sent === undefined || sent.at > now ? undefined : whyNotFresh(sent, now)
  return why === undefined ? '' : `,"skipped":${quote(why)}`
}

/**
 * Compares as bytes, length first, then in constant time (behaviour 5 and 116). Node decodes header
 * bytes as latin1 and joins duplicate headers with a comma, so a second token makes the length wrong.
 */
function tokenMatches(token: string | undefined, secret: string): boolean {
  if (token === undefined || token.length !== secret.length) return false
  return timingSafeEqual(Buffer.from(token, 'latin1'), Buffer.from(secret, 'latin1'))
}

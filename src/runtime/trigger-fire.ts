// A fire that hookline makes itself (behaviour 52), decided as a POST with the hook's token is.
import { hash, randomUUID } from 'node:crypto'
import { defined } from '../base/defined.ts'
import { alertTermsOf } from '../hooks/alert.ts'
import type { RunRequest } from '../runs/run.ts'
import type { ConfigStore } from '../stores/config.ts'
import type { Hook } from '../stores/hooks.ts'
import type { PanicStore } from '../stores/panic.ts'
import type { RunJournal } from './run-journal.ts'
import type { Runner } from './runner.ts'

interface TriggerFirePorts {
  readonly config: Pick<ConfigStore, 'readOncePerTurn'>
  readonly panic: Pick<PanicStore, 'readOncePerTurn'>
  readonly runner: Pick<Runner, 'hasRoom' | 'fire' | 'skipFire'>
  readonly journal: Pick<RunJournal, 'firstRun' | 'readOthers'>
}

interface TriggeredFire {
  readonly hook: Hook
  readonly runId: string
  /** The same for the same bar or time. */
  readonly key: string
  /** What has become so, for people. */
  readonly why: string
}

/** Resolves when the journal has it. @returns why it is lost; undefined: the hook has it, and its limits decide */
export function fireByTrigger(
  { hook, runId, key, why }: TriggeredFire,
  ports: TriggerFirePorts,
): Promise<string | undefined> {
  const no = whyNot(hook, ports)
  if (no !== undefined) {
    const missed = { ...fireRequest(hook), runId, trigger: why }
    return new Promise((resolve) => ports.runner.skipFire(missed, hook, no, () => resolve(no)))
  }
  const digest = digestOf(key)
  // Another process may have judged it before.
  ports.journal.readOthers()
  if (ports.journal.firstRun(hook.id, digest) !== undefined) return Promise.resolve('it has run already')
  const values = alertTermsOf(hook.command).isEmpty ? undefined : {}
  const request = { ...fireRequest(hook, defined({ values, key: digest })), runId, trigger: why }
  return new Promise((resolve) => {
    ports.runner.fire(request, hook, (isAccepted) => resolve(isAccepted ? undefined : 'its key could not be recorded'))
  })
}

/** To a sender panic is remoteExec off; here there is none, and the reason is said. */
function whyNot({ id }: Hook, { config, panic, runner }: TriggerFirePorts): string | undefined {
  if (panic.readOncePerTurn()) return 'panic is on'
  const { enabled, remoteExec } = config.readOncePerTurn().listener
  if (!enabled) return 'listener.enabled is off'
  if (!remoteExec) return 'remoteExec is off'
  return runner.hasRoom(id) ? undefined : 'too many runs'
}

/** Keys may be long and are private to their senders: a digest tells them apart. */
export function digestOf(key: string): string {
  return hash('sha256', key, 'base64url')
}

export function fireRequest(
  { id, name, command, account, resumed }: Hook,
  { values, key, sent, isByHand }: Pick<RunRequest, 'values' | 'key' | 'sent' | 'isByHand'> = {},
): RunRequest {
  const request: { -readonly [Field in keyof RunRequest]: RunRequest[Field] } = {
    // V8 has it as a tree of some thirteen strings, which lives as long as the id; `trim` makes one string of it (quality/bench/fires).
    runId: randomUUID().trim(),
    source: 'hook',
    command,
    origin: name,
    hookId: id,
  }
  if (account !== undefined) request.account = account
  if (values !== undefined) request.values = values
  if (key !== undefined) request.key = key
  if (sent !== undefined) request.sent = sent
  if (resumed !== undefined) request.resumed = resumed
  if (isByHand === true) request.isByHand = true
  return request
}

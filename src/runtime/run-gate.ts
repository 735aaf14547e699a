// Whether a run may begin, or take another step (behaviour 30). The switches, the hooks and the panic are read as they are now: files that
// cost one look per event-loop turn.
import type { Source } from '../runs/run.ts'
import type { ConfigStore } from '../stores/config.ts'
import type { HookStore } from '../stores/hooks.ts'
import type { PanicStore } from '../stores/panic.ts'
import type { FiredHook } from './fire-queue.ts'

/** What a run was let in by. */
export interface Admission {
  readonly source: Source
  /** Of a fire. */
  readonly hook: FiredHook | undefined
  /** The panic under which the run goes on: it was typed meanwhile, or said so itself. */
  panicSince: number | undefined
}

export interface RunGate {
  /** @returns why not, as a run's `error`: a stable word */
  refusal(run: Admission): string | undefined
  /** Of the panic that is on. */
  panicSince(): number | undefined
  /** Calls `changed` when an answer may be another. @returns stops the calls */
  watch(changed: () => void): () => void
}

export interface RunGatePorts {
  readonly config: Pick<ConfigStore, 'readOncePerTurn' | 'watch'>
  readonly hooks: Pick<HookStore, 'findOncePerTurn' | 'watch'>
  readonly panic: Pick<PanicStore, 'readOncePerTurn' | 'watch'>
  /** Whether hooks and pages reach this process. */
  readonly isListening: boolean
}

export function createRunGate({ config, hooks, panic, isListening }: RunGatePorts): RunGate {
  const panicSince = () => panic.readOncePerTurn()?.since

  function refusal({ source, hook, panicSince: allowed }: Admission): string | undefined {
    const since = panicSince()
    if (since !== undefined && since !== allowed) return 'stopped: panic'
    if (source !== 'hook' && source !== 'web') return undefined
    const { enabled, remoteExec } = config.readOncePerTurn().listener
    if (!enabled) return 'stopped: listener.enabled is off'
    if (!remoteExec) return 'stopped: remoteExec is off'
    if (hook === undefined) return undefined
    const now = hooks.findOncePerTurn(hook.id)
    if (now === undefined) return 'stopped: the hook was revoked'
    return now.secret === hook.secret ? undefined : 'stopped: the hook has a new token'
  }

  return {
    refusal,
    panicSince,
    watch(changed) {
      const stops = (isListening ? [panic, config, hooks] : [panic]).map((store) => store.watch(changed))
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

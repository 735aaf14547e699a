// Whether a run may begin, or take another step (behaviour 30). The switches, the hooks and the panic are read as they are now: files that
// cost one look per event-loop turn.
import type { Source } from '../runs/run.ts'
import type { ConfigStore } from '../stores/config.ts'
import { currentTurn } from '../stores/event-loop-turn.ts'
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
  /** The event-loop turn in which it was last let through: files are looked at once per turn. */
  passedTurn: number
}

export interface RunGate {
  /** @returns why not, as a run's `error`: a stable word */
  refusal(run: Admission): string | undefined
  /** As `refusal`, at most once per event-loop turn: for each step and each order of a run. */
  refusalOfStep(run: Admission): string | undefined
  /** The panic that is on, where a run from there may be accepted under it: at the terminal, whose commands are looked at one by one. */
  panicAllowing(source: Source): number | undefined
  /** The panic that is on lets this run go on: it said so itself. */
  spare(run: Admission): void
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
    panicAllowing: (source) => (source === 'repl' || source === 'exec' ? panicSince() : undefined),
    spare(run) {
      run.panicSince = panicSince()
    },
    refusalOfStep(run) {
      const turn = currentTurn()
      if (run.passedTurn === turn) return undefined
      const why = refusal(run)
      if (why === undefined) run.passedTurn = turn
      return why
    },
    watch(changed) {
      const stops = (isListening ? [panic, config, hooks] : [panic]).map((store) => store.watch(changed))
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

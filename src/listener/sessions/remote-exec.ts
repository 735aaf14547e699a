// `cmd:exec`: a line from an approved client, run as if typed (behaviour 14, 15, 30).
import { randomUUID } from 'node:crypto'
import type { Frame } from '../../protocol/frames.ts'
import type { RunRequest } from '../../runs/run.ts'
import type { Runner } from '../../runtime/runner.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { PanicStore } from '../../stores/panic.ts'
import { refuseCommand, type Session } from './session.ts'

export interface RemoteExecPorts {
  readonly config: Pick<ConfigStore, 'readOncePerTurn'>
  readonly panic: Pick<PanicStore, 'readOncePerTurn'>
  readonly runner: Pick<Runner, 'run'>
}

export function execute(session: Session, frame: Frame<'cmd:exec'>, { config, panic, runner }: RemoteExecPorts): void {
  const { id } = frame
  const refusal = tooLate(frame) ?? switchedOff({ config, panic }) ?? session.underWay.beginRun(id)
  if (refusal !== undefined) return refuseCommand(session, id, refusal)
  void runner.run(requestOf(session, frame))
}

/** A hookline that hung, or slept, must not trade by what was sent meanwhile. */
function tooLate({ latest }: Frame<'cmd:exec'>): string | undefined {
  const lateMs = latest === undefined ? 0 : Date.now() - latest
  return lateMs > 0
    ? `not run: it was read ${Math.ceil(lateMs / 1_000)} s after the latest time that it may begin`
    : undefined
}

/** @returns why nothing of a page runs now */
export function switchedOff({ config, panic }: Pick<RemoteExecPorts, 'config' | 'panic'>): string | undefined {
  if (panic.readOncePerTurn() !== undefined) return 'panic is on; type resume in the terminal'
  return config.readOncePerTurn().listener.remoteExec ? undefined : 'remoteExec disabled'
}

/** Written out: spreading what may be absent costs more than the rest of it. */
function requestOf({ id: sessionId, label, hello, origin: pageOrigin }: Session, frame: Frame<'cmd:exec'>): RunRequest {
  const request: { -readonly [Key in keyof RunRequest]: RunRequest[Key] } = {
    runId: randomUUID(),
    source: 'web',
    command: frame.command,
    origin: label,
    sessionId,
    clientId: hello.clientId,
    pageOrigin,
    replyId: frame.id,
  }
  if (frame.detach === true) request.detach = true
  if (frame.account !== undefined) request.account = frame.account
  if (frame.symbol !== undefined) request.symbol = frame.symbol.toUpperCase()
  return request
}

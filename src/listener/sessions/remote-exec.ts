// `cmd:exec`: a line from an approved client, run as if typed (behaviour 14, 15, 30).
import { randomUUID } from 'node:crypto'
import { type Frame, WIRE_LIMITS } from '../../protocol/frames.ts'
import type { Runner } from '../../runtime/runner.ts'
import type { ConfigStore } from '../../stores/config.ts'
import { refuseCommand } from './refuse-command.ts'
import type { Session } from './session.ts'

export interface RemoteExecPorts {
  readonly config: ConfigStore
  readonly runner: Pick<Runner, 'run'>
}

export function execute(session: Session, frame: Frame<'cmd:exec'>, { config, runner }: RemoteExecPorts): void {
  const { id, command, account, symbol } = frame
  if (session.running.has(id)) return refuseCommand(session, id, 'a command with this id is still running')
  if (!config.readInTurn().listener.remoteExec) return refuseCommand(session, id, 'remoteExec disabled')
  if (session.running.size >= WIRE_LIMITS.runsPerSession) {
    return refuseCommand(session, id, `more than ${WIRE_LIMITS.runsPerSession} commands of this session are under way`)
  }
  session.running.add(id)
  void runner.run({
    runId: randomUUID(),
    source: 'web',
    command,
    origin: session.label,
    sessionId: session.id,
    replyId: id,
    ...(account === undefined ? {} : { account }),
    ...(symbol === undefined ? {} : { symbol: symbol.toUpperCase() }),
  })
}

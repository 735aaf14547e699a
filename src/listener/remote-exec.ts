// `cmd:exec`: a line from an approved client, run as if typed (design decisions 14, 15, 30).
import { randomUUID } from 'node:crypto'
import { type Frame, WIRE_LIMITS } from '../protocol/frames.ts'
import type { Runner } from '../runtime/runner.ts'
import type { ConfigStore } from '../stores/config.ts'
import type { Session } from './session.ts'

export interface RemoteExecPorts {
  readonly config: ConfigStore
  readonly runner: Pick<Runner, 'run'>
}

export function execute(session: Session, frame: Frame<'cmd:exec'>, { config, runner }: RemoteExecPorts): void {
  const { id, command, account, symbol } = frame
  // The first run of this id still owes its `cmd:done`; a second one would be taken for it.
  if (session.running.has(id)) return session.send({ t: 'error', id, error: 'a command with this id is still running' })
  if (!config.readInTurn().listener.remoteExec) return refuse(session, id, 'remoteExec disabled')
  if (session.running.size >= WIRE_LIMITS.runsPerSession) {
    return refuse(session, id, `more than ${WIRE_LIMITS.runsPerSession} commands of this session are under way`)
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

function refuse(session: Session, id: string, error: string): void {
  session.send({ t: 'cmd:output', id, kind: 'error', text: error })
  session.send({ t: 'cmd:done', id, success: false, error })
}

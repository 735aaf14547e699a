// `cmd:exec`: a line from an approved client, run as if typed (behaviour 14, 15, 30).
import { randomUUID } from 'node:crypto'
import type { Frame } from '../../protocol/frames.ts'
import type { Runner } from '../../runtime/runner.ts'
import type { ConfigStore } from '../../stores/config.ts'
import { refuseCommand } from './refuse-command.ts'
import type { Session } from './session.ts'

export interface RemoteExecPorts {
  readonly config: Pick<ConfigStore, 'readOncePerTurn'>
  readonly runner: Pick<Runner, 'run'>
}

export function execute(session: Session, frame: Frame<'cmd:exec'>, { config, runner }: RemoteExecPorts): void {
  const { id, command, account, symbol } = frame
  const isAllowed = config.readOncePerTurn().listener.remoteExec
  const refusal = isAllowed ? session.underWay.beginRun(id) : 'remoteExec disabled'
  if (refusal !== undefined) return refuseCommand(session, id, refusal)
  void runner.run({
    runId: randomUUID(),
    source: 'web',
    command,
    origin: session.label,
    sessionId: session.id,
    clientId: session.hello.clientId,
    replyId: id,
    ...(account === undefined ? {} : { account }),
    ...(symbol === undefined ? {} : { symbol: symbol.toUpperCase() }),
  })
}

import type { ServerFrame } from '../../protocol/frames.ts'
import type { UnderWay } from './under-way.ts'

/** Whose `cmd:exec` is refused. */
export interface CommandSender {
  readonly underWay: Pick<UnderWay, 'isRunning'>
  send(frame: ServerFrame): void
}

/** A refused `cmd:exec` is answered as one that ran and failed (behaviour 14), unless a run of that id is under way and still owes its `cmd:done`. */
export function refuseCommand(sender: CommandSender, id: string, error: string): void {
  if (sender.underWay.isRunning(id)) return sender.send({ t: 'error', id, error })
  sender.send({ t: 'cmd:output', id, kind: 'error', text: error })
  sender.send({ t: 'cmd:done', id, success: false, error })
}

// What happened while a person looked elsewhere, told in the corner and kept behind the bell.
import type { Frame, ServerFrame } from '../../protocol/frames.ts'
import { toast } from '../components/toasts.tsx'
import { type ConsoleState, hookName } from '../console-state.ts'
import { notice, takeTold, useNotices } from './notices.ts'

const MOST_TEXT = 200

type Hooks = Pick<ConsoleState, 'hooks'>

export function tellNews(state: Hooks, frame: ServerFrame): void {
  if (frame.t === 'state:notices') takeTold(frame.notices)
  // What a limit skips is as it should be.
  else if (frame.t === 'cmd:done' && !frame.success && frame.unbegun !== 'skipped') tellFailedFire(state, frame)
}

function tellFailedFire({ hooks }: Hooks, { id, hookId, error }: Frame<'cmd:done'>): void {
  const name = hookName(hooks, hookId) ?? 'A hook'
  const text = `${name} failed${error === undefined ? '' : `: ${error.slice(0, MOST_TEXT)}`}`
  toast({ tone: 'error', text, runId: id })
  // Where hookline tells notices, this is one of them.
  if (useNotices.getState().toldId === undefined) notice({ tone: 'error', text, page: 'hooks', href: `/journal/${id}` })
}

/** A button's command has ended: what it said last. */
export function tellButtonRun(isDone: boolean, said: string): void {
  toast({ tone: isDone ? 'success' : 'error', text: said.slice(0, MOST_TEXT) })
}

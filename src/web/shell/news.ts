// What happened while a person looked elsewhere, told in the corner and kept behind the bell.
import type { Frame } from '../../protocol/frames.ts'
import { toast } from '../components/toasts.tsx'
import { type ConsoleState, hookName } from '../console-state.ts'
import { notice } from './notices.ts'

const MOST_TEXT = 200

/** A fire that failed. */
export function tellFailedFire({ hooks }: Pick<ConsoleState, 'hooks'>, { id, hookId, error }: Frame<'cmd:done'>): void {
  const name = hookName(hooks, hookId) ?? 'A hook'
  const text = `${name} failed${error === undefined ? '' : `: ${error.slice(0, MOST_TEXT)}`}`
  toast({ tone: 'error', text, runId: id })
  notice({ tone: 'error', text, page: 'hooks', href: `/journal/${id}` })
}

/** A button's command has ended: what it said last. */
export function tellButtonRun(isDone: boolean, said: string): void {
  toast({ tone: isDone ? 'success' : 'error', text: said.slice(0, MOST_TEXT) })
}

// News for a person who looks elsewhere: toasts, the list behind the bell, and notifications of the system where they are on.
import type { Frame, ServerFrame } from '../../protocol/frames.ts'
import type { NoticeRow } from '../../protocol/rows.ts'
import { toast } from '../components/toasts.tsx'
import { type ConsoleState, hookName, type Outcome } from '../state/console-state.ts'
import { usePreferences } from '../state/preferences.ts'
import { notice, takeNotices, useNotices } from './notices.ts'

export const loadNotifications = () => import('./os-notifications.ts')

function broadcastNotification(rows: readonly NoticeRow[]): void {
  const { hasSounds, hasNotifications } = usePreferences.getState()
  if (rows.length > 0 && (hasSounds || hasNotifications))
    void loadNotifications().then(({ notifyOutside }) => notifyOutside(rows))
}

const MOST_TEXT = 200

type Hooks = Pick<ConsoleState, 'hooks'>

export function notifyFrame(state: Hooks, frame: ServerFrame): void {
  if (frame.t === 'state:notices') notifyNotices(takeNotices(frame.notices))
  // A fire skipped by a limit is not a failure.
  else if (frame.t === 'cmd:done' && !frame.success && frame.unbegun !== 'skipped') notifyFailedFire(state, frame)
}

/** A run of this page reports its own output, and its end a failure: only these kinds become toasts. */
const TOASTED: ReadonlySet<string> = new Set(['fill', 'stop', 'guard', 'task', 'said', 'paused-hook', 'unknown-order'])

function notifyNotices(rows: readonly NoticeRow[]): void {
  broadcastNotification(rows)
  for (const { kind, severity, text } of rows) {
    if (TOASTED.has(kind)) toast({ tone: TONES.get(severity) ?? 'warn', text: text.slice(0, MOST_TEXT) })
  }
}

const TONES: ReadonlyMap<string, 'success' | 'error'> = new Map([
  ['info', 'success'],
  ['urgent', 'error'],
])

function notifyFailedFire({ hooks }: Hooks, { id, hookId, outcome, error = outcome }: Frame<'cmd:done'>): void {
  const name = hookName(hooks, hookId) ?? 'A hook'
  const text = `${name} failed${error === undefined ? '' : `: ${error.slice(0, MOST_TEXT)}`}`
  toast({ tone: 'error', text, runId: id })
  // Where hookline sends notices, this is one of them.
  if (useNotices.getState().notifiedId === undefined)
    notice({ tone: 'error', text, page: 'hooks', href: `/journal/${id}` })
}

export function notifyButtonRun({ isDone, text }: Outcome): void {
  toast({ tone: isDone ? 'success' : 'error', text: text.slice(0, MOST_TEXT) })
}

// News for a person who looks elsewhere: toasts, the list behind the bell, and notifications of the system where they are on.
import type { Frame, ServerFrame } from '../../protocol/frames.ts'
import type { NoticeRow } from '../../protocol/rows.ts'
import { toast } from '../components/toasts.tsx'
import {
  type ConsoleState,
  hookName,
  type Outcome,
  outcomeOfRun,
  scopeOf,
  toneOfOutcome,
  warningApart,
} from '../state/console-state.ts'
import { usePreferences } from '../state/preferences.ts'
import { notice, noticeText, takeNotices, useNotices } from './notices.ts'

export const loadNotifications = () => import('./os-notifications.ts')

function broadcastNotification(rows: readonly NoticeRow[], shown: string | undefined): void {
  const { hasSounds, hasNotifications } = usePreferences.getState()
  if (rows.length > 0 && (hasSounds || hasNotifications))
    void loadNotifications().then(({ notifyOutside }) => notifyOutside(rows, shown))
}

const MOST_TEXT = 200

type Facts = Pick<ConsoleState, 'hooks' | 'hookLines' | 'focus' | 'portfolio' | 'chosen'>

export function notifyFrame(state: Facts, frame: ServerFrame): void {
  if (frame.t === 'state:notices') notifyNotices(takeNotices(frame.notices), scopeOf(state)?.account)
  // A fire skipped by a limit is not a failure.
  else if (frame.t === 'cmd:done' && frame.unbegun !== 'skipped') notifyFire(state, frame)
}

/** A run of this page reports its own output, and its end a failure: only these kinds become toasts. */
const TOASTED: ReadonlySet<string> = new Set(['fill', 'stop', 'guard', 'task', 'said', 'paused-hook', 'unknown-order'])

function notifyNotices(rows: readonly NoticeRow[], shown: string | undefined): void {
  broadcastNotification(rows, shown)
  for (const row of rows.filter(({ kind }) => TOASTED.has(kind)))
    toast({ tone: TONES.get(row.severity) ?? 'warn', text: noticeText(row, shown).slice(0, MOST_TEXT) })
}

const TONES: ReadonlyMap<string, 'success' | 'error'> = new Map([
  ['info', 'success'],
  ['urgent', 'error'],
])

function notifyFire({ hooks, hookLines }: Facts, frame: Frame<'cmd:done'>): void {
  const { id, hookId, outcome, error = outcome } = frame
  const name = hookName(hooks, hookId) ?? 'A hook'
  const ended = outcomeOfRun(frame, 'a fire', hookLines.get(id))
  const { text: done, more } = warningApart(ended)
  if (ended.isDone) {
    // Its fills are news of their own.
    if (ended.warning !== undefined) toast({ tone: 'warn', text: `${name}: ${done}`, more, runId: id })
    return
  }
  const text = `${name} failed${error === undefined ? '' : `: ${error.slice(0, MOST_TEXT)}`}`
  toast({ tone: 'error', text, more, runId: id })
  // Where hookline sends notices, this is one of them.
  if (useNotices.getState().notifiedId === undefined)
    notice({ tone: 'error', text, page: 'hooks', href: `/journal/${id}`, isFailure: true })
}

export function notifyButtonRun(outcome: Outcome): void {
  toast({ tone: toneOfOutcome(outcome), ...warningApart(outcome) })
}

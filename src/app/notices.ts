// What hookline tells the operator about itself: one line that says what, why, and what to do next.

import { printable } from '../language/printable.ts'
import type { ListenerEvent } from '../listener/listener-state.ts'
import type { ClientActivity } from '../listener/sessions/session-events.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import type { OutputKind } from '../runs/run.ts'
import type { InterruptedRun } from '../runtime/run-journal.ts'
import type { StoreProblem } from '../stores/store-error.ts'
import type { App, AppEvents } from './app.ts'

export interface Notice {
  readonly kind: OutputKind
  readonly text: string
}

const ADDRESS = `${LISTENER_HOST}:${LISTENER_PORT}`
const SHOWN_INTERRUPTED = 5

export function listenerNotice(event: ListenerEvent): Notice {
  switch (event.type) {
    case 'listening':
      return { kind: 'info', text: `listening on ${ADDRESS}` }
    case 'port-taken':
      return {
        kind: 'warn',
        text: `${ADDRESS} is held by ${holder(event.holderPid)}: going on without a listener, and taking over when it is free`,
      }
    case 'failed':
      return { kind: 'error', text: `the listener cannot use ${ADDRESS}: ${event.error.message}; trying again` }
    case 'disabled':
      return {
        kind: 'warn',
        text: 'the listener is off: listener.enabled is false or config.json cannot be read; it starts as soon as that changes',
      }
    case 'enabled':
      return { kind: 'info', text: 'the listener is on again' }
  }
}

const HOOK_DEEDS = {
  create: 'made (its token: `hook list`, `hook show <id>`)',
  rotate: 'gave a new token to',
  revoke: 'revoked',
} as const

function holder(pid: number | undefined): string {
  return pid === undefined ? 'another program' : `the hookline with pid ${pid}`
}

export function interruptedNotice(runs: readonly InterruptedRun[]): Notice | undefined {
  if (runs.length === 0) return undefined
  const shown = runs.slice(-SHOWN_INTERRUPTED).map((run) => {
    const origin = run.origin === undefined ? run.source : `${run.source}:${printable(run.origin, 64)}`
    return `  ${new Date(run.at).toISOString()} [${origin}] ${printable(run.command, 100)} (account ${run.account})`
  })
  const count = runs.length === 1 ? '1 run was' : `${runs.length} runs were`
  const which = runs.length > shown.length ? `, the last ${shown.length} of them` : ''
  const text = `${count} interrupted when hookline stopped${which}; nothing was started again, check \`orders\` and \`positions\`:`
  return { kind: 'warn', text: [text, ...shown].join('\n') }
}

export function problemNotice(problem: StoreProblem): Notice {
  const line = problem.line === undefined ? '' : `:${problem.line}`
  return {
    kind: 'error',
    text: `${problem.path}${line}: ${problem.message}; the file is left as it is and not written to until it is mended`,
  }
}

export function activityNotice(activity: ClientActivity): Notice {
  if (activity.type === 'dual-engine') {
    return activity.active
      ? {
          kind: 'warn',
          text: 'cross-trading runs twice, here and in a web page: every order would be doubled; stop one of the two',
        }
      : { kind: 'info', text: 'cross-trading runs in one place again' }
  }
  const label = `[web:${printable(activity.label, 40)}]`
  switch (activity.type) {
    case 'connected':
      return { kind: 'info', text: `${label} connected from ${printable(activity.origin, 100)}` }
    case 'disconnected':
      return { kind: 'info', text: `${label} disconnected` }
    case 'hook':
      return { kind: 'info', text: `${label} ${HOOK_DEEDS[activity.op]} hook ${printable(activity.name, 64)}` }
  }
}

/** Everything the app tells, as notices. Questions are for who can answer them. */
export function noticesTo(notify: (notice: Notice) => void): Omit<AppEvents, 'question'> {
  return {
    warn: (text) => notify({ kind: 'warn', text }),
    listener: (event) => notify(listenerNotice(event)),
    problem: (problem) => notify(problemNotice(problem)),
    activity: (activity) => notify(activityNotice(activity)),
  }
}

/** What a start has to tell: runs a crash cut off, files that cannot be used. */
export function startNotices(app: App): Notice[] {
  const interrupted = interruptedNotice(app.takeInterrupted())
  return [...(interrupted ? [interrupted] : []), ...app.problems().map(problemNotice)]
}

// The notices at the terminal: one line with the fact, its cause and what to do next.

import type { Output } from '../commands/kit/command.ts'
import { endedOrder, fillLine, printOrderEvent } from '../commands/kit/lines.ts'
import type { KnownMarkets } from '../exchange/market.ts'
import { printable } from '../language/printable.ts'
import type { ListenerEvent } from '../listener/listener-state.ts'
import type { ClientActivity } from '../listener/sessions/sessions-options.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import type { OutputKind } from '../runs/run.ts'
import type { InterruptedRun } from '../runtime/run-journal.ts'
import { MIN_PREFIX_LENGTH } from '../stores/rows.ts'
import type { StoreProblem } from '../stores/store-error.ts'
import { showAmount, showTime } from '../trading/figures.ts'
import type { ChangedPosition, Meanwhile, SeenPosition } from '../trading/offline-changes.ts'
import type { App } from './app.ts'
import type { AppEvents, Notice } from './app-events.ts'
import { panicNotice } from './open-notices.ts'
import { interruptedTaskNotices, taskNotice } from './task-work.ts'

const ADDRESS = `${LISTENER_HOST}:${LISTENER_PORT}`
const SHOWN_INTERRUPTED = 5

function listenerNotice(event: ListenerEvent): Notice {
  switch (event.type) {
    case 'listening':
      return { kind: 'info', text: `listening on ${ADDRESS}` }
    case 'port-taken':
      return {
        kind: 'warn',
        text: `${ADDRESS} is held by ${holder(event.holderPid)}: continuing without a listener until the port is free`,
      }
    case 'failed':
      return { kind: 'error', text: `the listener cannot use ${ADDRESS}: ${event.error.message}; trying again` }
    case 'disabled':
      return {
        kind: 'warn',
        text: 'the listener is off: listener.enabled is false, or config.json leaves it in doubt; it starts as soon as that changes',
      }
    case 'enabled':
      return { kind: 'info', text: 'the listener is on again' }
  }
}

const HOOK_DEEDS = {
  create: (name: string, id: string) => `created hook ${name}; \`hook show ${id}\` prints its token`,
  rotate: (name: string, id: string) => `gave hook ${name} a new token; \`hook show ${id}\` prints it`,
  revoke: (name: string) => `revoked hook ${name}`,
} as const

function holder(pid: number | undefined): string {
  return pid === undefined ? 'another program' : `the hookline with pid ${pid}`
}

export function interruptedNotice(runs: readonly InterruptedRun[]): Notice | undefined {
  if (runs.length === 0) return undefined
  const shown = runs.slice(-SHOWN_INTERRUPTED).map((run) => {
    const origin = run.origin === undefined ? run.source : `${run.source}:${printable(run.origin, 64)}`
    return `  ${showTime(run.at)} UTC [${origin}] ${printable(run.command, 100)} (account ${run.account})`
  })
  const count = runs.length === 1 ? '1 run was' : `${runs.length} runs were`
  const which = runs.length > shown.length ? `, the last ${shown.length} of them` : ''
  const text = `${count} interrupted when hookline stopped${which}; nothing was started again, check \`orders\` and \`positions\`:`
  return { kind: 'warn', text: [text, ...shown].join('\n') }
}

const CONSEQUENCE = {
  file: "hookline won't overwrite the file until you fix it",
  row: 'that row is not used, the others are; hookline leaves it as it is',
  newer: "hookline won't write to the file until it is updated",
  setting: 'that setting is not used, the others are; hookline leaves it as it is',
  switch: 'it stays off until the file switches it on',
} as const

export function problemNotice(problem: StoreProblem): Notice {
  const line = problem.line === undefined ? '' : `:${problem.line}`
  const text = `${printable(problem.path, 300)}${line}: ${printable(problem.message, 300)}; ${CONSEQUENCE[problem.kind]}`
  return { kind: problem.kind === 'file' || problem.kind === 'switch' ? 'error' : 'warn', text }
}

export function activityNotice(activity: ClientActivity): Notice {
  if (activity.type === 'dual-engine') {
    return activity.active
      ? {
          kind: 'warn',
          text: `cross-trading runs twice, here and in a web page (${nameLabels(activity.labels)}): every order would be doubled; stop one of the two`,
        }
      : { kind: 'info', text: 'cross-trading runs in one place again' }
  }
  const label = `[web:${printable(activity.label, 40)}]`
  switch (activity.type) {
    case 'connected':
      return { kind: 'info', text: `${label} connected from ${printable(activity.origin, 100)}` }
    case 'disconnected':
      return { kind: 'info', text: `${label} disconnected` }
    case 'account':
      return { kind: isGrave(activity) ? 'warn' : 'info', text: `${label} ${accountDeed(activity)}` }
    case 'cross-trade': {
      const row = `cross-trade row ${activity.id.slice(0, MIN_PREFIX_LENGTH)} of ${printable(activity.masterAccount, 40)}`
      const text = `${label} ${activity.op === 'delete' ? 'deleted' : 'wrote'} ${row}`
      if (activity.waits.length === 0) return { kind: 'info', text }
      const line = `cross-trade enable ${activity.id.slice(0, MIN_PREFIX_LENGTH)}`
      const what = printable(activity.waits.join('; '), 160)
      return { kind: 'warn', text: `${text}, which waits for a yes at the terminal (${what}): \`${line}\`` }
    }
    case 'client': {
      const { client, op, to } = activity
      const name = printable(client.label, 40) || client.clientId.slice(0, MIN_PREFIX_LENGTH)
      const deed = op === 'revoke' ? `revoked client ${name}` : `narrowed client ${name} to ${to}`
      return { kind: 'warn', text: `${label} ${deed}` }
    }
    case 'proposal': {
      const { op, proposal, account, line, runId } = activity
      const what = `proposal ${proposal} on ${printable(account, 40)}: ${printable(line, 120)}`
      const run = runId === undefined ? '' : ` (run ${runId.slice(0, 8)})`
      return { kind: 'info', text: `${label} ${op === 'approve' ? 'approved' : 'denied'} ${what}${run}` }
    }
    case 'hook': {
      const deed = HOOK_DEEDS[activity.op](printable(activity.name, 64), activity.hookId.slice(0, MIN_PREFIX_LENGTH))
      return { kind: 'info', text: `${label} ${deed}` }
    }
  }
}

function nameLabels(labels: readonly string[]): string {
  return labels.map((label) => (label === '' ? 'without a label' : printable(label, 40))).join(', ')
}

/** It may have changed which money is traded. */
function isGrave({ op, fields }: Extract<ClientActivity, { type: 'account' }>): boolean {
  return op === 'delete' || (op === 'change' && fields.length > 0)
}

function accountDeed({ op, name, exchange, fields }: Extract<ClientActivity, { type: 'account' }>): string {
  const account = `account ${printable(name, 40)}`
  const venue = printable(exchange, 32)
  if (op === 'delete') return `deleted ${account} on ${venue}`
  const what = printable(fields.length === 0 ? 'nothing that trades' : fields.join('; '), 200)
  return op === 'add' ? `added ${account} on ${venue}` : `changed ${account} on ${venue}: ${what}`
}

/** Every event of the app, as notices. Questions are for who can answer them. */
export function noticesTo(notify: (notice: Notice) => void): Omit<AppEvents, 'question' | 'editQuestion'> {
  return {
    warn: (text) => notify({ kind: 'warn', text }),
    listener: (event) => notify(listenerNotice(event)),
    problem: (problem) => notify(problemNotice(problem)),
    activity: (activity) => notify(activityNotice(activity)),
    task(report, known) {
      if (report.type === 'news' || (report.type === 'status' && report.isAnswered === true)) return
      notify(taskNotice(report, known))
    },
    meanwhile: (account, meanwhile, known) => notify(meanwhileNotice(account, meanwhile, known)),
    engine: notify,
    order: (name, event, known) => printOrderEvent(event, { name, known }, noticesAsOutput(name, notify)),
  }
}

/** Lines about orders that no run of this process waits for, with their account. */
function noticesAsOutput(account: string, notify: (notice: Notice) => void): Output {
  const notifier = (kind: OutputKind) => (text: string) => notify({ kind, text: `[${printable(account, 40)}] ${text}` })
  return {
    print: notifier('print'),
    success: notifier('success'),
    warn: notifier('warn'),
    error: notifier('error'),
    info: notifier('info'),
  }
}

/** At a start: panic, runs that a crash cut off, tasks that were interrupted, files that cannot be used. */
export function startNotices(app: App): Notice[] {
  const interrupted = interruptedNotice(app.takeInterrupted())
  const panic = app.ports.panic.read()
  return [
    ...(panic ? [{ kind: 'error', text: panicNotice(panic) } as const] : []),
    ...(interrupted ? [interrupted] : []),
    ...interruptedTaskNotices(app.ports.tasks.list(), app.ports.marketsOf),
    ...app.problems().map(problemNotice),
  ]
}

const SHOWN = 20

/** Changes of an account while no process watched it. */
function meanwhileNotice(account: string, { since, fills, ended, positions }: Meanwhile, known: KnownMarkets): Notice {
  const lines = [
    ...fills.map((trades) => `order ${printable(trades[0]?.orderId ?? '', 40)}: ${fillLine(trades, known)}`),
    ...ended.map((order) => endedOrder(order, known)),
    ...positions.map(describeChange),
  ]
  const shown = lines.slice(0, SHOWN)
  const rest =
    lines.length > shown.length ? [`and ${lines.length - shown.length} more; look at \`orders\` and \`positions\``] : []
  const title = `[${printable(account, 40)}] since the last record of the account, ${showTime(since)} UTC:`
  return { kind: 'warn', text: [title, ...[...shown, ...rest].map((line) => `  ${line}`)].join('\n') }
}

function describeChange({ symbol, before, after }: ChangedPosition): string {
  const name = printable(symbol, 20)
  if (after === undefined) return `${name}: ${describe(before)} is closed`
  return before === undefined
    ? `${name}: ${describe(after)} is new`
    : `${name}: ${describe(before)} is now ${describe(after)}`
}

function describe(position: SeenPosition | undefined): string {
  return position === undefined ? 'nothing' : `${position.side} ${showAmount(position.amount)}`
}

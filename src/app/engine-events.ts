// What the cross-trade engine of a process is given, its events, and the lines in which people read them.

import type { createCrossTradeEngine } from '../cross-trade/engine.ts'
import type { CopierEvent, CopierName, CopierState } from '../cross-trade/engine-port.ts'
import { printable } from '../language/printable.ts'
import { MIN_PREFIX_LENGTH } from '../stores/rows.ts'
import type { TaskPort } from '../tasks/task-port.ts'
import type { Clock } from '../trading/clock.ts'
import { showAverageAlone, showDuration } from '../trading/figures.ts'
import type { Connect } from '../trading/order-desk.ts'
import type { Notice } from './app-events.ts'
import type { Stores } from './open-stores.ts'

/** Why the engine ended by itself: on request, because another engine took over, or after a failure. */
export type EndReason = 'asked' | 'lost' | 'failed'

export type EngineEvent =
  | { readonly type: 'copier'; readonly event: CopierEvent }
  /** Pages that lead while this engine runs; none: it is over. */
  | { readonly type: 'pages'; readonly labels: readonly string[] }
  /** Nothing is copied while the machine slept; now it is again. */
  | { readonly type: 'resumed' }
  /** It has ended by itself. */
  | { readonly type: 'ended'; readonly why: EndReason; readonly text: string }
  | { readonly type: 'problem'; readonly text: string }

export interface EngineHostOptions {
  readonly directory: string
  readonly stores: Pick<Stores, 'crossTrade' | 'crossTradeEngine' | 'leadingPages'>
  readonly connect: Connect
  readonly clock: Clock
  /** For copiers that chase. */
  readonly tasks: TaskPort
  readonly report: (event: EngineEvent) => void
  readonly bug: (error: unknown) => void
  /** Default: the copier. */
  readonly createEngine?: typeof createCrossTradeEngine
}

/** Accounts report the orders; the line says what an order was for. @returns undefined: nothing that people need to read */
export function engineNotice(event: EngineEvent): Notice | undefined {
  switch (event.type) {
    case 'copier':
      return copierNotice(event.event)
    case 'pages':
      return pagesNotice(event.labels)
    case 'resumed':
      return { kind: 'info', text: 'the engine has read everything again and copies' }
    case 'ended':
      return {
        kind: event.why === 'asked' ? 'info' : 'error',
        text: `${printable(event.text, 200)}; the engine has stopped, and copiers keep their positions`,
      }
    case 'problem':
      return { kind: 'warn', text: `cross-trade: ${event.text}` }
  }
}

function pagesNotice(labels: readonly string[]): Notice {
  if (labels.length === 0) return { kind: 'info', text: 'no page leads cross-trading any more' }
  const names = labels.map((label) => (label === '' ? 'a page without a label' : printable(label, 40))).join(', ')
  return {
    kind: 'warn',
    text: `a page leads cross-trading too (${names}), and every copy would be made twice: stop one of the two`,
  }
}

function copierNotice(event: CopierEvent): Notice | undefined {
  switch (event.type) {
    case 'state':
      return stateNotice(event.copier)
    case 'copied': {
      const { side, amount, average, reduceOnly } = event
      const price = average === undefined ? '' : ` at ${showAverageAlone(average)}`
      const what = `${side === 'buy' ? 'bought' : 'sold'} ${printable(amount, 40)}${price}`
      return { kind: 'success', text: `${nameOf(event)}: ${what}${reduceOnly ? ', reduce-only' : ''}` }
    }
    case 'row-on':
      return { kind: 'info', text: `row ${short(event.configId)} is copied from now on${baselineOf(event.baseline)}` }
    case 'row-off':
      return {
        kind: 'info',
        text: `row ${short(event.configId)} is no longer copied; its copiers keep their positions`,
      }
    case 'refused':
      return refusedNotice(event)
    case 'account-stale':
      return {
        kind: 'warn',
        text: `account ${printable(event.account, 40)}: ${printable(event.why, 160)}; nothing is copied from or to it until that changes`,
      }
    case 'account-current':
      return { kind: 'success', text: `account ${printable(event.account, 40)} is current again` }
    case 'drift': {
      const figures = `the copier built ${printable(event.owned, 40)}, the account holds ${printable(event.held, 40)}`
      return { kind: 'warn', text: `${nameOf(event)}: ${figures}; what others traded is left alone` }
    }
    case 'written-off':
      return {
        kind: 'warn',
        text: `${nameOf(event)}: ${printable(event.amount, 40)} that it had built is gone, closed by others; \`cross-trade resync ${short(event.configId)}\` builds it again`,
      }
    case 'slept':
      return {
        kind: 'warn',
        text: `nothing was copied for ${showDuration(event.ms)} (the machine slept, or its clock was set); everything is read again`,
      }
  }
}

/** What goes on by itself is in the status line. */
function stateNotice(copier: CopierState): Notice | undefined {
  const why = copier.why === undefined ? '' : `: ${printable(copier.why, 160)}`
  const id = short(copier.configId)
  switch (copier.state) {
    case 'blocked':
      return {
        kind: 'error',
        text: `${nameOf(copier)} is blocked${why}; the next change or \`cross-trade resync ${id}\` tries again`,
      }
    case 'paused':
      return { kind: 'error', text: `${nameOf(copier)} is paused${why}; \`cross-trade enable ${id}\` wakes it` }
    case 'unknown':
      return {
        kind: 'warn',
        text: `${nameOf(copier)}: the outcome of an order is unknown${why}; the venue is asked, and nothing is sent again`,
      }
    case 'stale':
      return { kind: 'warn', text: `${nameOf(copier)} waits for current data${why}` }
    case 'in-step':
    case 'differs':
    case 'behind':
    case 'waiting':
      return undefined
  }
}

function refusedNotice({ configId, account, why }: Extract<CopierEvent, { type: 'refused' }>): Notice {
  const who = account === undefined ? '' : `, copier ${printable(account, 40)}`
  const row = `row ${short(configId)}${who}`
  return why === undefined
    ? { kind: 'info', text: `${row} may be copied again` }
    : { kind: 'warn', text: `${row} is not copied: ${printable(why, 160)}` }
}

function baselineOf(baseline: Readonly<Record<string, string>>): string {
  const held = Object.entries(baseline).filter(([, amount]) => !/^-?0*(\.0*)?$/.test(amount))
  if (held.length === 0) return ''
  const parts = held.slice(0, 5).map(([symbol, amount]) => `${printable(amount, 40)} ${printable(symbol, 40)}`)
  return `; what the master holds already is not copied: ${parts.join(', ')}${held.length > 5 ? ' and more' : ''}`
}

function nameOf({ configId, account, symbol }: CopierName): string {
  return `[${short(configId)}] ${printable(account, 40)} ${printable(symbol, 40)}`
}

function short(configId: string): string {
  return printable(configId, 36).slice(0, MIN_PREFIX_LENGTH)
}

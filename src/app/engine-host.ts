// The cross-trade engine of this process, which runs on demand, and the lines in which people read its events.

import { CommandError } from '../commands/kit/errors.ts'
import type { CopierEvent, CopierName, CopierState, EngineControl, EngineReport } from '../cross-trade/engine-port.ts'
import { printable } from '../language/printable.ts'
import { MIN_PREFIX_LENGTH } from '../stores/rows.ts'
import { showAverageAlone, showDuration } from '../trading/figures.ts'
import type { AppEvents, Notice } from './app-events.ts'
import type { Log } from './log.ts'
import type { EndReason, EngineEvent, EngineHostOptions, RunningEngine } from './running-engine.ts'

/** Accounts report the orders; the line says what an order was for. @returns undefined: nothing that people need to read */
export function engineNotice(event: EngineEvent): Notice | undefined {
  switch (event.type) {
    case 'copier':
      return copierNotice(event.event)
    case 'pages':
      return pagesNotice(event.labels)
    case 'resumed':
      return { kind: 'info', text: 'the engine has read everything again, and copies' }
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

export interface EngineHost extends EngineControl {
  /** While it runs. */
  report(): EngineReport | undefined
  /** Resolves when the engine that runs has ended by itself. */
  endsAlone(): Promise<EndReason>
  /** Resolves when nothing is under way and the lease is given back. */
  stop(): Promise<void>
}

/** As the app has it. */
export function openEngine({
  log,
  events,
  ...options
}: Omit<EngineHostOptions, 'report' | 'bug'> & {
  readonly log: Log
  readonly events: Pick<AppEvents, 'engine' | 'copied'>
}): EngineHost {
  const report = (event: EngineEvent): void => {
    const notice = engineNotice(event)
    if (notice !== undefined) events.engine?.(notice)
    if (event.type === 'copier' && event.event.type === 'copied') events.copied?.(event.event)
  }
  return createEngineHost({ ...options, report, bug: log.bug })
}

export function createEngineHost(options: EngineHostOptions): EngineHost {
  let running: RunningEngine | undefined
  let starting: Promise<void> | undefined
  const waiting: ((why: EndReason) => void)[] = []
  const begin = async (force: boolean): Promise<void> => {
    requireNoPages(options.stores.leadingPages.read(), force)
    const { RunningEngine } = await import('./running-engine.ts')
    const engine = new RunningEngine(options, (why) => {
      if (running === engine) running = undefined
      if (why !== undefined) for (const wake of waiting.splice(0)) wake(why)
    })
    running = engine
    await engine.start()
  }
  return {
    isRunning: () => running !== undefined,
    report: () => running?.report(),
    endsAlone: () => new Promise((resolve) => waiting.push(resolve)),
    start({ force }) {
      if (running !== undefined && starting === undefined) return Promise.resolve()
      starting ??= begin(force).finally(() => {
        starting = undefined
      })
      return starting
    },
    async stop() {
      // An account that does not answer must not hold up the end.
      await running?.stop()
      await starting?.catch(() => {})
      await running?.stop()
    },
  }
}

function requireNoPages(labels: readonly string[], force: boolean): void {
  if (labels.length === 0 || force) return
  const names = labels.map((label) => (label === '' ? 'a page without a label' : label.slice(0, 40))).join(', ')
  throw new CommandError('page-leads', `a page leads cross-trading and would copy everything a second time: ${names}`, {
    hint: 'turn cross-trading off in that page first; `--force` starts it anyway',
  })
}

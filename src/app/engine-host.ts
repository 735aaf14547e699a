// The cross-trade engine of this process, which runs on demand.

import { CommandError } from '../commands/kit/errors.ts'
import type { EngineControl, EngineReport } from '../cross-trade/engine-port.ts'
import type { AppEvents } from './app-events.ts'
import { type EndReason, type EngineEvent, type EngineHostOptions, engineNotice } from './engine-events.ts'
import type { Log } from './log.ts'
import type { RunningEngine } from './running-engine.ts'

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
  readonly events: Pick<AppEvents, 'engine'>
}): EngineHost {
  const report = (event: EngineEvent): void => {
    const notice = engineNotice(event)
    if (notice !== undefined) events.engine?.(notice)
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

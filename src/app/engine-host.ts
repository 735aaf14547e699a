// The cross-trade engine of this process, which runs while somebody wants it to.
import { CommandError } from '../commands/kit/command-error.ts'
import type { CopierEvent } from '../cross-trade/copier-event.ts'
import type { createCrossTradeEngine } from '../cross-trade/engine.ts'
import type { EngineControl } from '../cross-trade/engine-control.ts'
import type { EngineReport } from '../cross-trade/engine-port.ts'
import type { Clock } from '../trading/clock.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import type { AppEvents } from './app-events.ts'
import { engineNotice } from './engine-lines.ts'
import type { Log } from './log.ts'
import type { Stores } from './open-stores.ts'
import type { RunningEngine } from './running-engine.ts'

/** What it tells people. */
export type EngineEvent =
  | { readonly type: 'copier'; readonly event: CopierEvent }
  /** Pages that lead while this engine runs; none: it is over. */
  | { readonly type: 'pages'; readonly labels: readonly string[] }
  /** Nothing is copied while the machine slept; now it is again. */
  | { readonly type: 'resumed' }
  /** It ends by itself: somebody asked, another engine took over, or it could not go on. */
  | { readonly type: 'ended'; readonly why: 'asked' | 'lost' | 'failed'; readonly text: string }
  | { readonly type: 'problem'; readonly text: string }

export interface EngineHostOptions {
  readonly directory: string
  readonly stores: Pick<Stores, 'crossTrade' | 'crossTradeEngine' | 'leadingPages'>
  readonly connect: (account: string) => Promise<TradingAccount>
  readonly clock: Clock
  readonly tell: (event: EngineEvent) => void
  readonly bug: (error: unknown) => void
  /** Default: the copier. */
  readonly createEngine?: typeof createCrossTradeEngine
}

export interface EngineHost extends EngineControl {
  /** While it runs. */
  report(): EngineReport | undefined
  /** Resolves when nothing is under way and the lease is given back. */
  stop(): Promise<void>
}

/** As the app has it. */
export function openEngine({
  log,
  events,
  ...options
}: Omit<EngineHostOptions, 'tell' | 'bug'> & {
  readonly log: Log
  readonly events: Pick<AppEvents, 'engine'>
}): EngineHost {
  const tell = (event: EngineEvent): void => {
    const notice = engineNotice(event)
    if (notice !== undefined) events.engine?.(notice)
  }
  return createEngineHost({ ...options, tell, bug: log.bug })
}

export function createEngineHost(options: EngineHostOptions): EngineHost {
  let running: RunningEngine | undefined
  let starting: Promise<void> | undefined
  const begin = async (force: boolean): Promise<void> => {
    requireNoPages(options.stores.leadingPages.read(), force)
    const { RunningEngine } = await import('./running-engine.ts')
    const engine = new RunningEngine(options, () => {
      if (running === engine) running = undefined
    })
    running = engine
    await engine.start()
  }
  return {
    isRunning: () => running !== undefined,
    report: () => running?.report(),
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
    hint: 'turn cross-trading off in that page first; `--force` starts it all the same',
  })
}

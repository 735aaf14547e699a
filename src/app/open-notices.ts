// The notices of this process, and everything that tells them something.

import { startUnheldTimer } from '../base/concurrency.ts'
import { defined } from '../base/defined.ts'
import type { ListenerStatus } from '../commands/kit/data.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { hideTokens } from '../language/printable.ts'
import { Notices } from '../notices/notices.ts'
import type { RunSink } from '../runs/run.ts'
import type { PausedHook } from '../runtime/hook-circuit-breaker.ts'
import type { InterruptedRun } from '../runtime/run-journal.ts'
import type { UnbegunFires } from '../runtime/runner.ts'
import type { AppEvents } from './app-events.ts'
import { withNotices } from './event-notices.ts'
import { type KeptNoticeResults, keepNoticeResults } from './keep-notice-results.ts'
import type { Log } from './log.ts'
import type { Stores } from './open-stores.ts'
import { runNotices } from './run-notices.ts'
import { stateNotices } from './state-notices.ts'
import { describePaused, describeUnbegun } from './stop-notices.ts'
import { VERSION } from './version.ts'

interface OpenNoticesOptions {
  readonly env: NodeJS.ProcessEnv
  readonly stores: Pick<Stores, 'config' | 'guards' | 'hooks' | 'panic' | 'noticeResults'>
  readonly credentials: Credentials
  readonly events: AppEvents
  readonly log: Pick<Log, 'bug' | 'writeSeldom'>
  /** Instead of Telegram's own. */
  readonly telegramApi?: string
  /** undefined: this process does not listen. */
  readonly listenerState: () => ListenerStatus['state'] | undefined
}

export interface NoticeWork {
  readonly port: Notices
  /** As they were; some are told away from the terminal too. */
  readonly events: AppEvents
  /** Tells what runs do. */
  readonly sink: RunSink
  /** Fires were accepted and ended before they began. */
  readonly unbegun: (fires: UnbegunFires) => void
  /** A hook was paused. */
  readonly paused: (paused: PausedHook) => void
  /** Runs that a crash cut off. */
  interrupted(runs: readonly InterruptedRun[]): void
  /** Tells halts and panic. @returns stops that */
  follow(): () => void
  /** What waits is sent, in 2 s or not at all. */
  close(): Promise<void>
}

const END_MS = 2_000

export function openNotices(options: OpenNoticesOptions): NoticeWork {
  const { stores, events, listenerState, log } = options
  const results = keepNoticeResults(stores.noticeResults, stores.config, (error) =>
    log.writeSeldom('warn', 'how notices went is not kept', { reason: String(error) }),
  )
  const port = openPort(options, results)
  // Of several processes on these files, the one that listens tells what happens on accounts.
  const isMain = () => !['port-taken', undefined].includes(listenerState())
  const ports = { isMain, tell: port.tell.bind(port) }
  return {
    port,
    events: withNotices(events, ports),
    sink: runNotices(ports),
    unbegun(fires) {
      const text = describeUnbegun(fires)
      events.warn(text)
      // A limit that skips a fire does what it is there for, and who stopped it knows.
      if (fires.unbegun === 'skipped' || fires.unbegun === 'stopped') return
      port.tell({ kind: 'failed-hook', severity: 'warn', text })
    },
    paused(paused) {
      const text = describePaused(paused)
      events.warn(text)
      const severity = paused.pause.by === 'failures' ? 'urgent' : 'info'
      port.tell({ kind: 'paused-hook', severity, text, hook: paused.hook.name })
    },
    interrupted(runs) {
      const { length } = runs.filter(({ source }) => source === 'hook')
      if (length === 0) return
      const text = `${length === 1 ? '1 run of a hook was' : `${length} runs of hooks were`} interrupted when hookline stopped; nothing was started again`
      port.tell({ kind: 'failed-hook', severity: 'warn', text })
    },
    follow: () => stateNotices({ ...stores, tell: (notice) => isMain() && port.tell(notice) }),
    async close() {
      await port.close(END_MS)
      await results.close()
    },
  }
}

function openPort(options: OpenNoticesOptions, results: KeptNoticeResults): Notices {
  const { env, stores, credentials, events, log, telegramApi } = options
  return new Notices({
    now: Date.now,
    pause: unheldPause,
    warn: events.warn,
    onBug: (error) => log.bug(error),
    onResult: results.note,
    hide: (text) => hideTokens(text, stores.hooks.isSecret),
    settings: () => stores.config.readOncePerTurn().notices,
    async open(channel) {
      const { openChannel } = await import('../notices/open-channel.ts')
      return openChannel(channel, {
        platform: process.platform,
        env,
        version: VERSION,
        now: Date.now,
        readKeys: (owner, place) => credentials.read(owner, place),
        ...defined({ telegramApi }),
      })
    },
  })
}

/** A process that has nothing else to do ends meanwhile. */
function unheldPause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stop()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const stop = startUnheldTimer(ms, end)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })
}

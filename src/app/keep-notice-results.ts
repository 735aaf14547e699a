// How notices went, written down now and then and at the end: another process may be asked.
import { startUnheldTimer } from '../base/concurrency.ts'
import type { ConfigStore } from '../stores/config.ts'
import type { NoticeResult, NoticeResultStore } from '../stores/notices.ts'

const WRITE_AFTER_MS = 3_000

export interface KeptNoticeResults {
  note(channel: string, result: NoticeResult): void
  /** Never rejects. */
  close(): Promise<void>
}

export function keepNoticeResults(
  store: NoticeResultStore,
  config: Pick<ConfigStore, 'read'>,
  onProblem: (error: unknown) => void,
): KeptNoticeResults {
  let waiting = new Map<string, NoticeResult>()
  let stopTimer: (() => void) | undefined
  let last: Promise<void> = Promise.resolve()

  function write(): void {
    stopTimer?.()
    stopTimer = undefined
    if (waiting.size === 0) return
    const results = waiting
    waiting = new Map()
    const known = config.read().notices.channels.map(({ name }) => name)
    last = last.then(() => store.note(results, known)).catch(onProblem)
  }

  return {
    note(channel, result) {
      waiting.set(channel, result)
      stopTimer ??= startUnheldTimer(WRITE_AFTER_MS, write)
    },
    async close() {
      write()
      await last
    },
  }
}

// What runs tell that the operator is told away from the terminal too (behaviour 50): failed hooks, orders that a limit refused, fills and stops.
// A person who typed the line, or clicked for it, reads it there.
import { defined } from '../base/defined.ts'
import type { ErrorData, OrderData } from '../commands/kit/data.ts'
import type { Notice } from '../notices/notice.ts'
import type { RunData, RunRequest, RunSink } from '../runs/run.ts'
import { isOwnNews, orderNotice } from './order-notices.ts'

interface RunNoticePorts {
  readonly tell: (notice: Notice) => void
  /** Whether this process tells what happens on accounts: of several, one does. */
  readonly isMain: () => boolean
}

export function runNotices({ tell, isMain }: RunNoticePorts): RunSink {
  /** Runs of hooks whose refused order has been told: their end says the same again. */
  const refused = new Set<string>()
  return {
    output(run, _kind, text, data) {
      if (data === undefined) return
      if (isOrder(data)) {
        const notice = orderNotice(text, data, aboutOf(run))
        if (notice !== undefined && isNews(run, data, notice, isMain)) tell(notice)
      } else if (isError(data) && data.code === 'stop-failed') {
        // The entry was placed, and what it opened is without its stop.
        tell({ kind: 'stop', severity: 'urgent', text, ...aboutOf(run) })
      } else if (isError(data) && data.code === 'guarded' && run.source === 'hook') {
        refused.add(run.runId)
        tell({ kind: 'guard', severity: 'warn', text: `${nameOf(run)}: ${data.message}`, ...aboutOf(run) })
      }
    },
    done(run, { success, error, cut }) {
      const isTold = refused.delete(run.runId)
      // What cut it short is told by itself: a halt, a panic, the operator.
      if (success || cut === true || isTold || run.source !== 'hook') return
      const why = error === undefined ? '' : `: ${error}`
      tell({ kind: 'failed-hook', severity: 'warn', text: `${nameOf(run)} failed${why}`, ...aboutOf(run) })
    },
  }
}

/** What somebody waits for is read there; what comes later, or is grave, is not. */
function isNews(run: RunRequest, { event }: OrderData, notice: Notice, isMain: () => boolean): boolean {
  if (isOwnNews(event, notice)) return true
  return isMain() && (run.source === 'hook' || event !== 'filled')
}

function aboutOf({ account, source, origin }: RunRequest): Pick<Notice, 'account' | 'hook'> {
  return { ...defined({ account }), ...(source === 'hook' && origin !== undefined ? { hook: origin } : {}) }
}

const nameOf = ({ origin }: RunRequest): string => (origin === undefined ? 'a hook' : `hook ${origin}`)

const isOrder = (data: RunData): data is OrderData => data.type === 'order'
const isError = (data: RunData): data is ErrorData => data.type === 'error'

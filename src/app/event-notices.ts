// What the app reports to its terminal, told away from it too where that matters (behaviour 50).
import type { Output } from '../commands/kit/command.ts'
import { sayOrderEvent } from '../commands/kit/lines.ts'
import type { Notice } from '../notices/notice.ts'
import type { TaskReport } from '../tasks/task-report.ts'
import { showTime } from '../trading/figures.ts'
import type { Meanwhile } from '../trading/offline-changes.ts'
import type { OrderEvent } from '../trading/order-event.ts'
import type { AppEvents } from './app-events.ts'
import type { Notice as TerminalNotice } from './notice.ts'
import { isOwnNews, orderNotice } from './order-notices.ts'
import { taskNotice } from './task-notices.ts'

interface EventNoticePorts {
  readonly tell: (notice: Notice) => void
  /** Whether this process tells what happens on accounts: of several, one does. */
  readonly isMain: () => boolean
}

/** The same events; some are told as well. */
export function withNotices(events: AppEvents, { tell, isMain }: EventNoticePorts): AppEvents {
  const tellIf = (notice: Notice | undefined): void => {
    if (notice !== undefined) tell(notice)
  }
  return {
    ...events,
    order(account, event) {
      events.order(account, event)
      for (const notice of noticesOfOrder(account, event)) {
        if (isOwnNews(event.type, notice) || isMain()) tell(notice)
      }
    },
    task(told) {
      events.task(told)
      tellIf(noticeOfTask(told))
    },
    meanwhile(account, meanwhile) {
      events.meanwhile(account, meanwhile)
      if (isMain()) tell(noticeOfAbsence(account, meanwhile))
    },
    engine(notice) {
      events.engine?.(notice)
      tellIf(noticeOfEngine(notice))
    },
  }
}

function noticesOfOrder(account: string, event: OrderEvent): readonly Notice[] {
  const found: Notice[] = []
  const say: Output['print'] = (text, data) => {
    const notice = data?.type === 'order' ? orderNotice(text, data, { account }) : undefined
    if (notice !== undefined) found.push(notice)
  }
  sayOrderEvent(event, { print: say, success: say, warn: say, error: say, info: say })
  return found
}

/** That it is over, or waits for a person: not each of its fills. */
export function noticeOfTask(told: TaskReport): Notice | undefined {
  const { task } = told
  if (told.type !== 'status' || task.status === 'cancelled') return undefined
  if (task.status === 'running' && task.paused !== true) return undefined
  const severity = task.status === 'done' ? 'info' : task.status === 'failed' ? 'urgent' : 'warn'
  return { kind: 'task', severity, text: taskNotice(told).text, account: task.account }
}

function noticeOfAbsence(account: string, { since, fills, ended, positions }: Meanwhile): Notice {
  const counts = [
    count(fills.length, 'order filled', 'orders filled'),
    count(ended.length, 'order ended', 'orders ended'),
  ]
  const changes = count(positions.length, 'position changed', 'positions changed')
  const text = `since hookline last watched, ${showTime(since)} UTC: ${[...counts, changes].join(', ')}`
  return { kind: 'fill', severity: 'warn', text, account }
}

/** What the copier cannot do; what it copies is in the terminal. */
function noticeOfEngine({ kind, text }: TerminalNotice): Notice | undefined {
  if (kind !== 'warn' && kind !== 'error') return undefined
  return { kind: 'task', severity: kind === 'error' ? 'urgent' : 'warn', text: `cross-trade: ${text}` }
}

function count(many: number, one: string, several: string): string {
  return `${many} ${many === 1 ? one : several}`
}

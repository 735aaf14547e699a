// What a task that ends, or an entry that fills where no run waits for it, leaves without a stop: said once of each.
import { startUnheldTimer } from '../base/concurrency.ts'
import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import { isAlert } from '../commands/tasks/task-words.ts'
import { warnOfOpened } from '../commands/trading/protective-stop.ts'
import { isTriggerType, type Side } from '../exchange/order.ts'
import { printable } from '../language/printable.ts'
import type { TaskReport } from '../tasks/task-port.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import type { OrderEvent } from '../trading/order-event.ts'
import type { AppEvents } from './app-events.ts'

/** A stop of the entry is placed meanwhile, and a venue may list the position late. */
const OPENED_AFTER_MS = 2_000
/** Orders and tasks that were named before, at most. */
const MAX_NAMED = 1_000

interface BarePorts {
  /** undefined: nothing is asked. */
  readonly connect: ((account: string) => Promise<Pick<TradingAccount, 'venue'>>) | undefined
  /** Default: real time. @returns its end */
  readonly after?: (ms: number, work: () => void) => () => void
  readonly bug: (error: unknown) => void
}

interface Opened {
  /** Of the order or the task: each is named once. */
  readonly id: string
  readonly symbol: string
  readonly side?: Side
}

/**
 * The same events; a task that ends, or an entry that fills where no run waits for it, is followed by what of its position no stop ends.
 * @returns `stop`: nothing is asked any more
 */
export function withBareNotices(
  events: AppEvents,
  { connect, after = startUnheldTimer, bug }: BarePorts,
): { readonly events: AppEvents; readonly stop: () => void } {
  if (connect === undefined) return { events, stop: () => {} }
  const named = new Set<string>()
  const ends = new Set<() => void>()
  const warnOf = async (account: string, opened: Opened): Promise<void> => {
    const out = { warn: (text: string) => events.warn(`[${printable(account, 40)}] ${text}`) }
    try {
      await warnOfOpened({ out }, await connect(account), opened)
    } catch (error) {
      if (!isRefusal(error)) throw error
      out.warn(`it is not known whether a stop covers the position: ${describeRefusal(error)}`)
    }
  }
  const consider = (account: string, opened: Opened | undefined): void => {
    if (opened === undefined || named.has(`${account}/${opened.id}`)) return
    if (named.size >= MAX_NAMED) named.clear()
    named.add(`${account}/${opened.id}`)
    const end = after(OPENED_AFTER_MS, () => {
      ends.delete(end)
      warnOf(account, opened).catch(bug)
    })
    ends.add(end)
  }
  return {
    events: {
      ...events,
      order(account, event) {
        events.order(account, event)
        consider(account, openedByOrder(event))
      },
      task(report) {
        events.task(report)
        consider(report.task.account, openedByTask(report))
      },
    },
    stop() {
      for (const end of ends) end()
      ends.clear()
    },
  }
}

function openedByOrder(event: OrderEvent): Opened | undefined {
  if (event.type !== 'filled-later' && event.type !== 'filled-meanwhile' && event.type !== 'elsewhere') return undefined
  const { order } = event
  const isFilled = event.type !== 'elsewhere' || event.trades.length > 0
  if (order === undefined || !isFilled || order.reduceOnly || isTriggerType(order.type)) return undefined
  const { id, symbol, side } = order
  return { id, symbol, side }
}

/** Who cancels one is answered with it. A protection ends with its own words. */
function openedByTask(report: TaskReport): Opened | undefined {
  const { id, symbol, status, protective, filled } = report.task
  if (report.type !== 'status' || report.isAnswered === true || protective === true || isAlert(report.task)) {
    return undefined
  }
  const isOver = status !== 'running' && status !== 'interrupted'
  return isOver && Number(filled ?? 0) > 0 ? { id: printable(id, 64), symbol } : undefined
}

// What a task that ends, or an entry that fills where no run waits for it, leaves without a stop: said once of each position until an order reduces or protects it.
import { startUnheldTimer } from '../base/concurrency.ts'
import { defined } from '../base/defined.ts'
import type { OrderData } from '../commands/kit/data.ts'
import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import { isAlert } from '../commands/tasks/task-words.ts'
import { warnOfOpened } from '../commands/trading/protective-stop.ts'
import { isTriggerType, type Order, type Side } from '../exchange/order.ts'
import { printable } from '../language/printable.ts'
import type { Notice } from '../notices/notice.ts'
import type { RunSink } from '../runs/run.ts'
import type { TaskReport } from '../tasks/task-port.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import type { OrderEvent } from '../trading/order-event.ts'
import type { AppEvents } from './app-events.ts'

/** A stop of the entry is placed meanwhile, and a venue may list the position late. */
const OPENED_AFTER_MS = 2_000
/** Orders and tasks that were looked at before, at most. */
const MAX_SEEN = 1_000

/** Fills on one position that are looked at together: each puts the look off again, so many times. */
const MAX_PUT_OFF = 5

interface BarePorts {
  /** undefined: nothing is asked. */
  readonly connect: ((account: string) => Promise<Pick<TradingAccount, 'venue'>>) | undefined
  /** Default: real time. @returns its end */
  readonly after?: (ms: number, work: () => void) => () => void
  /** What a hook has opened leaves the terminal too. */
  readonly notify: (notice: Notice) => void
  readonly bug: (error: unknown) => void
}

interface Opened {
  /** Of the order or the task: each is looked at once. */
  readonly id: string
  readonly symbol: string
  readonly side?: Side
  /** Its end is the last word of it, whatever was named before. */
  readonly isTask?: true
  /** The hook that ordered it. */
  readonly hook?: string
}

interface Look {
  readonly end: () => void
  readonly putOff: number
  readonly hook: string | undefined
}

interface BareNotices {
  readonly events: AppEvents
  /** Takes what runs do. */
  readonly sink: RunSink
  /** Nothing is asked any more. */
  readonly stop: () => void
}

/** The same events; a task that ends, or an entry that fills where no person waits for it, is followed by what of its position no stop ends. */
export function withBareNotices(
  events: AppEvents,
  { connect, after = startUnheldTimer, notify, bug }: BarePorts,
): BareNotices {
  if (connect === undefined) return { events, sink: {}, stop: () => {} }
  const seen = new Set<string>()
  const looks = new Map<string, Look>()
  /** Sides of positions without a stop that were named, by account and symbol, until an order reduces or protects. */
  const named = new Map<string, string>()
  const look = async (account: string, { symbol, side, isTask, hook }: Omit<Opened, 'id'>): Promise<void> => {
    const key = `${account}/${symbol}`
    const lines: string[] = []
    const out = { warn: (text: string) => void lines.push(`[${printable(account, 40)}] ${text}`) }
    try {
      const bare = await warnOfOpened({ out }, await connect(account), { symbol, ...defined({ side }) })
      const sides = bare?.map((position) => position.side).join()
      if (sides !== undefined && sides !== '' && sides === named.get(key) && isTask !== true) return
      if (sides !== undefined) named.set(key, sides)
    } catch (error) {
      if (!isRefusal(error)) throw error
      out.warn(`it is not known whether a stop covers the position: ${describeRefusal(error)}`)
    }
    for (const text of lines) {
      events.warn(text)
      if (hook !== undefined) notify({ kind: 'stop', severity: 'warn', text, account, hook })
    }
  }
  const consider = (account: string, opened: Opened | undefined): void => {
    if (opened === undefined || seen.has(`${account}/${opened.id}`)) return
    if (seen.size >= MAX_SEEN) seen.clear()
    seen.add(`${account}/${opened.id}`)
    const { symbol, side, isTask } = opened
    const key = `${account}/${symbol}/${side ?? ''}`
    const before = looks.get(key)
    if (before !== undefined && before.putOff >= MAX_PUT_OFF) return
    before?.end()
    const hook = opened.hook ?? before?.hook
    const end = after(OPENED_AFTER_MS, () => {
      looks.delete(key)
      look(account, { symbol, ...defined({ side, isTask, hook }) }).catch(bug)
    })
    looks.set(key, { end, hook, putOff: (before?.putOff ?? -1) + 1 })
  }
  const noteExit = (account: string, orders: readonly (Order | undefined)[]): void => {
    for (const order of orders) if (order !== undefined && isExit(order)) named.delete(`${account}/${order.symbol}`)
  }
  return {
    events: {
      ...events,
      order(account, event) {
        events.order(account, event)
        noteExit(account, ordersOf(event))
        consider(account, openedByOrder(event))
      },
      task(report) {
        events.task(report)
        consider(report.task.account, openedByTask(report))
      },
    },
    sink: {
      output(run, _kind, _text, data) {
        if (data?.type !== 'order') return
        const { account, order, event } = data as OrderData
        noteExit(account, [order])
        // Who typed the line, or clicked for it, is told at once.
        if (run.source !== 'hook' || order === undefined || isExit(order)) return
        if ((event !== 'filled' && event !== 'filled-later') || Number(order.filled) === 0) return
        const { id, symbol, side } = order
        consider(account, { id, symbol, side, ...defined({ hook: run.origin }) })
      },
    },
    stop() {
      for (const { end } of looks.values()) end()
      looks.clear()
    },
  }
}

function isExit({ reduceOnly, type }: Order): boolean {
  return reduceOnly || isTriggerType(type)
}

function ordersOf(event: OrderEvent): readonly (Order | undefined)[] {
  if (event.type === 'placed-elsewhere') return event.orders
  if (event.type === 'protected') return [event.stop]
  return 'order' in event ? [event.order] : []
}

function openedByOrder(event: OrderEvent): Opened | undefined {
  if (event.type !== 'filled-later' && event.type !== 'filled-meanwhile' && event.type !== 'elsewhere') return undefined
  const { order } = event
  const isFilled = event.type !== 'elsewhere' || event.trades.length > 0
  if (order === undefined || !isFilled || isExit(order)) return undefined
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
  return isOver && Number(filled ?? 0) > 0 ? { id: printable(id, 64), symbol, isTask: true } : undefined
}

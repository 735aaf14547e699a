// What a task that ends, a copier, or an entry that fills where no run waits for it leaves without a stop: said once of each position until an
// order reduces or protects it.
import { startUnheldTimer } from '../base/concurrency.ts'
import { defined } from '../base/defined.ts'
import type { OrderData } from '../commands/kit/data.ts'
import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import { isAlert } from '../commands/tasks/task-words.ts'
import { warnOfOpened } from '../commands/trading/protective-stop.ts'
import { isTriggerType, type Order, type Side } from '../exchange/order.ts'
import { printable } from '../language/printable.ts'
import type { Notice } from '../notices/notice.ts'
import type { RunRequest, RunSink } from '../runs/run.ts'
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

/** A run under way may still place the stop of what it has opened: so long is waited for it. */
const RUN_WITHIN_MS = 60_000

interface BarePorts {
  /** undefined: nothing is asked. */
  readonly connect: ((account: string) => Promise<Pick<TradingAccount, 'venue' | 'name'>>) | undefined
  /** The account in focus. */
  readonly focus: () => string
  /** Whether a run under way has a step ahead that places a stop on the market. */
  readonly placesStopAhead: (runId: string, symbol: string) => boolean
  /** Whether another process runs a line that has sent this order, and that places a stop on the market. */
  readonly isProtectedElsewhere: (clientOrderId: string, symbol: string) => Promise<boolean>
  /** Default: real time. @returns its end */
  readonly after?: (ms: number, work: () => void) => () => void
  /** What a hook or a copier has opened leaves the terminal too. */
  readonly notify: (notice: Notice) => void
  readonly bug: (error: unknown) => void
}

interface Opened {
  /** Of the order or the task: each is looked at once. Absent: it is new. */
  readonly id?: string
  readonly symbol: string
  readonly side?: Side
  /** Its end is the last word of it, whatever was named before. */
  readonly isTask?: true
  /** No person is at it. */
  readonly isUnattended?: true
  /** The hook that ordered it. */
  readonly hook?: string
  /** The run that ordered it, where it is of this process. */
  readonly runId?: string
  /** Of an order of another process. */
  readonly clientOrderId?: string
}

interface Look {
  readonly account: string
  readonly opened: Opened
  readonly putOff: number
  /** Of the fills that it is about; undefined: of no run here. */
  runIds: readonly (string | undefined)[]
  /** For the end of its runs. */
  isWaiting: boolean
  end: () => void
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
  { connect, focus, placesStopAhead, isProtectedElsewhere, after = startUnheldTimer, notify, bug }: BarePorts,
): BareNotices {
  if (connect === undefined) return { events, sink: {}, stop: () => {} }
  const seen = new Set<string>()
  const looks = new Map<string, Look>()
  /** Sides of positions without a stop that were named, by account and symbol, until an order reduces or protects. */
  const named = new Map<string, string>()
  const look = async (account: string, opened: Opened): Promise<void> => {
    const { symbol, side, isTask, isUnattended, hook } = opened
    const key = `${account}/${symbol}`
    const lines: string[] = []
    const out = { warn: (text: string) => void lines.push(`[${printable(account, 40)}] ${text}`) }
    const elsewhere = (name: string) => (name === focus() ? undefined : name)
    try {
      const bare = await warnOfOpened({ out, elsewhere }, await connect(account), { symbol, ...defined({ side }) })
      const sides = bare?.map((position) => position.side).join()
      if (sides !== undefined && sides !== '' && sides === named.get(key) && isTask !== true) return
      if (sides !== undefined) named.set(key, sides)
    } catch (error) {
      if (!isRefusal(error)) throw error
      out.warn(`it is not known whether a stop covers the position: ${describeRefusal(error)}`)
    }
    for (const text of lines) {
      events.warn(text)
      if (isUnattended === true) notify({ kind: 'stop', severity: 'warn', text, account, ...defined({ hook }) })
    }
  }
  const lookNow = (key: string, { account, opened, end }: Look): void => {
    end()
    looks.delete(key)
    look(account, opened).catch(bug)
  }
  const isProtectedLater = ({ runIds, opened: { symbol } }: Pick<Look, 'runIds' | 'opened'>): boolean =>
    runIds.every((runId) => runId !== undefined && placesStopAhead(runId, symbol))
  const arm = (key: string, about: Omit<Look, 'end' | 'isWaiting'>): void => {
    const due: Look = { ...about, isWaiting: false, end: () => {} }
    due.end = after(OPENED_AFTER_MS, () => decide(key, due, RUN_WITHIN_MS))
    looks.set(key, due)
  }
  const decide = (key: string, due: Look, leftMs: number): void => {
    const { clientOrderId, symbol } = due.opened
    if (isProtectedLater(due)) {
      due.isWaiting = true
      due.end = after(leftMs, () => lookNow(key, due))
    } else if (clientOrderId === undefined || leftMs <= 0) lookNow(key, due)
    else waitElsewhere(key, due, isProtectedElsewhere(clientOrderId, symbol), leftMs).catch(bug)
  }
  /** Of another process nothing says when its run ends: it is asked again. */
  const waitElsewhere = async (key: string, due: Look, asked: Promise<boolean>, leftMs: number): Promise<void> => {
    const isAhead = await asked.catch((error: unknown) => {
      if (!isRefusal(error)) throw error
      return false
    })
    // A later fill has taken its place, or the process ends.
    if (looks.get(key) !== due) return
    if (isAhead) due.end = after(OPENED_AFTER_MS, () => decide(key, due, leftMs - OPENED_AFTER_MS))
    else lookNow(key, due)
  }
  const isNew = (account: string, { id }: Opened): boolean => {
    if (id === undefined) return true
    if (seen.has(`${account}/${id}`)) return false
    if (seen.size >= MAX_SEEN) seen.clear()
    seen.add(`${account}/${id}`)
    return true
  }
  const consider = (account: string, opened: Opened | undefined): void => {
    if (opened === undefined || !isNew(account, opened)) return
    const key = `${account}/${opened.symbol}/${opened.side ?? ''}`
    const before = looks.get(key)
    if (before === undefined) return arm(key, { account, opened, runIds: [opened.runId], putOff: 0 })
    before.runIds = [...new Set([...before.runIds, opened.runId])]
    if (before.isWaiting ? isProtectedLater(before) : before.putOff >= MAX_PUT_OFF) return
    before.end()
    const { isUnattended = before.opened.isUnattended, hook = before.opened.hook } = opened
    const { runIds, putOff } = before
    arm(key, { account, opened: { ...opened, ...defined({ isUnattended, hook }) }, runIds, putOff: putOff + 1 })
  }
  /** A step of the run has ended, or all of it. */
  const lookAfterRun = ({ runId }: RunRequest, isOver: boolean): void => {
    for (const [key, due] of looks) {
      if (due.isWaiting && due.runIds.includes(runId) && (isOver || !isProtectedLater(due))) lookNow(key, due)
    }
  }
  const noteExit = (account: string, orders: readonly (Order | undefined)[]): void => {
    for (const order of orders) if (order !== undefined && isExit(order)) named.delete(`${account}/${order.symbol}`)
  }
  return {
    events: {
      ...events,
      order(account, event, known) {
        events.order(account, event, known)
        noteExit(account, ordersOf(event))
        consider(account, openedByOrder(event))
      },
      task(report, known) {
        events.task(report, known)
        consider(report.task.account, openedByTask(report))
      },
      copied(copied) {
        events.copied?.(copied)
        const { account, symbol, side, reduceOnly } = copied
        if (reduceOnly) named.delete(`${account}/${symbol}`)
        else consider(account, { symbol, side, isUnattended: true })
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
        consider(account, { id, symbol, side, isUnattended: true, runId: run.runId, ...defined({ hook: run.origin }) })
      },
      step: (run) => lookAfterRun(run, false),
      done: (run) => lookAfterRun(run, true),
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
  const { id, symbol, side, clientOrderId } = order
  return { id, symbol, side, ...(event.type === 'elsewhere' ? defined({ clientOrderId }) : {}) }
}

/** Who cancels one is answered with it. A protection ends with its own words. */
function openedByTask(report: TaskReport): Opened | undefined {
  const { id, symbol, status, protective, filled, runId } = report.task
  if (report.type !== 'status' || report.isAnswered === true || protective === true || isAlert(report.task)) {
    return undefined
  }
  const isOver = status !== 'running' && status !== 'interrupted'
  return isOver && Number(filled ?? 0) > 0 ? { id: printable(id, 64), symbol, isTask: true, runId } : undefined
}

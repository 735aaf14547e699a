// What the journal of tasks says beside what the venue's own books say, of every task there ever was, once nothing is under way any more.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Decimal } from 'decimal.js'
import { isTriggerType, type Order } from '../../../src/exchange/order.ts'
import type { Task } from '../../../src/stores/tasks.ts'
import { TASK_KINDS } from '../../../src/tasks/kinds.ts'
import { foldTasks, isOver, type TaskRecord } from '../../../src/tasks/task-record.ts'
import { orderIdPrefix } from '../../../src/trading/order-plan.ts'
import { linesOf } from './order-fates.ts'

export type TaskBreach =
  /** It filled more than it was to. */
  | 'more'
  /** What it says it filled is not what the venue has. */
  | 'miscounted'
  /** The venue has an order of it that its record knows nothing of. */
  | 'unrecorded'
  /** What it says rests is not what rests. */
  | 'rests'
  /** It protects a position, and has another stop than it should. */
  | 'stop'
  /** It adds exposure, and went on by itself after its process had died. */
  | 'went-on'

/** What the venue has. */
export interface TaskBooks {
  /** By `clientOrderId`. */
  readonly orders: ReadonlyMap<string, Order>
  /** In base, negative when short; flat where there is none. */
  position(account: string, symbol: string): Decimal
}

/** As far as it matters here. */
interface ExitState {
  readonly mark?: string
  readonly closing?: unknown
  readonly stop?: { readonly isDropped?: boolean }
  readonly take?: { readonly isDropped?: boolean }
}

export class TaskFates {
  readonly records: readonly TaskRecord[]
  readonly #rows: ReadonlyMap<string, Task>
  readonly #books: TaskBooks
  readonly #breaches: { readonly kind: TaskBreach; readonly text: string }[] = []

  /** @param mayRun tasks that a person asked to go on, and those begun since the last start */
  constructor(directory: string, books: TaskBooks, mayRun: (record: TaskRecord) => boolean) {
    this.records = [...foldTasks(linesOf(directory, 'tasks')).values()]
    const { tasks } = JSON.parse(readFileSync(join(directory, 'tasks.json'), 'utf8')) as { tasks: readonly Task[] }
    this.#rows = new Map(tasks.map((task) => [task.id, task]))
    this.#books = books
    const byPrefix = new Map<string, Order[]>()
    for (const [id, order] of books.orders) {
      const prefix = id.slice(0, PREFIX_LENGTH)
      byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), order])
    }
    for (const record of this.records) {
      const own = byPrefix.get(orderIdPrefix(record.id)) ?? []
      this.#countFills(record, own)
      this.#compareResting(record, own)
      if (record.status === 'running') this.#lookAtRunning(record, own, mayRun(record))
    }
  }

  get wrong(): readonly string[] {
    return this.#breaches.map(({ kind, text }) => `${kind}: ${text}`)
  }

  count(kind: TaskBreach): number {
    return this.#breaches.filter((breach) => breach.kind === kind).length
  }

  of(kind: string): readonly TaskRecord[] {
    return this.records.filter(({ seed }) => seed.kind === kind)
  }

  being(status: TaskRecord['status']): readonly TaskRecord[] {
    return this.records.filter((record) => record.status === status)
  }

  #add(kind: TaskBreach, record: TaskRecord, text: string): void {
    const { id, seed, isPaused, status } = record
    const state = isPaused ? `${status}, paused` : status
    this.#breaches.push({
      kind,
      text: `${seed.account} ${seed.kind} ${id} (${state}) ${text}; ${this.#journalled(record)}`,
    })
  }

  /** What both sides have of it: its end, its orders as the venue has them, what it remembers, and its last words. */
  #journalled({ id, seed, ending, reason, state, history, updatedAt }: TaskRecord): string {
    const own = [...this.#books.orders.values()].filter(({ clientOrderId = '' }) =>
      clientOrderId.startsWith(orderIdPrefix(id)),
    )
    const orders = own.map(({ type, status, amount, filled }) => `${type} ${status} ${filled}/${amount}`)
    const facts = {
      reason,
      ending,
      state,
      held: this.#books.position(seed.account, seed.symbol),
      orders: orders.slice(-4),
      said: history.slice(-2).map(({ text }) => text),
      last: new Date(updatedAt).toISOString(),
    }
    return JSON.stringify(facts)
  }

  #countFills(record: TaskRecord, own: readonly Order[]): void {
    const filled = sumOf(own.map(({ filled }) => filled))
    const amount = amountOf(record)
    if (amount !== undefined && filled.gt(amount)) this.#add('more', record, `filled ${filled} of ${amount}`)
    const row = this.#rows.get(record.id)
    // Rows of tasks that are over are kept for a while only.
    if (row === undefined && isOver(record)) return
    if (!filled.eq(row?.filled ?? '0')) this.#add('miscounted', record, `says ${row?.filled ?? '0'}, filled ${filled}`)
    const unknown = own.filter(({ clientOrderId = '' }) => stepOf(clientOrderId) >= record.nextStep)
    if (unknown.length > 0) this.#add('unrecorded', record, unknown.map(({ id }) => id).join(', '))
  }

  #compareResting(record: TaskRecord, own: readonly Order[]): void {
    const row = this.#rows.get(record.id)
    const open = own.filter(({ status }) => status === 'open').map(({ id }) => id)
    if (row === undefined && !isOver(record)) return this.#add('rests', record, 'has no row')
    const named = row?.orderIds ?? []
    if (open.toSorted().join() !== named.toSorted().join()) {
      this.#add(
        'rests',
        record,
        `says that ${named.join(', ') || 'nothing'} rests, and ${open.join(', ') || 'nothing'} does`,
      )
    }
    if (isOver(record) && open.length > 0) this.#add('rests', record, `left ${open.join(', ')}`)
  }

  #lookAtRunning(record: TaskRecord, own: readonly Order[], mayRun: boolean): void {
    const { seed } = record
    if ((TASK_KINDS.get(seed.kind)?.effect(seed.params) ?? 'adds') === 'adds') {
      if (!mayRun && !record.isPaused) this.#add('went-on', record, 'runs, and nobody asked it to')
      return
    }
    if (seed.kind !== 'trail' && seed.kind !== 'oco') return
    const held = this.#books.position(seed.account, seed.symbol)
    const { side } = seed.params as { readonly side: 'long' | 'short' }
    if (side === 'long' ? held.lte(0) : held.gte(0))
      return this.#add('stop', record, `runs without a position (${held})`)
    const left = amountOf(record)?.minus(sumOf(own.map(({ filled }) => filled)))
    const needed = Decimal.min(held.abs(), left ?? held.abs())
    this.#lookAtLeg(
      record,
      { name: 'stop', needed },
      own.filter(({ type }) => isTriggerType(type)),
    )
    if (seed.kind === 'oco')
      this.#lookAtLeg(
        record,
        { name: 'take', needed },
        own.filter(({ type }) => type === 'limit'),
      )
  }

  #lookAtLeg(
    record: TaskRecord,
    leg: { readonly name: 'stop' | 'take'; readonly needed: Decimal },
    own: readonly Order[],
  ): void {
    const state = (record.state ?? {}) as ExitState
    // Before its price was reached a trail has none.
    if (state.closing !== undefined || (record.seed.kind === 'trail' && state.mark === undefined)) return
    // Somebody took it back: it is not placed again, which was said.
    if (state[leg.name]?.isDropped === true) return
    const rests = own.filter(({ status }) => status === 'open')
    const sum = sumOf(rests.map(({ remaining }) => remaining))
    if (rests.length === 1 && sum.eq(leg.needed)) return
    // What rests stays, and nothing is placed: what never arrived, or was taken back, comes with the resume.
    if (record.isPaused && rests.length === 0) return
    const found = rests.map(({ remaining }) => remaining).join(', ') || 'none'
    this.#add('stop', record, `needs one ${leg.name} for ${leg.needed}, has ${found}`)
  }
}

const PREFIX_LENGTH = orderIdPrefix('').length

function amountOf({ seed }: TaskRecord): Decimal | undefined {
  const amount = TASK_KINDS.get(seed.kind)?.amount(seed.params)
  return amount === undefined ? undefined : new Decimal(amount)
}

function stepOf(clientOrderId: string): number {
  return Number.parseInt(clientOrderId.slice(PREFIX_LENGTH + 2), 16)
}

function sumOf(amounts: readonly string[]): Decimal {
  return amounts.reduce((sum, amount) => sum.plus(amount), new Decimal(0))
}

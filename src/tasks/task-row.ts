// A task as others see it: the row of `tasks.json`.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import type { Task } from '../stores/tasks.ts'
import type { AnyTaskKind } from './kinds.ts'
import type { TaskSight } from './task-kind.ts'
import { TaskOrders } from './task-orders.ts'
import type { Filled, TaskRecord } from './task-record.ts'

/** What its driver knows besides the record. */
interface RowSight {
  readonly kind: string
  readonly sight: TaskSight | undefined
  readonly isProtective: boolean
  readonly amount: string | undefined
  readonly total: Filled
  /** Ids, at the venue, of its orders that rest. */
  readonly resting: readonly string[]
  readonly endsAt: number | undefined
  readonly updatedAt: number
}

/** Of a task that nothing here drives: by its record alone. */
export function rowOfRecord(record: TaskRecord, kind: AnyTaskKind | undefined): Task {
  const { id, seed, orders, before, startedAt, updatedAt } = record
  const isSound = kind !== undefined && z.safeParse(kind.params, seed.params).success
  return rowOf(record, {
    kind: (isSound ? kind.shownAs?.(seed.params) : undefined) ?? seed.kind,
    sight: undefined,
    isProtective: isSound && kind.effect(seed.params) !== 'adds',
    amount: isSound ? kind.amount(seed.params) : undefined,
    total: new TaskOrders(id, { amountUnit: 'base' }, orders, before).total(),
    resting: [],
    endsAt: isSound ? kind.endsAt(seed.params, startedAt) : undefined,
    updatedAt,
  })
}

export function rowOf(record: TaskRecord, seen: RowSight): Task {
  const { id, seed, status, startedAt, reason, isPaused, pausedFor, ending } = record
  const { sight, amount, total, resting, isProtective, updatedAt } = seen
  const endsAt = sight?.endsAt ?? seen.endsAt
  const isAlive = status === 'running' || status === 'interrupted'
  return {
    id,
    kind: seen.kind,
    account: seed.account,
    symbol: seed.symbol,
    command: seed.command,
    runId: seed.by.runId,
    status,
    progress: progressOf(record, seen),
    startedAt,
    updatedAt,
    ...(sight === undefined || !isAlive ? {} : { doing: sight.doing }),
    ...defined({ reason }),
    ...(isPaused ? { paused: true } : {}),
    ...(isPaused && pausedFor !== undefined ? { pausedFor } : {}),
    ...(status === 'cancelled' && ending?.by !== undefined ? { canceledBy: ending.by } : {}),
    ...(isProtective ? { protective: true } : {}),
    ...defined({ amount }),
    ...(total.filled === '0' ? {} : { filled: total.filled, average: averageOf(total) }),
    ...(sight?.price === undefined || !isAlive ? {} : { price: sight.price }),
    ...(sight?.words === undefined || !isAlive ? {} : { words: sight.words }),
    ...(resting.length === 0 ? {} : { orderIds: [...resting] }),
    ...defined({ endsAt }),
  }
}

function progressOf({ status }: TaskRecord, { sight, amount, total }: RowSight): number {
  if (status === 'done') return 1
  if (sight !== undefined) return Math.min(1, Math.max(0, sight.progress))
  if (amount === undefined || new Decimal(amount).isZero()) return 0
  return Math.min(1, new Decimal(total.filled).div(amount).toNumber())
}

/** What its fills cost on average, to twelve digits. */
function averageOf({ cost, base }: Filled): string {
  if (new Decimal(base).isZero()) return '0'
  return new Decimal(cost).div(base).toSignificantDigits(12).toFixed()
}

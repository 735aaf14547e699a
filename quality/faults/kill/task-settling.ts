// What there is to see of tasks once their process is killed no more, at a venue that answers again: first nothing is wrong, then what was
// interrupted is resumed and ends with its exact amount, and in the end everything is cancelled and nothing of it rests.
import { setTimeout as sleep } from 'node:timers/promises'
import { Decimal } from 'decimal.js'
import { RunningHookline, run } from '../../../harness/process/hookline.ts'
import type { TaskRecord } from '../../../src/tasks/task-record.ts'
import type { Finding } from '../scenario.ts'
import { OrderFates } from './order-fates.ts'
import { type TaskBooks, TaskFates } from './task-fates.ts'

export interface TaskWorld {
  readonly directory: string
  readonly env?: Readonly<Record<string, string>>
  /** As the venue has them now. */
  books(): TaskBooks
  /** Accounts whose interrupted tasks a person resumes. */
  readonly resuming: ReadonlySet<string>
}

/** A minute until "not found" is final, and a while for everything else. */
const SETTLING_MS = 180_000

interface Fates {
  readonly orders: OrderFates
  readonly tasks: TaskFates
  readonly wrong: readonly string[]
}

/** @param done what was done so far, in figures @param least tasks and unanswered orders, without which it says nothing */
export async function settleTasks(
  world: TaskWorld,
  done: string,
  least: { readonly tasks: number; readonly unknown: number },
): Promise<Finding> {
  console.log('  settling: what never arrived is known to be so after a minute')
  const hookline = await RunningHookline.listening(world.directory, world.env === undefined ? {} : { env: world.env })
  const settled = await until(world, NOTHING_WRONG)
  const interrupted = settled.tasks.being('interrupted')
  const resumed = interrupted.filter(({ seed }) => world.resuming.has(seed.account))
  console.log(`  ${resumed.length} of ${interrupted.length} interrupted tasks are resumed`)
  const { ended, inexact } = await resume(world, resumed)
  await run(world.directory, ['exec', 'tasks cancel --all'])
  const last = await until(world, (fates) => NOTHING_WRONG(fates) && alive(fates).length === 0)
  hookline.signal('SIGTERM')
  await hookline.ended()
  const unsaid = interrupted.filter(({ reason }) => reason === undefined).map(({ id }) => `no reason: ${id}`)
  const left = alive(last).map(({ id }) => `not cancelled: ${id}`)
  const stages = [settled, ended, last].map(({ wrong }, index) => wrong.map((text) => `${STAGES[index]}, ${text}`))
  const wrong = [...stages.flat(), ...inexact, ...unsaid, ...left]
  if (wrong.length > 0) console.log(wrong.slice(0, 40).join('\n'))
  const { orders, tasks } = settled
  const kinds = ['chase', 'twap', 'dca', 'grid', 'trail', 'oco'].map((kind) => `${tasks.of(kind).length} ${kind}`)
  return {
    got: `${done}; ${kinds.join(', ')}; ${orders.orders} orders, ${orders.unknown} without an answer; ${orders.count('twice')} twice, ${orders.count('forgotten')} forgotten, ${tasks.count('more')} over the amount, ${tasks.count('stop')} stops wrong; ${interrupted.length} interrupted, ${resumed.length} resumed, ${inexact.length} not to the exact amount; ${left.length} not cancelled; ${wrong.length} wrong in all`,
    holds: wrong.length === 0 && tasks.records.length >= least.tasks && orders.unknown >= least.unknown,
  }
}

/** Wait for prices that may not come meanwhile. */
const LASTING: ReadonlySet<string> = new Set(['dca', 'grid'])
const STAGES = ['settled', 'resumed', 'cancelled']
const NOTHING_WRONG = ({ wrong }: Fates) => wrong.length === 0

function alive({ tasks }: Fates): readonly TaskRecord[] {
  return [...tasks.being('running'), ...tasks.being('interrupted')]
}

async function resume(
  world: TaskWorld,
  tasks: readonly TaskRecord[],
): Promise<{ readonly ended: Fates; readonly inexact: readonly string[] }> {
  const ids = new Set(tasks.map(({ id }) => id))
  const accounts = new Set(tasks.map(({ seed }) => seed.account))
  for (const account of accounts)
    await run(
      world.directory,
      ['exec', '--account', account, 'tasks resume --all'],
      world.env === undefined ? {} : { env: world.env },
    )
  const isOver = (fates: Fates) => alive(fates).every(({ id, seed }) => !ids.has(id) || LASTING.has(seed.kind))
  const ended = await until(
    world,
    (fates) => NOTHING_WRONG(fates) && isOver(fates),
    // What was paused goes on with what was interrupted.
    ({ id, seed }) => ids.has(id) || (LASTING.has(seed.kind) && accounts.has(seed.account)),
  )
  const inexact = ended.tasks.records.filter((record) => ids.has(record.id) && !isExact(record) && !goesOn(record))
  const describe = ({ id, seed, status, reason }: TaskRecord) =>
    `resumed, not exact: ${seed.account} ${seed.command} ${id} ${status}: ${reason}`
  return { ended, inexact: inexact.map(describe) }
}

function goesOn({ seed, status }: TaskRecord): boolean {
  return LASTING.has(seed.kind) && status === 'running'
}

function isExact({ seed, status, orders, before }: TaskRecord): boolean {
  const { amount } = seed.params as { readonly amount?: string }
  const filled = orders.reduce((sum, { settled }) => sum.plus(settled?.filled ?? '0'), new Decimal(before.filled))
  return status === 'done' && (amount === undefined || filled.eq(amount))
}

/** @returns the first fates that are so, or those of when waiting was over */
async function until(
  world: TaskWorld,
  isSo: (fates: Fates) => boolean,
  mayRun: (record: TaskRecord) => boolean = () => false,
): Promise<Fates> {
  const end = performance.now() + SETTLING_MS
  for (;;) {
    const books = world.books()
    const orders = new OrderFates(world.directory, books)
    const tasks = new TaskFates(world.directory, books, mayRun)
    const fates = { orders, tasks, wrong: [...orders.wrong, ...tasks.wrong] }
    if (isSo(fates) || performance.now() > end) return fates
    await sleep(1_000)
  }
}

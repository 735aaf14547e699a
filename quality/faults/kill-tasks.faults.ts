// kill -9 of the process that drives tasks, at any moment of them, on accounts whose venue loses answers and orders and fills in parts. Of each
// task the venue's own books must say in the end what its journal says; what adds exposure waits for a person, what protects goes on.
import { randomInt, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Decimal } from 'decimal.js'
import { inject } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { RunningHookline, run } from '../../harness/process/hookline.ts'
import { createRandom, type Random } from '../../harness/random/random.ts'
import { type Hook, openHookStore } from '../../src/stores/hooks.ts'
import { openTaskJournal } from '../../src/tasks/task-journal.ts'
import type { TaskRecord } from '../../src/tasks/task-record.ts'
import { ageLocks } from './kill/age-locks.ts'
import { fire, keepFiring } from './kill/fire-until.ts'
import { OrderFates, VenueBooks } from './kill/order-fates.ts'
import { paperPosition, storedPosition } from './kill/paper-position.ts'
import { setFaults } from './kill/set-faults.ts'
import { TaskFates } from './kill/task-fates.ts'
import { untilHealthy } from './kill/until-healthy.ts'
import { type Finding, scenario } from './scenario.ts'

/** Of some ten dollars: thousands of them fit the account. */
const BODIES = {
  chase: 'chase buy 20.0 ADAUSDT for 15s then market',
  far: 'chase sell 1.0 LINKUSDT to 0.1% for 10s then market',
  reducing: 'buy 30.0 XRPUSDT && chase sell 10.0 XRPUSDT reduce for 15s',
  parts: 'chase buy 500.0 DOTUSDT for 6s then market',
  twap: 'twap buy 40.0 ARBUSDT into 4 over 8s',
  random: 'twap sell 8.0 LTCUSDT into 3 over 6s random 20%',
  trail: 'buy 100.0 DOGEUSDT && trail 0.1% DOGEUSDT',
  armed: 'sell 1.0 AVAXUSDT && trail 1% AVAXUSDT 50% after +0.05%',
  whole: `buy 0.1 SOLUSDT`,
}
/** What a person does, of the account's tasks. */
const STEERING = {
  resume: 'tasks resume --all',
  pause: 'tasks pause --all',
  cancel: 'tasks cancel --all',
  flat: 'cancel all; close all',
}
const STEERING_SHARE = 0.12
/** Held by `whole`; what takes its profit is a task on venues that hold one price only, and is begun as another process begins it. */
const OCO_SYMBOL = 'SOLUSDT'
const OCO_SHARE = 0.4
/** A symbol whose order got no answer is blocked for a minute: each account's turn comes again about then. */
const ACCOUNTS = 40
const CONNECTIONS = 2
const STALE_SHARE = 0.25
const LONGEST_GAP_MS = 4_000
/** Of the rounds, those that end while tasks are at work, however slow the machine is; the others at times before that. */
const AT_WORK = 0.85
const PATIENCE_MS = 20_000
const LATEST_KILL_MS = 2_000
/** Rounds in which another hookline of the directory goes on when the first one dies. */
const PAIR_SHARE = 0.2
/** A lock that the dead one held counts as its own for five seconds. */
const TAKE_OVER_MS = 15_000
/** A minute until "not found" is final, and a while for everything else. */
const SETTLING_MS = 180_000
/** Of how many accounts the interrupted tasks are resumed. */
const RESUMED = 12

const rounds = Math.ceil(inject('faultOptions').rounds * 0.6)
const LIMIT_MINUTES = 10 + rounds / 8
const ROUNDS_A_LINE = 25

scenario(
  'tasks',
  `kill -9 of the process that drives tasks, ${rounds} times, at a venue that loses answers and orders`,
  'no order twice or forgotten, no task over its amount; what protects has its one stop, what adds is interrupted and names what rests; resumed, it fills exactly',
  () => killAgainAndAgain(createRandom(Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31)))),
  LIMIT_MINUTES,
)

interface Stage {
  readonly directory: string
  readonly accounts: readonly string[]
  readonly books: VenueBooks
  readonly random: Random
}

type Hooks = ReadonlyMap<string, { readonly tasks: readonly Hook[]; readonly steering: readonly Hook[] }>

async function killAgainAndAgain(random: Random): Promise<Finding> {
  const accounts = Array.from({ length: Math.min(ACCOUNTS, rounds) }, (_, index) => `a${index}`)
  const stage: Stage = { directory: tempDirectory(), accounts, books: new VenueBooks(), random }
  const hooks = await prepare(stage)
  let fires = 0
  let pairs = 0
  for (let round = 0; round < rounds; round += 1) {
    const account = accounts[round % accounts.length] ?? ''
    const isPair = random.chance(PAIR_SHARE)
    if (isPair) pairs += 1
    fires += await killAtWork(stage, account, hooks, isPair)
    for (const each of accounts) stage.books.collect(stage.directory, each)
    if ((round + 1) % ROUNDS_A_LINE === 0) console.log(`  ${round + 1} of ${rounds} kills, ${fires} fires`)
  }
  return settle(stage, hooks, `${rounds} kills, ${pairs} of them taken over at once, ${fires} fires`)
}

async function prepare({ directory, accounts }: Stage): Promise<Hooks> {
  const rows = ['paper', ...accounts].map((name) => ({ name, exchange: 'paper', createdAt: 1, updatedAt: 1 }))
  writeFileSync(join(directory, 'accounts.json'), JSON.stringify({ accounts: rows }))
  const store = openHookStore(directory)
  const create = (account: string, bodies: Readonly<Record<string, string>>) =>
    Promise.all(
      Object.entries(bodies).map(([name, command]) => store.create({ name: `${name} ${account}`, command, account })),
    )
  const hooks = new Map<string, { readonly tasks: readonly Hook[]; readonly steering: readonly Hook[] }>()
  for (const account of accounts) {
    hooks.set(account, { tasks: await create(account, BODIES), steering: await create(account, STEERING) })
  }
  return hooks
}

/** @returns how many fires were accepted */
async function killAtWork(stage: Stage, account: string, hooks: Hooks, isPair: boolean): Promise<number> {
  const { directory, random } = stage
  const { tasks = [], steering = [] } = hooks.get(account) ?? {}
  const gap = random.chance(STALE_SHARE) ? { gapUntil: Date.now() + random.below(LONGEST_GAP_MS) } : {}
  // Every nth counts from when it was set: one round has some dozen requests.
  const lost = { lostAnswers: 2 + random.below(8), lostOrders: 5 + random.below(40) }
  await setFaults(directory, account, { ...lost, ...gap, partialFills: 1 })
  if (random.chance(OCO_SHARE)) await beginOco(directory, account)
  const first = new RunningHookline(directory, ['listen'])
  await untilHealthy(first.pid)
  const second = isPair ? new RunningHookline(directory, ['listen']) : undefined
  const endFiring = keepFiring(CONNECTIONS, {
    next: () => (random.chance(STEERING_SHARE) ? random.pickIfAny(steering) : random.pickIfAny(tasks)),
    pause: () => 30 + random.below(100),
  })
  if (random.chance(AT_WORK)) await untilGrown(join(directory, 'tasks.jsonl'))
  await sleep(random.below(LATEST_KILL_MS))
  await kill(first)
  if (second !== undefined) {
    await untilDriving(directory, second.pid)
    await sleep(random.below(LATEST_KILL_MS / 2))
    await kill(second)
  }
  const fires = await endFiring()
  ageLocks(directory)
  return fires
}

/** Something was decided since now, or nothing comes. */
async function untilGrown(path: string): Promise<void> {
  const size = () => (existsSync(path) ? statSync(path).size : 0)
  const before = size()
  const until = performance.now() + PATIENCE_MS
  while (size() === before && performance.now() < until) await sleep(10)
}

async function kill(hookline: RunningHookline): Promise<void> {
  hookline.signal('SIGKILL')
  await hookline.ended()
}

/** @throws where the other one does not take over */
async function untilDriving(directory: string, pid: number): Promise<void> {
  const path = join(directory, 'tasks-driver.json')
  const until = performance.now() + TAKE_OVER_MS
  while (performance.now() < until) {
    if (existsSync(path) && JSON.parse(readFileSync(path, 'utf8')).pid === pid) return
    await sleep(20)
  }
  throw new Error(`the other hookline does not take the tasks over within ${TAKE_OVER_MS / 1_000} s`)
}

/** As another process begins one. */
async function beginOco(directory: string, account: string): Promise<void> {
  const held = storedPosition(directory, account, OCO_SYMBOL)
  if (held === undefined || !new Decimal(held.amount).gt(0)) return
  const entry = new Decimal(held.cost).div(held.amount)
  const at = (share: number) => entry.times(share).toDecimalPlaces(1).toFixed()
  const params = { side: 'long', amount: held.amount, take: at(1.003), stop: at(0.997) }
  const journal = openTaskJournal(directory, { onProblem: () => {} })
  const by = { source: 'repl', runId: randomUUID() } as const
  const seed = { kind: 'oco', account, symbol: OCO_SYMBOL, command: 'oco', by, params }
  await journal.append({ t: 'begun', id: randomUUID(), at: Date.now(), seed })
  await journal.close()
}

/** The last start, at a venue that answers again; then what was interrupted is resumed, and in the end everything cancelled. */
async function settle(stage: Stage, hooks: Hooks, figures: string): Promise<Finding> {
  const { directory, accounts } = stage
  for (const account of accounts) await setFaults(directory, account, {})
  console.log('  settling: what never arrived is known to be so after a minute')
  const hookline = await RunningHookline.listening(directory)
  const settled = await until(
    stage,
    ({ wrong }) => wrong.length === 0,
    () => false,
  )
  if (settled.wrong.length > 0) console.log(`  not settled: ${settled.wrong.slice(0, 5).join('; ')}`)
  const interrupted = settled.tasks.being('interrupted')
  const said = interrupted.filter(({ reason }) => reason === undefined)
  const again = accounts.slice(0, RESUMED)
  const resumed = new Set(interrupted.filter(({ seed }) => again.includes(seed.account)).map(({ id }) => id))
  console.log(`  ${resumed.size} of ${interrupted.length} interrupted tasks are resumed`)
  for (const account of again) for (const hook of (hooks.get(account)?.steering ?? []).slice(0, 1)) await fire(hook)
  const isDone = ({ id, status }: TaskRecord) => !resumed.has(id) || (status !== 'running' && status !== 'interrupted')
  const ended = await until(
    stage,
    ({ wrong, tasks }) => wrong.length === 0 && tasks.records.every(isDone),
    ({ id }) => resumed.has(id),
  )
  const inexact = ended.tasks.records.filter((record) => resumed.has(record.id) && !isExact(record))
  await run(directory, ['exec', 'tasks cancel --all'])
  const last = await until(
    stage,
    ({ wrong, tasks }) => wrong.length === 0 && tasks.being('running').length + tasks.being('interrupted').length === 0,
    () => false,
  )
  hookline.signal('SIGTERM')
  await hookline.ended()
  const wrong = [...settled.wrong, ...ended.wrong, ...last.wrong]
  const left = [...last.tasks.being('running'), ...last.tasks.being('interrupted')].map(
    ({ id }) => `not cancelled: ${id}`,
  )
  const odd = inexact.map(
    ({ id, seed, status, reason }) => `resumed, not exact: ${seed.command} ${id} ${status} ${reason}`,
  )
  console.log([...wrong, ...odd, ...left].slice(0, 40).join('\n'))
  const { orders, tasks } = settled
  const kinds = ['chase', 'twap', 'trail', 'oco'].map((kind) => `${tasks.of(kind).length} ${kind}`)
  return {
    got: `${figures}; ${kinds.join(', ')}; ${orders.orders} orders, ${orders.unknown} without an answer; ${orders.count('twice')} twice, ${orders.count('forgotten')} forgotten, ${tasks.count('more')} over the amount, ${tasks.count('stop')} stops wrong; ${interrupted.length} interrupted, ${said.length} without a reason; ${resumed.size} resumed, ${inexact.length} not to the exact amount; ${left.length} not cancelled`,
    holds:
      wrong.length + odd.length + left.length + said.length === 0 &&
      tasks.records.length > rounds &&
      orders.unknown > 0,
  }
}

/** What an order of the venue's smallest size cannot make up is told. */
function isExact({ seed, status, orders, before }: TaskRecord): boolean {
  const { amount } = seed.params as { readonly amount?: string }
  const filled = orders.reduce((sum, { settled }) => sum.plus(settled?.filled ?? '0'), new Decimal(before.filled))
  return status === 'done' && (amount === undefined || filled.eq(amount))
}

interface Fates {
  readonly orders: OrderFates
  readonly tasks: TaskFates
  readonly wrong: readonly string[]
}

/** @returns the first fates that are so, or those of when waiting was over */
async function until(
  stage: Stage,
  isSo: (fates: Fates) => boolean,
  mayRun: (record: TaskRecord) => boolean,
): Promise<Fates> {
  const { directory, accounts, books } = stage
  const end = performance.now() + SETTLING_MS
  for (;;) {
    for (const account of accounts) books.collect(directory, account)
    const orders = new OrderFates(directory, books)
    const position = (account: string, symbol: string) => paperPosition(directory, account, symbol)
    const tasks = new TaskFates(directory, { orders: books.orders, position }, mayRun)
    const fates = { orders, tasks, wrong: [...orders.wrong, ...tasks.wrong] }
    if (isSo(fates) || performance.now() > end) return fates
    await sleep(1_000)
  }
}

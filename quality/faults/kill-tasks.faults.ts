// kill -9 of the process that drives tasks, at any moment of them, on accounts whose venue loses answers and orders and fills in parts. Of each
// task the venue's own books must say in the end what its journal says; what adds exposure waits for a person, what protects goes on.
import { randomInt, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Decimal } from 'decimal.js'
import { inject } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { RunningHookline } from '../../harness/process/hookline.ts'
import { createRandom, type Random } from '../../harness/random/random.ts'
import { type Hook, openHookStore } from '../../src/stores/hooks.ts'
import { openTaskJournal } from '../../src/tasks/task-journal.ts'
import { ageLocks } from './kill/age-locks.ts'
import { keepFiring } from './kill/fire-until.ts'
import { VenueBooks } from './kill/order-fates.ts'
import { paperPosition, storedPosition } from './kill/paper-position.ts'
import { setFaults } from './kill/set-faults.ts'
import { settleTasks, type TaskWorld } from './kill/task-settling.ts'
import { untilGrown } from './kill/until-grown.ts'
import { untilHealthy } from './kill/until-healthy.ts'
import { type Finding, scenario } from './scenario.ts'

/** Of some ten dollars: thousands of them fit the account. */
const BODIES = {
  chase: 'chase buy 20.0 ADAUSDT for 15s then market',
  far: 'chase sell 1.0 LINKUSDT to 0.1% for 10s then market',
  reducing: 'buy 30.0 XRPUSDT && chase sell 10.0 XRPUSDT reduce for 15s',
  parts: 'chase buy 500.0 DOTUSDT for 6s then market',
  twap: 'twap buy 40.0 ARBUSDT into 4 over 8s',
  dca: 'dca buy 2.0 LTCUSDT into 4 every -0.02%',
  grid: 'grid 0.2 BNBUSDT into 4 from -0.4% to +0.4%',
  random: 'twap sell 8.0 LTCUSDT into 3 over 6s random 20%',
  trail: 'buy 100.0 DOGEUSDT && trail 0.1% DOGEUSDT add',
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
const LATEST_KILL_MS = 2_000
/** Rounds in which another hookline of the directory goes on when the first one dies. */
const PAIR_SHARE = 0.2
/** A lock that the dead one held counts as its own for five seconds, and the other one may have to start first, on a machine with other work. */
const TAKE_OVER_MS = 30_000
/** Of how many accounts the interrupted tasks are resumed. */
const RESUMED = 12

const rounds = Math.ceil(inject('faultOptions').rounds * 0.6)
const LIMIT_MINUTES = 10 + rounds / 8
const ROUNDS_A_LINE = 25

scenario(
  'tasks',
  `kill -9 of the process that drives tasks, ${rounds} times, at a venue that loses answers and orders`,
  'no order twice or forgotten, no task over its amount; what protects has its one stop, what adds is interrupted and names what rests; resumed, it fills exactly',
  () => killAgainAndAgain(Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31))),
  LIMIT_MINUTES,
)

interface Stage {
  readonly directory: string
  readonly accounts: readonly string[]
  readonly books: VenueBooks
  readonly random: Random
}

type Hooks = ReadonlyMap<string, { readonly tasks: readonly Hook[]; readonly steering: readonly Hook[] }>

async function killAgainAndAgain(seed: number): Promise<Finding> {
  console.log(`  seed ${seed}`)
  const random = createRandom(seed)
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
  for (const account of accounts) await setFaults(stage.directory, account, {})
  return settleTasks(worldOf(stage), `${rounds} kills, ${pairs} of them taken over at once, ${fires} fires`, {
    tasks: rounds,
    unknown: 1,
  })
}

function worldOf({ directory, accounts, books }: Stage): TaskWorld {
  return {
    directory,
    resuming: new Set(accounts.slice(0, RESUMED)),
    books() {
      for (const account of accounts) books.collect(directory, account)
      return { orders: books.orders, position: (account, symbol) => paperPosition(directory, account, symbol) }
    },
  }
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
  const lease = existsSync(path) ? readFileSync(path, 'utf8') : 'there is no lease'
  throw new Error(`hookline ${pid} does not take the tasks over within ${TAKE_OVER_MS / 1_000} s: ${lease}`)
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

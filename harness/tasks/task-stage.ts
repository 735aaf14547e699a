// One kind of task through the real driver on a scripted paper market: the clock, the prices, what the venue loses and who is killed are the
// test's to say. A day of a task takes as long as its events need.
import { setMaxListeners } from 'node:events'
import { onTestFinished } from 'vitest'
import type { Exchange, StreamState } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { Order } from '../../src/exchange/order.ts'
import { openDayBook } from '../../src/guards/day-book.ts'
import { type GuardStore, openGuardStore } from '../../src/stores/guards.ts'
import type { ProcessIdentity } from '../../src/stores/kernel-files.ts'
import { openPanicStore } from '../../src/stores/panic.ts'
import { openTasks, openTasksDriver, type Task } from '../../src/stores/tasks.ts'
import type { AnyTaskKind, TaskKinds } from '../../src/tasks/kinds.ts'
import type { AskedBy, TaskReport, TaskRequest, TaskSeed } from '../../src/tasks/task-port.ts'
import { TaskSupervisor } from '../../src/tasks/task-supervisor.ts'
import { createOrderJournal } from '../../src/trading/order-journal.ts'
import { openGuardedAccount } from '../commands/guarded-account.ts'
import { tempDirectory } from '../files/temp-directory.ts'
import { journalInMemory, tailInMemory } from '../venues/journal-in-memory.ts'
import { createScriptedMarket, type ScriptedMarketOptions } from '../venues/scripted-market.ts'
import { createFaultyVenue } from './faulty-venue.ts'
import { taskJournalInMemory } from './task-journal-in-memory.ts'

export interface TaskStageOptions extends ScriptedMarketOptions {
  /** What the venue cannot do. */
  readonly capabilities?: Partial<Exchange['capabilities']>
  /** Why what was begun so may add no more. */
  readonly whyEnded?: (by: AskedBy) => string | undefined
}

const BY: AskedBy = { source: 'repl', runId: '8d3c1a52-0d8b-4a38-9b31-0f0c6a5c2b11' }
/** Of events that come while nothing waits for time. */
const TURNS = 12

export function stageTasks(kinds: AnyTaskKind | readonly AnyTaskKind[], options: TaskStageOptions = {}) {
  const world = createWorld([kinds].flat(), options)
  let current = openProcess(world)
  onTestFinished(() => current.kill())
  const another = async (): Promise<void> => {
    current = openProcess(world)
    await current.supervisor.look()
    await settle()
  }
  /** Second by second: the market ticks, delays end, the driver looks. */
  const advance = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 1_000) {
      await world.market.advance(Math.min(1_000, left))
      world.clock.endDelays()
      await current.supervisor.look()
      await settle()
    }
  }
  return {
    ...world,
    settle,
    advance,
    ...createLooks(world),
    ...createRequests(world, () => current.supervisor),
    /** Time goes on until it is so, for a minute at most. */
    async until(isSo: () => Promise<boolean>): Promise<void> {
      for (let second = 0; second < 60 && !(await isSo()); second += 1) await advance(1_000)
    },
    /** Time goes on until it is settled. */
    async meanwhile<R>(work: Promise<R>): Promise<R> {
      let isSettled = false
      const settled = () => {
        isSettled = true
      }
      work.then(settled, settled)
      while (!isSettled) await advance(1_000)
      return work
    },
    /** Another process on the same files and the same market. */
    startProcess: (mayDrive = true) => openProcess(world, mayDrive),
    get process() {
      return current
    },
    async setPrice(price: string, symbol = 'BTCUSDT') {
      world.market.setPrice(symbol, price)
      await advance(1_000)
    },
    /** As the stream of the venue says; prices go on and nobody hears them. */
    async setStream(state: StreamState) {
      world.venue.setStream(state)
      await settle()
    },
    /** The driver is killed, and another process takes over. */
    /** @param meanwhile while no process runs */
    async killAndRestart(meanwhile: () => unknown = () => {}) {
      await current.kill()
      await meanwhile()
      await another()
    },
    /** Others take it for dead, though it runs. */
    declareDead: (process: { readonly pid: number }) => void world.alive.delete(process.pid),
    /** A clean end, and another start. */
    async restart() {
      const stopped = current.supervisor.stop()
      await settle()
      await stopped
      await current.kill()
      await another()
    },
  }
}

function createWorld(kinds: readonly AnyTaskKind[], options: TaskStageOptions) {
  const market = createScriptedMarket({ prices: { BTCUSDT: '65000' }, ...options })
  const venue = createFaultyVenue(options)
  const kindsByName: TaskKinds = new Map(kinds.map((kind) => [kind.name, kind]))
  const [taskLines, orderLines, told, problems]: [string[], string[], TaskReport[], unknown[]] = [[], [], [], []]
  return {
    market,
    venue,
    kindsByName,
    taskLines,
    orderLines,
    told,
    problems,
    directory: tempDirectory(),
    clock: createStageClock(market.now),
    whyEnded: options.whyEnded ?? (() => undefined),
    /** Ids of the processes that live. */
    alive: new Set<number>(),
    nextPid: 1_000,
    /** No account can be connected: a vault is locked. */
    isLocked: false,
    /** An account is connected no earlier. */
    connecting: Promise.resolve(),
    /** `tasks.json` is written no earlier. */
    writingRows: Promise.resolve(),
    /** What `tasks.jsonl` had is known no earlier. */
    readingJournal: Promise.resolve(),
    isJournalFailing: false,
    /** Of `tasks.jsonl`: its name leads to something else than a file; which file it is. */
    isJournalUnreadable: false,
    journalNumber: 1,
  }
}

type World = ReturnType<typeof createWorld>

function openProcess(world: World, mayDrive = true) {
  const { market, clock, directory, alive, kindsByName, orderLines, told, problems } = world
  world.nextPid += 1
  const pid = world.nextPid
  const identity: ProcessIdentity = { pid, born: 'stage' }
  alive.add(pid)
  const guards = openGuardStore(directory, { now: market.now })
  const panic = openPanicStore(directory, market.now)
  const problem = (error: unknown) => void problems.push(error)
  const openAccount = createOpener(world, guards)
  let account = openAccount()
  const lease = openTasksDriver(directory, { identity, isAlive: (other) => alive.has(other.pid) })
  const rows = openTasks(directory)
  const journal = taskJournalInMemory(
    market.now,
    world.taskLines,
    () => world.isJournalFailing || world.isJournalUnreadable,
    () => {
      const identity = `file ${world.journalNumber}`
      return world.isJournalUnreadable ? { identity, fault: 'tasks.jsonl cannot be read' } : { identity }
    },
  )
  const supervisor = new TaskSupervisor({
    clock,
    kinds: kindsByName,
    guards,
    panic,
    lease,
    mayDrive,
    problem,
    whyEnded: world.whyEnded,
    rows: {
      ...rows,
      put: async (tasks) => {
        await world.writingRows
        return rows.put(tasks)
      },
    },
    report: (event: TaskReport) => void told.push(event),
    journal: {
      ...journal,
      read: async () => {
        const lines = await journal.read()
        await world.readingJournal
        return lines
      },
    },
    connect: async (name) => {
      await world.connecting
      if (name !== 'paper' || world.isLocked) throw new ExchangeError('unavailable', `no account ${name}`)
      return account
    },
  })
  return {
    supervisor,
    guards,
    panic,
    lease,
    pid,
    desk: () => account.orders,
    /** It ends at this very line: nothing is let go of, nothing more is heard. */
    async kill() {
      alive.delete(pid)
      account.orders.close()
      const gone = supervisor.abandonAsKilled()
      for (const [index, line] of orderLines.entries()) {
        orderLines[index] = line.replace(/"owner":\{[^}]*\}/, '"owner":{"pid":4194303,"born":"1"}')
      }
      await gone
    },
    /** The account row was edited: another connection. */
    reconnect() {
      account.orders.close()
      account = openAccount()
    },
  }
}

function createOpener({ market, venue, clock, directory, orderLines, problems }: World, guards: GuardStore) {
  const onProblem = (error: unknown) => void problems.push(error)
  const file = { ...journalInMemory(orderLines), path: `${directory}/orders.jsonl` }
  const journal = createOrderJournal(file, { now: market.now, onProblem })
  const book = openDayBook({ journal, tail: tailInMemory(orderLines), now: market.now })
  const surroundings = { guards, book, clock, journal, report: () => {} }
  return () => openGuardedAccount('paper', venue.wrap(market.openExchange()), surroundings)
}

function createLooks(world: World) {
  const { market, venue, told, directory, kindsByName } = world
  const rows = openTasks(directory)
  return {
    /** What the driver told of tasks, in short: `said …`, `running`, `done: …`. */
    says: () => told.map(describeTold),
    /** What is in `tasks.json`. */
    rows: () => rows.list(),
    /** As a process that died before it could write them anew. */
    putRows: (tasks: readonly Task[]) => rows.put(tasks),
    openOrders: (): Promise<readonly Order[]> => market.exchange.fetchOpenOrders(),
    positions: () => market.exchange.fetchPositions(),
    trades: (symbol = 'BTCUSDT') => market.exchange.fetchMyTrades({ symbol, limit: 10_000 }),
    /** What was sent to the venue, in order, by whichever process. */
    sent: venue.sent,
    forgetSent: () => void venue.sent.splice(0),
    seed: { kind: [...kindsByName.keys()][0] ?? '', account: 'paper', symbol: 'BTCUSDT', command: 'x', by: BY },
    /** As while a vault is locked: no account can be connected. */
    lock(isLocked: boolean) {
      world.isLocked = isLocked
    },
    /** Every account takes as long as this to be connected. @returns ends the wait */
    delayConnecting: () => delayed(world, 'connecting'),
    /** Writing `tasks.json` takes as long as this. @returns ends the wait */
    delayRows: () => delayed(world, 'writingRows'),
    /** Reading `tasks.jsonl` takes as long as this. @returns ends the wait */
    delayReading: () => delayed(world, 'readingJournal'),
    /** No line of tasks.jsonl can be written. */
    failJournal(isFailing: boolean) {
      world.isJournalFailing = isFailing
    },
    /** `tasks.jsonl` is no file any more, or is one again. */
    spoilJournal(isUnreadable: boolean) {
      world.isJournalUnreadable = isUnreadable
    },
    /** `tasks.jsonl` is removed. */
    loseJournal() {
      world.taskLines.splice(0)
      world.journalNumber += 1
    },
    /** What happens to the next so many orders that are sent. */
    fault: venue.fault,
    /** What happens to the next so many cancels. */
    faultCancels: venue.faultCancels,
  }
}

function delayed(world: World, what: 'connecting' | 'writingRows' | 'readingJournal'): () => void {
  let end = (): void => {}
  world[what] = new Promise((resolve) => {
    end = resolve
  })
  return end
}

function createRequests({ kindsByName }: World, supervisor: () => TaskSupervisor) {
  return {
    /** Begins one on the account `paper`; the kind is the stage's first one. */
    async begin(params: unknown, seed: Partial<TaskSeed> = {}): Promise<Task> {
      const kind = [...kindsByName.keys()][0] ?? ''
      const whole = { kind, account: 'paper', symbol: 'BTCUSDT', command: kind, by: BY, params, ...seed }
      const task = await supervisor().begin(whole)
      await settle()
      return task
    },
    /** @throws when there is none */
    task(id: string): Task {
      const task = supervisor()
        .list()
        .find((each) => each.id === id)
      if (task === undefined) throw new Error(`no task ${id}`)
      return task
    },
    history: async (id: string) => (await supervisor().history(id)).map(({ text }) => text),
    async ask(id: string, what: TaskRequest, by = BY): Promise<Task> {
      const task = await supervisor().ask(id, what, by)
      await settle()
      return task
    },
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

export type TaskStage = ReturnType<typeof stageTasks>

function describeTold(told: TaskReport): string {
  if (told.type === 'line') return `said ${told.text}`
  if (told.type === 'news') return `news ${told.text}`
  if (told.type === 'filled') return `filled ${told.trades.map(({ amount }) => amount).join(' ')}`
  const { status, paused, reason } = told.task
  return `${paused === true ? 'paused' : status}${reason === undefined ? '' : `: ${reason}`}`
}

function createStageClock(now: () => number) {
  const delays = new Set<{ readonly at: number; readonly end: () => void }>()
  return {
    now,
    delay: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted) return resolve()
        const end = () => {
          delays.delete(delay)
          signal.removeEventListener('abort', end)
          resolve()
        }
        const delay = { at: now() + ms, end }
        // As many wait at once as there are entries and tasks.
        setMaxListeners(0, signal)
        signal.addEventListener('abort', end)
        delays.add(delay)
      }),
    endDelays() {
      for (const delay of [...delays]) if (delay.at <= now()) delay.end()
    },
  }
}

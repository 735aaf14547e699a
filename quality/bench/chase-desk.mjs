// A driver of tasks with chases on a paper account whose prices rise four times a second, so that each of them re-pegs as often. Prints one line:
// how busy the process was, how late its event loop, and how often orders were moved.
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { delay } from '../../src/app/delay.ts'
import { createSyntheticDepth } from '../../src/exchanges/paper/depth.ts'
import { createOfflineMarket } from '../../src/exchanges/paper/market-source.ts'
import { findMarket, START_PRICES } from '../../src/exchanges/paper/markets.ts'
import { createPaperExchange } from '../../src/exchanges/paper/paper-exchange.ts'
import { initialState } from '../../src/exchanges/paper/state.ts'
import { PAPER_FORMAT } from '../../src/exchanges/paper/state-file.ts'
import { openDayBook } from '../../src/guards/day-book.ts'
import { guardExchange } from '../../src/guards/guard-exchange.ts'
import { openLineTail } from '../../src/stores/durable-journal.ts'
import { openGuardStore } from '../../src/stores/guards.ts'
import { openPanicStore } from '../../src/stores/panic.ts'
import { openPaperHistory, openPaperState } from '../../src/stores/paper-state.ts'
import { openTasks, openTasksDriver } from '../../src/stores/tasks.ts'
import { TASK_KINDS } from '../../src/tasks/kinds.ts'
import { openTaskJournal } from '../../src/tasks/task-journal.ts'
import { TaskSupervisor } from '../../src/tasks/task-supervisor.ts'
import { OrderDesk } from '../../src/trading/order-desk.ts'
import { createOrderJournal, openOrderFile } from '../../src/trading/order-journal.ts'

const PRICES_EVERY_MS = 250
/** How often the driver looks, as in `src/app/task-work.ts`. */
const LOOK_EVERY_MS = 1_000

/** @type {{ directory: string, chases: number, warmUpMs: number, durationMs: number }} */
const { directory, chases, warmUpMs, durationMs } = JSON.parse(process.argv[2])
const { now } = Date
const startedAt = now()
const fail = (/** @type {unknown} */ error) => {
  throw error
}
const clock = { now, delay }
const ordersPath = join(directory, 'orders.jsonl')
const journal = createOrderJournal(openOrderFile(ordersPath), { onProblem: fail })
const guards = openGuardStore(directory, { now })
const book = await openDayBook({ journal, tail: openLineTail(ordersPath), now })

/** One tick up with each change. */
const prices = {
  lastPrice(/** @type {string} */ symbol, /** @type {number} */ atMs) {
    const { tick } = findMarket(symbol).priceGrid
    const start = Math.round(Number(START_PRICES[symbol]) / Number(tick))
    const steps = Math.floor((atMs - startedAt) / PRICES_EVERY_MS)
    const digits = tick.split('.')[1]?.length ?? 0
    return ((start + steps) * Number(tick)).toFixed(digits)
  },
}
const state = initialState({ seed: 'bench', balance: '1000000' })
const venue = createPaperExchange({
  market: createOfflineMarket({ prices, depth: createSyntheticDepth('bench') }),
  store: openPaperState(directory, 'bench', { ...PAPER_FORMAT, defaults: state }),
  history: openPaperHistory(directory, 'bench'),
  now,
  every(_ms, tick) {
    const timer = setInterval(tick, PRICES_EVERY_MS)
    return () => clearInterval(timer)
  },
  delay: async (ms) => void (await sleep(ms)),
  onProblem: fail,
})
let moved = 0
const counted = {
  ...venue,
  get stream() {
    return venue.stream
  },
  editOrder: (/** @type {Parameters<typeof venue.editOrder>} */ ...args) => {
    moved += 1
    return venue.editOrder(...args)
  },
}
const exchange = guardExchange(counted, { account: 'bench', store: guards, book, now, onTripped: fail })
const orders = new OrderDesk({ account: 'bench', exchange, journal, clock, report() {}, onProblem: fail })
const account = { name: 'bench', venue: exchange, orders, priceBand: () => /** @type {const} */ ('off') }
const supervisor = new TaskSupervisor({
  clock,
  kinds: TASK_KINDS,
  guards,
  panic: openPanicStore(directory, now),
  mayDrive: true,
  problem: fail,
  lease: openTasksDriver(directory),
  rows: openTasks(directory),
  report() {},
  journal: openTaskJournal(directory, { onProblem: fail }),
  connect: async () => account,
})
const looking = setInterval(() => void supervisor.look(), LOOK_EVERY_MS)

const symbols = Object.keys(START_PRICES)
for (let index = 0; index < chases; index += 1) {
  const symbol = symbols[index % symbols.length] ?? ''
  const lot = findMarket(symbol).lotSize
  const params = { side: 'buy', amount: amountOf(symbol, lot), reduce: false, lastsMs: 3_600_000, rest: 'cancel' }
  const by = /** @type {const} */ ({ source: 'exec', runId: 'bench' })
  await supervisor.begin({ kind: 'chase', account: 'bench', symbol, command: 'chase', by, params })
}

/** Some hundred dollars, on the lot. @param {string} symbol @param {string} lot */
function amountOf(symbol, lot) {
  const lots = Math.ceil(100 / Number(START_PRICES[symbol]) / Number(lot))
  return (lots * Number(lot)).toFixed(lot.split('.')[1]?.length ?? 0)
}

await sleep(warmUpMs)
const late = monitorEventLoopDelay({ resolution: 1 })
late.enable()
const before = process.cpuUsage()
const from = performance.now()
moved = 0
await sleep(durationMs)
const ms = performance.now() - from
const { user, system } = process.cpuUsage(before)
const running = supervisor.list().filter(({ status }) => status === 'running').length
console.log(
  JSON.stringify({
    running,
    busy: (user + system) / 1_000 / ms,
    movesPerSecond: (moved * 1_000) / ms,
    p99Ms: late.percentile(99) / 1e6,
  }),
)
clearInterval(looking)
process.exit()

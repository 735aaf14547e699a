// An engine with its copiers on paper accounts, in one process: a master that trades, and when each copier has. Prints ms of the master's fill to
// the copier's, without the quiet of the engine: one line.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { delay } from '../../src/app/delay.ts'
import { openAccount } from '../../src/app/open-account.ts'
import { QUIET_MS } from '../../src/cross-trade/account-link.ts'
import { createCrossTradeEngine } from '../../src/cross-trade/engine.ts'
import { openCopierFile } from '../../src/cross-trade/state-journal.ts'
import { openDayBook } from '../../src/guards/day-book.ts'
import { openLineTail } from '../../src/stores/durable-journal.ts'
import { openGuardStore } from '../../src/stores/guards.ts'
import { createOrderJournal, openOrderFile } from '../../src/trading/order-journal.ts'

const PATIENCE_MS = 20_000
const AMOUNT = '0.002'

/** @type {{ directory: string, copiers: number, rounds: number, warmUps: number }} */
const { directory, copiers, rounds, warmUps } = JSON.parse(process.argv[2])
const { now } = Date
const fail = (/** @type {unknown} */ error) => {
  throw error
}
const ordersPath = join(directory, 'orders.jsonl')
const journal = createOrderJournal(openOrderFile(ordersPath), { onProblem: fail })
const guards = openGuardStore(directory, { now })
const book = await openDayBook({ journal, tail: openLineTail(ordersPath), now })
const clock = { now, delay }

const names = Array.from({ length: copiers }, (_, index) => `copier-${index}`)
const accounts = new Map(
  await Promise.all(
    ['master', ...names].map(async (name) => {
      const row = { name, exchange: 'paper', createdAt: 1, updatedAt: 1 }
      const options = { directory, journal, clock, guards, book, onProblem: fail, onTripped: fail, report() {} }
      const account = await openAccount(row, { ...options, resolveKeys: async () => ({}), requireKeys() {} })
      return /** @type {const} */ ([name, account])
    }),
  ),
)
const config = {
  id: '11111111-2222-4333-8444-555555555555',
  enabled: true,
  masterAccount: 'master',
  masterWeight: 1,
  updatedAt: 1,
  masterSymbol: 'BTCUSDT',
  copiers: names.map((account) => ({ account, weight: 1, mode: /** @type {const} */ ('Market') })),
}
const connect = async (/** @type {string} */ name) => accounts.get(name) ?? fail(new Error(`no account ${name}`))
const engine = createCrossTradeEngine({
  configs: () => [config],
  watchConfigs: () => () => {},
  connect,
  clock,
  isLeader: () => true,
  onProblem: fail,
  file: openCopierFile(join(directory, 'cross-trade-state.jsonl')),
  report() {},
  by: { source: 'exec', runId: 'bench' },
})

let filledAt = 0
/** @type {number[]} */
let copied = []
const master = await connect('master')
master.venue.subscribe(({ type }) => {
  if (type === 'trade') filledAt = performance.now()
})
for (const name of names) {
  const { venue } = await connect(name)
  venue.subscribe(({ type }) => {
    if (type === 'trade') copied.push(performance.now() - filledAt - QUIET_MS)
  })
}
await engine.start()

/** @param {number} round @returns {Promise<number[]>} */
async function play(round) {
  copied = []
  const side = /** @type {'buy' | 'sell'} */ (round % 2 === 0 ? 'buy' : 'sell')
  const plan = { symbol: 'BTCUSDT', side, type: /** @type {const} */ ('market'), amount: AMOUNT }
  await master.orders.place(plan, { source: 'exec', runId: `round-${round}`, step: 0 }, () => {})
  const until = performance.now() + PATIENCE_MS
  while (copied.length < copiers) {
    if (performance.now() > until) fail(new Error(`${copied.length} of ${copiers} copied: ${said()}`))
    await sleep(5)
  }
  // What is left of the round is no part of the next one.
  await sleep(50)
  return copied
}

function said() {
  return JSON.stringify(
    engine
      .report()
      .copiers.filter(({ state }) => state !== 'in-step')
      .slice(0, 3),
  )
}

for (let round = 0; round < warmUps; round += 1) await play(round)
const results = []
for (let round = 0; round < rounds; round += 1) results.push(await play(warmUps + round))
console.log(JSON.stringify(results))
await engine.stop()
process.exit()

// kill -9 of the engine that copies trades, at any moment of them, while its master trades on and the copiers' venue loses answers and orders.
// In the end each copier holds what it should within one lot, by orders that were each sent once, beside what a person holds there.
import { randomInt, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { RunningHookline } from '../../harness/process/hookline.ts'
import { createRandom, type Random } from '../../harness/random/random.ts'
import { findMarket } from '../../src/exchanges/paper/markets.ts'
import type { CopierStateRow } from '../../src/protocol/rows.ts'
import { type Hook, openHookStore } from '../../src/stores/hooks.ts'
import { keepFiring } from './kill/fire-until.ts'
import { OrderFates, VenueBooks } from './kill/order-fates.ts'
import { paperPosition } from './kill/paper-position.ts'
import { setFaults } from './kill/set-faults.ts'
import { type Finding, scenario } from './scenario.ts'

const MASTER = 'master'
/** Weights by copier: fractional, negative, larger. */
const WEIGHTS = { half: 0.5, third: 0.37, against: -1, double: 2 }
const COPIERS = Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[]
const SYMBOLS = ['BTCUSDT', 'ETHUSDT'] as const
/** What the master does: it grows, shrinks, turns and ends. */
const TRADES = [
  'buy 0.012 BTCUSDT',
  'sell 0.017 BTCUSDT',
  'sell 0.050 BTCUSDT',
  'buy 0.3 ETHUSDT',
  'sell 0.420 ETHUSDT',
  'close BTCUSDT',
  'close ETHUSDT',
]
/** A person's own trade on a copier, of what its master does not trade. */
const MANUAL = { symbol: 'ADAUSDT', amount: 30 }
const MANUAL_SHARE = 0.15
/** Of the rounds, those in which the engine alone dies, and what looks after it starts it again. */
const RESTARTED_SHARE = 0.3
const PATIENCE_MS = 30_000
const LATEST_KILL_MS = 2_500
const SETTLING_MS = 240_000

const rounds = Math.ceil(inject('faultOptions').rounds * 0.2)
const ROUNDS_A_LINE = 10

scenario(
  'copier',
  `kill -9 of the engine that copies trades, ${rounds} times, while its master trades`,
  'each copier holds what it should within one lot; no order twice, none forgotten; a person’s own positions are left alone',
  () => killAgainAndAgain(createRandom(Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31)))),
  8 + rounds / 4,
)

interface Stage {
  readonly directory: string
  readonly random: Random
  readonly trades: readonly Hook[]
  readonly manual: readonly Hook[]
}

async function killAgainAndAgain(random: Random): Promise<Finding> {
  const stage = await prepare(random)
  const { directory } = stage
  const listener = await RunningHookline.listening(directory)
  const books = new VenueBooks()
  let fires = 0
  let restarts = 0
  for (let round = 0; round < rounds; round += 1) {
    await loseSome(stage)
    const isRestarted = random.chance(RESTARTED_SHARE)
    if (isRestarted) restarts += 1
    fires += await killAtWork(stage, isRestarted)
    for (const account of [MASTER, ...COPIERS]) books.collect(directory, account)
    if ((round + 1) % ROUNDS_A_LINE === 0) console.log(`  ${round + 1} of ${rounds} kills, ${fires} trades`)
  }
  for (const account of COPIERS) await setFaults(directory, account, {})
  console.log('  settling: what never arrived is known to be so after a minute')
  const engine = new RunningHookline(directory, ['cross-trade', 'run'])
  const { wrong, orders } = await settled(stage, books)
  const pid = enginePid(directory)
  engine.signal('SIGTERM')
  await engine.ended()
  listener.signal('SIGTERM')
  await listener.ended()
  if (wrong.length > 0) console.log(wrong.slice(0, 20).join('\n'))
  return {
    got: `${rounds} kills, ${restarts} of them started again by what looks after the engine; ${fires} trades of the master and of people; ${orders.orders} orders, ${orders.unknown} without an answer; ${orders.count('twice')} twice, ${orders.count('forgotten')} forgotten; ${wrong.length} wrong in all`,
    holds: wrong.length === 0 && pid !== undefined && orders.unknown > 0 && orders.orders > rounds,
  }
}

async function prepare(random: Random): Promise<Stage> {
  const directory = tempDirectory()
  const rows = ['paper', MASTER, ...COPIERS].map((name) => ({ name, exchange: 'paper', createdAt: 1, updatedAt: 1 }))
  writeFileSync(join(directory, 'accounts.json'), JSON.stringify({ accounts: rows }))
  const copiers = COPIERS.map((account) => ({ account, weight: WEIGHTS[account], mode: 'Market' }))
  const row = {
    id: randomUUID(),
    enabled: true,
    masterAccount: MASTER,
    masterWeight: 1,
    copiers,
    updatedAt: Date.now(),
  }
  writeFileSync(join(directory, 'cross-trade.json'), JSON.stringify({ configs: [row] }))
  const store = openHookStore(directory)
  const trades: Hook[] = []
  for (const [index, command] of TRADES.entries()) {
    trades.push(await store.create({ name: `trade ${index}`, command, account: MASTER }))
  }
  const manual: Hook[] = []
  for (const account of COPIERS) {
    const command = `buy ${MANUAL.amount}.0 ${MANUAL.symbol}`
    manual.push(await store.create({ name: `manual ${account}`, command, account }))
  }
  return { directory, random, trades, manual }
}

/** Every nth counts from when it was set: a copier has some orders in a round. */
async function loseSome({ directory, random }: Stage): Promise<void> {
  for (const account of COPIERS) {
    const lost = { lostAnswers: 2 + random.below(6), lostOrders: 4 + random.below(20) }
    await setFaults(directory, account, { ...lost, partialFills: 1 })
  }
}

/** @returns how many trades were accepted */
async function killAtWork({ directory, random, trades, manual }: Stage, isRestarted: boolean): Promise<number> {
  // The last one may not be gone yet.
  const last = enginePid(directory)
  const engine = new RunningHookline(directory, ['cross-trade', 'run'])
  const first = await untilRunning(directory, last)
  const endFiring = keepFiring(1, {
    next: () => (random.chance(MANUAL_SHARE) ? random.pickIfAny(manual) : random.pickIfAny(trades)),
    pause: () => 100 + random.below(400),
  })
  await sleep(random.below(LATEST_KILL_MS))
  process.kill(first, 'SIGKILL')
  if (isRestarted) {
    const second = await untilRunning(directory, first)
    await sleep(random.below(LATEST_KILL_MS))
    process.kill(second, 'SIGKILL')
  }
  // Before it starts another one.
  engine.signal('SIGKILL')
  await engine.ended()
  return endFiring()
}

/** The engine that says so, another one than `not`, once it does. */
async function untilRunning(directory: string, not: number | undefined): Promise<number> {
  const until = performance.now() + PATIENCE_MS
  while (performance.now() < until) {
    const pid = enginePid(directory)
    if (pid !== undefined && pid !== not && existsSync(`/proc/${pid}`)) return pid
    await sleep(20)
  }
  throw new Error('the engine does not run')
}

interface Heartbeat {
  readonly pid?: number
  readonly copiers?: readonly CopierStateRow[]
}

function heartbeatOf(directory: string): Heartbeat {
  const path = join(directory, 'cross-trade-running.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

function enginePid(directory: string): number | undefined {
  return heartbeatOf(directory).pid
}

interface Found {
  readonly wrong: readonly string[]
  readonly orders: OrderFates
}

async function settled({ directory }: Stage, books: VenueBooks): Promise<Found> {
  const until = performance.now() + SETTLING_MS
  for (;;) {
    for (const account of [MASTER, ...COPIERS]) books.collect(directory, account)
    const orders = new OrderFates(directory, books)
    const wrong = [...orders.wrong, ...COPIERS.flatMap((copier) => wrongOn(directory, copier, books))]
    if (wrong.length === 0 || performance.now() > until) return { wrong, orders }
    await sleep(1_000)
  }
}

/** What a copier holds, beside what it should by the master, by its own report, and by what people did there. */
function wrongOn(directory: string, copier: keyof typeof WEIGHTS, books: VenueBooks): readonly string[] {
  const { copiers = [] } = heartbeatOf(directory)
  const copied = SYMBOLS.flatMap((symbol) => {
    const lot = findMarket(symbol).lotSize
    const target = paperPosition(directory, MASTER, symbol).times(WEIGHTS[copier])
    const held = paperPosition(directory, copier, symbol)
    const { owned = '0', state, why } = copiers.find((row) => row.account === copier && row.symbol === symbol) ?? {}
    const at = `${copier} ${symbol} (${state ?? 'not reported'}${why === undefined ? '' : `: ${why}`})`
    return [
      ...(held.minus(target).abs().lt(lot) ? [] : [`${at} holds ${held}, should ${target}`]),
      ...(held.eq(owned) ? [] : [`${at} holds ${held}, says ${owned}`]),
    ]
  })
  const own = [...books.orders].filter(([, { symbol }]) => symbol === MANUAL.symbol).map(([, order]) => order)
  const held = paperPosition(directory, copier, MANUAL.symbol)
  const isManual = held.mod(MANUAL.amount).isZero() && own.length > 0
  return isManual ? copied : [...copied, `${copier} holds ${held} ${MANUAL.symbol}: the engine traded it`]
}

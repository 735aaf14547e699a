// kill -9 at any moment of order traffic, on an account whose venue loses answers and orders and fills in parts. What one round leaves
// behind, the next start has to settle; in the end every order's fate is known and every entry has its one stop.
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { RunningHookline } from '../../harness/process/hookline.ts'
import { createRandom, type Random } from '../../harness/random/random.ts'
import { type Hook, openHookStore } from '../../src/stores/hooks.ts'
import { ageLocks } from './kill/age-locks.ts'
import { keepFiring } from './kill/fire-until.ts'
import { OrderFates, VenueBooks } from './kill/order-fates.ts'
import { setFaults } from './kill/set-faults.ts'
import { untilHealthy } from './kill/until-healthy.ts'
import { scenario } from './scenario.ts'

/** Sizes of about six dollars: thousands of them fit the account. */
const BODIES = {
  long: 'buy 20.0 ADAUSDT stop -3%',
  short: 'sell 0.4 LINKUSDT stop +3%',
  crossing: 'buy 0.3 AVAXUSDT at +0.2% stop -3% --far',
  resting: 'buy 10.0 ARBUSDT at -0.01% stop -3%',
  parts: 'buy 300.0 DOTUSDT at +0.5% stop -3% --far',
  two: 'buy 20.0 XRPUSDT stop -3%; sell 20.0 XRPUSDT at +0.02%',
  scaled: 'scale buy $40 ADAUSDT into 5 from +0.1% to -0.1% sizeskew 0.3',
  swarm: 'swarm sell $30 ADAUSDT into 4 irregular',
  flat: 'cancel all; close all',
}
const FLAT_SHARE = 0.04
/** A symbol whose order got no answer is blocked for a minute: each account's turn comes again about then. */
const ACCOUNTS = 40
/** Each account loses one answer in so many: it needs some turns to get there. */
const TURNS = 4
const CONNECTIONS = 4
/** Long enough for a start that opens the account, and for some dozens of orders behind it. */
const LATEST_KILL_MS = 1_200
/** A minute until "not found" is final, and a while for everything else. */
const SETTLING_MS = 150_000

const rounds = Math.ceil(inject('faultOptions').rounds * 0.6)
/** A kill takes 1 s on a quiet machine and 2.5 s on one with eight times as much to do as it has cores. */
const LIMIT_MINUTES = 6 + rounds / 20
/** So that nobody takes many rounds for a hang. */
const ROUNDS_A_LINE = 25

scenario(
  'orders',
  `kill -9 at a random moment of order traffic, ${rounds} times, at a venue that loses answers and orders`,
  'no order sent twice, none forgotten, each entry has one stop of the size that has filled',
  () => killAgainAndAgain(createRandom(Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31)))),
  LIMIT_MINUTES,
)

async function killAgainAndAgain(random: Random) {
  const directory = tempDirectory()
  const store = openHookStore(directory)
  const accounts = Array.from({ length: Math.min(ACCOUNTS, Math.ceil(rounds / TURNS)) }, (_, index) => `a${index}`)
  const rows = ['paper', ...accounts].map((name) => ({ name, exchange: 'paper', createdAt: 1, updatedAt: 1 }))
  writeFileSync(join(directory, 'accounts.json'), JSON.stringify({ accounts: rows }))
  const hooks = new Map<string, Hook[]>()
  for (const account of accounts) {
    const own: Hook[] = []
    for (const [name, command] of Object.entries(BODIES)) {
      own.push(await store.create({ name: `${name} ${account}`, command, account }))
    }
    hooks.set(account, own)
    await setFaults(directory, account, { lostAnswers: 20, lostOrders: 307, partialFills: 1 })
  }
  const books = new VenueBooks()
  let fires = 0
  for (let round = 0; round < rounds; round += 1) {
    const account = accounts[round % accounts.length] ?? ''
    fires += await killAtWork(directory, hooks.get(account) ?? [], random)
    books.collect(directory, account)
    if ((round + 1) % ROUNDS_A_LINE === 0) console.log(`  ${round + 1} of ${rounds} kills`)
  }
  console.log('  settling: what never arrived is known to be so after a minute')
  const fates = await settled(directory, accounts, books)
  const { wrong, orders, unknown, stops } = fates
  if (wrong.length > 0) console.log(wrong.slice(0, 20).join('\n'))
  return {
    got: `${rounds} kills: ${fires} fires, ${orders} orders of which ${unknown} got no answer, ${stops} stops; ${fates.count('twice')} twice, ${fates.count('forgotten')} forgotten, ${fates.count('stop')} stops wrong`,
    holds: wrong.length === 0 && orders > rounds && unknown > 0,
  }
}

/** @returns how many fires were accepted */
async function killAtWork(directory: string, hooks: readonly Hook[], random: Random): Promise<number> {
  const hookline = new RunningHookline(directory, ['listen'])
  await untilHealthy(hookline.pid)
  const endFiring = keepFiring(CONNECTIONS, {
    next: () => (random.chance(FLAT_SHARE) ? hooks.at(-1) : random.pickIfAny(hooks.slice(0, -1))),
    pause: () => random.below(20),
  })
  await sleep(random.below(LATEST_KILL_MS))
  hookline.signal('SIGKILL')
  await hookline.ended()
  const fires = await endFiring()
  ageLocks(directory)
  return fires
}

/** The last start, at a venue that answers again: it settles what is left. */
async function settled(directory: string, accounts: readonly string[], books: VenueBooks): Promise<OrderFates> {
  for (const account of accounts) await setFaults(directory, account, {})
  const hookline = await RunningHookline.listening(directory)
  const until = performance.now() + SETTLING_MS
  for (;;) {
    for (const account of accounts) books.collect(directory, account)
    const fates = new OrderFates(directory, books)
    if (fates.wrong.length === 0 || performance.now() > until) {
      hookline.signal('SIGTERM')
      await hookline.ended()
      return fates
    }
    await sleep(1_000)
  }
}

// kill -9 of the process that drives tasks at a venue behind a network: the stand-in of Binance, under the venue's own host names, that loses
// answers, orders and streams while its prices move. Its own books say what became of every order of a task.
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Decimal } from 'decimal.js'
import { inject } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import { RunningHookline } from '../../../harness/process/hookline.ts'
import { createRandom, type Random } from '../../../harness/random/random.ts'
import type { Binance } from '../../../harness/venues/binance/start-binance.ts'
import type { Hook } from '../../../src/stores/hooks.ts'
import { ageLocks } from '../kill/age-locks.ts'
import { keepFiring } from '../kill/fire-until.ts'
import { bookedBy, type Certificate, createHooks, faultOf, keyOf, startLiveVenue } from '../kill/live-venue.ts'
import { settleTasks } from '../kill/task-settling.ts'
import { untilGrown } from '../kill/until-grown.ts'
import { untilHealthy } from '../kill/until-healthy.ts'
import { type Finding, leftOut, scenario } from '../scenario.ts'

/** Worth some dollars above the least that the venue takes. */
const BODIES = {
  chase: 'chase buy 40.0 ADAUSDT for 15s then market',
  reducing: 'buy 40.0 XRPUSDT && chase sell 20.0 XRPUSDT reduce for 15s',
  twap: 'twap buy 80.0 ADAUSDT into 4 over 8s',
  trail: 'buy 0.2 SOLUSDT && trail 0.5% SOLUSDT add',
  oco: 'buy 0.020 ETHUSDT && oco ETHUSDT 0.020 at +0.4% stop -0.4% add',
  pause: 'tasks pause --all',
  cancel: 'tasks cancel --all',
  flat: 'cancel all; close all',
}
const PRICES: Readonly<Record<string, number>> = { ADAUSDT: 0.4, XRPUSDT: 0.5, SOLUSDT: 150, ETHUSDT: 2_500 }
const PRICE_EVERY_MS = 150
/** Of a price, at most, up or down from where it began. */
const SWING = 0.008
/** One order in so many meets a fault: a process that is killed has seldom noticed yet that an answer does not come. */
const FAULTY = 5
const ACCOUNTS = 10
const CONNECTIONS = 2
const LOOK_MS = 20
const AT_WORK = 0.85
const LATEST_KILL_MS = 2_000
/** Rounds in which the streams are cut, or silent for a while. */
const CUT_SHARE = 0.3
const RESUMED = 5
const ROUNDS_A_LINE = 10

const rounds = Math.ceil(inject('faultOptions').rounds * 0.1)
const TITLE = `kill -9 of the process that drives tasks, ${rounds} times, at a venue behind a network that loses answers, orders and streams`
const WANTED =
  'no order twice or forgotten, no task over its amount; what protects has its stop, what adds is interrupted and names what rests; resumed, it fills exactly'

const certificate = venueCertificate()
if ('missing' in certificate)
  leftOut('tasks-venue', TITLE, WANTED, `no hosts of the venues' names: ${certificate.missing}`)
else {
  const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31))
  scenario('tasks-venue', TITLE, WANTED, () => killAgainAndAgain(seed, certificate), 12 + rounds / 4)
}

interface Stage {
  readonly directory: string
  readonly venue: Binance
  readonly env: Readonly<Record<string, string>>
  readonly random: Random
}

async function killAgainAndAgain(seed: number, tls: Certificate): Promise<Finding> {
  console.log(`  seed ${seed}`)
  const random = createRandom(seed)
  const directory = tempDirectory()
  const names = Array.from({ length: Math.min(ACCOUNTS, rounds) }, (_, index) => `a${index}`)
  const venue = await startLiveVenue(directory, names, tls)
  const stage = { directory, venue, env: tls.env, random }
  const hooks = await createHooks(directory, names, BODIES)
  venue.faults.choose = () => faultOf(random, FAULTY)
  const moving = setInterval(() => movePrices(stage), PRICE_EVERY_MS)
  let fires = 0
  for (let round = 0; round < rounds; round += 1) {
    fires += await killAtWork(stage, hooks.get(names[round % names.length] ?? '') ?? [])
    if ((round + 1) % ROUNDS_A_LINE === 0) console.log(`  ${round + 1} of ${rounds} kills, ${fires} fires`)
  }
  venue.faults.choose = () => undefined
  clearInterval(moving)
  const world = {
    directory,
    env: tls.env,
    resuming: new Set(names.slice(0, RESUMED)),
    books: () => ({
      orders: bookedBy(venue).orders,
      position: (account: string, symbol: string): Decimal =>
        new Decimal(venue.account(keyOf(account)).held(symbol).amount),
    }),
  }
  const finding = await settleTasks(world, `${rounds} kills, ${fires} fires`, { tasks: rounds, unknown: 1 })
  const { twice } = bookedBy(venue)
  await venue.close()
  return { got: `${finding.got}; ${twice.length} ids twice at the venue`, holds: finding.holds && twice.length === 0 }
}

/** Up and down, by some steps at a time. */
function movePrices({ venue, random }: Stage): void {
  const symbol = random.pick(Object.keys(PRICES))
  const start = PRICES[symbol] ?? 0
  const digits = start < 1 ? 4 : 1
  venue.engine.movePrice(symbol, (start * (1 + SWING * (2 * random.share() - 1))).toFixed(digits))
}

/** @returns how many fires were accepted */
async function killAtWork(stage: Stage, hooks: readonly Hook[]): Promise<number> {
  const { directory, env, random, venue } = stage
  const hookline = new RunningHookline(directory, ['listen'], { env })
  await untilHealthy(hookline.pid, LOOK_MS)
  const endFiring = keepFiring(CONNECTIONS, {
    next: () => random.pickIfAny(hooks),
    pause: () => 50 + random.below(150),
  })
  const isCut = random.chance(CUT_SHARE)
  if (random.chance(AT_WORK)) await untilGrown(join(directory, 'tasks.jsonl'))
  if (isCut) venue.streams.faults.isSilent = true
  await sleep(random.below(LATEST_KILL_MS))
  venue.streams.faults.isSilent = false
  if (isCut) await sleep(random.below(LATEST_KILL_MS))
  hookline.signal('SIGKILL')
  await hookline.ended()
  const fires = await endFiring()
  ageLocks(directory)
  return fires
}

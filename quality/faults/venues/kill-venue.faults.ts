// kill -9 at any moment of order traffic to a venue behind a network: the stand-in of Binance, under the venue's own host names, that loses
// answers, orders and connections. What one round leaves behind, the next start has to settle; in the end the stand-in's own books say whether
// an order was sent twice, forgotten, or left without its stop.
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import { RunningHookline } from '../../../harness/process/hookline.ts'
import { createRandom, type Random } from '../../../harness/random/random.ts'
import type { Binance } from '../../../harness/venues/binance/start-binance.ts'
import type { Hook } from '../../../src/stores/hooks.ts'
import { ageLocks } from '../kill/age-locks.ts'
import { keepFiring } from '../kill/fire-until.ts'
import { bookedBy, type Certificate, createHooks, faultOf, startLiveVenue } from '../kill/live-venue.ts'
import { OrderFates } from '../kill/order-fates.ts'
import { untilHealthy } from '../kill/until-healthy.ts'
import { type Finding, leftOut, scenario } from '../scenario.ts'

/** Worth some dollars above the least that the venue takes. */
const BODIES = {
  long: 'buy 20.0 ADAUSDT stop -3%',
  short: 'sell 0.1 SOLUSDT stop +3%',
  crossing: 'buy 20.0 XRPUSDT at +0.2% stop -3% --far',
  resting: 'buy 0.01 ETHUSDT at -0.5% stop -3%',
  two: 'buy 30.0 XRPUSDT stop -3%; sell 30.0 XRPUSDT at +0.2%',
  flat: 'cancel all; close all',
}
const FLAT_SHARE = 0.04
/** A symbol whose order got no answer is blocked for a minute: each account's turn comes again about then. */
const ACCOUNTS = 20
const CONNECTIONS = 2
/** Of who types. */
const PACE_MS = 300
const AT_WORK = 0.8
/** Of those, the rounds that end among orders that were typed: the account is chosen behind all that is under way. */
const TYPED = 0.3
const LATEST_KILL_MS = 800
const PATIENCE_MS = 60_000
/** Looking oftener takes the processor from who starts. */
const LOOK_MS = 20
const SETTLING_MS = 300_000

const rounds = Math.ceil(inject('faultOptions').rounds * 0.6)
const TITLE = `kill -9 at a random moment of fires and typed orders, ${rounds} times, at a venue behind a network that loses answers and orders`
const WANTED = 'no order sent twice, none forgotten, each entry has one stop of the size that has filled'

const certificate = venueCertificate()
if ('missing' in certificate) leftOut('venue', TITLE, WANTED, `no hosts of the venues' names: ${certificate.missing}`)
else {
  const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31))
  scenario('venue', TITLE, WANTED, () => killAgainAndAgain(createRandom(seed), certificate), 8 + rounds / 4)
}

interface Stage {
  readonly directory: string
  readonly venue: Binance
  readonly env: Readonly<Record<string, string>>
}

async function killAgainAndAgain(random: Random, tls: Certificate): Promise<Finding> {
  const directory = tempDirectory()
  const names = Array.from({ length: Math.min(ACCOUNTS, rounds) }, (_, index) => `a${index}`)
  const venue = await startLiveVenue(directory, names, tls)
  const stage = { directory, venue, env: tls.env }
  const hooks = await createHooks(directory, names, BODIES)
  const sum = { fires: 0, lost: 0 }
  venue.faults.choose = () => {
    const fault = faultOf(random)
    if (fault !== undefined && fault.kind !== 'busy') sum.lost += 1
    return fault
  }
  for (let round = 0; round < rounds; round += 1) {
    const account = names[round % names.length] ?? ''
    sum.fires += await killAtWork(stage, { account, hooks: hooks.get(account) ?? [] }, random)
  }
  venue.faults.choose = () => undefined
  const fates = await settled(stage)
  const twice = fates.count('twice') + bookedBy(venue).twice.length
  await venue.close()
  const { wrong, orders, typed, unknown, found, stops } = fates
  if (wrong.length > 0) console.log(wrong.slice(0, 20).join('\n'))
  return {
    got: `${rounds} kills: ${sum.fires} fires; ${orders} orders sent, ${typed} of them typed; ${sum.lost} answers lost, ${unknown} orders unknown, ${found} of them found at the venue; ${stops} stops rest; ${twice} twice, ${fates.count('forgotten')} forgotten, ${fates.count('stop')} stops wrong`,
    holds: wrong.length === 0 && twice === 0 && orders > rounds && typed > 0 && unknown > 0 && found > 0,
  }
}

interface Round {
  readonly account: string
  readonly hooks: readonly Hook[]
}

/** @returns how many fires were accepted meanwhile */
async function killAtWork(
  { directory, env, venue }: Stage,
  { account, hooks }: Round,
  random: Random,
): Promise<number> {
  const hookline = new RunningHookline(directory, [], { env })
  await untilHealthy(hookline.pid, LOOK_MS)
  const comes = new Promise<void>((resolve) => {
    venue.onHeard = ({ route }) => {
      if (/^POST .*[oO]rder$/.test(route)) resolve()
    }
  })
  let isOver = false
  const typing = (async () => {
    hookline.say(`account use ${account}`)
    while (!isOver) {
      hookline.say(random.pick(Object.values(BODIES).slice(0, -1)) ?? '')
      await sleep(PACE_MS + random.below(PACE_MS))
    }
  })()
  const endFiring = keepFiring(CONNECTIONS, {
    next: () => (random.chance(FLAT_SHARE) ? hooks.at(-1) : random.pickIfAny(hooks.slice(0, -1))),
    pause: () => random.below(40),
  })
  // Mostly while orders are on their way, however slow the machine is; at times before the first one.
  if (random.chance(AT_WORK)) await Promise.race([comes, sleep(PATIENCE_MS)])
  if (random.chance(TYPED)) await hookline.prints(`trading on ${account}`)
  await sleep(random.below(LATEST_KILL_MS))
  hookline.signal('SIGKILL')
  await hookline.ended()
  isOver = true
  const [fires] = await Promise.all([endFiring(), typing])
  ageLocks(directory)
  return fires
}

/** The last start, at a venue that answers again: it settles what is left. */
async function settled({ directory, venue, env }: Stage): Promise<OrderFates> {
  const hookline = await RunningHookline.listening(directory, { env })
  const until = performance.now() + SETTLING_MS
  for (;;) {
    const fates = new OrderFates(directory, bookedBy(venue))
    if (fates.wrong.length === 0 || performance.now() > until) {
      hookline.signal('SIGTERM')
      await hookline.ended()
      return fates
    }
    await sleep(1_000)
  }
}

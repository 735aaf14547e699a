// A day of reconnects, compressed: hookline runs by a clock that goes faster, and the streams of the venue break again and again, in all the ways
// they can. Orders of somebody else fill on the account all the while, in the gaps as well.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Decimal } from 'decimal.js'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import { BINARY, RunningHookline } from '../../../harness/process/hookline.ts'
import { KEYS } from '../../../harness/venues/binance/staged.ts'
import { Binance } from '../../../harness/venues/binance/start-binance.ts'
import { listedIn } from '../../../harness/venues/binance/wishes.ts'
import { findingOf } from '../checks.ts'
import { type Finding, leftOut, scenario } from '../scenario.ts'

const MOST_RATE = 20
const LEAST_RATE = 2
/** A machine whose first order takes no longer goes at the highest rate; one that is slower at a lower one: what a venue may take to answer is hastened too. */
const FIRST_ORDER_MS = 1_500
const CUTS = Number(process.env.RECONNECTS ?? 120)
/** By the faster clock: longer than a stream has to hold for the next failure to be a first one. */
const PAUSE_MS = 40_000
const SYMBOL = 'BTCUSDT'
const SIDES = ['BUY', 'SELL'] as const
const WARM = 20
const EVERY = 10
/** By the faster clock: as long as it takes until every symbol has been asked for again. */
const SETTLING_MS = 600_000
const TITLE = `${CUTS} cuts of the venue's streams in ${Math.round((CUTS * PAUSE_MS) / 60_000)} minutes, by a clock up to ${MOST_RATE} times as fast`
const WANTED = 'every fill told once, also those in gaps; sockets, timers and memory as after the first cuts'

const certificate = venueCertificate()
if ('missing' in certificate)
  leftOut('reconnect', TITLE, WANTED, `no hosts of the venues' names: ${certificate.missing}`)
else scenario('reconnect', TITLE, WANTED, () => reconnect(certificate), 90)

interface Resources {
  readonly heapBytes: number
  readonly rssBytes: number
  readonly held: number
  readonly timers: number
  readonly fds: number
}

class Watched {
  readonly hookline: RunningHookline
  readonly #file: string

  constructor(directory: string, env: Readonly<Record<string, string>>, rate: number) {
    this.#file = join(directory, 'resources')
    const probe = `--require ${join(import.meta.dirname, 'resources-probe.cjs')}`
    this.hookline = new RunningHookline(directory, [String(rate), BINARY], {
      binary: join(import.meta.dirname, '../fast-clock.cjs'),
      env: { ...env, NODE_OPTIONS: probe, RESOURCES: this.#file },
    })
  }

  async resources(): Promise<Resources> {
    const before = this.#lines().length
    this.hookline.signal('SIGUSR2')
    while (this.#lines().length === before) await sleep(10)
    const fds = readdirSync(`/proc/${this.hookline.pid}/fd`).length
    return { ...JSON.parse(this.#lines().at(-1) ?? ''), fds }
  }

  #lines(): readonly string[] {
    return existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n').filter(Boolean) : []
  }
}

async function reconnect(tls: { key: string; cert: string; env: Readonly<Record<string, string>> }): Promise<Finding> {
  const venue = await Binance.start({ accounts: [{ ...KEYS, wallet: '1000000' }], port: 443, tls })
  const rate = await rateOfMachine(tls.env)
  const directory = directoryOfAccount()
  const stopClock = hasten(venue, rate)
  const watched = new Watched(directory, tls.env, rate)
  const { hookline } = watched
  await firstOrder(hookline)
  const pauseMs = PAUSE_MS / rate
  const orders: number[] = []
  const seen: Resources[] = []
  for (let cut = 0; cut < CUTS; cut += 1) {
    orders.push(trade(venue, cut))
    const mend = await breakOff(venue, cut)
    orders.push(trade(venue, cut + 1))
    await sleep(pauseMs / 4)
    await mend()
    await sleep((pauseMs * 3) / 4)
    if (cut >= WARM && cut % EVERY === 0) seen.push(await watched.resources())
  }
  const toldOf = (id: number) => hookline.stdout.split(`order ${id}: `).length - 1
  const until = performance.now() + SETTLING_MS / rate
  while (orders.some((id) => toldOf(id) === 0) && performance.now() < until) await sleep(100)
  seen.push(await watched.resources())
  stopClock()
  const { opened, listeners } = venue.streams
  hookline.signal('SIGTERM')
  await hookline.ended()
  await venue.close()
  return judge({ rate, orders, toldOf, seen, opened, listeners, unexpected: venue.unexpected.length })
}

function directoryOfAccount(): string {
  const directory = tempDirectory()
  const row = { name: 'main', exchange: 'binance', kind: 'linear', apiKey: KEYS.key, secret: KEYS.secret }
  const accounts = JSON.stringify({ accounts: [{ ...row, createdAt: 1, updatedAt: 1 }] })
  writeFileSync(join(directory, 'accounts.json'), accounts, { mode: 0o600 })
  return directory
}

/** How fast the clock may go, from how long a first order takes by the real one. */
async function rateOfMachine(env: Readonly<Record<string, string>>): Promise<number> {
  const startedAt = performance.now()
  const hookline = new RunningHookline(directoryOfAccount(), [], { env })
  await firstOrder(hookline)
  const tookMs = performance.now() - startedAt
  hookline.signal('SIGTERM')
  await hookline.ended()
  return Math.min(Math.max(Math.floor((MOST_RATE * FIRST_ORDER_MS) / tookMs), LEAST_RATE), MOST_RATE)
}

async function firstOrder(hookline: RunningHookline): Promise<void> {
  hookline.say('account use main')
  hookline.say(`symbol ${SYMBOL}`)
  hookline.say(`buy 0.002 ${SYMBOL}`)
  await hookline.prints('bought 0.002')
}

interface Day {
  readonly rate: number
  readonly orders: readonly number[]
  readonly toldOf: (id: number) => number
  readonly seen: readonly Resources[]
  readonly opened: number
  readonly listeners: number
  readonly unexpected: number
}

function judge({ rate, orders, toldOf, seen, opened, listeners, unexpected }: Day): Finding {
  const [first, last] = [seen[0], seen.at(-1)]
  if (first === undefined || last === undefined) throw new Error('too few cuts to compare')
  const lost = orders.filter((id) => toldOf(id) === 0).length
  const twice = orders.filter((id) => toldOf(id) > 1).length
  const grown = (last.heapBytes - first.heapBytes) / 2 ** 20
  const range = (key: 'fds' | 'timers' | 'held') => {
    const all = seen.map((each) => each[key])
    return `${Math.min(...all)}–${Math.max(...all)}`
  }
  const checks = {
    'no fill is lost': lost === 0,
    'no fill is told twice': twice === 0,
    'streams are made again': opened > CUTS / 4,
    'one socket each': listeners <= 3,
    'open files as before': last.fds <= first.fds + 4,
    'timers as before': last.timers <= first.timers + 4,
    'memory as before': grown < 5,
    'nothing is asked that the venue does not know': unexpected === 0,
  }
  const figures = `by a clock ${rate} times as fast ${orders.length} fills, ${lost} lost, ${twice} twice; ${opened} private streams; open files ${range('fds')}, timers ${range('timers')}, heap ${grown < 0 ? '' : '+'}${grown.toFixed(1)} MB to ${(last.heapBytes / 2 ** 20).toFixed(1)} MB`
  return findingOf(checks, figures)
}

/** The venue's clock goes as hookline's does. */
function hasten(venue: Binance, rate: number): () => void {
  const startedAt = performance.now()
  const timer = setInterval(() => {
    venue.clockOffsetMs = (performance.now() - startedAt) * (rate - 1)
  }, 5)
  return () => clearInterval(timer)
}

/** Somebody else trades on the account. @returns the order's id */
function trade(venue: Binance, turn: number): number {
  const zero = new Decimal(0)
  const wish = {
    listed: listedIn({ symbol: SYMBOL }),
    clientId: `other${venue.engine.nextId()}`,
    side: SIDES[turn % 2] ?? 'BUY',
    amount: new Decimal('0.001'),
    price: zero,
    reduceOnly: false,
  } as const
  return venue.engine.submit(
    venue.account(),
    { ...wish, timeInForce: 'GTC' },
    { type: 'MARKET', originalType: 'MARKET' },
  ).id
}

/** @returns mends it */
async function breakOff(venue: Binance, cut: number): Promise<() => Promise<void>> {
  const { faults } = venue.streams
  switch (cut % 5) {
    case 0:
      venue.streams.expireKeys()
      return async () => {}
    case 1:
      faults.isClosed = true
      venue.streams.drop()
      return async () => {
        faults.isClosed = false
      }
    case 2:
      await venue.cut()
      return () => venue.listen()
    case 3:
      faults.copies = 2
      venue.streams.drop()
      return async () => {
        faults.copies = 1
      }
    default:
      venue.streams.drop()
      return async () => {}
  }
}

// An entry that carries its stop, on the stand-in of OKX: the venue places it, and the desk makes it its own, whatever happens to the process.
import { randomUUID } from 'node:crypto'
import { Decimal } from 'decimal.js'
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { journalInMemory } from '../../../harness/venues/journal-in-memory.ts'
import type { AlgoOrder } from '../../../harness/venues/okx/account.ts'
import { KEYS, stageOkx } from '../../../harness/venues/okx/staged.ts'
import type { Okx } from '../../../harness/venues/okx/start-okx.ts'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { refOf } from '../../../src/exchange/order.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import type { Clock } from '../../../src/trading/clock.ts'
import { OrderDesk } from '../../../src/trading/order-desk.ts'
import type { OrderEvent } from '../../../src/trading/order-event.ts'
import { createOrderJournal } from '../../../src/trading/order-journal.ts'
import type { OrderPlan } from '../../../src/trading/order-plan.ts'

const PATIENCE_MS = 120_000
const SWAP = 'BTC-USDT-SWAP'
const PLACE = 'POST /api/v5/trade/order'
const PLACE_ALGO = 'POST /api/v5/trade/order-algo'
const FIND_ALGO = 'GET /api/v5/trade/order-algo'
/** Two contracts of 0.01 BTC: three times what a thin book gives at once. */
const AMOUNT = '0.02'
const PRICES = { triggerPrice: '58800', takeProfitPrice: '62400', fires: 'at-or-below' } as const
const MARKET: OrderPlan = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: AMOUNT, protection: PRICES }
const LIMIT: OrderPlan = { ...MARKET, type: 'limit', price: '59400' }

const CLOCK: Clock = {
  now: Date.now,
  delay: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const timer = setTimeout(resolve, ms)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    }),
}

/** One process after the other on one account, with one journal. */
class Account {
  readonly venue: Okx
  readonly lines: string[] = []
  events: OrderEvent[] = []
  desk!: OrderDesk
  exchange!: Exchange
  readonly #directory = tempDirectory()
  #end: (() => void) | undefined

  readonly #key: string

  private constructor(venue: Okx, key: string) {
    this.venue = venue
    this.#key = key
  }

  /** @param more `venue`: another account there */
  static async open(context: TestContext, more: { diesAt?: number; venue?: Okx } = {}): Promise<Account> {
    const wallet = '100000'
    const venue = more.venue ?? (await stageOkx(context, { account: { wallet } }))
    const key = more.venue === undefined ? KEYS.key : randomUUID()
    if (more.venue !== undefined) venue.open({ ...KEYS, key, wallet })
    const account = new Account(venue, key)
    await account.start(more.diesAt)
    onTestFinished(async () => {
      account.desk.close()
      await account.exchange.close()
      expect(account.venue.unexpected).toEqual([])
    })
    return account
  }

  /** @param diesAt the process is killed as it is about to write this line of the journal, counted from 1 */
  async start(diesAt = Number.POSITIVE_INFINITY): Promise<void> {
    const exchange = await openCcxtExchange({
      venue: 'okx',
      kind: 'linear',
      environment: 'live',
      now: Date.now,
      onProblem: () => {},
      keys: { apiKey: this.#key, secret: KEYS.secret, password: KEYS.passphrase },
    })
    this.exchange = exchange
    let isDead = false
    const never = new Promise<never>(() => {})
    const memory = journalInMemory(this.lines)
    const write = (lines: readonly string[]): Promise<void> => {
      if (!isDead && this.lines.length + lines.length < diesAt) return memory.append(lines)
      if (!isDead) this.#end?.()
      isDead = true
      return never
    }
    const file = { ...memory, append: write, note: write, path: `${this.#directory}/orders.jsonl` }
    const alive = new Proxy(exchange, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function' || name === 'subscribe') return value
        return (...given: unknown[]) => (isDead ? never : value.apply(target, given))
      },
    })
    const onProblem = () => {}
    this.desk = new OrderDesk({
      account: 'okx',
      exchange: alive,
      clock: CLOCK,
      onProblem,
      journal: createOrderJournal(file, { onProblem }),
      report: (event) => void this.events.push(event),
    })
    await this.desk.recover()
  }

  enter(plan: OrderPlan = MARKET): Promise<string> {
    const by = { source: 'repl', runId: randomUUID(), step: 0 } as const
    return this.desk
      .place(plan, by, (event) => void this.events.push(event))
      .then(
        ({ status }) => status,
        (error: { readonly code?: string }) => error.code ?? String(error),
      )
  }

  /** Kill -9, and the next process. */
  async startAgain(): Promise<void> {
    this.desk.close()
    await this.exchange.close()
    for (const [index, line] of this.lines.entries()) {
      this.lines[index] = line.replace(/"owner":\{[^}]*\}/, '"owner":{"pid":4194303,"born":"1"}')
    }
    this.events = []
    await this.start()
  }

  /** Resolves when a process that was started with `diesAt` has died. */
  died(): Promise<void> {
    return new Promise((resolve) => {
      this.#end = resolve
    })
  }

  get stops(): readonly AlgoOrder[] {
    return this.venue.account(this.#key).openAlgos()
  }

  get told(): readonly string[] {
    return this.events.map(({ type }) => type)
  }

  asked(route: string): number {
    return this.venue.heard.filter((each) => each.route === route).length
  }

  /** In contracts. */
  get held(): Decimal {
    const [instrument] = [...this.venue.account(this.#key).orders.values()].map((order) => order.instrument)
    return instrument === undefined ? new Decimal(0) : this.venue.account(this.#key).held(instrument).amount
  }

  /** One stop rests, for all that is held. */
  get isCovered(): boolean {
    const [stop, ...more] = this.stops
    return more.length === 0 && stop?.reduceOnly === true && stop.size.eq(this.held)
  }

  /** Once it is so, and a second later still. */
  async becomes(isSo: () => boolean): Promise<void> {
    await expect.poll(isSo, { timeout: 20_000, interval: 50 }).toBe(true)
    await pause(1000)
    expect(isSo()).toBe(true)
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('an entry on OKX carries its stop and its take-profit', () => {
  it('which the venue places, and the desk adopts: none is sent, and it is told', async (context) => {
    const account = await Account.open(context)
    expect(await account.enter()).toBe('closed')
    await account.becomes(() => account.isCovered)
    const [stop] = account.stops
    expect([stop?.stop?.trigger.toFixed(), stop?.profit?.trigger.toFixed()]).toEqual(['58800', '62400'])
    expect(account.asked(PLACE_ALGO)).toBe(0)
    const told = account.events.flatMap((event) => (event.type === 'protected' ? [event.stop.id] : []))
    expect(told).toEqual([stop?.id])
  })

  it('and that the price has passed by then has it refused: nothing is opened', async (context) => {
    const account = await Account.open(context)
    account.venue.onHeard = ({ route }) => {
      if (route === PLACE) account.venue.engine.movePrice(SWAP, '58000')
    }
    expect(await account.enter()).toBe('would-trigger')
    expect([account.held.toFixed(), account.stops]).toEqual(['0', []])
  })

  it('and that is canceled with nothing filled leaves no stop behind', async (context) => {
    const account = await Account.open(context)
    expect(await account.enter(LIMIT)).toBe('open')
    const [entry] = await account.exchange.fetchOpenOrders()
    if (entry === undefined) throw new Error('the entry does not rest')
    await account.desk.cancel(refOf(entry), { source: 'repl', runId: randomUUID(), step: 0 })
    await pause(3000)
    expect([account.stops, account.asked(PLACE_ALGO), account.asked(FIND_ALGO)]).toEqual([[], 0, 0])
  })

  it('and that fills in part is covered at once, and by one stop when it has filled', async (context) => {
    const account = await Account.open(context)
    account.venue.engine.isThin = true
    expect(await account.enter(LIMIT)).toBe('open')
    account.venue.engine.movePrice(SWAP, '59400')
    await expect.poll(() => account.stops.length, { timeout: 5000, interval: 20 }).toBe(1)
    expect(account.held.lt(2)).toBe(true)
    await account.becomes(() => account.held.eq(2) && account.isCovered)
  })

  it('and that is canceled with a part filled is covered by one stop', async (context) => {
    const account = await Account.open(context)
    account.venue.engine.isThin = true
    expect(await account.enter(LIMIT)).toBe('open')
    account.venue.engine.movePrice(SWAP, '59400')
    await expect.poll(() => account.held.gt(0), { timeout: 5000, interval: 20 }).toBe(true)
    const [entry] = account.venue.account().openOrders(SWAP)
    if (entry === undefined) throw new Error('the entry does not rest')
    account.venue.engine.cancel(account.venue.account(), entry)
    await account.becomes(() => account.held.gt(0) && account.isCovered)
  })
})

describe('the stop that an entry on OKX carried', () => {
  it('is replaced by one of ours where the venue does not place it in time, and there are never two', async (context) => {
    const account = await Account.open(context)
    // Well after ours on a busy machine too.
    account.venue.engine.attachedMs = 6000
    await account.enter()
    await expect.poll(() => account.asked(PLACE_ALGO)).toBe(1)
    expect(account.isCovered).toBe(true)
    await expect.poll(() => account.stops.length).toBe(2)
    await account.becomes(() => account.isCovered)
    expect(account.asked(PLACE_ALGO)).toBe(1)
  })

  it('is replaced where the venue could not place it', async (context) => {
    const account = await Account.open(context)
    account.venue.engine.attachedMs = 'never'
    await account.enter()
    await account.becomes(() => account.isCovered)
    expect(account.asked(PLACE_ALGO)).toBe(1)
  })

  it('is placed again by us when it is canceled on the page of the venue, and that is told', async (context) => {
    const account = await Account.open(context)
    await account.enter()
    await account.becomes(() => account.isCovered)
    const [stop] = account.stops
    if (stop === undefined) throw new Error('there is no stop')
    account.venue.engine.cancelAlgo(account.venue.account(), stop)
    await account.becomes(() => account.isCovered)
    const ends = account.events.flatMap((event) => (event.type === 'ended' ? [event.outcome] : []))
    expect([account.asked(PLACE_ALGO), ends]).toEqual([1, ['placed-again']])
  })

  it('fires, and its fills are in the journal as its own', async (context) => {
    const account = await Account.open(context)
    await account.enter()
    await account.becomes(() => account.isCovered)
    account.venue.engine.movePrice(SWAP, '58700')
    await account.becomes(() => account.held.isZero() && account.stops.length === 0)
    const id = JSON.parse(account.lines.find((line) => line.includes('"protects"')) ?? '{}').id
    await expect
      .poll(() => account.lines.some((line) => line.includes(`"t":"end","id":"${id}"`)), { timeout: 10_000 })
      .toBe(true)
    const sold = account.lines
      .filter((line) => line.startsWith(`{"t":"fill","id":"${id}"`))
      .map((line) => JSON.parse(line))
    expect(Decimal.sum(0, ...sold.map(({ trade }) => trade.amount)).toFixed()).toBe(AMOUNT)
  })

  it('is taken back when the position is closed', async (context) => {
    const account = await Account.open(context)
    await account.enter()
    await account.becomes(() => account.isCovered)
    const close = { symbol: 'BTCUSDT', side: 'sell', type: 'market', amount: AMOUNT, reduceOnly: true } as const
    expect(await account.enter(close)).toBe('closed')
    await account.desk.leftovers.exited(close, () => {})
    await account.becomes(() => account.held.isZero() && account.stops.length === 0)
  })

  it('is found by the next process where the answer to the entry never came', async (context) => {
    const account = await Account.open(context)
    account.venue.fail({ kind: 'hang', isDone: true, route: PLACE })
    void account.enter()
    await expect.poll(() => account.held.toFixed(), { timeout: 5000 }).toBe('2')
    await account.startAgain()
    await account.becomes(() => account.isCovered)
    expect([account.asked(PLACE_ALGO), account.told.includes('protected')]).toEqual([0, true])
  })

  it('that fired while nothing ran is known to have closed the position', async (context) => {
    const account = await Account.open(context, { diesAt: 3 })
    const died = account.died()
    void account.enter()
    await died
    await expect.poll(() => account.stops.length, { timeout: 5000 }).toBe(1)
    account.venue.engine.movePrice(SWAP, '58700')
    await account.startAgain()
    await account.becomes(() => account.held.isZero() && account.stops.length === 0)
    expect(account.asked(PLACE_ALGO)).toBe(0)
  })
})

describe('a process that is killed at any line of its journal', () => {
  it(
    'leaves a position with one stop, which the next one keeps',
    async (context) => {
      const calm = await Account.open(context)
      await calm.enter()
      await calm.becomes(() => calm.isCovered)
      const { venue, lines } = calm
      expect(lines.length).toBeGreaterThan(5)
      const livesAfter = async (line: number): Promise<string> => {
        const account = await Account.open(context, { venue, diesAt: line })
        const died = account.died()
        void account.enter()
        await died
        // What has left by then arrives.
        await pause(300)
        await account.startAgain()
        await pause(4000)
        return `${account.held} and ${account.stops.map(({ size }) => size)}`
      }
      const left = await Promise.all(lines.map((_, index) => livesAfter(index + 1)))
      // Before its own line is written, no order leaves.
      expect(left).toEqual(['0 and ', ...Array(lines.length - 1).fill('2 and 2')])
      expect(calm.asked(PLACE_ALGO)).toBe(0)
    },
    PATIENCE_MS,
  )
})

// The desk on each venue that has stops at market: an entry with a stop and a take-profit, and what venues do to such. Whatever it is, in the end the
// position is covered by a stop of ours, or flat with nothing of ours left, or the operator has been told; and the trader's own orders are untouched.
import { randomUUID } from 'node:crypto'
import { Decimal } from 'decimal.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { journalInMemory } from '../../../harness/venues/journal-in-memory.ts'
import { MODELS } from '../../../harness/venues/models/all-models.ts'
import type { ModelSpec } from '../../../harness/venues/models/model.ts'
import { isOpen, type ModelOrder } from '../../../harness/venues/models/orders.ts'
import { newOrderId } from '../../../harness/venues/place.ts'
import type { Clock } from '../../../src/trading/clock.ts'
import { OrderDesk } from '../../../src/trading/order-desk.ts'
import type { OrderEvent } from '../../../src/trading/order-event.ts'
import { createOrderJournal } from '../../../src/trading/order-journal.ts'
import type { ProtectionPlan } from '../../../src/trading/order-plan.ts'
import { Stage } from './describe-scenes.ts'
import { advance } from './play.ts'

const LINEAR = MODELS.filter(({ kind }) => kind === 'linear')
/** Without any of the coin before the entry: what a fee takes of it is missing when it is sold. */
const SPOT = MODELS.filter(({ venue, kind }) => kind === 'spot' && ['bybit', 'kucoin', 'kraken'].includes(venue)).map(
  ({ wallet: { BTC: _btc, ETH: _eth, ...money }, ...spec }): ModelSpec => ({ ...spec, wallet: money }),
)

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

/** Of the quote. */
const DUST = 5

/** What tells the operator to look. */
const ALARMS: ReadonlySet<string> = new Set(['stop-failed', 'unsettled'])

class Desk {
  readonly stage: Stage
  readonly events: OrderEvent[] = []
  /** The trader's own, typed on the venue's page. */
  readonly theirs: ModelOrder[]
  readonly #lines: string[] = []
  readonly #directory = tempDirectory()
  #desk: OrderDesk

  private constructor(stage: Stage, theirs: ModelOrder[]) {
    this.stage = stage
    this.theirs = theirs
    this.#desk = this.#open()
  }

  static async open(spec: ModelSpec): Promise<Desk> {
    const stage = await Stage.open(spec)
    const theirs = [
      await stage.typed('buy', await stage.price(-20)),
      await stage.typed('buy', undefined, await stage.price(20)),
    ]
    const desk = new Desk(stage, theirs)
    onTestFinished(async () => {
      await desk.#desk.close()
      await stage.close()
    })
    await advance(3500)
    return desk
  }

  #open(): OrderDesk {
    const onProblem = () => undefined
    const file = { ...journalInMemory(this.#lines), path: `${this.#directory}/orders.jsonl` }
    const journal = createOrderJournal(file, { now: Date.now, onProblem })
    const report = (event: OrderEvent) => void this.events.push(event)
    return new OrderDesk({ account: 'model', exchange: this.stage.exchange, journal, clock: CLOCK, report, onProblem })
  }

  /** A market entry with both protective orders. @returns the code that it failed with */
  enter(limit?: string): Promise<string | undefined> {
    return this.#enter(limit, true)
  }

  /** One with a stop alone. */
  enterWithStop(): Promise<string | undefined> {
    return this.#enter(undefined, false)
  }

  async #enter(limit: string | undefined, hasTarget: boolean): Promise<string | undefined> {
    const { stage } = this
    const protection: ProtectionPlan = {
      triggerPrice: await stage.price(-2),
      fires: 'at-or-below',
      ...(hasTarget ? { takeProfitPrice: await stage.price(4) } : {}),
    }
    const terms = limit === undefined ? ({ type: 'market' } as const) : ({ type: 'limit', price: limit } as const)
    const plan = { ...terms, symbol: stage.symbol, side: 'buy', amount: await stage.amount(), protection } as const
    const by = { source: 'repl', runId: randomUUID(), step: 0 } as const
    return this.#desk
      .place(plan, by, (event) => void this.events.push(event))
      .then(
        () => undefined,
        (error: { readonly code?: string }) => error.code ?? String(error),
      )
  }

  /** The process is killed. */
  async dies(): Promise<void> {
    this.#desk.close()
    for (const [index, line] of this.#lines.entries()) {
      this.#lines[index] = line.replace(/"owner":\{[^}]*\}/, '"owner":{"pid":4194303,"born":"1"}')
    }
    await this.stage.exchange.close()
  }

  /** Another is started on its journal. */
  async lives(): Promise<void> {
    await this.stage.restart()
    this.#desk = this.#open()
    await this.#desk.recover()
  }

  get engine() {
    return this.stage.model.engine
  }

  /** In the venue's units; a long one is positive. */
  get held(): Decimal {
    const { market, isSpot } = this.stage
    return isSpot
      ? (this.engine.account.wallet.get(market.base) ?? new Decimal(0))
      : this.engine.account.held(market).amount
  }

  /** On spot a fee leaves less than can be sold. */
  get isFlat(): boolean {
    const isDust = this.stage.isSpot && this.held.times(this.engine.last(this.stage.market)).lt(DUST)
    return isDust || this.held.isZero()
  }

  /** On spot but for what a fee took. */
  get isCovered(): boolean {
    const { covered, held } = this
    return this.stage.isSpot ? covered.minus(held).abs().lte(held.times('0.002')) : covered.eq(held)
  }

  get ours(): readonly ModelOrder[] {
    return [...this.engine.orders.values()].filter((order) => isOpen(order) && !this.theirs.includes(order))
  }

  /** The amount of our stops below the price. */
  get covered(): Decimal {
    const stops = this.ours.filter(({ side, trigger }) => side === 'sell' && trigger?.way === 'down')
    return stops.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0))
  }

  expectSafe(): void {
    expect(this.theirs.map(({ phase }) => phase)).toEqual(
      this.theirs.map(() => expect.stringMatching(/waiting|resting/)),
    )
    expect(this.held.lt(0), 'no short position was made').toBe(false)
    const isAlarmed = this.events.some(({ type }) => ALARMS.has(type))
    // What is left on a flat account would open a position the other way.
    if (this.isFlat) expect(this.ours.map(({ id, side, trigger }) => [id, side, trigger?.way])).toEqual([])
    else if (!isAlarmed)
      expect([this.isCovered, this.covered.toFixed(), this.held.toFixed()]).toEqual([
        true,
        expect.anything(),
        expect.anything(),
      ])
  }
}

/** It lets one question through every 3 s. */
const KRAKEN_REPORTS_MS = 15_000

const isExitFill = (event: OrderEvent): boolean => event.type === 'filled-later' && event.order.side === 'sell'

type Scene = readonly [what: string, play: (desk: Desk) => Promise<void>, isOfContracts?: true]

const SCENES: readonly Scene[] = [
  [
    'its stop rests within a second of the fill, as large as that is',
    async (desk) => {
      expect(await desk.enter()).toBeUndefined()
      await advance(1000)
      expect([desk.isCovered, desk.held.gt(0)]).toEqual([true, true])
      desk.expectSafe()
    },
  ],
  [
    'also where the venue acknowledges first and fills 300 ms later',
    async (desk) => {
      desk.engine.fillsLaterMs = 300
      expect(await desk.enter()).toBeUndefined()
      await advance(2000)
      desk.expectSafe()
      expect(desk.held.gt(0)).toBe(true)
    },
  ],
  [
    'a stop that fires is reported as filled in time, and leaves nothing of ours on a flat account',
    async (desk) => {
      await desk.enter()
      await advance(3500)
      await desk.stage.move(-3)
      await advance(desk.stage.model.spec.venue === 'kraken' ? KRAKEN_REPORTS_MS : 5_000)
      expect(desk.events.filter(isExitFill).length).toBeGreaterThan(0)
      await advance(15_000)
      expect(desk.isFlat).toBe(true)
      desk.expectSafe()
    },
  ],
  [
    'a stop that fires and is filled to 40 % leaves no rest without a stop',
    async (desk) => {
      await desk.enter()
      await advance(3500)
      desk.engine.nextTakes = 0.4
      await desk.stage.move(-3)
      await advance(30_000)
      desk.expectSafe()
    },
  ],
  [
    'a stop whose order the venue refuses as it fires is made up for',
    async (desk) => {
      await desk.enter()
      await advance(3500)
      desk.engine.failsNextTrigger = true
      await desk.stage.move(-3)
      await advance(30_000)
      desk.expectSafe()
    },
  ],
  [
    'positions that lag 5 s behind the fill do not leave it without a stop',
    async (desk) => {
      desk.engine.positionsLagMs = 5000
      await desk.enter()
      await advance(30_000)
      desk.expectSafe()
      expect(desk.held.gt(0)).toBe(true)
    },
  ],
  [
    'a price that passes the stop before it arrives ends in no position or an alarm',
    async (desk) => {
      let changes = 0
      // Where the stop goes with the entry, with that.
      const sent = desk.stage.exchange.capabilities.attached === undefined ? 2 : 1
      desk.stage.model.onHeard = (_heard, isChange) => {
        changes += isChange ? 1 : 0
        if (isChange && changes === sent)
          desk.engine.movePrice(desk.stage.symbol, desk.engine.last(desk.stage.market).times('0.97').toFixed(0))
      }
      await desk.enter()
      await advance(30_000)
      expect(changes).toBeGreaterThanOrEqual(sent)
      desk.expectSafe()
    },
  ],
  [
    'an entry whose answer is lost, with all answers of 61 s after it, is bought once and covered, or the operator is told',
    async (desk) => {
      desk.stage.model.fail({ kind: 'lost', isDone: true })
      const entering = desk.enter()
      await advance(100)
      desk.stage.model.fail({ kind: 'lost', route: 'private', times: 10_000 })
      await advance(61_000)
      desk.stage.model.mend()
      await advance(60_000)
      await entering
      expect(desk.engine.fills.filter(({ order }) => order.side === 'buy').map(({ order }) => order.id)).toHaveLength(1)
      desk.expectSafe()
    },
  ],
  [
    'a stop whose answer is lost rests once',
    async (desk) => {
      let changes = 0
      desk.stage.model.onHeard = (_heard, isChange) => {
        changes += isChange ? 1 : 0
        if (isChange && changes === 1) desk.stage.model.fail({ kind: 'lost', isDone: true })
      }
      await desk.enter()
      await advance(60_000)
      desk.expectSafe()
    },
  ],
  [
    'a stop that never arrives is urgent news within 10 s, and rests once after a minute',
    async (desk) => {
      let changes = 0
      desk.stage.model.onHeard = (_heard, isChange) => {
        changes += isChange ? 1 : 0
        if (isChange && changes === 1) desk.stage.model.fail({ kind: 'lost' })
      }
      await desk.enter()
      const { stage } = desk
      await advance(10_000)
      const alarms = desk.events.flatMap((event) => (event.type === 'stop-failed' ? [event.error.hint] : []))
      const line = `\`stop ${stage.symbol} at ${await stage.price(-2)}\` places one`
      if (!desk.isCovered) expect(alarms[0]).toContain(line)
      await advance(90_000)
      expect(desk.isCovered).toBe(true)
    },
  ],
  [
    'a limit order that fills while nothing of ours runs has its stop after the start',
    async (desk) => {
      await desk.enter(await desk.stage.price(-1))
      await advance(3500)
      await desk.dies()
      await desk.stage.move(-1.5)
      await advance(61_000)
      await desk.lives()
      await advance(20_000)
      expect(desk.held.gt(0)).toBe(true)
      desk.expectSafe()
    },
  ],
  [
    'a start finds its stop beside the newer ones of the trader, and places no second',
    async (desk) => {
      await desk.enter()
      await advance(3500)
      await desk.dies()
      const theirs = [await desk.stage.typed('sell', undefined, await desk.stage.price(-15))]
      await desk.lives()
      await advance(30_000)
      expect(theirs.map(({ phase }) => phase)).toEqual(['waiting'])
      desk.theirs.push(...theirs)
      desk.expectSafe()
    },
  ],
  [
    'a process that is killed between its order and the answer leaves no position without a stop',
    async (desk) => {
      desk.stage.model.fail({ kind: 'lost', isDone: true })
      desk.stage.model.onHeard = (_heard, isChange) => {
        if (isChange) desk.stage.model.fail({ kind: 'lost', route: 'private', times: 10_000 })
      }
      const entering = desk.enter()
      await advance(50)
      await desk.dies()
      desk.stage.model.onHeard = () => {}
      desk.stage.model.mend()
      await advance(61_000)
      await desk.lives()
      await advance(30_000)
      await entering
      desk.expectSafe()
      expect(desk.held.gt(0)).toBe(true)
    },
  ],
  [
    'a liquidation takes the protective orders with it',
    async (desk) => {
      await desk.enter()
      await advance(3500)
      desk.engine.takeAway(desk.stage.symbol, 'liquidation')
      await advance(30_000)
      expect(desk.held.toFixed()).toBe('0')
      expect(desk.ours).toEqual([])
    },
    true,
  ],
  [
    'auto-deleveraging of a half leaves a stop and a target for the other half',
    async (desk) => {
      await desk.enter()
      await advance(10_000)
      desk.engine.takeAway(desk.stage.symbol, 'deleveraging', 0.5)
      await advance(30_000)
      expect([desk.held.gt(0), desk.isCovered]).toEqual([true, true])
      for (const { amount } of desk.ours) expect(amount.toFixed()).toBe(desk.held.toFixed())
    },
    true,
  ],
]

for (const spec of [...LINEAR, ...SPOT]) {
  describe(`an entry with a stop on ${spec.venue}, ${spec.kind}:`, () => {
    for (const [what, play, isOfContracts] of SCENES) {
      if (isOfContracts === true && spec.kind === 'spot') continue
      it(what, async () => play(await Desk.open(spec)))
    }
  })
}

/** How many requests of ours have changed anything. */
function countChanges({ stage: { model } }: Desk): () => number {
  let changes = 0
  model.onHeard = (_heard, isChange) => {
    changes += isChange ? 1 : 0
  }
  return () => changes
}

describe('on hyperliquid, where an entry takes its stop and its target with it,', () => {
  const open = async (): Promise<Desk> => {
    const spec = LINEAR.find(({ venue }) => venue === 'hyperliquid')
    if (spec === undefined) throw new Error('there is no model of hyperliquid')
    return Desk.open(spec)
  }
  const names = ({ ours }: Desk) => ours.map(({ side, trigger, reduceOnly }) => `${side} ${trigger?.way} ${reduceOnly}`)

  it('the entry is all that is sent, and both are told', async () => {
    const desk = await open()
    const changes = countChanges(desk)
    expect(await desk.enter()).toBeUndefined()
    await advance(3000)
    expect([changes(), names(desk).sort(), desk.isCovered]).toEqual([1, ['sell down true', 'sell up true'], true])
    expect(desk.events.filter(({ type }) => type === 'protected')).toHaveLength(2)
    desk.expectSafe()
  })

  it('of two, the one that is left ends with the other, and nothing is alarmed', async () => {
    const desk = await open()
    await desk.enter()
    await advance(10_000)
    await desk.stage.move(-3)
    await advance(20_000)
    expect([desk.isFlat, desk.ours]).toEqual([true, []])
    expect(desk.events.filter(({ type }) => ALARMS.has(type))).toEqual([])
  })

  it('a process that is killed before it hears of a fill leaves both there, and the next one keeps them', async () => {
    const desk = await open()
    const changes = countChanges(desk)
    await desk.enter(await desk.stage.price(-1))
    await advance(1000)
    await desk.dies()
    await desk.stage.move(-1.5)
    expect(names(desk).sort()).toEqual(['sell down true', 'sell up true'])
    await advance(61_000)
    await desk.lives()
    await advance(40_000)
    expect([changes(), desk.ours.length, desk.isCovered]).toEqual([1, 2, true])
    desk.expectSafe()
  })

  it('an entry that is canceled on the page with a part filled has a stop and a target of ours', async () => {
    const desk = await open()
    desk.engine.isThin = true
    await desk.enter(await desk.stage.price(-1))
    await desk.stage.move(-1)
    await advance(100)
    const entry = desk.ours.find(({ side }) => side === 'buy')
    if (entry === undefined) throw new Error('the entry does not rest')
    desk.engine.cancel(entry)
    await advance(40_000)
    expect([desk.held.gt(0), desk.isCovered, desk.ours.length]).toEqual([true, true, 2])
    desk.expectSafe()
  })

  it('an entry that is refused, or canceled before it has filled, leaves nothing', async () => {
    const desk = await open()
    const limit = await desk.stage.price(-1)
    await desk.enter(limit)
    const [entry] = desk.ours
    if (entry === undefined) throw new Error('the entry does not rest')
    desk.engine.cancel(entry)
    await advance(10_000)
    expect(desk.ours).toEqual([])
    desk.stage.model.onHeard = (_heard, isChange) => {
      if (isChange)
        desk.engine.movePrice(desk.stage.symbol, desk.engine.last(desk.stage.market).times('0.9').toFixed(0))
    }
    expect(await desk.enter()).toBe('would-trigger')
    await advance(10_000)
    expect([desk.ours, desk.isFlat]).toEqual([[], true])
  })

  it('a stop that is canceled on the page is placed again by us, and that is told', async () => {
    const desk = await open()
    await desk.enter()
    await advance(10_000)
    const stop = desk.ours.find(({ trigger }) => trigger?.way === 'down')
    if (stop === undefined) throw new Error('there is no stop')
    desk.engine.cancel(stop)
    await advance(20_000)
    expect([desk.isCovered, desk.ours.length]).toEqual([true, 2])
    expect(desk.events).toContainEqual(expect.objectContaining({ type: 'ended', outcome: 'placed-again' }))
  })
})

describe('on bitget, where a stop that comes too late waits for the price to come back', () => {
  it('last is asked for once after the stop of an entry rests, and after one that was typed', async () => {
    const spec = LINEAR.find(({ venue }) => venue === 'bitget')
    if (spec === undefined) throw new Error('there is no model of bitget')
    const desk = await Desk.open(spec)
    const { model } = desk.stage
    const asksAfter = async (act: () => Promise<unknown>): Promise<number> => {
      let asks = Number.NaN
      model.onHeard = ({ route }, isChange) => {
        if (isChange) asks = 0
        else if (route.endsWith('/ticker')) asks += 1
      }
      await act()
      await advance(900)
      return asks
    }
    const symbol = desk.stage.symbol
    const alone = { clientOrderId: newOrderId(), symbol, side: 'sell', type: 'stop', reduceOnly: true } as const
    expect(await asksAfter(() => desk.enterWithStop())).toBe(1)
    const typed = { ...alone, amount: await desk.stage.amount(), triggerPrice: await desk.stage.price(-3) }
    expect(await asksAfter(() => desk.stage.exchange.createOrder(typed))).toBe(1)
  })
})

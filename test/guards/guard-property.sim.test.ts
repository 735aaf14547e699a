// Whatever is ordered, by however many processes, answered and filled in whatever order and cut off wherever: nothing arrives at the venue that
// a slow model of the limits refuses, and what a process knows after a restart is what it knew before (behaviour 40).
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { Market } from '../../src/exchange/market.ts'
import type { OrderRequest } from '../../src/exchange/order.ts'
import type { DayBook } from '../../src/guards/day-book.ts'
import { type Arrived, GuardModel, worthOf } from './guard-model.ts'
import { orderOf, position, stageGuard, tradeOf } from './guard-stage.ts'
import { type Asked, LIMITS, START, type Step, steps } from './random-orders.ts'

async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

interface Tally {
  passed: number
  changed: number
  readonly refused: Map<string, number>
}

class Play {
  readonly stage = stageGuard({ now: Date.UTC(2026, 0, 2, 20) })
  readonly model = new GuardModel({ ...LIMITS, rate: Number(LIMITS.rate) })
  readonly violations: string[] = []
  readonly processes = [this.stage.open(), this.stage.open()]
  readonly #answers = new Map<string, (how: 'placed' | 'refused' | 'unknown') => void>()
  readonly #tally: Tally

  constructor(tally: Tally) {
    this.#tally = tally
    const { venue, raw } = this.stage
    venue.answer = (request) => this.#arrive(request)
    const edit = raw.editOrder
    raw.editOrder = (ref, change) => {
      this.#changed(ref.id ?? '', change)
      return edit(ref, change)
    }
  }

  async begin(): Promise<void> {
    await this.stage.store.setLimits('main', LIMITS)
  }

  async play(step: Step): Promise<void> {
    await this.#do(step)
    await settle()
    this.#showAtVenue()
  }

  async #do(step: Step): Promise<void> {
    switch (step.do) {
      case 'send':
        return this.#send(step.batch)
      case 'change':
        return this.#change(step.nth, step.lots, step.percent)
      case 'answer':
        return [...this.#answers.values()][step.nth % Math.max(1, this.#answers.size)]?.(step.how)
      case 'fill':
        return this.#fill(this.#pick(step.nth), step.share)
      case 'end':
        return this.#end(this.#pick(step.nth))
      case 'price':
        this.stage.venue.prices.set(step.symbol, this.#near(step.symbol, step.percent))
        // What was read before is old.
        return this.stage.advance(1_001)
      case 'wait':
        return this.stage.advance(step.ms)
      case 'restart':
        this.processes[step.process] = this.stage.open()
    }
  }

  /** What both processes know, and what one knows that has just started. */
  async known(): Promise<unknown[]> {
    return Promise.all([...this.processes, this.stage.open()].map(({ book }) => knownTo(book)))
  }

  async #send(batch: readonly Asked[]): Promise<void> {
    for (const { process, percent, reduceOnly, ...order } of batch) {
      const price = order.type === 'limit' ? { price: this.#near(order.symbol, percent) } : {}
      const asking = { ...order, ...price, ...(reduceOnly ? { reduceOnly } : {}) }
      void this.processes[process]?.send(asking).then((outcome) => {
        if (outcome.kind !== 'refused' || outcome.error.code !== 'guarded') return
        const why = outcome.error.message.replaceAll(/[\d.,$%]+/g, '#')
        this.#tally.refused.set(why, (this.#tally.refused.get(why) ?? 0) + 1)
      })
    }
    await settle()
  }

  async #change(nth: number, lots: number, percent: number): Promise<void> {
    const may = this.model.arrived.filter(
      ({ state, request, filled }) => state === 'open' && request.type === 'limit' && filled.isZero(),
    )
    const found = may[nth % Math.max(1, may.length)]
    if (found === undefined) return
    const { request } = found
    const amount = new Decimal(lots)
      .times(100)
      .div(START[request.symbol] ?? 1)
      .toFixed()
    await this.stage.exchange.editOrder(
      { symbol: request.symbol, id: `v-${request.clientOrderId}` },
      { amount, price: this.#near(request.symbol, percent) },
      {},
    )
  }

  #arrive(request: OrderRequest) {
    const price = this.stage.venue.prices.get(request.symbol) ?? '0'
    const now = this.stage.now()
    this.#judge(request, price, undefined)
    const arrived: Arrived = {
      request,
      at: now,
      filled: new Decimal(0),
      state: 'under-way',
      value: new Decimal(request.amount).times(worthOf(request, price)),
    }
    // What only shrinks what is held counts for nothing.
    if (this.#shrinks(request)) arrived.value = new Decimal(0)
    this.model.arrived.push(arrived)
    this.#tally.passed += 1
    return new Promise<Awaited<ReturnType<typeof this.stage.raw.createOrder>>>((resolve) => {
      this.#answers.set(request.clientOrderId, (how) => {
        this.#answers.delete(request.clientOrderId)
        const isLive = arrived.state === 'under-way'
        // An order that has filled was not refused.
        const said = how === 'refused' && (!isLive || arrived.filled.gt(0)) ? 'placed' : how
        if (isLive) arrived.state = said === 'placed' ? 'open' : said
        if (said === 'placed') return resolve({ kind: 'placed', order: orderOf(request) })
        const code = said === 'refused' ? 'insufficient-funds' : 'outcome-unknown'
        resolve({ kind: said, error: new ExchangeError(code, said) })
      })
    })
  }

  #changed(id: string, change: object): void {
    const found = this.model.arrived.find(({ request }) => `v-${request.clientOrderId}` === id)
    if (found === undefined) throw new Error(`order ${id} never arrived`)
    const price = this.stage.venue.prices.get(found.request.symbol) ?? '0'
    const request = { ...found.request, ...change }
    this.#judge(request, price, found)
    found.request = request
    found.value = Decimal.max(found.value, new Decimal(request.amount).times(worthOf(request, price)))
    this.model.changes.push(this.stage.now())
    this.#tally.changed += 1
  }

  #judge(request: OrderRequest, price: string, changed: Arrived | undefined): void {
    const reasons = this.model.refuses(request, price, this.stage.now(), changed)
    const { side, amount, symbol: of, price: at = 'the market' } = request
    if (reasons.length > 0) this.violations.push(`${side} ${amount} ${of} at ${at}: ${reasons.join(', ')}`)
  }

  #shrinks({ symbol: of, side, amount, reduceOnly }: OrderRequest): boolean {
    if (reduceOnly === true) return true
    const held = this.model.held(of).times(side === 'buy' ? 1 : -1)
    return held
      .plus(this.model.outstanding(of, side, false))
      .plus(amount)
      .lte(0)
  }

  #fill(found: Arrived | undefined, share: number): void {
    if (found === undefined || found.state === 'refused') return
    const { request } = found
    const left = new Decimal(request.amount).minus(found.filled)
    const against = this.model.held(request.symbol).times(request.side === 'buy' ? -1 : 1)
    const most = request.reduceOnly === true ? Decimal.max(0, Decimal.min(left, against)) : left
    const amount = most.times(share).toDecimalPlaces(5, Decimal.ROUND_DOWN)
    if (amount.lte(0)) return
    found.filled = found.filled.plus(amount)
    const trade = tradeOf(request, amount.toFixed(), request.price ?? '1', {
      timestamp: this.stage.now(),
      realizedPnl: '0',
    })
    this.processes[0]?.journal.fill(request.clientOrderId, 'main', trade)
    if (found.filled.gte(request.amount)) this.#end(found)
  }

  #end(found: Arrived | undefined): void {
    if (found === undefined || found.state === 'refused') return
    found.state = 'over'
    this.processes[0]?.journal.end(found.request.clientOrderId, {
      status: found.filled.gte(found.request.amount) ? 'closed' : 'canceled',
      filled: found.filled.toFixed(),
    })
  }

  #pick(nth: number): Arrived | undefined {
    const live = this.model.arrived.filter(({ state }) => state !== 'over' && state !== 'refused')
    return live[nth % Math.max(1, live.length)]
  }

  #near(of: string, percent: number): string {
    return new Decimal(this.stage.venue.prices.get(of) ?? 0)
      .times(100 + percent)
      .div(100)
      .toDecimalPlaces(1)
      .toFixed()
  }

  #showAtVenue(): void {
    const { venue } = this.stage
    venue.positions = venue.markets.flatMap(({ symbol: of }: Market) => {
      const held = this.model.held(of)
      return held.isZero() ? [] : [position(of, held.gt(0) ? 'long' : 'short', held.abs().toFixed())]
    })
    venue.resting = this.model.arrived
      .filter(({ state, at }) => {
        // Whether an order that was not answered yet can be seen is the venue's affair, for a while.
        const isSeen = state === 'under-way' && at < this.stage.now() - 60_000
        return isSeen || state === 'open' || state === 'unknown'
      })
      .map(({ request, filled }) =>
        orderOf(request, {
          filled: filled.toFixed(),
          remaining: new Decimal(request.amount).minus(filled).toFixed(),
        }),
      )
  }
}

async function knownTo(book: DayBook): Promise<unknown> {
  const { day, lastMinute, underWay, fills } = await book.look('main')
  const filled = [...fills].map(([of, { pnl, net, cost }]) => [of, pnl.toFixed(), net.toFixed(), cost.toFixed()])
  const keys = underWay.map(({ key, amount }) => `${key} ${amount}`).sort()
  return { day: day.toFixed(), lastMinute, keys, filled }
}

async function playAll(all: readonly Step[], tally: Tally): Promise<void> {
  const play = new Play(tally)
  await play.begin()
  for (const step of all) {
    await play.play(step)
    expect(play.violations).toEqual([])
    const [first, ...others] = await play.known()
    for (const other of others) expect(other).toEqual(first)
  }
}

describe('random orders', () => {
  it.each([
    ['one after the other, of either side', 'any'],
    ['at the same moment, from two processes', 'one'],
  ] as const)('%s: nothing arrives that the model refuses', async (_, sides) => {
    const tally: Tally = { passed: 0, changed: 0, refused: new Map() }
    await fc.assert(
      fc.asyncProperty(steps(sides), (all) => playAll(all, tally)),
      {
        numRuns: Number(process.env.RUNS ?? 60),
        seed: Number(process.env.SEED ?? 20_260_102),
        interruptAfterTimeLimit: 60_000,
      },
    )
    // It is not held by letting nothing through, nor by refusing nothing.
    expect(tally.passed).toBeGreaterThan(200)
    expect(tally.changed).toBeGreaterThan(10)
    const reasons = [...tally.refused.keys()].join('\n')
    for (const reason of [
      /the order is worth/,
      /position could grow/,
      /today's orders/,
      /within a minute/,
      /more than/,
    ]) {
      expect(reasons).toMatch(reason)
    }
  })
})

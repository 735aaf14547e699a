// A replay: candles go by, a trigger decides, its hook fires on a practice account, and what came of it is added up. The same candles give the
// same result to the last digit: no clock, no randomness and no file of hookline is in it.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { ReplayEnd, ReplayFire, ReplayResult, ReplayTask } from '../commands/kit/data.ts'
import { CommandError } from '../commands/kit/errors.ts'
import type { ReplayCare } from '../commands/kit/ports.ts'
import { CANDLE_MS, type CandleInterval } from '../exchange/market.ts'
import type { Trade } from '../exchange/order.ts'
import { describePosition, equityOf } from '../exchanges/paper/account.ts'
import { mergeFills } from '../trading/history/executions.ts'
import { realize } from '../trading/history/realize.ts'
import { roundTrips } from '../trading/history/round-trips.ts'
import { type Drawdown, statsOf } from '../trading/history/trade-stats.ts'
import type { TickValues } from '../triggers/evaluator.ts'
import type { Bar } from '../triggers/indicators.ts'
import type { Trigger } from '../triggers/trigger.ts'
import { type Decisions, decide } from './decisions.ts'
import { type FireRun, PracticeAccount, type PracticeOptions } from './practice-account.ts'

export interface CandleBatch {
  /** Closed ones, oldest first. */
  readonly bars: readonly Bar[]
  /** How much has been read, from 0 to 1. */
  readonly done: number
}

export interface ReplayOptions extends Omit<PracticeOptions, 'startAt'> {
  readonly trigger: Trigger
  /** Of the candles. */
  readonly frame: CandleInterval
  readonly candles: AsyncIterable<CandleBatch>
  /** Candles that begin earlier are only judged: an indicator needs them. ms since the epoch. */
  readonly firesFrom?: number
  /** Ends it with what there is by then. */
  readonly signal: AbortSignal
  readonly onProgress?: ReplayCare['onProgress']
  /** How long it may hold the event loop. */
  readonly sliceMs?: number
}

/** More are no longer a trigger, and all of them are kept. */
const MAX_FIRES = 10_000
const SLICE_MS = 4
/** Candles between two looks at the clock. */
const LOOK_EVERY = 128
const MAX_POINTS = 400

export async function replay(options: ReplayOptions): Promise<ReplayResult> {
  const running = new Running(options)
  const slices = new Slices(options)
  let end: ReplayEnd | undefined
  try {
    reading: for await (const { bars, done } of options.candles) {
      for (const bar of bars) {
        if (slices.isOver) await slices.pause(done, bar.at)
        end = running.endFor(options.signal)
        if (end !== undefined) break reading
        // Most candles change nothing, and need no turn of the event loop.
        const pending = running.take(bar)
        if (pending !== undefined) await pending
      }
    }
    return await running.result(options.signal.aborted ? 'stopped' : end)
  } finally {
    await running.close()
  }
}

/** Others have their turn after a few milliseconds: requests, and fires of hooks that are not replayed. */
class Slices {
  readonly #options: Pick<ReplayOptions, 'sliceMs' | 'onProgress'>
  #seen = 0
  #endsAt: number

  constructor(options: Pick<ReplayOptions, 'sliceMs' | 'onProgress'>) {
    this.#options = options
    this.#endsAt = this.#nextEnd()
  }

  /** Asked once for each candle. */
  get isOver(): boolean {
    this.#seen += 1
    return this.#seen % LOOK_EVERY === 0 && performance.now() >= this.#endsAt
  }

  async pause(done: number, at: number): Promise<void> {
    this.#options.onProgress?.({ done, bars: this.#seen, at })
    await new Promise<void>((resolve) => setImmediate(resolve))
    this.#endsAt = this.#nextEnd()
  }

  #nextEnd(): number {
    return performance.now() + (this.#options.sliceMs ?? SLICE_MS)
  }
}

class Running {
  readonly fires: (ReplayFire & { run: FireRun | undefined })[] = []
  readonly #options: ReplayOptions
  readonly #decisions: Decisions
  readonly #stepMs: number
  readonly #equity = new EquityCurve()
  #account: PracticeAccount | undefined
  #bars = 0
  #heldMs = 0
  #first = 0
  #end = 0
  #close = 0
  /** Fired at the close of the last candle; its orders meet the open of the next. */
  #pending: (ReplayFire & { run: FireRun | undefined }) | undefined

  constructor(options: ReplayOptions) {
    this.#options = options
    this.#decisions = decide(options.trigger, options.frame)
    this.#stepMs = CANDLE_MS[options.frame]
  }

  /** Why it does not go on. */
  endFor(signal: AbortSignal): ReplayEnd | undefined {
    if (signal.aborted) return 'stopped'
    return this.fires.length >= MAX_FIRES ? 'too-many-fires' : undefined
  }

  take(bar: Bar): Promise<void> | undefined {
    this.#account ??= this.#begin(bar)
    const account = this.#account
    this.#end = bar.at + this.#stepMs
    if (bar.at < (this.#options.firesFrom ?? 0)) return this.#warmUp(bar, account)
    if (this.#bars === 0) this.#start(bar, account)
    this.#bars += 1
    const [low, high] = [Math.min(bar.low, this.#close), Math.max(bar.high, this.#close)]
    if (this.#pending !== undefined || account.meetsWithin(low, high, this.#end)) return this.#meet(bar, account)
    account.pass(bar.at, bar.open)
    if (this.#decisions.opens(bar, () => this.#ticks(account, bar.open))) {
      this.#fired(bar.at, bar.open)
      return this.#meet(bar, account, true)
    }
    this.#closeOf(bar, account)
    return undefined
  }

  async #meet(bar: Bar, account: PracticeAccount, isOpenJudged = false): Promise<void> {
    await this.#meetOpen(bar, account)
    if (!isOpenJudged) {
      await this.#firePending(account)
      if (this.#decisions.opens(bar, () => this.#ticks(account, bar.open))) this.#fired(bar.at, bar.open)
    }
    await this.#firePending(account)
    await this.#walk(bar, account)
    account.pass(this.#end - 1, bar.close)
    await account.lookAtLoss()
    this.#closeOf(bar, account)
  }

  /** What rests meets the open, however far it is from the close before. */
  async #meetOpen(bar: Bar, account: PracticeAccount): Promise<void> {
    const [low, high] = this.#close < bar.open ? [this.#close, bar.open] : [bar.open, this.#close]
    const isMet = account.pricesMet.some((price) => price >= low && price <= high)
    if (isMet || account.time.nextDue <= bar.at || account.runsUnderWay || account.tasks.areRunning)
      await account.meet(bar.at, bar.open)
    else account.pass(bar.at, bar.open)
    this.#equity.mark(bar.at, account)
  }

  async #firePending(account: PracticeAccount): Promise<void> {
    const fire = this.#pending
    if (fire === undefined) return
    this.#pending = undefined
    fire.run = await account.fire()
    this.#equity.mark(account.time.now(), account)
  }

  /**
   * Where the price goes within a candle is not known. It goes against the position first, so that a stop comes before a target; from an entry on,
   * it goes against that first. Without a position, to the extreme that the close is further from.
   */
  async #walk(bar: Bar, account: PracticeAccount): Promise<void> {
    const { time } = account
    let price = bar.open
    let targets = this.#targets(bar, account)
    while (targets.length > 0) {
      const [to = bar.close, ...later] = targets
      const now = time.now()
      const legEnd = now + Math.floor((this.#end - 1 - now) / targets.length)
      const met = nextMet(account.pricesMet, price, to)
      if (met === undefined) {
        price = to
        targets = later
        if (time.nextDue <= legEnd || account.tasks.areRunning) await account.meet(legEnd, to)
        else time.moveTo(legEnd)
        continue
      }
      const before = sideOf(account)
      const part = to === price ? 0 : (met - price) / (to - price)
      await account.meet(now + Math.floor((legEnd - now) * part), met)
      this.#equity.mark(time.now(), account)
      price = met
      const side = sideOf(account)
      if (side === before || side === 0) continue
      const [against, along] = side > 0 ? [bar.low, bar.high] : [bar.high, bar.low]
      // An extreme that was passed before the entry brings it no target.
      targets = [against, ...(targets.includes(along) ? [along] : []), bar.close]
    }
  }

  #targets({ open, high, low, close }: Bar, account: PracticeAccount): number[] {
    const side = sideOf(account)
    const isDownFirst = side === 0 ? close >= open : side > 0
    return isDownFirst ? [low, high, close] : [high, low, close]
  }

  #closeOf(bar: Bar, account: PracticeAccount): void {
    this.#close = bar.close
    account.pass(this.#end - 1, bar.close)
    if (this.#decisions.closes(bar, () => this.#ticks(account, bar.close))) this.#fired(this.#end, bar.close)
    if (account.holding.amount !== 0) this.#heldMs += this.#stepMs
    this.#equity.add(this.#end, account)
  }

  #fired(at: number, price: number): void {
    const fire = { at, price: String(price), run: undefined }
    this.fires.push(fire)
    this.#pending = fire
  }

  #begin(bar: Bar): PracticeAccount {
    const { trigger: _t, candles: _c, signal: _s, onProgress: _p, ...options } = this.#options
    return new PracticeAccount({ ...options, startAt: bar.at })
  }

  /** Judged, and nothing more. */
  #warmUp(bar: Bar, account: PracticeAccount): undefined {
    account.pass(bar.at, bar.open)
    this.#decisions.opens(bar, () => this.#ticks(account, bar.open))
    account.pass(this.#end - 1, bar.close)
    this.#decisions.closes(bar, () => this.#ticks(account, bar.close))
  }

  #start(bar: Bar, account: PracticeAccount): void {
    account.pass(bar.at, bar.open)
    this.#first = bar.at
    this.#close = bar.open
    this.#equity.add(bar.at, account)
  }

  #ticks(account: PracticeAccount, price: number): TickValues {
    const { step } = account.market
    const { wallet, amount, cost } = account.holding
    const pnl = amount * price - cost
    return {
      last: price,
      mark: price,
      bid: price - step,
      ask: price + step,
      pnl,
      position: amount,
      equity: wallet + pnl,
    }
  }

  async result(ended: ReplayEnd | undefined): Promise<ReplayResult> {
    const { balance, market, account: name, frame } = this.#options
    const account = this.#account
    if (account === undefined || this.#bars === 0) throw noCandles(ended)
    const { state, time, trades } = account
    const view = account.market.at(time.now())
    const { executions } = realize(mergeFills(await account.history(), trades), [market])
    const trips = roundTrips(executions, [market])
    const range = { since: 0 }
    const stats = statsOf({ trips, funding: undefined, range })
    const equity = equityOf(state, view)
    const [position] = state.positions
    const open = position === undefined ? undefined : describePosition(state, position, view)
    const spanMs = this.#end - this.#first
    const runOf = new Map(executions.map(({ trade, by }) => [trade.id, by?.runId]))
    return {
      account: name,
      symbol: market.symbol,
      frame,
      from: this.#first,
      to: this.#end,
      bars: this.#bars,
      currency: market.settle,
      balance,
      // As they are now: what still runs is cut off with the replay.
      fires: this.fires.map(({ at, price, run }) => ({ at, price, run: run && { ...run } })),
      fills: trades.map((trade) => fillOf(trade, runOf.get(trade.id))),
      profit: equity.minus(balance).toFixed(),
      profitPercent: equity.minus(balance).div(balance).times(100).toFixed(2),
      realized: state.realizedPnl,
      fees: state.fees,
      ...defined({
        open: open && {
          side: open.side,
          amount: open.amount,
          entryPrice: open.entryPrice,
          pnl: open.unrealizedPnl ?? '0',
        },
        deepestFall: this.#equity.deepest(market.settle),
        tasks: tasksOf(account),
        ended,
      }),
      stats,
      inMarketPercent: new Decimal(this.#heldMs).div(spanMs).times(100).toFixed(1),
      equity: this.#equity.points(),
      notes: [...account.notes, ...lostNote(this.#decisions.lost)],
      unknown: UNKNOWN,
    }
  }

  async close(): Promise<void> {
    await this.#account?.close()
  }
}

/** It was stopped before the first of them, or the venue has none since then. */
function noCandles(ended: ReplayEnd | undefined): CommandError {
  if (ended === 'stopped') return new CommandError('interrupted', 'stopped before the first candle')
  return new CommandError('bad-candles', 'there are no candles of that time', { hint: 'ask for a longer time' })
}

/** What candles leave unknown, and what stands for it. */
const UNKNOWN: readonly string[] = [
  'queue: a resting limit fills once the price is one step past it',
  'depth: any amount trades, one step beside the price',
  'path: within a candle first against the position, its stop before its target',
  'delay: an order at the market meets the open of the next candle',
  'funding: none is paid or received',
]

function lostNote(lost: number): readonly string[] {
  return lost === 0
    ? []
    : [`${lost === 1 ? '1 fire was' : `${lost} fires were`} lost: the candles after it are missing`]
}

function tasksOf({ tasks }: PracticeAccount): readonly ReplayTask[] | undefined {
  const all = tasks.all()
  if (all.length === 0) return undefined
  return all.map(({ kind, status, startedAt, runId, reason, doing }) => ({
    kind,
    status,
    startedAt,
    run: runId,
    ...defined({ doing: reason ?? doing }),
  }))
}

function fillOf({ id: _, timestamp, side, amount, price, fee, realizedPnl, takerOrMaker }: Trade, run?: string) {
  return { at: timestamp, side, amount, price, ...defined({ fee, pnl: realizedPnl, takerOrMaker, run }) }
}

function sideOf({ holding }: PracticeAccount): number {
  return Math.sign(holding.amount)
}

/** The first price on the way from one to the other at which something happens. */
function nextMet(prices: readonly number[], from: number, to: number): number | undefined {
  if (to > from) return prices.find((price) => price > from && price <= to)
  return prices.findLast((price) => price < from && price >= to)
}

/** What the account was worth: at each close, and whenever something filled. */
class EquityCurve {
  #points: (readonly [at: number, value: number])[] = []
  #every = 1
  #count = 0
  #peak = { at: 0, value: Number.NEGATIVE_INFINITY }
  #fall = { from: { at: 0, value: 0 }, to: { at: 0, value: 0 }, amount: 0 }
  #last = { at: 0, value: 0 }

  /** A point of the curve. */
  add(at: number, account: PracticeAccount): void {
    const value = this.mark(at, account)
    if (this.#count % this.#every === 0) this.#points.push([at, value])
    this.#count += 1
    if (this.#points.length < MAX_POINTS) return
    this.#points = this.#points.filter((_, index) => index % 2 === 0)
    this.#every *= 2
  }

  mark(at: number, { holding, market }: PracticeAccount): number {
    const { wallet, amount, cost } = holding
    const value = amount === 0 ? wallet : wallet + amount * market.lastNumber - cost
    this.#last = { at, value }
    if (value > this.#peak.value) this.#peak = { at, value }
    else if (this.#peak.value - value > this.#fall.amount)
      this.#fall = { from: this.#peak, to: this.#last, amount: this.#peak.value - value }
    return value
  }

  points(): readonly (readonly [at: number, value: string])[] {
    const { at, value } = this.#last
    const isThere = this.#points.at(-1)?.[0] === at
    const all = isThere ? this.#points : [...this.#points, [at, value] as const]
    return all.map(([when, worth]) => [when, worth.toFixed(2)])
  }

  deepest(currency: string): Drawdown | undefined {
    const { from, to, amount } = this.#fall
    if (amount === 0) return undefined
    return {
      currency,
      amount: amount.toFixed(2),
      percent: (from.value > 0 ? (amount / from.value) * 100 : 0).toFixed(2),
      from: from.at,
      to: to.at,
    }
  }
}

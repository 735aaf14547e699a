// The stop and the take-profit of one entry (behaviour 38): what `protection-state.ts` says is to be done is done here, one thing after the other,
// and what comes of it is its next event. Nothing is decided here.

import { Decimal } from 'decimal.js'
import { SerialQueue } from '../base/concurrency.ts'
import { defined } from '../base/defined.ts'
import type { Exchange, OrderContext } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { type Order, refOf } from '../exchange/order.ts'
import { StoreError } from '../stores/store-error.ts'
import type { OrderListener } from './order-event.ts'
import type { OrderJournal } from './order-journal.ts'
import type { Intent } from './order-journal-lines.ts'
import type { OrderPlan, ProtectionPlan, ProtectiveRole, WaitingPrices } from './order-plan.ts'
import { isUnknownOutcome } from './order-sender.ts'
import {
  beginProtection,
  type Effect,
  type Leg,
  type ProtectedEntry,
  type ProtectionEvent,
  type ProtectionState,
  type Reason,
  type SinceEntry,
  stepProtection,
} from './protection-state.ts'
import { TradingError } from './trading-error.ts'

/** The entry was placed: neither a halt nor simulation leaves it without its stop (behaviour 40). */
const PROTECTS: OrderContext = { protects: true }

/** What a protection needs of the desk around it. */
export interface ProtectionPorts {
  readonly exchange: Exchange
  readonly journal: OrderJournal
  /** ms since the epoch. */
  now(): number
  /** Sends a protective order and follows it; `onEnd` when it is over. @throws as `OrderSender.send` */
  send(intent: Omit<Intent, 'at' | 'account' | 'venue'>, onEnd: (order: Order) => void): Promise<Order>
  /**
   * Asks for an order that was sent before.
   * @returns undefined when the venue does not have it
   * @throws {TradingError} `outcome-unknown`
   */
  find(clientOrderId: string): Promise<Order | undefined>
  /** The venue has placed what the entry carried: it is written down as if it had been sent. @throws {StoreError} */
  adopt(intent: Omit<Intent, 'account' | 'venue'>, order: Order): Promise<void>
  /** What last is; undefined where the venue does not say so soon: a position does not wait for its stop because of that. */
  priceSoon(): Promise<string | undefined>
  /** The position, on the side of the entry and on the other; undefined where the venue does not say so soon. */
  heldSoon(): Promise<{ readonly held: Decimal; readonly against: Decimal } | undefined>
  /**
   * What the fills since the entry say of the position that it opened; undefined: it has not been flat since, or that is not known.
   * @param net what is listed on the side of the entry, less than zero where it is on the other
   */
  sinceEntrySoon(net: Decimal): Promise<SinceEntry | undefined>
  /** Follows a protective order that is there already. */
  follow(order: Order, id: string, onEnd: (order: Order) => void): void
  /** From now on the end of the order is told; one that came before, at once. */
  release(id: string): void
  /** What has filled of an order that is followed, by what was heard of it. */
  filledOf(order: Order): Decimal
  /** Calls `work` after so long, unless the process ends or nobody protects the entry any more. */
  later(ms: number, work: () => void): void
  bug(error: unknown): void
}

/** A lost answer is asked about for a minute before an order can be said not to be there: a person hears of it before that. */
const DOUBT_MS = 8_000
/** An end that is told later than this says how long ago it was: another position may be open by then. */
const LATE_MS = 2_000

export class Protection {
  readonly #ports: ProtectionPorts
  readonly #notify: OrderListener
  #state: ProtectionState
  #effects: Effect[] = []
  #alarms: TradingError[] = []
  readonly #turns = new SerialQueue()
  #reportedOpened: string | undefined
  /** By the order's id: when its end was heard of, ms since the epoch. */
  readonly #endedAt = new Map<string, number>()

  constructor(entry: ProtectedEntry, plan: ProtectionPlan, notify: OrderListener, ports: ProtectionPorts) {
    this.#notify = notify
    this.#ports = ports
    this.#state = beginProtection(entry, plan, ports.exchange, ports.now())
  }

  /** Whether the entry can fill no further. */
  get isEntryOver(): boolean {
    return this.#state.isEntryOver
  }

  /** The prices that wait for the entry to fill; undefined: it has filled in part, or is over. */
  get waiting(): ProtectionPlan | undefined {
    const { plan, isEntryOver, filled, offset, legs } = this.#state
    const hasBegun = filled.gt(0) || offset.gt(0) || legs.some(({ sent, order }) => sent > 0 || order !== undefined)
    return hasBegun || isEntryOver ? undefined : plan
  }

  /**
   * Other prices, before anything has filled.
   * @throws {TradingError} `order-ended`: the entry has filled in part, or is over @throws {StoreError} they are as they were
   */
  async reprotect(prices: WaitingPrices): Promise<void> {
    await this.#turns.run(async () => {
      const { waiting } = this
      if (waiting === undefined) throw entryFilled(this.#state)
      const plan = { ...waiting, ...prices }
      await this.#ports.journal.reprotect(this.#state.entry.id, plan)
      this.#state = { ...this.#state, plan }
    })
  }

  /** Whether nothing more is to be done. */
  get isReleased(): boolean {
    return this.#state.isReleased
  }

  /** Whether two orders rest, of which one has to be canceled when the other fills. */
  get isPair(): boolean {
    const { legs } = this.#state
    return legs.length > 1 && legs.every(({ order }) => order !== undefined)
  }

  /**
   * The entry has filled so far, and is over or not. One change after another, in order.
   * @param filled what of it is to be protected
   * @param least on spot: the smallest order of the market
   * @param offset what has filled besides, and only reduced a position of the other side
   * @throws {TradingError} `stop-failed`: it is tried again by itself
   */
  async update(filled: Decimal, isOver: boolean, least = '0', offset = new Decimal(0)): Promise<void> {
    const [first, ...more] = await this.#turn({ type: 'filled', at: this.#ports.now(), filled, isOver, least, offset })
    for (const error of more) this.#notify({ type: 'stop-failed', error })
    if (first !== undefined) throw first
  }

  /** What the entry opened is no longer held: nothing is covered any more, and what waits is canceled. */
  async retire(): Promise<void> {
    await this.#turnReported({ type: 'flat', at: this.#ports.now() })
  }

  /** The venue has taken a part of the position by force: no order covers more than what is left. */
  async reduce(held: Decimal): Promise<void> {
    await this.#turnReported({ type: 'reduced', at: this.#ports.now(), held })
  }

  /** The entry met a position of the other side: said once for each figure. */
  notifyOffset(filled: Decimal, opened: Decimal): void {
    const { symbol, side } = this.#state.entry.order
    if (opened.gte(filled) || this.#reportedOpened === opened.toFixed()) return
    this.#reportedOpened = opened.toFixed()
    this.#notify({ type: 'offset', symbol, side, filled: filled.toFixed(), opened: opened.toFixed() })
  }

  /** One of its orders may have filled: the other leg no longer covers that. */
  async settled(): Promise<void> {
    this.#receiveFills()
    await this.#turnReported()
  }

  /** The alarms that nobody waits for are told. */
  async #turnReported(event?: ProtectionEvent): Promise<void> {
    for (const error of await this.#turn(event)) this.#notify({ type: 'stop-failed', error })
  }

  /** One after the other, each until there is nothing left to do. @returns what the operator is to be alarmed about */
  #turn(event: ProtectionEvent | undefined): Promise<readonly TradingError[]> {
    return this.#turns.run(async () => {
      this.#receiveFills()
      if (event !== undefined) this.#step(event)
      for (let next = this.#effects.shift(); next !== undefined; next = this.#effects.shift()) {
        await this.#perform(next)
      }
      const alarms = this.#alarms
      this.#alarms = []
      return alarms
    })
  }

  #step(event: ProtectionEvent): void {
    const { state, effects } = stepProtection(this.#state, event)
    this.#state = state
    this.#effects.push(...effects)
  }

  #receiveFills(): void {
    const at = this.#ports.now()
    for (const { role, order } of this.#state.legs) {
      if (order === undefined) continue
      const filled = this.#ports.filledOf(order)
      if (filled.lte(order.filled)) continue
      const settled = { ...order, filled: filled.toFixed(), remaining: filled.minus(order.amount).neg().toFixed() }
      this.#step({ type: 'reported', role, at, order: settled })
    }
  }

  /** Once for each order: by its event, or because it was over as it was placed. */
  #ended(role: ProtectiveRole, order: Order): void {
    const at = this.#ports.now()
    this.#endedAt.set(order.id, at)
    this.#step({ type: 'ended', role, at, order })
    this.#turnReported().catch((error: unknown) => this.#ports.bug(error))
  }

  async #perform(effect: Effect): Promise<void> {
    const ports = this.#ports
    const { entry } = this.#state
    switch (effect.type) {
      case 'find':
        return this.#find(effect)
      case 'price': {
        const last = await ports.priceSoon()
        return this.#step({ type: 'priced', role: effect.role, at: ports.now(), ...defined({ last }) })
      }
      case 'check': {
        const { role, id } = effect
        const last = await ports.priceSoon()
        return this.#step({ type: 'checked', role, id, at: ports.now(), ...defined({ last }) })
      }
      case 'send':
        return this.#send(effect)
      case 'amend':
        return this.#amend(effect)
      case 'cancel':
        return this.#cancel(effect)
      case 'ask':
        return this.#ask(effect.role, effect.order)
      case 'look':
        return this.#look(effect)
      case 'wait': {
        const { role, ms, pause } = effect
        return ports.later(ms, () => {
          this.#turnReported({ type: 'due', role, at: ports.now(), pause }).catch((error: unknown) => ports.bug(error))
        })
      }
      case 'alarm':
        this.#alarms.push(alarmOf(effect, this.#state))
        return
      case 'passed':
        return this.#notify({
          type: 'stop-passed',
          symbol: entry.order.symbol,
          triggerPrice: effect.price,
          role: effect.role,
        })
      case 'covers':
        return this.#notify({ type: 'protected', stop: effect.order, isChange: effect.isChange })
      case 'ended': {
        const { order, outcome } = effect
        const lateMs = ports.now() - (this.#endedAt.get(order.id) ?? ports.now())
        return this.#notify({ type: 'ended', order, outcome, ...(lateMs < LATE_MS ? {} : { lateMs }) })
      }
      case 'withdrawn':
        return this.#notify({ type: 'withdrawn', order: effect.order, ...(effect.isFlat ? { isFlat: true } : {}) })
      case 'offset':
        return this.notifyOffset(this.#state.filled.plus(this.#state.offset), new Decimal(0))
      case 'release':
        return ports.journal.released(entry.id)
    }
  }

  async #find(effect: Extract<Effect, { type: 'find' }>): Promise<void> {
    const { role, id, isAttached, afterMs } = effect
    if (afterMs !== undefined) {
      return this.#ports.later(afterMs, () => {
        this.#effects.push({ type: 'find', role, id, ...(isAttached ? { isAttached } : {}) })
        this.#turnReported().catch((error: unknown) => this.#ports.bug(error))
      })
    }
    const at = this.#ports.now()
    try {
      const order = await this.#ports.find(id)
      if (order === undefined) return this.#step({ type: 'not-found', role, at })
      if (isAttached) await this.#adopt(role, id, order)
      this.#step({ type: 'found', role, at, order, isTakenBack: await this.#isTakenBack(order) })
      this.#ports.follow(order, id, (ended) => this.#ended(role, ended))
      this.#ports.release(id)
    } catch (error) {
      this.#step({ type: 'not-answered', role, at, ...this.#reason(error) })
    }
  }

  /** The position has its order, whether or not that can be written down: the next process finds it as this one did. */
  async #adopt(role: ProtectiveRole, id: string, order: Order): Promise<void> {
    const { by, id: protects } = this.#state.entry
    const { symbol, side, type, amount, triggerPrice, takeProfitPrice, reduceOnly, timestamp: at } = order
    const plan: OrderPlan = { symbol, side, type, amount, reduceOnly, ...defined({ triggerPrice, takeProfitPrice }) }
    try {
      await this.#ports.adopt({ id, at, by, order: plan, protects, ...(role === 'stop' ? {} : { role }) }, order)
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      this.#ports.bug(error)
    }
  }

  async #send({ role, id, order }: Extract<Effect, { type: 'send' }>): Promise<void> {
    const { by, id: protects } = this.#state.entry
    const part = { id, by, order, protects, ...(role === 'stop' ? {} : { role }) }
    let isKnown = false
    this.#ports.later(DOUBT_MS, () => {
      if (!isKnown) this.#notify({ type: 'stop-failed', error: doubtful(role, this.#state) })
    })
    try {
      const placed = await this.#ports.send(part, (ended) => this.#ended(role, ended))
      this.#step({ type: 'placed', role, at: this.#ports.now(), order: placed })
      this.#ports.release(id)
    } catch (error) {
      const at = this.#ports.now()
      const reason = this.#reason(error)
      this.#step(
        isUnknownOutcome(error)
          ? { type: 'unknown', role, at, id, ...reason }
          : { type: 'refused', role, at, ...reason },
      )
    } finally {
      isKnown = true
    }
  }

  async #amend({ role, order, amount }: Extract<Effect, { type: 'amend' }>): Promise<void> {
    const { exchange, journal, now } = this.#ports
    const { account, by } = this.#state.entry
    try {
      const outcome = await exchange.editOrder(refOf(order), { amount }, PROTECTS)
      if (outcome.kind === 'placed') {
        journal.changed(account, refOf(order), { amount }, by)
        return this.#step({ type: 'changed', role, at: now(), order: outcome.order })
      }
      // It ended meanwhile, or the answer is lost: the venue is asked.
      if (outcome.kind !== 'refused' || outcome.error.code === 'order-not-found') {
        const is = await exchange.fetchOrder(refOf(order))
        this.#step({ type: is.status === 'open' ? 'reported' : 'ended', role, at: now(), order: is })
      }
      this.#step({ type: 'unchanged', role, at: now(), ...this.#reason(outcome.error) })
    } catch (error) {
      this.#step({ type: 'unchanged', role, at: now(), ...this.#reason(error) })
    }
  }

  /** Written down before it is done, so that what ends is known to have been meant. */
  async #cancel({ role, order }: Extract<Effect, { type: 'cancel' }>): Promise<void> {
    const { exchange, journal, now } = this.#ports
    const { account, by } = this.#state.entry
    if (order.clientOrderId !== undefined) journal.withdrawn(order.clientOrderId)
    try {
      const { ended, isOurs } = await endOrder(exchange, order)
      if (isOurs) journal.changed(account, refOf(order), 'canceled', by)
      this.#step({ type: 'canceled', role, at: now(), order: ended, isOurs })
    } catch (error) {
      this.#step({ type: 'not-canceled', role, at: now(), order, ...this.#reason(error) })
    }
  }

  /** What it is now; with no answer it stays what it was. */
  async #ask(role: ProtectiveRole, order: Order): Promise<void> {
    const { exchange, now } = this.#ports
    try {
      const is = await exchange.fetchOrder(refOf(order))
      this.#step({ type: is.status === 'open' ? 'reported' : 'ended', role, at: now(), order: is })
    } catch (error) {
      if (!(error instanceof ExchangeError)) this.#ports.bug(error)
    }
  }

  async #look({ role, ended, other }: Extract<Effect, { type: 'look' }>): Promise<void> {
    const { heldSoon, priceSoon, sinceEntrySoon, now } = this.#ports
    const leg = other === undefined ? undefined : this.#state.legs.find(({ order }) => order?.id === other.id)
    // Its fill may be told after this end.
    if (other !== undefined && leg !== undefined) await this.#ask(leg.role, other)
    const [position, last] = await Promise.all([heldSoon(), priceSoon()])
    const isTakenBack = ended !== undefined && (await this.#isTakenBack(ended))
    const isUnexplained = position !== undefined && ended !== undefined && !isTakenBack
    const since = isUnexplained ? await sinceEntrySoon(position.held.minus(position.against)) : undefined
    this.#step({ type: 'looked', role, at: now(), isTakenBack, ...position, ...defined({ last, since }) })
  }

  /** Whether a hookline canceled it for a person. */
  async #isTakenBack(order: Order): Promise<boolean> {
    if (order.status !== 'canceled') return false
    const { journal } = this.#ports
    const at = await journal.canceledAt(this.#state.entry.account, order.id).catch((error: unknown) => {
      if (error instanceof StoreError) return undefined
      throw error
    })
    return at !== undefined
  }

  #reason(error: unknown): Reason {
    if (error instanceof ExchangeError) {
      const { code, message, retryAfterMs } = error
      return { code, why: message, ...defined({ retryAfterMs }) }
    }
    if (error instanceof TradingError) return { code: error.code, why: error.message }
    if (error instanceof StoreError) return { code: 'journal', why: error.message }
    // The position is no less without its stop.
    this.#ports.bug(error)
    return { code: 'bug', why: 'it failed for an unknown reason' }
  }
}

function entryFilled({ entry: { order } }: ProtectionState): TradingError {
  return new TradingError('order-ended', `the entry on ${order.symbol} has filled, and its protection is placed`, {
    hint: `\`orders ${order.symbol}\` lists it: \`move\` changes its price`,
  })
}

/** The line that places a protective order by hand. */
function lineOf(role: ProtectiveRole, { entry, plan }: ProtectionState): string {
  const { symbol } = entry.order
  return role === 'take' ? `take ${symbol} at ${plan.takeProfitPrice}` : `stop ${symbol} at ${plan.triggerPrice}`
}

function wordOf(role: ProtectiveRole): string {
  return role === 'take' ? 'take-profit' : 'stop'
}

function doubtful(role: ProtectiveRole, state: ProtectionState): TradingError {
  const { symbol } = state.entry.order
  const what = wordOf(role)
  const seconds = DOUBT_MS / 1_000
  return new TradingError(
    'stop-failed',
    `${symbol} may be without its ${what}: the venue has not confirmed for ${seconds} s whether it was placed`,
    {
      hint: `check \`orders ${symbol}\`: where no ${what} rests, \`${lineOf(role, state)}\` places one, \`close ${symbol}\` ends the position; hookline keeps asking`,
    },
  )
}

/** What the operator reads, with the line to type. */
function alarmOf({ role, alarm, reason }: Extract<Effect, { type: 'alarm' }>, state: ProtectionState): TradingError {
  const { entry, isFlat } = state
  const { symbol } = entry.order
  const what = wordOf(role)
  const place = lineOf(role, state)
  const cause = { cause: reason }
  if (alarm === 'rests') {
    const subject = isFlat
      ? `${symbol} is flat, and what protected it`
      : `the ${what} of ${symbol} has nothing left to cover, and`
    return new TradingError('stop-failed', `${subject} still rests: ${reason.why}`, {
      hint: `\`cancel ${symbol}\` cancels it; hookline tries again`,
      ...cause,
    })
  }
  const leg = state.legs.find((each) => each.role === role)
  const lack = alarm === 'short' ? `is in part without its ${what}` : `is without its ${what}`
  const why =
    alarm === 'given-up'
      ? `it was refused ${(leg as Leg).refusals} times, the last time because ${reason.why}`
      : reason.why
  const again = {
    'given-up': '; hookline tries again every 5 min',
    waived: '',
    short: '; hookline tries again',
    missing: '; hookline tries again',
  }
  return new TradingError('stop-failed', `${symbol} ${lack}: ${why}`, {
    hint: `\`${place}\` places one, \`close ${symbol}\` ends the position${again[alarm]}`,
    ...cause,
  })
}

/** Cancels it. @returns how it ended, and whether this is why @throws {ExchangeError} */
async function endOrder(
  exchange: Exchange,
  order: Order,
): Promise<{ readonly ended: Order; readonly isOurs: boolean }> {
  try {
    return { ended: await exchange.cancelOrder(refOf(order), PROTECTS), isOurs: true }
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.code !== 'order-not-found') throw error
    const ended = await exchange.fetchOrder(refOf(order))
    if (ended.status === 'open') throw error
    return { ended, isOurs: false }
  }
}

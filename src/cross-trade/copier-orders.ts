// The orders of one copier on one symbol: how one is sent, what its answer means, and what became of those that a crash left.
import { defined } from '../base/defined.ts'
import type { VenueView } from '../exchange/exchange.ts'
import type { Market } from '../exchange/market.ts'
import type { Order } from '../exchange/order.ts'
import type { CrossTradeCopier } from '../stores/cross-trade.ts'
import type { Clock } from '../trading/clock.ts'
import { type OrderedBy, orderIdOf } from '../trading/order-plan.ts'
import { askOnce, NOT_FOUND_IS_FINAL_MS, type Settlement } from '../trading/settlement.ts'
import { type AccountLink, messageOf } from './account-link.ts'
import type { CopierRetryState } from './copier-status.ts'
import {
  type ChasePort,
  type CopyResult,
  type DueOrder,
  type FoundChase,
  isIntended,
  placeCopy,
  planCopy,
} from './copy-order.ts'
import { type CopierEvent, type CopierName, chaseRef } from './engine-port.ts'
import { Decimal } from './plan.ts'
import { type CopyIntent, type StateJournal, type UnitState, unitIn } from './state-journal.ts'

/** What all copiers of an engine share. */
export interface CopierContext {
  readonly journal: StateJournal
  readonly clock: Clock
  /** The engine stops. */
  readonly signal: AbortSignal
  readonly by: Pick<OrderedBy, 'source' | 'runId'>
  /** Absent: nothing here drives tasks. */
  readonly chase?: ChasePort
  readonly report: (event: CopierEvent) => void
  readonly onProblem: (error: unknown) => void
  /** Why no order may be sent at this moment, by anyone. */
  readonly whyIdle: () => string | undefined
}

export const AGAIN_MS = 1_000
/** How often a chase that is to end is looked at. */
const LOOK_MS = 100
/** So many ids at once are left out where one was used before. */
const USED_IDS = 4_096

/** Whether there may be more to do at once. */
export type Next = 'again' | 'done'

interface OrderingCopier {
  readonly name: CopierName
  readonly key: string
  readonly link: AccountLink
  readonly retry: CopierRetryState
}

interface OrderingPorts {
  readonly context: CopierContext
  /** Why no order may be sent at this moment. */
  readonly whyStale: () => string | undefined
  readonly wake: () => void
  /** What it shows may have changed. */
  readonly reportState: () => void
}

interface CopyTerms {
  readonly market: Market
  readonly copier: CrossTradeCopier
  readonly by: Pick<OrderedBy, 'source' | 'runId'>
}

export class CopierOrders {
  readonly #unit: OrderingCopier
  readonly #ports: OrderingPorts
  #isOutdated = false
  #isDisowned = false
  /** The last one that was set counts. */
  #timer: object | undefined

  constructor(unit: OrderingCopier, ports: OrderingPorts) {
    this.#unit = unit
    this.#ports = ports
  }

  /** Its intent is on the disk before it is sent, once. */
  async order(due: DueOrder, { market, copier, by }: CopyTerms): Promise<Next> {
    const { journal, clock, signal } = this.#ports.context
    const { link, key, name } = this.#unit
    const account = await link.connected()
    if (account === undefined) return 'done'
    if (copier.mode === 'Chase') return this.#chase(due)
    const last = copier.mode === 'LimitSlippage' ? await link.last(name.symbol) : ''
    const plan = planCopy(due, copier, { market, capabilities: account.venue.capabilities, last })
    if ('why' in plan) return this.wait('waiting', plan.why)
    if (this.#ports.whyStale() !== undefined) return 'done'
    const { side, amount } = plan
    const intent = { step: this.#state.nextStep, at: clock.now(), side, amount, reduceOnly: due.reduceOnly }
    await journal.append({ t: 'intent', unit: key, ...intent })
    // What was true before the disk answered may not be true now.
    if (this.#ports.whyStale() !== undefined || signal.aborted) return this.#over(intent, '0')
    const orderedBy = { ...by, step: intent.step, copier: key }
    const result = await placeCopy(account, plan, orderedBy, {
      onUnknown: (why) => this.#doubt(why),
      onNews: this.#ports.wake,
    })
    return this.#conclude(intent, result)
  }

  /** The target is another one: what was left to a task is taken back, and planned anew. */
  outdate(): void {
    this.#isOutdated = true
  }

  /** Its row is off or gone: what tasks still do for it ends, also where a person has paused it. */
  disown(): void {
    this.#isOutdated = true
    this.#isDisowned = true
  }

  /** Whatever a task still does is not the copier's any more, and is to end. */
  takeBack(): void {
    const { chase, onProblem } = this.#ports.context
    for (const intent of this.#state.intents.values()) {
      const found = intent.chase === true ? chase?.find(chaseRef(this.#unit.key, intent.step)) : undefined
      if (found?.isOver === false) chase?.cancel(found.id, chaseRef(this.#unit.key, intent.step)).catch(onProblem)
    }
  }

  /** A task does it, and what it has filled is counted when it is over. */
  async #chase({ side, amount, reduceOnly }: DueOrder): Promise<Next> {
    const { journal, clock, signal, chase } = this.#ports.context
    const { key, name } = this.#unit
    if (chase === undefined) return this.wait('waiting', 'Chase waits for a process that drives tasks')
    if (this.#ports.whyStale() !== undefined) return 'done'
    const order = { side, amount: amount.toFixed(), reduceOnly }
    const intent = { step: this.#state.nextStep, at: clock.now(), ...order, chase: true } as const
    await journal.append({ t: 'intent', unit: key, ...intent })
    if (this.#ports.whyStale() !== undefined || signal.aborted) return this.#over(intent, '0')
    this.#isOutdated = false
    this.#isDisowned = false
    const refused = await chase.begin({
      ref: chaseRef(key, intent.step),
      account: name.account,
      symbol: name.symbol,
      ...order,
    })
    if (refused !== undefined) return this.#conclude(intent, refused)
    this.#unit.retry.note = { state: 'behind', why: 'its chase has begun' }
    return this.#wakeIn(AGAIN_MS)
  }

  /** @returns whether it is over */
  async #settleChase(intent: CopyIntent): Promise<boolean> {
    const { chase, clock, whyIdle } = this.#ports.context
    const { key, retry } = this.#unit
    const found = chase?.find(chaseRef(key, intent.step))
    if (found === undefined) {
      const isFinal = chase !== undefined && clock.now() - intent.at >= NOT_FOUND_IS_FINAL_MS
      if (!isFinal) return this.#askLater('its chase is not among the tasks')
      const unsure = await chase.whyUnsure(chaseRef(key, intent.step))
      if (unsure !== undefined) return this.#askLater(`its chase is not among the tasks: ${unsure}`)
      this.#over(intent, '0')
      return true
    }
    const { id, isOver, isInterrupted, isHeldByPerson, why } = found
    if (!isOver) {
      const isToEnd = this.#isDisowned || ((this.#isOutdated || isInterrupted) && !isHeldByPerson)
      if (isToEnd && whyIdle() === undefined) await chase?.cancel(id, chaseRef(key, intent.step))
      retry.note = isHeldByPerson
        ? { state: 'paused', why: `its chase is ${why}; \`tasks resume ${id.slice(0, 8)}\` goes on` }
        : { state: 'behind', why }
      this.#wakeIn(AGAIN_MS)
      return false
    }
    this.#countChase(intent, found)
    if (isHeldByPerson) {
      this.#pauseUnit(`its chase ended: ${why}; \`cross-trade enable ${this.#unit.name.configId.slice(0, 8)}\` goes on`)
      return true
    }
    const { filled } = found
    const stalled = this.#isOutdated || new Decimal(filled).gte(intent.amount) ? undefined : retry.triedInVain()
    if (stalled !== undefined) this.block(`${stalled}; its last chase: ${why}`)
    return true
  }

  #countChase(intent: CopyIntent, { filled, average }: FoundChase): void {
    this.#over(intent, filled)
    if (new Decimal(filled).gt(0)) this.#copied(intent, { filled, ...defined({ average }) })
  }

  /** The engine ends: what tasks still do for it is taken back, and what they have filled is counted. @returns of what is still under way, one line each */
  async endChases(until: AbortSignal): Promise<readonly string[]> {
    const { key } = this.#unit
    const left = [...this.#state.intents.values()].filter(({ chase }) => chase === true)
    const results = await Promise.all(left.map((intent) => this.#endChase(intent, chaseRef(key, intent.step), until)))
    return results.filter((line) => line !== undefined)
  }

  async #endChase(intent: CopyIntent, ref: string, until: AbortSignal): Promise<string | undefined> {
    const { chase, clock } = this.#ports.context
    const { account, symbol } = this.#unit.name
    const asked = chase?.find(ref)
    let unasked: string | undefined
    if (asked?.isOver === false)
      void chase?.cancel(asked.id, ref).catch((error: unknown) => {
        unasked = `: ${messageOf(error)}`
      })
    for (;;) {
      const found = chase?.find(ref)
      if (found?.isOver === true) {
        this.#countChase(intent, found)
        return undefined
      }
      // What cannot be asked for is not waited for.
      if (until.aborted || unasked !== undefined) {
        const name = found === undefined ? 'a chase' : `chase ${found.id.slice(0, 8)}`
        return `${name} on ${symbol} of account ${account} was not canceled${unasked ?? ''}`
      }
      await clock.delay(LOOK_MS, until)
    }
  }

  #conclude(intent: CopyIntent, result: CopyResult): Next {
    if (result.kind === 'placed') return this.#placed(intent, result.order)
    if (result.kind === 'unknown') {
      this.#doubt(result.why)
      return this.#wakeIn(AGAIN_MS)
    }
    this.#over(intent, '0')
    this.#unit.retry.note = undefined
    if (result.counts && this.#unit.retry.failed()) return this.#pause(result.why)
    if (result.kind === 'refused') return this.block(result.why)
    return this.wait('behind', result.why, Math.max(result.afterMs, this.#unit.retry.pause()))
  }

  /** The venue has it. What is not over is asked for. */
  #placed(intent: CopyIntent, order: Order): Next {
    // Its end is known already, and was told.
    if (!this.#state.intents.has(intent.step)) return 'again'
    if (!isIntended(order, intent)) {
      this.#over(intent, '0')
      return this.#skipUsedIds(intent)
    }
    if (order.status === 'open') return this.#wakeIn(this.#unit.retry.pause())
    this.#over(intent, order.filled)
    this.#unit.retry.answered()
    const filled = new Decimal(order.filled)
    if (filled.gt(0)) this.#copied(intent, order)
    // A market order is only limited by what the book has at a time.
    const isProgress = filled.gt(0) && order.type === 'market'
    if (filled.gte(order.amount) || isProgress) this.#unit.retry.progressed()
    if (filled.gte(order.amount)) return 'again'
    const why = isProgress ? undefined : this.#unit.retry.triedInVain()
    return why === undefined ? this.wait('behind', 'its last order did not fill whole', AGAIN_MS) : this.block(why)
  }

  /** Its state was lost, and the venue knows its ids from before: what was sent now was not placed. */
  #skipUsedIds(intent: CopyIntent): Next {
    const skipped = { ...intent, step: intent.step + USED_IDS }
    this.#ports.context.journal.note({ t: 'intent', unit: this.#unit.key, ...skipped })
    this.#over(skipped, '0')
    const why = 'the ids of its orders were used before: its state was lost'
    return this.#unit.retry.failed() ? this.#pause(why) : 'again'
  }

  #copied({ side, reduceOnly }: CopyIntent, { filled, average }: Pick<Order, 'filled' | 'average'>): void {
    this.#unit.retry.filled()
    const price = defined({ average })
    this.#ports.context.report({ type: 'copied', ...this.#unit.name, side, amount: filled, ...price, reduceOnly })
  }

  #over({ step }: CopyIntent, filled: string): Next {
    this.#ports.context.journal.note({ t: 'end', unit: this.#unit.key, step, filled })
    return 'done'
  }

  /** What was sent and has no known end is asked for by its id, and never sent again. @returns whether all is known */
  async settle(): Promise<boolean> {
    const { by } = this.#ports.context
    const venue = this.#unit.link.account?.venue
    for (const intent of this.#state.intents.values()) {
      if (intent.chase === true) {
        if (await this.#settleChase(intent)) continue
        return false
      }
      if (venue === undefined) return this.#askLater('its account is not connected')
      const clientOrderId = orderIdOf({ ...by, step: intent.step, copier: this.#unit.key })
      const answer = await this.#ask(venue, clientOrderId, intent)
      if (answer.kind === 'unsettled') return this.#askLater('the venue does not report the outcome of its last order')
      if (answer.kind === 'never-arrived') this.#over(intent, '0')
      else if (answer.order.status === 'open') return this.#askLater('its last order is under way')
      else this.#placed(intent, answer.order)
    }
    this.#unit.retry.answered()
    if (this.#unit.retry.note?.state === 'unknown') this.#unit.retry.note = undefined
    return true
  }

  /** A person may have settled what the venue cannot. */
  async #ask(venue: VenueView, clientOrderId: string, intent: CopyIntent): Promise<Settlement> {
    const { clock, signal } = this.#ports.context
    const { side, amount, reduceOnly, at: sentAt } = intent
    const { symbol } = this.#unit.name
    const sent = { symbol, side, amount, reduceOnly, type: 'market' } as const
    const outcome = (await this.#unit.link.account?.orders.records.recordOf(clientOrderId))?.outcome
    if (outcome?.outcome === 'refused') return { kind: 'never-arrived' }
    const question = { venue, sentAt, clock, signal, sent, ref: { symbol, clientOrderId } }
    if (outcome?.outcome !== 'placed') return askOnce(question)
    return askOnce({ ...question, ref: { ...question.ref, id: outcome.orderId }, placedAs: outcome.orderId })
  }

  #askLater(why: string): false {
    this.#doubt(why)
    this.#wakeIn(this.#unit.retry.pause())
    return false
  }

  block(why: string): Next {
    this.#unit.retry.block(why)
    return 'done'
  }

  /** @param ms so long it orders nothing */
  wait(state: 'waiting' | 'behind', why: string, ms?: number): Next {
    const { retry } = this.#unit
    retry.note = { state, why }
    if (ms === undefined) return 'done'
    retry.notBefore = this.#ports.context.clock.now() + ms
    return this.#wakeIn(ms)
  }

  get #state(): UnitState {
    return unitIn(this.#ports.context.journal.state, this.#unit.key)
  }

  #pause(why: string): Next {
    return this.#pauseUnit(`five failures in a row, the last: ${why}`)
  }

  /** Until a person says so. */
  #pauseUnit(why: string): Next {
    this.#ports.context.journal.note({ t: 'paused', unit: this.#unit.key, why })
    return this.block(why)
  }

  #doubt(why: string): void {
    this.#unit.retry.doubt(why)
    this.#ports.reportState()
  }

  #wakeIn(ms: number): Next {
    const { clock, signal, onProblem } = this.#ports.context
    const timer = {}
    this.#timer = timer
    const wake = (): void => {
      if (this.#timer === timer) this.#ports.wake()
    }
    clock.delay(ms, signal).then(wake, onProblem)
    return 'done'
  }
}

// Protective orders whose position is gone: some venues leave them resting, where they would hit the next position of the symbol. They are taken
// back once the venue itself says that the symbol is flat. What was placed by hand is told and left alone.
import { Decimal } from 'decimal.js'
import type { ExchangeEvent, VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { isForced, isTriggerType, type Order, type Side } from '../exchange/order.ts'
import type { Clock } from './clock.ts'
import type { TellOrder } from './order-event.ts'
import type { OrderJournal } from './order-journal.ts'
import type { Protection } from './protection.ts'
import { LAG_MS } from './protection-state.ts'

/** An entry with its protective orders. */
export interface Guarded {
  readonly protection: Protection
  readonly tell: TellOrder
  readonly symbol: string
  /** Of the entry. */
  readonly side: Side
  /** When the last of it is known to have filled, ms since the epoch. */
  filledAt: number
  /** How often the venue is still to be asked whether its position is there: something may have ended it. */
  looksLeft: number
  /** The venue has taken some of the position by force: its orders are to cover no more than what is left. */
  isTaken: boolean
}

interface LeftoversOptions {
  readonly exchange: VenueView
  readonly journal: Pick<OrderJournal, 'openOrder'>
  readonly clock: Clock
  /** The process ends. */
  readonly signal: AbortSignal
  readonly onProblem: (error: unknown) => void
  readonly guarded: () => Iterable<Guarded>
  /** Whether an entry of the symbol is being sent, or its fate is unknown. */
  readonly isUnderWay: (symbol: string) => boolean
}

/** After a fill that may have ended a position: what else it set off is told first. */
const LOOK_MS = 1_000
/** While a position is listed all the same. */
const LOOK_AGAIN_MS = 2_000
const RETRY_MS = 30_000
const LOOKS = 3

export class Leftovers {
  readonly #options: LeftoversOptions
  readonly #waiting = new Set<string>()
  /** By symbol: one look after the other. */
  readonly #looking = new Map<string, Promise<void>>()
  #stop: (() => void) | undefined

  constructor(options: LeftoversOptions) {
    this.#options = options
  }

  /** There is something that could be left over. */
  listen(): void {
    this.#stop ??= this.#options.exchange.subscribe((event) => this.#hear(event))
  }

  rest(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  /** The entries of another process were taken over: what ended meanwhile nobody has told. */
  suspectAll(): void {
    for (const each of this.#options.guarded()) this.#suspect(each, LAG_MS)
  }

  /**
   * An exit has filled whole. Rejects never: what cannot be done now is done later.
   * @param tell hears of reduce-only orders that were placed by hand and still rest
   */
  async exited(symbol: string, exit: Side, tell: TellOrder): Promise<void> {
    if (this.#options.exchange.kind === 'spot') return
    for (const each of this.#of(symbol)) if (each.side !== exit) each.looksLeft = LOOKS
    await this.#look(symbol, true)
    if (this.#isStale) return
    await this.#tellTyped(symbol, tell).catch((error: unknown) => {
      if (!(error instanceof ExchangeError)) this.#options.onProblem(error)
    })
  }

  /** An entry of the symbol is about to be sent: what an earlier one left must not hit it. */
  async beforeEntry(symbol: string): Promise<void> {
    if (this.#of(symbol).some(isSuspect)) await this.#look(symbol, false)
  }

  #hear(event: ExchangeEvent): void {
    if (event.type === 'stream' && event.state === 'resynced') {
      for (const each of this.#options.guarded()) this.#suspect(each, LOOK_MS)
    }
    if (event.type !== 'trade') return
    const { symbol, side, cause } = event.trade
    for (const each of this.#of(symbol).filter((one) => one.side !== side)) {
      each.isTaken ||= isForced(cause)
      this.#suspect(each, LOOK_MS)
    }
  }

  #suspect(guarded: Guarded, ms: number): void {
    if (this.#options.exchange.kind === 'spot') return
    guarded.looksLeft = LOOKS
    this.#lookLater(guarded.symbol, ms)
  }

  #lookLater(symbol: string, ms: number): void {
    if (this.#waiting.has(symbol)) return
    this.#waiting.add(symbol)
    const { clock, signal, onProblem } = this.#options
    clock
      .delay(ms, signal)
      .then(() => {
        this.#waiting.delete(symbol)
        return signal.aborted ? undefined : this.#look(symbol, false)
      })
      .catch(onProblem)
  }

  async #look(symbol: string, isExitKnown: boolean): Promise<void> {
    const before = this.#looking.get(symbol) ?? Promise.resolve()
    const look = before.then(() => this.#lookOnce(symbol, isExitKnown))
    const done = look.catch((error: unknown) => {
      if (!(error instanceof ExchangeError)) this.#options.onProblem(error)
      this.#lookLater(symbol, RETRY_MS)
    })
    this.#looking.set(symbol, done)
    await done
    if (this.#looking.get(symbol) === done) this.#looking.delete(symbol)
  }

  /** Only what had filled before the question is judged by its answer: what is opened meanwhile keeps its own. */
  async #lookOnce(symbol: string, isExitKnown: boolean): Promise<void> {
    const { exchange, clock, isUnderWay } = this.#options
    const suspects = this.#of(symbol).filter(isSuspect)
    if (suspects.length === 0) return
    // `resynced` asks again.
    if (this.#isStale) return
    const now = clock.now()
    const isYoung = !isExitKnown && suspects.some(({ filledAt }) => now - filledAt < LAG_MS)
    if (isYoung || isUnderWay(symbol)) return this.#lookLater(symbol, LOOK_MS)
    const filledAt = new Map(suspects.map((each) => [each, each.filledAt]))
    const position = (await exchange.fetchPositions()).find((each) => each.symbol === symbol)
    if (this.#isStale) return
    if (isUnderWay(symbol)) return this.#lookLater(symbol, LOOK_MS)
    for (const each of suspects.filter((one) => one.filledAt === filledAt.get(one))) {
      each.looksLeft -= 1
      const isHeld = position !== undefined && (position.side === 'long') === (each.side === 'buy')
      if (isHeld && each.isTaken) await each.protection.reduce(new Decimal(position.amount))
      if (each.looksLeft === 0) each.isTaken = false
      if (isHeld) continue
      each.looksLeft = 0
      each.isTaken = false
      await each.protection.retire()
    }
    if (suspects.some(isSuspect)) this.#lookLater(symbol, LOOK_AGAIN_MS)
  }

  /** Nobody but who placed them knows what they are for. Those of other processes of ours are seen to by them. */
  async #tellTyped(symbol: string, tell: TellOrder): Promise<void> {
    const { exchange, journal } = this.#options
    const resting = await exchange.fetchOpenOrders(symbol)
    const typed: Order[] = []
    for (const order of resting.filter(({ reduceOnly, type }) => reduceOnly && isTriggerType(type))) {
      const known = order.clientOrderId === undefined ? undefined : await journal.openOrder(order.clientOrderId)
      if (known?.protects === undefined) typed.push(order)
    }
    if (typed.length === 0) return
    if ((await exchange.fetchPositions()).some((each) => each.symbol === symbol)) return
    for (const order of typed) tell({ type: 'still-rests', order })
  }

  get #isStale(): boolean {
    return this.#options.exchange.stream === 'stale'
  }

  #of(symbol: string): readonly Guarded[] {
    return [...this.#options.guarded()].filter((each) => each.symbol === symbol)
  }
}

function isSuspect({ looksLeft }: Guarded): boolean {
  return looksLeft > 0
}

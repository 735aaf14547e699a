// One copier on one symbol: it brings what its orders have built to its target, one order at a time. What it must remember is in the journal.
import type { Market } from '../exchange/market.ts'
import type { CrossTradeCopier } from '../stores/cross-trade.ts'
import type { OrderedBy } from '../trading/order-plan.ts'
import { type AccountLink, hasCode, messageOf } from './account-link.ts'
import { AGAIN_MS, type CopierContext, CopierOrders, type Next } from './copier-orders.ts'
import { CopierRetryState, showUnit } from './copier-status.ts'
import type { DueOrder } from './copy-order.ts'
import type { CopierName, CopierState } from './engine-port.ts'
import {
  byNotional,
  type Copy,
  type CopyFacts,
  Decimal,
  type Figure,
  inconvertible,
  isSameMeasure,
  nextCopy,
  stillOwned,
  ZERO,
} from './plan.ts'
import { type UnitState, unitIn, unitKey } from './state-journal.ts'

/** What it is to hold, of all symbols of the master; undefined: a part of it was not converted yet. */
function desiredOf({ parts }: Pick<UnitState, 'parts'>): Decimal | undefined {
  let sum = ZERO
  for (const { amount } of Object.values(parts)) {
    if (amount === undefined) return undefined
    sum = sum.plus(amount)
  }
  return sum
}

interface Conversion {
  readonly master: AccountLink
  readonly copier: AccountLink
  /** Of the copier. */
  readonly symbol: string
}

/**
 * What a share of the master's position is in the copier's unit, at the prices of now.
 * @returns text where nothing could convert it @throws {ExchangeError}
 */
export async function convert(
  raw: string,
  masterSymbol: string,
  { master, copier, symbol }: Conversion,
): Promise<Decimal | string> {
  const from = master.knownMarket(masterSymbol) ?? (await master.market(masterSymbol))
  const to = copier.knownMarket(symbol) ?? (await copier.market(symbol))
  if (to === undefined) return `${copier.name} has no market ${symbol}`
  if (from === undefined) return `${master.name} has no market ${masterSymbol}`
  const share = new Decimal(raw)
  if (isSameMeasure(from, to)) return share
  const why = inconvertible(from, to)
  if (why !== undefined) return why
  const [fromLast, toLast] = await Promise.all([master.last(masterSymbol), copier.last(symbol)])
  return byNotional(share, { market: from, price: fromLast }, { market: to, price: toLast })
}

interface UnitPorts {
  readonly master: () => AccountLink
  readonly link: AccountLink
  /** Why the target may not be that of now. */
  readonly whyBehindMaster: () => string | undefined
}

interface Asked {
  readonly by: Pick<OrderedBy, 'source' | 'runId'>
  /** Else it goes by its row. */
  readonly isFlattening: boolean
}

export class SymbolCopier {
  readonly name: CopierName
  readonly key: string
  readonly #context: CopierContext
  readonly #ports: UnitPorts
  /** Undefined: the row no longer has it, or is off. */
  #copier: CrossTradeCopier | undefined
  readonly #retry = new CopierRetryState()
  readonly #orders: CopierOrders
  readonly #drift = new DriftWatch()
  #shown = ''
  #isDirty = false
  #running: Promise<void> | undefined
  #asked: Asked | undefined

  constructor(name: CopierName, context: CopierContext, ports: UnitPorts) {
    this.name = name
    this.key = unitKey(name.configId, name.account, name.symbol)
    this.#context = context
    this.#ports = ports
    this.#orders = new CopierOrders(
      { name, key: this.key, link: ports.link, retry: this.#retry },
      { context, whyStale: () => this.#whyStale(), wake: () => this.wake(), reportState: () => this.#report() },
    )
  }

  /** As the row has it from now on. Nothing is traded for an edit: what held the copier back is forgotten when the master changes. */
  become(copier: CrossTradeCopier | undefined, isEdit: boolean): void {
    this.#copier = copier
    if (isEdit) this.#retry.edited()
    if (copier === undefined) this.#orders.disown()
    this.#report()
  }

  get link(): AccountLink {
    return this.#ports.link
  }

  get owned(): Decimal {
    return new Decimal(this.#state.owned)
  }

  get isActive(): boolean {
    return this.#copier !== undefined
  }

  /** Orders of which no end is known. */
  get hasOpenOrders(): boolean {
    return this.#state.intents.size > 0
  }

  get isIdle(): boolean {
    return this.#running === undefined && !this.hasOpenOrders
  }

  /** The target is another one, or a person said so: what held it back is forgotten. */
  release(): void {
    this.#retry.release()
    this.#orders.outdate()
    this.wake()
  }

  /** The row begins anew: what tasks still do for it is to end. */
  begin(): void {
    this.#orders.takeBack()
    this.forget()
  }

  /** What went wrong so far. */
  forget(): void {
    this.#retry.forget()
    this.#drift.forget()
  }

  /** What others have closed of it is to be built again. */
  adopt(held: Decimal): void {
    const owned = stillOwned(this.owned, held)
    if (!this.isIdle || owned.eq(this.owned)) return
    this.#context.journal.note({ t: 'owned', unit: this.key, owned: owned.toFixed() })
    this.#drift.forget()
  }

  /** As `release`, for a person who asked for it. */
  resync(by: Pick<OrderedBy, 'source' | 'runId'>): void {
    this.#asked = { by, isFlattening: false }
    this.release()
  }

  /** Closes what its orders have built, whatever the row says. */
  flatten(by: Pick<OrderedBy, 'source' | 'runId'>): void {
    this.#asked = { by, isFlattening: true }
    this.release()
  }

  wake(): void {
    if (this.#context.signal.aborted) return
    this.#isDirty = true
    this.#running ??= this.#run()
  }

  /** The engine ends. @returns of what tasks still do for it, one line each */
  endChases(until: AbortSignal): Promise<readonly string[]> {
    return this.#orders.endChases(until)
  }

  /** Resolves when it has done what it can for now. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  show(): CopierState {
    const market = this.#ports.link.knownMarket(this.name.symbol)
    const [desired, whyStale] = [this.#desired(), this.#whyStale()]
    const remaining = this.#drift.remainingOf(this.owned)
    return showUnit(this.name, this.#state, { desired, market, whyStale, remaining, retry: this.#retry })
  }

  /** Its account was looked at: what others did there is told. */
  look(): void {
    const { link } = this.#ports
    const market = link.knownMarket(this.name.symbol)
    if (market === undefined || !this.isIdle || !this.isActive) return
    const held = link.held(this.name.symbol)
    const isDrift = this.#drift.look(held, this.owned, market.lotSize)
    this.#report()
    if (!isDrift) return
    this.#context.report({ type: 'drift', ...this.name, owned: this.#state.owned, held: held.toFixed() })
  }

  get #state(): UnitState {
    return unitIn(this.#context.journal.state, this.key)
  }

  #desired(): Decimal | undefined {
    return this.#asked?.isFlattening === true ? new Decimal(0) : desiredOf(this.#state)
  }

  #whyStale(): string | undefined {
    const { link, whyBehindMaster } = this.#ports
    const loss = link.loss
    const own = loss === undefined ? undefined : `${link.name}: ${loss}`
    return this.#context.whyIdle() ?? (this.#asked?.isFlattening === true ? undefined : whyBehindMaster()) ?? own
  }

  async #run(): Promise<void> {
    const { signal, onProblem } = this.#context
    while (this.#isDirty && !signal.aborted) {
      this.#isDirty = false
      try {
        if ((await this.#step()) === 'again') this.#isDirty = true
      } catch (error) {
        if (!hasCode(error)) onProblem(error)
        this.#orders.wait('behind', messageOf(error), this.#retry.pause() + AGAIN_MS)
      }
    }
    this.#running = undefined
    this.#report()
  }

  async #step(): Promise<Next> {
    const { link } = this.#ports
    if (this.hasOpenOrders && !(await this.#orders.settle())) return 'done'
    const mayCopy = this.#copier !== undefined && this.#state.paused === undefined
    if (this.#retry.hold !== undefined || !(mayCopy || this.#asked?.isFlattening === true)) return 'done'
    if (this.#whyStale() !== undefined || this.#context.clock.now() < this.#retry.notBefore) return 'done'
    const desired = await this.#convertAll()
    if (desired === undefined) return 'done'
    const market = link.knownMarket(this.name.symbol) ?? (await link.market(this.name.symbol))
    if (market === undefined) return this.#orders.block(`${link.name} has no market ${this.name.symbol}`)
    const copy = await this.#next(market, desired)
    // The master may have moved on while the copier asked: the loop comes again.
    return this.#desired()?.eq(desired) === true ? this.#act(copy, market) : 'again'
  }

  /** Asks only what it needs to know. */
  async #next(market: Market, desired: Decimal): Promise<Copy> {
    const { link } = this.#ports
    const facts = { market, desired, owned: this.owned }
    const copy = nextCopy(facts)
    if (copy.kind !== 'ask') return copy
    if (copy.what === 'price') return this.#nextAtPrice(facts)
    if (!(await link.refresh())) return { kind: 'waiting', why: `${link.name}: ${link.loss ?? ''}` }
    return nextCopy({ ...facts, held: link.held(this.name.symbol) })
  }

  /** What is large enough at half of a recent price needs no price of now. */
  async #nextAtPrice(facts: CopyFacts): Promise<Copy> {
    const { link } = this.#ports
    const recent = link.recentLast(this.name.symbol)
    const guess = recent === undefined ? undefined : nextCopy({ ...facts, price: new Decimal(recent).div(2) })
    if (guess?.kind === 'order') return guess
    return nextCopy({ ...facts, price: await link.last(this.name.symbol) })
  }

  async #act(copy: Copy, market: Market): Promise<Next> {
    if (copy.kind !== 'gone') this.#retry.gone = undefined
    switch (copy.kind) {
      case 'in-step':
        this.#retry.note = undefined
        this.#asked = undefined
        return 'done'
      case 'waiting':
        return this.#orders.wait('waiting', copy.why)
      case 'gone':
        return this.#writeOff(copy.amount)
      case 'order':
        return this.#order(copy, market)
      case 'ask':
        throw new Error('a copier does not know what it has asked for')
    }
  }

  /** Only when it was seen twice: a venue may tell late what it holds. */
  #writeOff(amount: Decimal): Next {
    const gone = amount.toFixed()
    if (this.#retry.gone !== gone) {
      this.#retry.gone = gone
      return this.#orders.wait('behind', 'what it should reduce is not there; it looks again', AGAIN_MS)
    }
    this.#retry.gone = undefined
    const owned = new Decimal(this.#state.owned).minus(amount).toFixed()
    this.#context.journal.note({ t: 'owned', unit: this.key, owned })
    this.#drift.forget()
    this.#context.report({ type: 'written-off', ...this.name, amount: gone })
    return 'again'
  }

  /** At the prices of now, and not again until the master changes. @returns what it is to hold; undefined: it cannot be told */
  async #convertAll(): Promise<Decimal | undefined> {
    const { master, link: copier } = this.#ports
    const parts = this.#asked?.isFlattening === true ? {} : this.#state.parts
    for (const [symbol, { raw, amount }] of Object.entries(parts)) {
      if (amount !== undefined) continue
      const converted = await convert(raw, symbol, { master: master(), copier, symbol: this.name.symbol })
      if (typeof converted === 'string') {
        this.#orders.block(converted)
        return undefined
      }
      this.#context.journal.note({ t: 'part', unit: this.key, symbol, raw, amount: converted.toFixed() })
    }
    return this.#desired()
  }

  async #order(due: DueOrder, market: Market): Promise<Next> {
    const copier = this.#asked?.isFlattening === true ? MARKET : this.#copier
    if (copier === undefined) return 'done'
    const next = await this.#orders.order(due, { market, copier, by: this.#asked?.by ?? this.#context.by })
    if (this.#retry.hold !== undefined) this.#asked = undefined
    return next
  }

  /** Tells what has changed of what it shows. */
  #report(): void {
    const copier = this.show()
    const shown = `${copier.state} ${copier.why ?? ''}`
    if (shown === this.#shown) return
    this.#shown = shown
    this.#context.report({ type: 'state', copier })
  }
}

/** Others have closed some of what was built. */
function isLess(held: Decimal, owned: Decimal): boolean {
  return !stillOwned(owned, held).eq(owned)
}

const MARKET: CrossTradeCopier = { account: '', weight: 1, mode: 'Market' }

/** Reports once that others changed a copier's position, when two looks in a row show the same change. */
class DriftWatch {
  #known: Decimal | undefined
  #seen: Decimal | undefined
  /** What was there beside its own when it was first looked at. */
  #first: Decimal | undefined
  #isTwice = false

  /** What the account holds, where others have closed some of what was built; a venue may report late what it holds. */
  remainingOf(owned: Decimal): Decimal | undefined {
    if (!this.#isTwice || this.#seen === undefined || this.#seen.eq(this.#first ?? 0)) return undefined
    const held = owned.plus(this.#seen)
    return isLess(held, owned) ? held : undefined
  }

  /** @returns whether what is not its own has changed by a lot or more, twice the same */
  look(held: Decimal, owned: Figure, lotSize: Figure): boolean {
    const foreign = held.minus(owned)
    const known = this.#known ?? foreign
    // What is less than its own was closed while no engine looked.
    this.#first ??= isLess(held, new Decimal(owned)) ? new Decimal(0) : foreign
    this.#isTwice = this.#seen?.eq(foreign) ?? false
    this.#seen = foreign
    const isDrift = this.#isTwice && foreign.minus(known).abs().gte(lotSize)
    this.#known = isDrift ? foreign : known
    return isDrift
  }

  /** What is there now is nothing new. */
  forget(): void {
    this.#known = undefined
    this.#seen = undefined
    this.#first = undefined
    this.#isTwice = false
  }
}

// One row: what its master's positions make of each of its copiers. A target changes when the master does, and for nothing else.
import { defined } from '../base/defined.ts'
import type { CrossTradeConfig, CrossTradeCopier } from '../stores/cross-trade.ts'
import type { AccountLink } from './account-link.ts'
import type { CopierContext } from './copier-orders.ts'
import type { CopierState } from './engine-port.ts'
import { shareOf } from './plan.ts'
import { extrasOf, type JudgedRow } from './rows-check.ts'
import { type Amounts, type RowState, type RowTerms, unitKey, unitsOf } from './state-journal.ts'
import { SymbolCopier } from './symbol-copier.ts'

/** Where the symbol of a copier follows the master's, and the master has not traded yet. */
const ANY = '*'

export class CopyingRow {
  readonly id: string
  readonly #context: CopierContext
  readonly #linkOf: (account: string) => AccountLink
  /** By their keys. */
  readonly #units = new Map<string, SymbolCopier>()
  #judged: JudgedRow
  #begins: { readonly sync: boolean } | undefined
  /** Positions that were seen once and are not believed yet. */
  readonly #candidates = new Map<string, string>()
  #hasRead = false
  /** It was refused for a while: what the master did meanwhile is for its next change. */
  #absorbs = false
  #reading: Promise<unknown> = Promise.resolve()

  constructor(judged: JudgedRow, context: CopierContext, linkOf: (account: string) => AccountLink) {
    this.id = judged.row.id
    this.#judged = judged
    this.#context = context
    this.#linkOf = linkOf
    for (const [key, { owned, intents, parts }] of unitsOf(context.journal.state, this.id)) {
      if (owned === '0' && intents.size === 0 && Object.keys(parts).length === 0) continue
      const [, account = '', ...symbol] = key.split('/')
      this.#unit(account, symbol.join('/'))
    }
    this.#settleTerms()
  }

  get judged(): JudgedRow {
    return this.#judged
  }

  get master(): AccountLink {
    return this.#linkOf(this.#judged.row.masterAccount)
  }

  get copies(): boolean {
    return this.#judged.row.enabled && this.#judged.why === undefined
  }

  get units(): readonly SymbolCopier[] {
    return [...this.#units.values()]
  }

  get state(): RowState | undefined {
    return this.#context.journal.state.rows.get(this.id)
  }

  /** Units whose orders have built something, or may have. */
  get built(): readonly SymbolCopier[] {
    return this.units.filter((unit) => !unit.owned.isZero() || unit.hasOpenOrders)
  }

  /** Accounts that it must know: while it copies, and until it knows what became of its orders. */
  get accounts(): readonly string[] {
    const { masterAccount, copiers } = this.#judged.row
    const copying = this.copies ? [masterAccount, ...copiers.map(({ account }) => account)] : []
    return [...copying, ...this.units.filter((unit) => unit.hasOpenOrders).map((unit) => unit.name.account)]
  }

  /** The row as it is now. Nothing is traded for it. */
  become(judged: JudgedRow): void {
    const before = this.#judged
    const isEdit = JSON.stringify(before.row) !== JSON.stringify(judged.row)
    this.#judged = judged
    if (before.why !== judged.why) this.#reportRefusal(judged.why)
    if (before.row.enabled && before.why !== undefined && this.copies) this.#absorbs = true
    this.#settleTerms(isEdit)
  }

  /** Its master's positions of now are where it begins, or goes on from. */
  get awaitsMaster(): boolean {
    return this.copies && (this.#begins !== undefined || this.#absorbs)
  }

  /** Nothing current is known of its master any more. */
  unread(): void {
    this.#hasRead = false
    this.#candidates.clear()
  }

  /**
   * The master's positions were read.
   * @param certain symbols of which it is known that they traded: others are believed when they were seen twice
   * @returns whether they should be read again soon
   */
  masterRead(certain: ReadonlySet<string>): Promise<boolean> {
    const read = this.#reading.then(() => this.#read(certain))
    this.#reading = read.catch(() => {})
    return read
  }

  /** Symbols of the master that it copies, of those that anything is known of. */
  symbols(): readonly string[] {
    const { masterSymbol } = this.#judged.row
    if (masterSymbol !== undefined) return [masterSymbol]
    return [...new Set([...Object.keys(this.state?.seen ?? {}), ...this.master.positions.keys()])].sort()
  }

  /** What a position of the master makes of each copier, in the master's unit, by their keys. */
  sharesOf(symbol: string, position: string): Amounts {
    const { masterWeight } = this.#judged.row
    const baseline = this.state?.baseline[symbol] ?? '0'
    return Object.fromEntries(
      this.#copiers().map((copier) => [
        this.#unitOf(copier, symbol).key,
        shareOf({ weight: copier.weight, masterWeight }, position, baseline).toFixed(),
      ]),
    )
  }

  /** The master holds so much now. Nothing is traded before the copiers are released. */
  target(symbol: string, position: string, raws: Amounts): void {
    this.#context.journal.note({ t: 'master', row: this.id, symbol, position, raws })
  }

  /** Its copiers are to hold nothing. @param isCurrent whether its master's positions are those of now, else those last known count */
  beginFlat(isCurrent: boolean): void {
    const seen = isCurrent ? this.#held() : this.state?.seen
    this.#context.journal.note({ t: 'flat', row: this.id, ...defined({ seen }) })
  }

  /** Of each copier; of one that does nothing, why. */
  show(): readonly CopierState[] {
    const { row, why: refused, copiers } = this.#judged
    if (!row.enabled) return []
    return copiers.flatMap(({ copier, why = refused }) => {
      const { account } = copier
      const nothing = { configId: row.id, account, symbol: copier.symbol ?? row.masterSymbol ?? ANY }
      if (why !== undefined) return [{ ...nothing, state: 'blocked' as const, desired: '0', owned: '0', why }]
      const units = this.units.filter((unit) => unit.isActive && unit.name.account === account)
      if (units.length > 0) return units.map((unit) => unit.show())
      const stale = this.#whyBehindMaster()
      const state = stale === undefined ? { state: 'in-step' as const } : { state: 'stale' as const, why: stale }
      return [{ ...nothing, ...state, desired: '0', owned: '0' }]
    })
  }

  wake(): void {
    for (const unit of this.#units.values()) unit.wake()
  }

  /** Of the master, as last read. */
  #held(): Amounts {
    return Object.fromEntries([...this.master.positions].map(([symbol, amount]) => [symbol, amount.toFixed()]))
  }

  #copiers(): readonly CrossTradeCopier[] {
    return this.#judged.copiers.flatMap(({ copier, why }) => (why === undefined ? [copier] : []))
  }

  #whyBehindMaster(): string | undefined {
    const { loss, name } = this.master
    if (loss !== undefined) return `${name}: ${loss}`
    return this.#hasRead && this.#candidates.size === 0 ? undefined : `${name}: its positions are looked at again`
  }

  #settleTerms(isEdit = false): void {
    const { row, why } = this.#judged
    const { state } = this
    if (!row.enabled) this.#end(state)
    else if (why === undefined) this.#begin(state)
    if (this.copies) this.#makeUnits()
    for (const unit of this.#units.values()) unit.become(this.copies ? this.#copierOf(unit) : undefined, isEdit)
  }

  #end(state: RowState | undefined): void {
    this.#begins = undefined
    if (state?.isOn !== true) return
    this.#context.journal.note({ t: 'off', row: this.id })
    this.#context.report({ type: 'row-off', configId: this.id })
  }

  #begin(state: RowState | undefined): void {
    const { sync, enabledAt, wokenAt } = extrasOf(this.#judged.row)
    if (state?.isOn !== true || !isSameTerms(state.terms, termsOf(this.#judged.row))) {
      this.#begins ??= { sync: sync && (state === undefined || state.terms.enabledAt !== enabledAt) }
      this.unread()
      return
    }
    this.#begins = undefined
    if (state.wokenAt === wokenAt) return
    this.#context.journal.note({ t: 'woken', row: this.id, ...defined({ wokenAt }) })
    for (const unit of this.#units.values()) {
      unit.forget()
      unit.wake()
    }
  }

  /** Those whose symbol does not wait for what the master trades. */
  #makeUnits(): void {
    const { masterSymbol } = this.#judged.row
    for (const copier of this.#copiers()) {
      const symbol = copier.symbol ?? masterSymbol
      if (symbol !== undefined) this.#unit(copier.account, symbol)
    }
  }

  #unitOf(copier: CrossTradeCopier, masterSymbol: string): SymbolCopier {
    const unit = this.#unit(copier.account, copier.symbol ?? masterSymbol)
    if (!unit.isActive) unit.become(copier, false)
    return unit
  }

  #unit(account: string, symbol: string): SymbolCopier {
    const key = unitKey(this.id, account, symbol)
    const known = this.#units.get(key)
    if (known !== undefined) return known
    const unit = new SymbolCopier({ configId: this.id, account, symbol }, this.#context, {
      master: () => this.master,
      link: this.#linkOf(account),
      whyBehindMaster: () => this.#whyBehindMaster(),
    })
    this.#units.set(key, unit)
    return unit
  }

  #copierOf({ name }: SymbolCopier): CrossTradeCopier | undefined {
    const { masterSymbol } = this.#judged.row
    return this.#copiers().find(({ account, symbol = masterSymbol }) => {
      return account === name.account && (symbol === undefined || symbol === name.symbol)
    })
  }

  async #read(certain: ReadonlySet<string>): Promise<boolean> {
    if (!this.copies || this.master.loss !== undefined) return false
    const isSync = this.#begins?.sync === true
    if (this.#begins !== undefined) await this.#turnOn(isSync)
    const isTaken = isSync || this.#absorbs
    let isDoubtful = false
    for (const symbol of this.symbols()) {
      const believed = this.#believe(symbol, isTaken || certain.has(symbol))
      // What has traded and is the same may not have been counted yet.
      if (believed === 'again' || (believed === 'same' && certain.has(symbol))) isDoubtful = true
    }
    this.#hasRead = true
    this.#absorbs = false
    this.wake()
    return isDoubtful
  }

  #believe(symbol: string, isCertain: boolean): 'same' | 'changed' | 'again' {
    const position = this.master.held(symbol).toFixed()
    if (position === (this.state?.seen[symbol] ?? '0')) {
      this.#candidates.delete(symbol)
      return 'same'
    }
    if (!isCertain && this.#candidates.get(symbol) !== position) {
      this.#candidates.set(symbol, position)
      return 'again'
    }
    this.#candidates.delete(symbol)
    const raws = this.#absorbs ? {} : this.sharesOf(symbol, position)
    this.target(symbol, position, raws)
    for (const key of Object.keys(raws)) this.#units.get(key)?.release()
    return 'changed'
  }

  /** From these positions on. */
  async #turnOn(isSync: boolean): Promise<void> {
    const baseline: Amounts = isSync ? {} : this.#held()
    const { wokenAt } = extrasOf(this.#judged.row)
    const terms = { ...termsOf(this.#judged.row), ...defined({ wokenAt }) }
    for (const unit of this.#units.values()) unit.begin()
    await this.#context.journal.append({ t: 'on', row: this.id, ...terms, baseline, seen: baseline })
    this.#begins = undefined
    this.#absorbs = false
    this.#context.report({ type: 'row-on', configId: this.id, baseline })
  }

  #reportRefusal(why: string | undefined): void {
    this.#context.report({ type: 'refused', configId: this.id, ...defined({ why }) })
  }
}

/** What makes a row the row that it was: a change of it begins the row anew. */
function termsOf(row: CrossTradeConfig): RowTerms {
  const { enabledAt } = extrasOf(row)
  return { master: row.masterAccount, ...defined({ masterSymbol: row.masterSymbol, enabledAt }) }
}

function isSameTerms(a: RowTerms, b: RowTerms): boolean {
  return a.master === b.master && a.masterSymbol === b.masterSymbol && a.enabledAt === b.enabledAt
}

// A master and its copiers on paper accounts of one scripted market, and an engine between them. The clock moves only when the test moves it.
// Engines that are started one after the other share the accounts and the file, as processes do; the one before is killed, or has stopped.

import { defined } from '../../src/base/defined.ts'
import type { ChasePort } from '../../src/cross-trade/copy-order.ts'
import { type CrossTradeEngine, createCrossTradeEngine } from '../../src/cross-trade/engine.ts'
import type { CopierEvent, CopierState } from '../../src/cross-trade/engine-port.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { ExchangeError, type ExchangeErrorCode } from '../../src/exchange/exchange-error.ts'
import type { OrderRequest, Side } from '../../src/exchange/order.ts'
import type { PaperVenue } from '../../src/exchanges/paper/paper-controls.ts'
import type { CrossTradeConfig, CrossTradeCopier } from '../../src/stores/cross-trade.ts'
import type { DurableJournal } from '../../src/stores/durable-journal.ts'
import { OrderDesk, type TradingAccount } from '../../src/trading/order-desk.ts'
import { createOrderJournal } from '../../src/trading/order-journal.ts'
import { journalInMemory } from '../venues/journal-in-memory.ts'
import {
  createMemoryStore,
  createScriptedMarket,
  type MemoryStore,
  type ScriptedMarket,
} from '../venues/scripted-market.ts'
import { jumpingClock } from './jumping-clock.ts'

export const ROW_ID = '11111111-2222-4333-8444-555555555555'

export type PaperExchange = Exchange & PaperVenue

export interface EngineOverrides {
  readonly file?: (file: DurableJournal) => DurableJournal
  readonly exchange?: (exchange: PaperExchange, account: string) => Exchange
  readonly chase?: ChasePort
}

export interface CopierStageOptions {
  /** In USDT. */
  readonly balance?: string
  readonly prices?: Readonly<Record<string, string>>
  readonly rows?: readonly CrossTradeConfig[]
}

export function rowOf(more: Partial<CrossTradeConfig> & object = {}): CrossTradeConfig {
  return {
    id: ROW_ID,
    enabled: true,
    masterAccount: 'master',
    masterWeight: 1,
    updatedAt: 1,
    copiers: [copierOf()],
    ...more,
  }
}

export function copierOf(more: object = {}): CrossTradeCopier {
  return { account: 'copier', weight: 1, mode: 'Market', ...more }
}

export function stageCopier(options: CopierStageOptions = {}): CopierStage {
  return new CopierStage(options)
}

export class CopierStage {
  readonly market: ScriptedMarket
  readonly clock: ReturnType<typeof jumpingClock>
  /** Of the engine's file. */
  readonly lines: string[] = []
  /** Ids of all orders that an engine has sent. */
  readonly sent: string[] = []
  readonly stores = new Map<string, MemoryStore>()
  readonly #exchanges = new Map<string, PaperExchange>()
  readonly #handlers = new Set<() => void>()
  #configs: readonly CrossTradeConfig[]
  #opening = ''
  #orders = 0

  constructor({ balance = '1000000', prices = {}, rows = [rowOf()] }: CopierStageOptions) {
    this.#configs = rows
    this.market = createScriptedMarket({
      balance,
      prices: { BTCUSDT: '65000', ETHUSDT: '3250', ...prices },
      openStore: (fresh) => {
        const store = this.stores.get(this.#opening) ?? createMemoryStore(fresh)
        this.stores.set(this.#opening, store)
        return store
      },
    })
    this.clock = jumpingClock(this.market)
  }

  get configs(): readonly CrossTradeConfig[] {
    return this.#configs
  }

  /** Another exchange on the account, as another process has it. @throws for one that no row knows */
  open(account: string): PaperExchange {
    this.#opening = account
    return this.market.openExchange()
  }

  /** As somebody else has it open: by hand, or as the master trades. */
  by(account: string): PaperExchange {
    const known = this.#exchanges.get(account) ?? this.open(account)
    this.#exchanges.set(account, known)
    return known
  }

  /** A market order that fills whole. */
  async trade(account: string, side: Side, amount: string, symbol = 'BTCUSDT'): Promise<void> {
    this.#orders += 1
    const clientOrderId = this.#orders.toString(16).padStart(32, 'f')
    const outcome = await this.by(account).createOrder({ clientOrderId, symbol, side, type: 'market', amount })
    if (outcome.kind !== 'placed' || outcome.order.filled !== amount)
      throw new Error(`${account} could not ${side} ${amount}: ${JSON.stringify(outcome)}`)
  }

  /** Signed. */
  async position(account: string, symbol = 'BTCUSDT'): Promise<string> {
    const found = (await this.by(account).fetchPositions()).find((each) => each.symbol === symbol)
    return found === undefined ? '0' : found.side === 'long' ? found.amount : `-${found.amount}`
  }

  /** In steps of 100 ms, as far as that is not too many. */
  async advance(ms: number, step = ms <= 5_000 ? 100 : 1_000): Promise<void> {
    for (let left = ms; left > 0; left -= step) {
      await this.market.advance(Math.min(step, left))
      this.clock.endDelays()
      await settle()
    }
  }

  /** The machine sleeps: nothing happens meanwhile. */
  async sleep(ms: number): Promise<void> {
    this.clock.jump(ms)
    await settle()
  }

  /** As another process, or a page, edits them. */
  async edit(...rows: readonly CrossTradeConfig[]): Promise<void> {
    this.#configs = rows
    for (const handler of this.#handlers) handler()
    await settle()
  }

  watch(handler: () => void): () => void {
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }

  /** Not awaited: nothing moves before the clock does. */
  start(overrides: EngineOverrides = {}): StagedEngine {
    const staged = new StagedEngine(this, overrides)
    staged.engine.start().catch((error: unknown) => staged.problems.push(error))
    return staged
  }

  /** Started, and its first look at the master is believed. */
  async started(overrides: EngineOverrides = {}): Promise<StagedEngine> {
    const staged = this.start(overrides)
    await this.advance(1_500)
    return staged
  }
}

export class StagedEngine {
  readonly engine: CrossTradeEngine
  readonly events: CopierEvent[] = []
  readonly problems: unknown[] = []
  isLeader = true
  #isDead = false
  readonly #stage: CopierStage
  readonly #overrides: EngineOverrides
  readonly #accounts = new Map<string, TradingAccount>()
  readonly #opened: string[] = []

  constructor(stage: CopierStage, overrides: EngineOverrides) {
    this.#stage = stage
    this.#overrides = overrides
    const isDead = () => this.#isDead
    const file = journalInMemory(stage.lines)
    this.engine = createCrossTradeEngine({
      configs: () => stage.configs,
      watchConfigs: (handler) => stage.watch(() => (isDead() ? undefined : handler())),
      connect: async (name) => this.#connect(name),
      file: mortal(overrides.file?.(file) ?? file, isDead),
      clock: stage.clock,
      ...defined({ chase: overrides.chase }),
      isLeader: () => this.isLeader && !isDead(),
      by: { source: 'exec', runId: 'engine' },
      report: (event) => void this.events.push(event),
      onProblem: (problem) => void this.problems.push(problem),
    })
  }

  /** What it does from now on has no effect, and nothing answers it. */
  kill(): void {
    this.#isDead = true
  }

  /** `side amount` of each order that filled, with the account where it is another than `copier`. */
  copied(): string[] {
    return this.events.flatMap((event) => {
      if (event.type !== 'copied') return []
      const where = event.account === 'copier' ? '' : `${event.account} `
      return [`${where}${event.side} ${event.amount}${event.reduceOnly ? ' reduce' : ''}`]
    })
  }

  /** What it has told of one type. */
  told<Type extends CopierEvent['type']>(type: Type): Extract<CopierEvent, { readonly type: Type }>[] {
    return this.events.filter((event): event is Extract<CopierEvent, { readonly type: Type }> => event.type === type)
  }

  /** Of the first copier that fits. */
  state(account = 'copier', symbol?: string): CopierState | undefined {
    const { copiers } = this.engine.report()
    return copiers.find((each) => each.account === account && (symbol ?? each.symbol) === each.symbol)
  }

  /** The account is edited: who asks for it gets another connection. */
  reconnect(name: string): void {
    this.#accounts.delete(name)
  }

  /** How often it was connected. */
  opened(name: string): number {
    return this.#opened.filter((each) => each === name).length
  }

  #connect(name: string): TradingAccount {
    const known = this.#accounts.get(name)
    if (known !== undefined) return known
    if (!this.#stage.configs.some((row) => namesOf(row).includes(name)) && !this.#stage.stores.has(name))
      throw Object.assign(new Error(`there is no account ${name}`), { code: 'unknown-account' })
    this.#opened.push(name)
    const paper = this.#stage.open(name)
    const exchange = counting(this.#overrides.exchange?.(paper, name) ?? paper, this.#stage.sent, () => this.#isDead)
    const onProblem = (problem: unknown) => void this.problems.push(problem)
    const journal = createOrderJournal({ ...journalInMemory(), path: `/nowhere/${name}/orders.jsonl` }, { onProblem })
    const { clock } = this.#stage
    const orders = new OrderDesk({ account: name, exchange, journal, clock, report() {}, onProblem })
    const account = { name, venue: exchange, orders }
    this.#accounts.set(name, account)
    return account
  }
}

function namesOf({ masterAccount, copiers }: CrossTradeConfig): readonly string[] {
  return [masterAccount, ...copiers.map(({ account }) => account)]
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Nothing is written for a process that is dead, and nothing answers it. */
function mortal(file: DurableJournal, isDead: () => boolean): DurableJournal {
  const never = new Promise<never>(() => {})
  return {
    ...file,
    append: (lines) => (isDead() ? never : file.append(lines)),
    note: (lines) => (isDead() ? never : file.note(lines)),
  }
}

function counting(exchange: Exchange, sent: string[], isDead: () => boolean): Exchange {
  return withOrders(exchange, (request, context) => {
    if (isDead()) return new Promise(() => {})
    sent.push(request.clientOrderId)
    return exchange.createOrder(request, context)
  })
}

/** The exchange with another way to send an order. */
export function withOrders<Kind extends Exchange>(exchange: Kind, createOrder: Exchange['createOrder']): Kind {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(exchange)) as Kind
  return Object.defineProperty(copy, 'createOrder', { value: createOrder })
}

/** Says no to orders that `codeFor` has a code for. */
export function refusing(
  exchange: PaperExchange,
  codeFor: (request: OrderRequest) => ExchangeErrorCode | undefined,
): PaperExchange {
  return withOrders(exchange, async (request, context) => {
    const code = codeFor(request)
    if (code === undefined) return exchange.createOrder(request, context)
    return { kind: 'refused', error: new ExchangeError(code, 'the venue says no') }
  })
}

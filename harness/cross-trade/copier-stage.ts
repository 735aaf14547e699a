// A master and its copiers on paper accounts of one scripted market, and an engine between them. The clock moves only when the test moves it.
// Engines that are started one after the other share the accounts and the file, as processes do; the one before is killed, or has stopped.

import type { CopierEvent } from '../../src/cross-trade/copier-event.ts'
import { type CrossTradeEngine, createCrossTradeEngine } from '../../src/cross-trade/engine.ts'
import type { CopierState } from '../../src/cross-trade/engine-port.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import type { PaperVenue } from '../../src/exchanges/paper/paper-controls.ts'
import type { CrossTradeConfig, CrossTradeCopier } from '../../src/stores/cross-trade.ts'
import type { DurableJournal } from '../../src/stores/durable-journal.ts'
import { OrderDesk, type TradingAccount } from '../../src/trading/order-desk.ts'
import { createOrderJournal } from '../../src/trading/order-journal.ts'
import { journalInMemory } from '../venues/journal-in-memory.ts'
import { createMemoryStore, createScriptedMarket, type MemoryStore } from '../venues/scripted-market.ts'

export const ROW_ID = '11111111-2222-4333-8444-555555555555'

export interface StagedEngine {
  readonly engine: CrossTradeEngine
  readonly events: CopierEvent[]
  readonly problems: unknown[]
  /** What it does from now on has no effect, and nothing answers it. */
  kill(): void
  /** `side amount` of each order that filled, with the account where it is another than `copier`. */
  copied(): string[]
  state(account?: string, symbol?: string): CopierState | undefined
  isLeader: boolean
}

export interface EngineOverrides {
  readonly file?: (file: DurableJournal) => DurableJournal
  readonly exchange?: (exchange: Exchange & PaperVenue, account: string) => Exchange
}

export interface CopierStageOptions {
  /** In USDT. */
  readonly balance?: string
  readonly prices?: Readonly<Record<string, string>>
  readonly rows?: readonly CrossTradeConfig[]
}

export function rowOf(more: Partial<CrossTradeConfig> & object = {}): CrossTradeConfig {
  return {
    ...{ id: ROW_ID, enabled: true, masterAccount: 'master', masterWeight: 1, updatedAt: 1 },
    copiers: [copierOf()],
    ...more,
  }
}

export function copierOf(more: object = {}): CrossTradeCopier {
  return { account: 'copier', weight: 1, mode: 'Market', ...more }
}

export function stageCopier({ balance = '1000000', prices = {}, rows = [rowOf()] }: CopierStageOptions = {}) {
  const stores = new Map<string, MemoryStore>()
  let opening = ''
  const market = createScriptedMarket({
    ...{ balance, prices: { BTCUSDT: '65000', ETHUSDT: '3250', ...prices } },
    openStore(fresh) {
      const store = stores.get(opening) ?? createMemoryStore(fresh)
      stores.set(opening, store)
      return store
    },
  })
  const clock = scriptedClock(market)
  const lines: string[] = []
  const sent: string[] = []
  const exchanges = new Map<string, Exchange & PaperVenue>()
  const handlers = new Set<() => void>()
  let configs = rows

  function open(account: string): Exchange & PaperVenue {
    opening = account
    return market.openExchange()
  }

  /** As somebody else has it open: by hand, or as the master trades. */
  function by(account: string): Exchange & PaperVenue {
    const known = exchanges.get(account) ?? open(account)
    exchanges.set(account, known)
    return known
  }

  let count = 0
  async function trade(account: string, side: 'buy' | 'sell', amount: string, symbol = 'BTCUSDT', reduceOnly = false) {
    count += 1
    const clientOrderId = count.toString(16).padStart(32, 'f')
    const request = { clientOrderId, symbol, side, type: 'market', amount } as const
    const outcome = await by(account).createOrder(reduceOnly ? { ...request, reduceOnly } : request)
    if (outcome.kind !== 'placed' || outcome.order.filled !== amount) {
      throw new Error(`${account} could not ${side} ${amount}: ${JSON.stringify(outcome)}`)
    }
  }

  function startEngine(overrides: EngineOverrides = {}): StagedEngine {
    let isDead = false
    const events: CopierEvent[] = []
    const problems: unknown[] = []
    const accounts = new Map<string, TradingAccount>()
    const onProblem = (problem: unknown) => void problems.push(problem)
    const file = mortal(overrides.file?.(journalInMemory(lines)) ?? journalInMemory(lines), () => isDead)

    function connect(name: string): TradingAccount {
      const known = accounts.get(name)
      if (known !== undefined) return known
      if (
        !configs.some(({ masterAccount, copiers }) =>
          [masterAccount, ...copiers.map(({ account }) => account)].includes(name),
        ) &&
        !stores.has(name)
      )
        throw Object.assign(new Error(`there is no account ${name}`), { code: 'unknown-account' })
      const paper = open(name)
      const counted = countSent(overrides.exchange?.(paper, name) ?? paper, sent, () => isDead)
      const journal = createOrderJournal({ ...journalInMemory(), path: `/nowhere/${name}/orders.jsonl` }, { onProblem })
      const orders = new OrderDesk({ account: name, exchange: counted, journal, clock, report() {}, onProblem })
      const account = { name, venue: counted, orders }
      accounts.set(name, account)
      return account
    }

    const staged: StagedEngine = {
      ...{ events, problems, isLeader: true },
      engine: createCrossTradeEngine({
        configs: () => configs,
        watchConfigs(handler) {
          const whileAlive = () => (isDead ? undefined : handler())
          handlers.add(whileAlive)
          return () => handlers.delete(whileAlive)
        },
        connect: async (name) => connect(name),
        ...{ file, clock, onProblem },
        isLeader: () => staged.isLeader && !isDead,
        by: { source: 'exec', runId: 'engine' },
        report: (event) => void events.push(event),
      }),
      kill() {
        isDead = true
      },
      copied: () =>
        events.flatMap((event) => {
          if (event.type !== 'copied') return []
          const where = event.account === 'copier' ? '' : `${event.account} `
          return [`${where}${event.side} ${event.amount}${event.reduceOnly ? ' reduce' : ''}`]
        }),
      state: (account = 'copier', symbol) =>
        staged.engine
          .report()
          .copiers.find((each) => each.account === account && (symbol === undefined || each.symbol === symbol)),
    }
    return staged
  }

  /** In steps of 100 ms, as far as that is not too many. */
  async function advance(ms: number): Promise<void> {
    const step = ms <= 5_000 ? 100 : 1_000
    for (let left = ms; left > 0; left -= step) {
      await market.advance(Math.min(step, left))
      clock.endDelays()
      await settle()
    }
  }

  return {
    ...{ market, lines, sent, clock, by, trade, startEngine, advance, settle },
    /** The machine sleeps: nothing happens meanwhile. */
    async sleep(ms: number) {
      clock.jump(ms)
      await settle()
    },
    get configs() {
      return configs
    },
    /** As another process, or a page, edits them. */
    async edit(next: readonly CrossTradeConfig[]) {
      configs = next
      for (const handler of handlers) handler()
      await settle()
    },
    /** Started, and its first look at the master is believed. */
    async started(overrides: EngineOverrides = {}): Promise<StagedEngine> {
      const staged = startEngine(overrides)
      const starting = staged.engine.start()
      await advance(1_500)
      await starting
      return staged
    },
    /** Signed. */
    async position(account: string, symbol = 'BTCUSDT'): Promise<string> {
      const found = (await by(account).fetchPositions()).find((each) => each.symbol === symbol)
      return found === undefined ? '0' : found.side === 'long' ? found.amount : `-${found.amount}`
    },
  }
}

export type CopierStage = ReturnType<typeof stageCopier>

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

function countSent(exchange: Exchange, sent: string[], isDead: () => boolean): Exchange {
  const createOrder: Exchange['createOrder'] = (request, context) => {
    if (isDead()) return new Promise(() => {})
    sent.push(request.clientOrderId)
    return exchange.createOrder(request, context)
  }
  return Object.defineProperty(
    Object.defineProperties({}, Object.getOwnPropertyDescriptors(exchange)) as Exchange,
    'createOrder',
    { value: createOrder },
  )
}

interface Delay {
  readonly at: number
  readonly end: () => void
}

/** The market's clock, which may jump beside. Delays end when they are told to look at it. */
function scriptedClock({ now }: { now(): number }) {
  const delays = new Set<Delay>()
  let jumped = 0
  const clock = {
    now: () => now() + jumped,
    delay: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const end = () => {
          delays.delete(delay)
          signal.removeEventListener('abort', end)
          resolve()
        }
        const delay: Delay = { at: clock.now() + ms, end }
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', end)
        delays.add(delay)
      }),
    endDelays() {
      for (const delay of [...delays]) if (delay.at <= clock.now()) delay.end()
    },
    jump(ms: number) {
      jumped += ms
    },
  }
  return clock
}

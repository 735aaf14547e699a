// The account of a replay: the paper exchange behind the guard, the order desk and the runner of every other account, on stores that are only in
// memory and a clock of its own. Nothing here knows the stores, the journals or the venues of hookline: what it is not given it cannot touch.
import type { Authority } from '../authority/authority.ts'
import { effectOf } from '../commands/kit/effects.ts'
import { CommandError } from '../commands/kit/errors.ts'
import type { CommandPorts } from '../commands/kit/ports.ts'
import type { CommandLookup } from '../commands/kit/resolve.ts'
import type { Trade } from '../exchange/order.ts'
import { walletOf } from '../exchanges/paper/account.ts'
import type { PaperStateStore } from '../exchanges/paper/live-account.ts'
import type { PaperMarket } from '../exchanges/paper/markets.ts'
import { createPaperExchange } from '../exchanges/paper/paper-exchange.ts'
import { initialState, type PaperState } from '../exchanges/paper/state.ts'
import { openDayBook } from '../guards/day-book.ts'
import { type GuardedAccount, guardAccount } from '../guards/guard-exchange.ts'
import { limitsOf } from '../guards/rules.ts'
import type { RunRequest, RunResult } from '../runs/run.ts'
import { FireLedger } from '../runtime/hook-run-history.ts'
import type { RunJournal } from '../runtime/run-journal.ts'
import { Runner } from '../runtime/runner.ts'
import type { AccountRow } from '../stores/accounts.ts'
import type { DurableJournal, LineTail } from '../stores/durable-journal.ts'
import { type Guarding, LIMITS, type StoredLimits } from '../stores/guards.ts'
import type { Hook, HookEdit } from '../stores/hooks.ts'
import { type JournalHistory, readJournalHistory } from '../trading/history/journal-history.ts'
import { OrderDesk, type TradingAccount } from '../trading/order-desk.ts'
import { createOrderJournal } from '../trading/order-journal.ts'
import { linesOfOpen } from '../trading/order-journal-lines.ts'
import { OwnTime } from './own-time.ts'
import { PracticeTasks, uuidOf } from './practice-tasks.ts'
import { pricesMet, ReplayMarket } from './replay-market.ts'

export interface PracticeOptions {
  /** Its name, and what its limits are. */
  readonly account: string
  /** Of the account's exchange: which limits hold where none was set. */
  readonly exchange: string
  readonly limits: StoredLimits
  /** In what the market settles. */
  readonly balance: string
  readonly market: PaperMarket
  readonly hook: Pick<Hook, 'name' | 'command' | 'limits' | 'parallel' | 'maxAgeMs'> & { readonly id?: string }
  readonly lookup: CommandLookup
  readonly names: {
    readonly aliases: Readonly<Record<string, string>>
    readonly variables: Readonly<Record<string, string>>
  }
  readonly config: CommandPorts['config']
  readonly startAt: number
  readonly onBug: (error: unknown) => void
}

/** How the run of a fire ended, or that it still goes on. */
export interface FireRun {
  readonly id: string
  state: 'running' | 'done' | 'failed' | 'skipped'
  outcome?: string
  error?: string
}

interface Holding {
  readonly state: PaperState
  readonly wallet: number
  /** Negative for a short. */
  readonly amount: number
  readonly cost: number
}

export class PracticeAccount {
  readonly time: OwnTime
  readonly market: ReplayMarket
  /** What the account does by itself, one sentence each: a limit that was reached. */
  readonly notes: string[] = []
  /** Of the account, those of the venue too: a liquidation. Oldest first. */
  readonly trades: Trade[] = []
  readonly tasks: PracticeTasks
  readonly #options: PracticeOptions
  readonly #state: { current: PaperState }
  readonly #journal: OrdersInMemory
  readonly #guarded: GuardedAccount
  readonly #account: TradingAccount
  readonly #desk: OrderDesk
  readonly #runner: Runner
  readonly #hooks: OneHook
  readonly #runs = new Map<string, FireRun>()
  readonly #hasLossLimit: boolean
  #beat = (): void => {}
  #fires = 0
  #holding: Holding | undefined
  #met:
    | { readonly state: PaperState; readonly ofTasks: readonly number[]; readonly prices: readonly number[] }
    | undefined

  constructor(options: PracticeOptions) {
    const { account, market, balance, hook, lookup, startAt, onBug } = options
    this.#options = options
    this.time = new OwnTime(startAt)
    this.market = new ReplayMarket(market)
    this.#state = { current: initialState({ seed: 'replay', balance }) }
    const exchange = createPaperExchange({
      market: this.market,
      store: stateInMemory(this.#state, this.time),
      now: this.time.now,
      every: (_ms, tick) => {
        this.#beat = tick
        return () => {}
      },
      delay: async () => {},
      onProblem: onBug,
    })
    this.#journal = new OrdersInMemory(this.time)
    const journal = createOrderJournal(this.#journal, { now: this.time.now, onProblem: onBug })
    const book = openDayBook({ journal, tail: this.#journal.tail, now: this.time.now })
    const guards = new OwnGuards(options, this.time)
    this.#hasLossLimit = guards.limits.loss !== undefined && guards.limits.loss !== 'off'
    this.#guarded = guardAccount(exchange, {
      account,
      book,
      store: guards,
      now: this.time.now,
      onTripped: (text) => void this.notes.push(text),
    })
    const behindGuard = this.#guarded.exchange
    behindGuard.subscribe((event) => {
      if (event.type === 'trade') this.trades.push(event.trade)
    })
    this.#desk = new OrderDesk({
      account,
      exchange: behindGuard,
      journal,
      clock: this.time,
      report: () => {},
      onProblem: onBug,
    })
    this.#account = {
      name: account,
      venue: behindGuard,
      orders: this.#desk,
      priceBand: () => limitsOf(guards.read(), 'paper').band ?? 'off',
    }
    this.tasks = new PracticeTasks({
      time: this.time,
      guards,
      connect: this.#connect,
      onBug,
      refuse: (kind) => {
        throw notReplayed(`the task \`${kind}\``)
      },
    })
    this.#hooks = new OneHook({ ...hook, account })
    const environment = {
      ports: this.#ports(guards),
      clock: this.time,
      lookup: replayedCommands(lookup),
      connect: this.#connect,
    }
    this.#runner = new Runner({
      environment,
      journal: runsInMemory(this.time),
      authority: LETS_ON,
      reportBug: onBug,
      steadyMs: this.time.now,
      onPaused: ({ pause }) => void this.notes.push(`the hook was paused: ${pause.why ?? pause.by}`),
    })
    this.#runner.addSink({
      done: (run, result, { outcome }) => this.#ended(run, result, outcome),
      unbegun: (run, result) => this.#ended(run, result),
    })
  }

  get state(): PaperState {
    return this.#state.current
  }

  /** As numbers, for what is drawn and judged; the state has the money. */
  get holding(): Holding {
    const { current } = this.#state
    if (this.#holding?.state !== current) {
      const [position] = current.positions
      const [amount, cost] = position === undefined ? [0, 0] : [Number(position.amount), Number(position.cost)]
      this.#holding = { state: current, wallet: Number(walletOf(current)), amount, cost }
    }
    return this.#holding
  }

  /** Whether nothing of it can change while the price moves. */
  get isIdle(): boolean {
    const { openOrders, positions } = this.#state.current
    return openOrders.length === 0 && positions.length === 0
  }

  get runsUnderWay(): boolean {
    return this.#runs.size > 0
  }

  /** At which prices something happens, ascending. */
  get pricesMet(): readonly number[] {
    const { current } = this.#state
    const { prices: ofTasks } = this.tasks
    if (this.#met?.state !== current || this.#met.ofTasks !== ofTasks) {
      const prices = [...pricesMet(current, this.market, this.time.now()), ...ofTasks].sort((a, b) => a - b)
      this.#met = { state: current, ofTasks, prices }
    }
    return this.#met.prices
  }

  /** Whether something happens while the price is there, be it the end of a delay until then. */
  meetsWithin(low: number, high: number, until: number): boolean {
    if (this.tasks.decideEverywhere || this.runsUnderWay || this.time.nextDue < until) return true
    if (this.isIdle && !this.tasks.areRunning) return false
    return this.#hasLossLimit || this.pricesMet.some((price) => price >= low && price <= high)
  }

  /** The market is there now; what that brings about has happened when this resolves. */
  async meet(ms: number, price: number): Promise<void> {
    this.time.moveTo(ms)
    this.market.setPrice(price)
    this.#beat()
    await this.settle()
    while (this.time.endDue()) await this.settle()
    if (!this.tasks.areRunning) return
    await this.tasks.look()
    await this.settle()
  }

  /** The market is there now, and the account meets nothing on the way. */
  pass(ms: number, price: number): void {
    this.time.moveTo(ms)
    this.market.setPrice(price)
  }

  async lookAtLoss(): Promise<void> {
    if (!this.#hasLossLimit || this.isIdle) return
    await this.#guarded.lookAtLoss()
    await this.settle()
  }

  /** By the path of every fire. Resolves when nothing of it goes on without time going on. */
  async fire(): Promise<FireRun> {
    this.#fires += 1
    const id = uuidOf(`replay ${this.#fires}`)
    const { hook } = this.#hooks
    const run: FireRun = { id, state: 'running' }
    this.#runs.set(id, run)
    const request: RunRequest = {
      runId: id,
      source: 'hook',
      command: hook.command,
      origin: hook.name,
      hookId: hook.id,
      account: this.#options.account,
      symbol: this.market.market.symbol,
      ...(hook.resumed === undefined ? {} : { resumed: hook.resumed }),
    }
    if (this.#runner.hasRoom(hook.id)) this.#runner.fire(request, hook, () => {})
    else Object.assign(run, { state: 'skipped', error: 'too many of its runs wait' })
    await this.settle()
    return run
  }

  /** What the account has ordered and filled. */
  history(): Promise<JournalHistory> {
    return readJournalHistory(this.#journal.newestFirst(), this.#options.account)
  }

  async close(): Promise<void> {
    await this.#runner.drain(0)
    this.tasks.close()
    this.#desk.close()
    await this.#guarded.exchange.close()
  }

  /** Everything here needs turns of the event loop, and no time: when some turns bring nothing, what is left waits for the replay's clock. */
  async settle(): Promise<void> {
    let quiet = 0
    while (quiet < QUIET_TURNS) {
      const before = this.time.activity
      await new Promise<void>((resolve) => setImmediate(resolve))
      quiet = this.time.activity === before ? quiet + 1 : 0
    }
  }

  #ended({ runId }: RunRequest, { success, error, unbegun }: RunResult, outcome?: string): void {
    this.time.activity += 1
    const run = this.#runs.get(runId)
    if (run === undefined) return
    this.#runs.delete(runId)
    run.state = success ? 'done' : unbegun === undefined ? 'failed' : 'skipped'
    if (outcome !== undefined) run.outcome = outcome
    if (error !== undefined) run.error = error
  }

  readonly #connect = async (name: string): Promise<TradingAccount> => {
    if (name === this.#options.account) return this.#account
    throw notReplayed(`account ${name}`)
  }

  #ports(guards: OwnGuards): CommandPorts {
    const { account, market, config, names } = this.#options
    const row = { name: account, exchange: 'paper' } as AccountRow
    const own: Partial<Record<keyof CommandPorts, unknown>> = {
      version: '',
      random: seededRandom(),
      config,
      focus: { account: () => account, symbol: () => market.symbol, watch: () => () => {} },
      accounts: { find: (name: string) => (name === account ? row : undefined), list: () => [row] },
      hooks: this.#hooks,
      guards,
      variables: namesInMemory(names.variables),
      aliases: namesInMemory(names.aliases),
      audit: { record: async () => {} },
      connect: this.#connect,
      marketsOf: () => (symbol: string) => this.#account.venue.knownMarket?.(symbol),
      tasks: this.tasks.port,
      terminal: undefined,
      orderHistory: () => this.history(),
    }
    return new Proxy(own, {
      get(target, name) {
        if (Object.hasOwn(target, name)) return target[name as keyof CommandPorts]
        throw notReplayed(String(name))
      },
    }) as CommandPorts
  }
}

const QUIET_TURNS = 3

function notReplayed(what: string): CommandError {
  return new CommandError('not-replayed', `${what} is not part of a replay`, {
    hint: 'use what trades on one account, `wait`, `echo` or `repeat`',
  })
}

/** Besides what trades. */
const GOES_ON: ReadonlySet<string> = new Set(['echo', 'repeat', 'wait', 'sleep', 'set', 'unset', 'price'])

/** The table as a replay has it: what trades, and what joins such commands together. */
function replayedCommands(lookup: CommandLookup): CommandLookup {
  return {
    ...lookup,
    resolve(call) {
      const resolved = lookup.resolve(call)
      const effect = effectOf(resolved.path, resolved.args)
      if (effect !== 'adds' && effect !== 'reduces' && !GOES_ON.has(resolved.path))
        throw notReplayed(`\`${resolved.path}\``)
      return resolved
    },
  }
}

/** Its kill switches are on, and nothing stops it but its own limits. */
const LETS_ON: Authority = {
  admit: ({ source, runId }) => ({ source, runId, seen: {}, passedTurn: -1 }),
  whyEnded: () => undefined,
  whyEndedInTurn: () => undefined,
  spare: () => {},
  sealed: () => '',
  whySealedEnded: () => undefined,
  watch: () => () => {},
}

function stateInMemory(held: { current: PaperState }, time: OwnTime): PaperStateStore {
  return {
    read: () => held.current,
    async update(change) {
      const next = change(held.current)
      if (next !== held.current) time.activity += 1
      held.current = next
      return next
    },
  }
}

/** Its limits are those of the account; its state is its own. */
class OwnGuards {
  readonly limits: StoredLimits
  readonly #time: OwnTime
  #guarding: Guarding

  constructor({ limits, exchange }: Pick<PracticeOptions, 'limits' | 'exchange'>, time: OwnTime) {
    // As they hold on the account's own exchange, none left to the defaults of a paper account.
    const held = limitsOf({ limits }, exchange)
    const all = Object.fromEntries(LIMITS.map((name) => [name, held[name] ?? 'off']))
    this.limits = { ...all, lossWithOpen: held.lossWithOpen }
    this.#time = time
    this.#guarding = { state: 'active', simulated: false, limits: this.limits }
  }

  readonly read = (): Guarding => this.#guarding
  readonly readOncePerTurn = (): Guarding => this.#guarding
  readonly restrict = async (_account: string | undefined, state: 'reducing' | 'halted', by: string): Promise<void> => {
    this.#guarding = { ...this.#guarding, state, by, since: this.#time.now() }
  }
}

const ID = '0'.repeat(32)

class OneHook {
  hook: Hook

  constructor({
    id = ID,
    name,
    command,
    account,
    limits,
    parallel,
    maxAgeMs,
  }: PracticeOptions['hook'] & { readonly account: string }) {
    this.hook = {
      id,
      name,
      secret: ID,
      command,
      account,
      createdAt: 0,
      ...(limits === undefined ? {} : { limits }),
      ...(parallel === undefined ? {} : { parallel }),
      ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
    } as Hook
  }

  readonly findOncePerTurn = (): Hook => this.hook
  readonly list = (): readonly Hook[] => [this.hook]
  readonly isSecret = (): boolean => false
  readonly edit = async (_id: string, change: (hook: Hook) => HookEdit | undefined): Promise<Hook> => {
    this.hook = { ...this.hook, ...change(this.hook) } as Hook
    return this.hook
  }
}

function namesInMemory(names: Readonly<Record<string, string>>) {
  const held = new Map(Object.entries(names))
  return {
    read: () => Object.assign(Object.create(null), Object.fromEntries(held)) as Record<string, string>,
    async set(name: string, text: string) {
      held.set(name, text)
    },
    remove: async (name: string) => held.delete(name),
  }
}

/** The same for every replay. */
function seededRandom(): () => number {
  let seed = 0x9e3779b9
  return () => {
    seed = (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0
    return ((seed ^ (seed >>> 13)) >>> 0) / 2 ** 32
  }
}

function runsInMemory(time: OwnTime): RunJournal {
  const moment = () => ({ wallMs: time.now(), monotonicMs: time.now() })
  return {
    start({ runId }, _account, written) {
      queueMicrotask(() => written(true))
      return { runId, line: '', at: time.now(), file: 0, begun: undefined, place: 0 }
    },
    done() {},
    takeInterrupted: () => [],
    firstRun: () => undefined,
    fires: new FireLedger({ lines: () => [], ownFires: () => new Map(), now: moment }),
    isFailing: () => false,
    readAgain() {},
    readOthers() {},
    runnerBefore: () => undefined,
    repeated: (_runId, written) => written(true),
    close() {},
  }
}

/** Above this the lines of orders that are over are left out of what is searched. */
const COMPACT_AT = 2_000
const DAY_MS = 86_400_000

interface DatedLine {
  readonly at: number
  readonly text: string
}

/** `orders.jsonl` in memory: what is open, and what counts today, is searched; the rest is kept for the figures at the end. */
class OrdersInMemory implements DurableJournal {
  readonly path = 'orders.jsonl'
  readonly #time: OwnTime
  readonly #all: string[] = []
  #lines: DatedLine[] = []
  #compacted = 0
  #compactAt = COMPACT_AT
  #read: { readonly compacted: number; length: number } | undefined

  constructor(time: OwnTime) {
    this.#time = time
  }

  readonly append = async (lines: readonly string[]): Promise<void> => this.#add(lines)
  readonly note = async (lines: readonly string[]): Promise<void> => this.#add(lines)
  readonly read = async (): Promise<readonly string[]> => this.#lines.map(({ text }) => text)
  readonly version = async (): Promise<string> => String(this.#all.length)
  readonly close = async (): Promise<void> => {}

  readonly tail: LineTail = {
    readOn: async () => {
      if (this.#read?.compacted !== this.#compacted) this.#read = undefined
      const isAnew = this.#read === undefined
      const from = this.#read?.length ?? 0
      this.#read = { compacted: this.#compacted, length: this.#lines.length }
      return { isAnew, lines: this.#lines.slice(from).map(({ text }) => text) }
    },
    forget: () => {
      this.#read = undefined
    },
  }

  async *newestFirst(): AsyncGenerator<readonly string[]> {
    yield this.#all.toReversed()
  }

  #add(lines: readonly string[]): void {
    this.#time.activity += 1
    const at = this.#time.now()
    for (const text of lines) {
      this.#lines.push({ at, text })
      if (!text.startsWith('{"t":"counted"')) this.#all.push(text)
    }
    if (this.#lines.length > this.#compactAt) this.#compact()
  }

  #compact(): void {
    const today = Math.floor(this.#time.now() / DAY_MS) * DAY_MS
    // A day with many orders stays whole.
    const isOld = ({ at }: DatedLine) => at < today
    const open = new Set(linesOfOpen(this.#lines.map(({ text }) => text)))
    this.#lines = this.#lines.filter((line) => !isOld(line) || open.has(line.text))
    this.#compacted += 1
    // Looking through what stays costs as much as it was.
    this.#compactAt = Math.max(COMPACT_AT, 2 * this.#lines.length)
  }
}

// Everything a command touches, for tests: real stores in a temporary directory, the real paper exchange on a scripted
// market, and a clock that moves only when a test moves it.
import { onTestFinished } from 'vitest'
import { lookup } from '../../src/commands/catalogue.ts'
import {
  type Clients,
  type CommandContext,
  CommandError,
  type ListenerStatus,
  type OutputKind,
  type RunSummary,
  type Services,
  type Source,
  type Terminal,
  type TradingAccount,
} from '../../src/commands/command.ts'
import { expandAlias } from '../../src/commands/expand-alias.ts'
import { isRefusal } from '../../src/commands/refusal.ts'
import { requireMayRun } from '../../src/commands/refuse-where.ts'
import type { CommandLookup } from '../../src/commands/resolve.ts'
import { bindVariables } from '../../src/commands/variables.ts'
import type { Chain, CommandCall } from '../../src/language/chain.ts'
import { parseChain } from '../../src/language/parse.ts'
import { openAccountStore } from '../../src/stores/accounts.ts'
import { openConfigStore } from '../../src/stores/config.ts'
import { openHookStore } from '../../src/stores/hooks.ts'
import { openTextMap } from '../../src/stores/text-map.ts'
import { openTrustedClients } from '../../src/stores/trusted-clients.ts'
import { createScriptedMarket, type ScriptedMarket } from '../exchange/scripted-market.ts'
import { tempDirectory } from '../support/temp-directory.ts'

/** One line under way. `lines` grows while it runs, and after it while something it placed goes on. */
export interface LiveRun {
  /** `success bought …`; a refusal as `error <code>: <message> | <hint>`. */
  readonly lines: string[]
  /** The columns that refusals pointed at. */
  readonly columns: number[]
  /** True when every step succeeded. */
  readonly done: Promise<boolean>
  /** True once `done` is settled. */
  ended: boolean
  readonly abort: () => void
  readonly background: Promise<void>[]
}

export interface RunOptions {
  readonly source?: Source
  readonly account?: string
  readonly symbol?: string
}

export interface CommandSession {
  readonly directory: string
  readonly market: ScriptedMarket
  readonly services: Services
  readonly lookup: CommandLookup
  /** Starts a line and does not wait for it. */
  start(line: string, options?: RunOptions): LiveRun
  /** Runs a line to its end. @returns its output */
  run(line: string, options?: RunOptions): Promise<readonly string[]>
  /** Moves the clock second by second: the market ticks, delays end. */
  advance(ms: number): Promise<void>
  /** Lets everything run that needs no time. */
  settle(): Promise<void>
}

export interface SessionOptions {
  readonly lookup?: CommandLookup
  readonly terminal?: Terminal
  readonly prices?: Readonly<Record<string, string>>
  readonly runs?: readonly RunSummary[]
  readonly listener?: Partial<ListenerStatus>
  /** Default: as in a process without a listener. */
  readonly clients?: Clients
}

interface Delay {
  readonly at: number
  readonly end: () => void
}

export async function createSession(options: SessionOptions = {}): Promise<CommandSession> {
  const directory = tempDirectory()
  const market = createScriptedMarket({ prices: { BTCUSDT: '65000', ETHUSDT: '3000', ...options.prices } })
  const accounts = openAccountStore(directory, market.now)
  await accounts.ensurePaper()
  const delays = new Set<Delay>()
  const others = new Map<string, TradingAccount>()
  const services: Services = {
    version: '0.0.0-test',
    config: openConfigStore(directory),
    accounts,
    hooks: openHookStore(directory, market.now),
    trustedClients: openTrustedClients(directory, market.now),
    variables: openTextMap(directory, 'vars.json'),
    aliases: openTextMap(directory, 'aliases.json'),
    async connect(name) {
      if (accounts.find(name) === undefined) throw new CommandError('unknown-account', `no account ${name}`)
      if (name === 'paper') return { name, exchange: market.exchange }
      const account = others.get(name) ?? { name, exchange: createScriptedMarket().exchange }
      others.set(name, account)
      return account
    },
    async disconnect(name) {
      others.delete(name)
    },
    runs: (limit) => (options.runs ?? []).slice(0, limit),
    listenerStatus: () => ({
      state: 'listening',
      address: '127.0.0.1:53219',
      pid: 4711,
      sockets: 0,
      ...options.listener,
    }),
    clients: options.clients,
    terminal: options.terminal,
    now: market.now,
    delay: (ms, signal) => manualDelay(delays, market.now() + ms, signal),
  }
  const table = options.lookup ?? lookup
  const start = (line: string, runOptions: RunOptions = {}) => startRun(line, table, services, runOptions)
  // Commands, the scripted market and its store need microtasks only; all of them have run when an immediate comes.
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  onTestFinished(() => market.exchange.close())

  return {
    directory,
    market,
    services,
    lookup: table,
    start,
    settle,
    async run(line, runOptions) {
      const run = start(line, runOptions)
      await run.done
      return run.lines
    },
    async advance(ms) {
      for (let left = ms; left > 0; left -= 1000) {
        await market.advance(Math.min(1000, left))
        for (const delay of [...delays]) if (delay.at <= market.now()) delay.end()
        await settle()
      }
    },
  }
}

function manualDelay(delays: Set<Delay>, at: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const delay: Delay = {
      at,
      end() {
        delays.delete(delay)
        signal.removeEventListener('abort', delay.end)
        resolve()
      },
    }
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', delay.end)
    delays.add(delay)
  })
}

function startRun(line: string, table: CommandLookup, services: Services, options: RunOptions): LiveRun {
  const lines: string[] = []
  const columns: number[] = []
  const background: Promise<void>[] = []
  const controller = new AbortController()
  const emit = (kind: OutputKind) => (text: string) =>
    void lines.push(...text.split('\n').map((each) => `${kind} ${each}`))
  const { defaultAccount, defaultSymbol } = services.config.read()
  const accountName = options.account ?? defaultAccount
  const context: CommandContext = {
    services,
    source: options.source ?? 'repl',
    runId: 'run',
    out: {
      print: emit('print'),
      success: emit('success'),
      warn: emit('warn'),
      error: emit('error'),
      info: emit('info'),
    },
    signal: controller.signal,
    account: () => services.connect(accountName),
    accountName,
    symbol: options.symbol ?? defaultSymbol,
    runChain: (chain) => runChain(chain),
    background: (work) => void background.push(work),
  }

  async function runChain(chain: Chain): Promise<boolean> {
    let isOk = true
    for (const stage of chain.stages) {
      const outcomes = await Promise.all(stage.commands.map((call) => runCall(call)))
      isOk &&= outcomes.every(Boolean)
    }
    return isOk
  }

  async function runCall(call: CommandCall): Promise<boolean> {
    return refusing(async () => {
      const alias = table.find(call.name) === undefined ? expandAlias(call, services.aliases.read()) : undefined
      if (alias !== undefined) return runChain(alias)
      const { path, form, args } = table.resolve(call)
      requireMayRun(path, form.where, context.source)
      await form.run(
        context,
        bindVariables(form, args, (name) => services.variables.read()[name]),
      )
      return true
    })
  }

  async function refusing(work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work()
    } catch (error) {
      if (!isRefusal(error)) throw error
      lines.push(`error ${error.code}: ${error.message}${error.hint === undefined ? '' : ` | ${error.hint}`}`)
      if ('column' in error) columns.push(error.column)
      return false
    }
  }

  const done = refusing(async () => runChain(parseChain(line)))
  const run: LiveRun = { lines, columns, done, ended: false, abort: () => controller.abort(), background }
  const markEnded = () => {
    run.ended = true
  }
  done.then(markEnded, markEnded)
  return run
}

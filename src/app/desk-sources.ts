// What pages ask about the past and the present of this hookline: its journals, and what its accounts are worth.
import { join } from 'node:path'
import { commands } from '../commands/catalogue.ts'
import type { CompletionNames } from '../commands/kit/command.ts'
import { isRefusal } from '../commands/kit/errors.ts'
import type { CommandPorts } from '../commands/kit/ports.ts'
import { namesOf } from '../commands/kit/resolve.ts'
import { isUnderWay, shortTaskId } from '../commands/tasks/task-words.ts'
import type { VenueView } from '../exchange/exchange.ts'
import type { DeskSources } from '../listener/sessions/sessions-options.ts'
import { RunPages } from '../runtime/run-pages.ts'
import { type EquityLog, type EquityRecord, openEquityLog } from '../stores/equity-log.ts'
import { linesBackwards, withBackup } from '../stores/journal-file.ts'
import { isAlive } from '../stores/kernel-files.ts'
import { MIN_PREFIX_LENGTH, readOwned } from '../stores/rows.ts'
import type { FillTail } from '../trading/fill-tail.ts'
import { readCopies } from '../trading/history/copies.ts'
import { equityOf } from '../trading/portfolio.ts'
import type { Accounts } from './accounts.ts'
import type { Connections } from './connections.ts'
import type { Log } from './log.ts'
import { describeEquityProblem } from './warnings.ts'

export interface OwnDeskSources extends DeskSources {
  readonly equity: EquityRecorder
}

/** The hookline that is asked. */
interface DeskOwner {
  readonly directory: string
  readonly ports: CommandPorts
  readonly log: Pick<Log, 'bug'>
}

export function createDeskSources(
  { directory, ports, log }: DeskOwner,
  accounts: Pick<Accounts, 'connect' | 'connected'>,
  fills: FillTail,
  warn: (text: string) => void,
): OwnDeskSources {
  const equity = new EquityRecorder({
    log: openEquityLog({
      path: join(directory, 'equity.jsonl'),
      onProblem: (error) => warn(describeEquityProblem(error)),
    }),
    accounts: accounts.connected,
    connect: accounts.connect,
    now: Date.now,
    isRefusal,
    onBug: (error) => log.bug(error),
    isOurs: () => ports.listenerStatus().state === 'listening',
  })
  const { runArchive, orderHistory, notes } = ports
  return {
    runArchive,
    orderHistory,
    notes,
    fills,
    equity,
    runPages: new RunPages({
      path: join(directory, 'runs.jsonl'),
      ownRuns: () => ports.runs(),
      // A pid of ours in a line that is not of ours is a pid that has come round again.
      isRunning: (pid) => pid !== process.pid && isAlive({ pid }),
    }),
    copies: (limit) => readCopies(linesBackwards(withBackup(join(directory, 'orders.jsonl'))), limit),
    names: createCompletionNames({ ports, connect: accounts.connect }),
    triggers: () => ports.tasks.triggers(),
  }
}

// What the accounts in use are worth, looked at once a minute and written down by the process that listens.

const LOOK_MS = 60_000
/** The first look: accounts are connected soon after the start. */
const FIRST_MS = 5_000
/** A venue that takes longer is looked at again a minute later. */
const ANSWER_MS = 10_000

export interface EquityRecorderOptions {
  readonly log: EquityLog
  /** Accounts that are connected. */
  readonly accounts: () => readonly string[]
  readonly connect: (
    account: string,
  ) => Promise<{ readonly venue: Pick<VenueView, 'kind' | 'stream' | 'fetchBalances' | 'loadMarkets'> }>
  /** Another process on these files may write, too: only the one that listens does. */
  readonly isOurs: () => boolean
  readonly now: () => number
  readonly onBug: (error: unknown) => void
  readonly isRefusal: (error: unknown) => boolean
}

export class EquityRecorder {
  readonly #options: EquityRecorderOptions
  readonly #latest = new Map<string, EquityRecord>()
  readonly #handlers = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false

  constructor(options: EquityRecorderOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer = setTimeout(() => {
      void this.look()
      this.#timer = setInterval(() => void this.look(), LOOK_MS).unref()
    }, FIRST_MS).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#options.log.close()
  }

  /** Of accounts that were looked at since the start, in the order of their names. */
  latest(): readonly EquityRecord[] {
    return [...this.#latest.values()].sort((a, b) => (a.account < b.account ? -1 : 1))
  }

  /** @returns stops the calls */
  watch(handler: () => void): () => void {
    this.#handlers.add(handler)
    return () => void this.#handlers.delete(handler)
  }

  read(account: string, from?: number, to?: number): Promise<readonly EquityRecord[]> {
    return this.#options.log.read(account, from, to)
  }

  /** Looks at all of them now. Never rejects. */
  async look(): Promise<void> {
    const { accounts, isOurs } = this.#options
    if (this.#isLooking || !isOurs()) return
    this.#isLooking = true
    const found = await Promise.all(accounts().map((account) => this.#ask(account)))
    this.#isLooking = false
    const records = found.filter((record) => record !== undefined)
    for (const record of records) this.note(record)
    if (records.length > 0) for (const handler of this.#handlers) handler()
  }

  note(record: EquityRecord): void {
    this.#latest.set(record.account, record)
    this.#options.log.append(record)
  }

  /** @returns undefined: nothing is known of now */
  async #ask(account: string): Promise<EquityRecord | undefined> {
    const { connect, now, onBug, isRefusal } = this.#options
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, ANSWER_MS, undefined).unref()
    })
    const asking = connect(account).then(async ({ venue }): Promise<EquityRecord | undefined> => {
      // On spot a sum would need the price of every coin; a stale account is not what it was.
      if (venue.kind === 'spot' || venue.stream === 'stale') return undefined
      const [balances, markets] = await Promise.all([venue.fetchBalances(), venue.loadMarkets()])
      return equityOf(balances, markets, { account, at: now() })
    })
    const answer = asking.catch((error: unknown) => {
      if (!isRefusal(error)) onBug(error)
      return undefined
    })
    return Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }
}

/** The live names that completion offers at the prompt. */
export function completionNames(app: Sources): () => CompletionNames {
  const names = createCompletionNames(app)
  return () => names(app.ports.focus.account())
}

interface Sources {
  readonly ports: CommandPorts
  readonly connect: Connections['connect']
}

/** Of so many accounts the symbols are kept. */
const MAX_ACCOUNTS = 16

/** The live names for lines on an account; its symbols appear once its markets have been loaded. */
function createCompletionNames({ ports, connect }: Sources): (account: string) => CompletionNames {
  const symbolsOf = createSymbolNames(connect)
  return (account) => ({
    // Someone types names by the thousand, and only these are connected for it.
    symbols: ports.accounts.find(account) === undefined ? [] : symbolsOf(account),
    accounts: ports.accounts.list().map(({ name }) => name),
    hooks: ports.hooks.list().map(({ id, name }) => ({ id, name })),
    crossTradeRows: ports.crossTrade.list().map(({ id }) => id.slice(0, MIN_PREFIX_LENGTH)),
    runs: ports
      .runs()
      .filter(({ state }) => state === 'running' || state === 'waiting')
      .map(({ runId }) => runId.slice(0, MIN_PREFIX_LENGTH)),
    tasks: ports.tasks.list().filter(isUnderWay).map(shortTaskId),
    variables: Object.keys(ports.variables.read()).filter((key) => readOwned(key).owner === undefined),
    aliases: Object.keys(ports.aliases.read()),
    commands: commands.flatMap(namesOf),
  })
}

function createSymbolNames(connect: Connections['connect']): (account: string) => readonly string[] {
  const loaded = new Map<string, readonly string[]>()
  return (account) => {
    const known = loaded.get(account)
    if (known !== undefined) return known
    loaded.set(account, [])
    const [oldest] = loaded.keys()
    if (loaded.size > MAX_ACCOUNTS && oldest !== undefined) loaded.delete(oldest)
    void connect(account)
      .then(({ venue }) => venue.loadMarkets())
      .then((markets) => {
        const symbols = markets.map(({ symbol }) => symbol)
        if (loaded.has(account)) loaded.set(account, symbols)
      })
      // No markets, no completion of symbols; the next command tells why.
      .catch(() => loaded.delete(account))
    return []
  }
}

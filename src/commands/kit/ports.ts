// What commands may use besides their run. Each form names the ports it needs, and is given no others.

import type { Credentials } from '../../credentials/credentials.ts'
import type { Keys } from '../../credentials/keys.ts'
import type { EngineControl } from '../../cross-trade/engine-port.ts'
import type { VenueView } from '../../exchange/exchange.ts'
import type { CandleInterval, KnownMarkets, Market } from '../../exchange/market.ts'
import type { FactResult, ProofResult } from '../../exchanges/contract/prove.ts'
import type { Candles } from '../../exchanges/paper/candles.ts'
import type { DayBook } from '../../guards/day-book.ts'
import type { LookAtHooks } from '../../hooks/fire-limits.ts'
import type { NoticePort } from '../../notices/notice.ts'
import type { Preview } from '../../protocol/preview.ts'
import type { AskedGrant, GrantLevel } from '../../protocol/rows.ts'
import type { HookCounts, KeptOutput, RunQuery, RunRequest, RunResult, RunSummary, Source } from '../../runs/run.ts'
import type { SignIn } from '../../sign-in/sign-in.ts'
import type { AccountRow, AccountStore } from '../../stores/accounts.ts'
import type { AuditPort } from '../../stores/audit-log.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { CrossTradeEngine, CrossTradeStore, LeadingPages } from '../../stores/cross-trade.ts'
import type { EquityRecord } from '../../stores/equity-log.ts'
import type { Focus } from '../../stores/focus.ts'
import type { GuardStore } from '../../stores/guards.ts'
import type { Hook, HookStore, PositionState } from '../../stores/hooks.ts'
import type { ListenerKeyStore } from '../../stores/identity.ts'
import type { NoteStore } from '../../stores/notes.ts'
import type { NoticeResultStore } from '../../stores/notices.ts'
import type { PanicStore } from '../../stores/panic.ts'
import type { Proposal, ProposalBook } from '../../stores/proposals.ts'
import type { TextMapStore } from '../../stores/rows.ts'
import type { StopScope } from '../../stores/stops.ts'
import type { StoreProblem } from '../../stores/store-error.ts'
import type { FormerTrust, TrustedClientStore } from '../../stores/trusted-clients.ts'
import type { TaskPort } from '../../tasks/task-port.ts'
import type { FullView } from '../../terminal/full-screen.ts'
import type { TimeZone } from '../../trading/figures.ts'
import type { ReadOrderHistory, RunOrder } from '../../trading/history/journal-history.ts'
import type { Connect } from '../../trading/order-desk.ts'
import type { ConsoleStatus, HookReplayData, ListenerStatus, ReplayResult } from './data.ts'

/** A client that awaits approval; texts are as the client sent them. */
export interface PendingClient {
  readonly clientId: string
  readonly label: string
  readonly origin: string
  /** The public key that it has proved to hold; without one it cannot prove itself. */
  readonly key?: string
  /** What it was approved as before. */
  readonly formerTrust?: FormerTrust
  /** The grant that it asks for. */
  readonly asks?: AskedGrant
}

/** Web clients of the listener in this process. */
export interface Clients {
  /** Open sessions by `clientId`. */
  connected(): ReadonlyMap<string, number>
  /** The one the operator is being asked about first. */
  pending(): readonly PendingClient[]
  /**
   * @param may what the answer names; absent: what the client asks for, at most `look`
   * @returns false when it is no longer waiting. @throws {StoreError} the approval could not be saved; `more-than-asked`
   */
  decide(clientId: string, decision: 'approved' | 'denied', may?: GrantLevel): Promise<boolean>
}

/** What ran: in this process and in others, before restarts and since. */
export interface RunArchive {
  /** Newest first; what is under way in this process before all others. */
  find(query: RunQuery): Promise<readonly RunSummary[]>
  output(run: RunSummary): Promise<KeptOutput>
  /** Of a run, or of a task by its own id. */
  orders(run: Pick<RunSummary, 'runId' | 'startedAt'>): Promise<readonly RunOrder[]>
}

/** The person's terminal. */
export interface Terminal {
  /** Asks a question whose answer is not shown and not kept in the history. */
  askHidden(question: string): Promise<string>
  /** Asks a question and shows what is typed; from a pipe the next line is the answer. Not kept in the history. */
  ask?(question: string): Promise<string>
  /** Asks for `y` or `n`, which one key answers. Absent where nobody sits at it. */
  confirm?(question: string): Promise<boolean>
  /**
   * Gives the terminal to a view until that closes. At the prompt it resolves at once, and in `exec` when the view has closed, or `signal`
   * aborts. Absent where nobody sits at it.
   */
  show?(view: FullView, signal: AbortSignal): Promise<void>
  /** In which zone it shows times. Absent: UTC. */
  readonly times?: { zone: TimeZone }
  /** Cells of a row; undefined: what is shown goes to a file or a pipe. */
  columns?(): number | undefined
  clear(): void
  /** Lines typed before, oldest first. */
  history(): readonly string[]
  quit(): void
  /** Positions of the connected accounts that no stop ends, or a part of them. Absent where nobody sits at it. */
  bare?(): Promise<readonly BarePosition[]>
}

export interface BarePosition {
  readonly symbol: string
  /** With the line that places a stop. */
  readonly line: string
}

/** What became of a fire, once the journal has it. */
export type FireOutcome =
  | {
      readonly runId: string
      readonly isRepeat?: true
      /** Why it never began. */
      readonly unbegun?: { readonly why: string; readonly isSkipped?: true }
    }
  | { readonly why: string }

/** How many runs were ended. */
export interface StoppedRuns {
  readonly running: number
  readonly waiting: number
}

/** What ends runs of this process, and fires that wait. What was placed stays placed. */
export interface RunStops {
  stop(matches: (run: RunRequest) => boolean): StoppedRuns
  /**
   * Ends what was let in before, in every process that shares these files; the run that says so goes on.
   * @returns what it ended here @throws {StoreError} it holds here alone, and is written as soon as it can be
   */
  stopScope(scope: StopScope, requestedIn: string): Promise<StoppedRuns>
  /** For the panic that is on: ends all but the run that said so, and what was typed since. */
  panic(requestedIn: string): StoppedRuns
  /** This run is about to turn a switch off: that does not cut the step short in which it says so. */
  spare(runId: string): void
}

/** Questions alone: nothing is ordered there. */
export interface VenueToTry extends VenueView {
  close(): Promise<void>
}

interface AccountProof {
  readonly symbol: string
  /** Only the facts with these words in them. */
  readonly only?: string
  readonly signal: AbortSignal
  readonly onFact: (result: FactResult, number: number, of: number) => void
  /** What the report says besides the facts. */
  readonly about: Readonly<Record<string, unknown>>
}

/** Candles, as people keep them in files. */
export interface CandleFiles {
  /** Reads a file line by line. @param symbol whose grid they are brought to @throws {CandleError} @throws {StoreError} `invalid-value` */
  read(path: string, symbol: string, signal: AbortSignal): Promise<Candles>
  /** Keeps them for a replay on the account, instead of those of the last one. @throws {StoreError} */
  keep(account: string, candles: Candles): Promise<void>
}

/** Every port there is; the composition root makes them once. */
export interface CommandPorts {
  readonly version: string
  /** From 0 to below 1; nothing secret is made of it. */
  random(): number
  readonly config: ConfigStore
  readonly focus: Focus
  readonly accounts: AccountStore
  readonly hooks: HookStore
  /** Looks now; what it gives tells what a hook's limits are judged by (behaviour 47). */
  readonly hookFacts: LookAtHooks
  readonly crossTrade: CrossTradeStore
  /** The heartbeat of the engine, in whatever process it runs. */
  readonly crossTradeEngine: CrossTradeEngine
  readonly leadingPages: LeadingPages
  /** The engine of this process; absent where it would end with one line. */
  readonly copier: EngineControl | undefined
  readonly trustedClients: TrustedClientStore
  readonly listenerKey: Pick<ListenerKeyStore, 'publicKey'>
  readonly variables: TextMapStore
  readonly aliases: TextMapStore
  readonly audit: AuditPort
  /** What is wrong with the files of the config directory, and with rows in them, now. */
  fileProblems(): readonly StoreProblem[]
  /** Any account, not only the one that the run trades on. @throws {CommandError} `unknown-account`, `not-supported` */
  readonly connect: Connect
  /** Each as it was read last; undefined: the account is not connected, or nothing has been read. */
  readonly marketsOf: (accountName: string) => KnownMarkets
  /** Ends a connection, because its account row changed or is gone. */
  disconnect(accountName: string): Promise<void>
  /** Where keys are, and the vault (behaviour 43). */
  readonly credentials: Credentials
  /**
   * Opens the venue of an account that is not stored, to ask it questions. The caller closes it.
   * @throws {CommandError} `not-supported` @throws {ExchangeError}
   */
  tryAccount(row: AccountRow, keys: Keys): Promise<VenueToTry>
  /**
   * Runs the contract of the port on a demo account and writes a report and a recording. Other connections to the account should be closed.
   * @throws {CommandError} `not-demo`, `not-supported` @throws {ExchangeError} @throws {StoreError} the files cannot be written
   */
  proveAccount(row: AccountRow, run: AccountProof): Promise<ProofResult & { readonly files: readonly string[] }>
  /** Running, waiting and recent runs, newest first. */
  runs(limit?: number): readonly RunSummary[]
  /** Decides as a POST with its token is decided. undefined: this process does not listen. @param body what the alert says */
  fireHook(hook: Hook, body: string): Promise<FireOutcome | undefined>
  readonly stops: RunStops
  readonly panic: PanicStore
  readonly guards: GuardStore
  /** What the orders of each account add up to today. */
  guardBook(): Promise<DayBook>
  readonly runArchive: RunArchive
  /** How hooks fared in the last 24 h, by their ids. */
  readonly hookCounts: () => Promise<ReadonlyMap<string, HookCounts>>
  /** What a line would do now. */
  readonly preview: PreviewPort
  /** Work that outlives its command (behaviour 41). */
  readonly tasks: TaskPort
  /** Lines that clients propose (behaviour 146). */
  readonly proposals: ProposalPort
  readonly candles: CandleFiles
  readonly replay: ReplayPort
  /** What the operator is told away from the terminal (behaviour 50). */
  readonly notices: NoticePort
  readonly noticeResults: NoticeResultStore
  /** Who the operator is (behaviour 51). */
  readonly signIn: Pick<SignIn, 'read' | 'login' | 'logout'>
  /** Shows an address to who sits here; absent where there is no browser. */
  readonly browser: ((url: string) => void) | undefined
  /** What the order journal has of an account, since the account was made. */
  readonly orderHistory: ReadOrderHistory
  /** What people noted of their orders. */
  readonly notes: Pick<NoteStore, 'add' | 'read'>
  /** What an account was worth, as the process that listens has recorded it: oldest first, from `from` on and before `to`, ms since the epoch. */
  equityHistory(accountName: string, from: number, to: number): Promise<readonly EquityRecord[]>
  /** Writes down what an account is worth now. */
  noteEquity(record: EquityRecord): void
  listenerStatus(): ListenerStatus
  /** Asks who listens, for a process without a listener of its own. @returns undefined when nothing listens that answers as hookline does */
  askListeningPid(): Promise<number | undefined>
  /** Changes nothing. */
  askConsole(): Promise<ConsoleStatus>
  /** Absent where this process has no listener. */
  readonly clients: Clients | undefined
  /** Absent outside the REPL. */
  readonly terminal: Terminal | undefined
}

export type PortName = keyof CommandPorts

// How a trigger is tried on candles of the past (behaviour 53).

/** Candles to be read. */
export type CandleChoice =
  /** A file of comma-separated values. */
  | { readonly from: 'file'; readonly path: string; readonly mayHaveGaps: boolean }
  /** Of a venue, closed ones from a time on, ms since the epoch. */
  | { readonly from: 'venue'; readonly venue: VenueView; readonly since: number; readonly frame?: CandleInterval }

export interface ReplayRequest {
  /** `rsi(14, 1h) crosses above 30`, or `every mon 09:00`. */
  readonly when: string
  readonly hook: Pick<Hook, 'name' | 'command' | 'limits' | 'parallel' | 'maxAgeMs'> & { readonly id?: string }
  /** Whose limits hold; it is neither asked nor changed. */
  readonly account: Pick<AccountRow, 'name' | 'exchange'>
  readonly market: Market
  readonly candles: CandleChoice
  /** What the account begins with. */
  readonly balance: string
}

export interface ReplayProgress {
  /** From 0 to 1. */
  readonly done: number
  readonly bars: number
  /** The time of the candles, ms since the epoch. */
  readonly at: number
}

export interface ReplayCare {
  /** Ends it with what there is by then. */
  readonly signal: AbortSignal
  readonly onProgress: (progress: ReplayProgress) => void
}

/**
 * Nothing of an account is asked, touched or sent.
 * @throws {LanguageError} the condition @throws {CommandError} `bad-candles`, `not-supported`, `busy` @throws {ExchangeError} the venue's candles
 */
export type ReplayPort = (request: ReplayRequest, care: ReplayCare) => Promise<ReplayResult>

/** Of a page: the candles of the account's venue, never a file. */
export interface PageReplay {
  readonly hookId: string
  readonly days: number
  /** More are refused: each page of them is a question to the venue. */
  readonly maxCandles: number
}

/** @throws as `ReplayPort`, and {CommandError} `unknown-hook`, `bad-argument` */
export type ReplayHook = (asked: PageReplay, signal: AbortSignal) => Promise<HookReplayData>

// What clients propose, and a person decides about.

/** A client, as it was let in. */
export interface Proposer {
  readonly clientId: string
  readonly origin: string
  readonly label: string
}

export interface Proposed {
  readonly line: string
  readonly account: string
  /** Default: the symbol in focus. */
  readonly symbol?: string
  readonly reason: string
  /** Default 10. */
  readonly untilMinutes?: number
}

/** Each rejects with a {@link CommandError} or {@link StoreError}; the codes are in PROTOCOL.md. */
export interface ProposalPort {
  /** Oldest first. */
  list(): Promise<readonly Proposal[]>
  find(id: string): Promise<Proposal>
  propose(by: Proposer, proposed: Proposed): Promise<Proposal>
  withdraw(clientId: string, id: string): Promise<Proposal>
  deny(id: string): Promise<Proposal>
  /** Every open one, and all that come within that time. */
  denyAll(forMs: number): Promise<{ readonly denied: number; readonly until: number }>
  /** @returns it as it would run now; `changes`: what is another thing than was shown before */
  lookAgain(id: string): Promise<{ readonly proposal: Proposal; readonly changes?: string }>
  /**
   * A person has seen `shown` and says yes. `changed`: it has to be shown again.
   * @param requireMay throws where the one who approves no longer may; asked before anything is written
   */
  approve(
    shown: Proposal,
    requireMay?: () => void,
  ): Promise<{ readonly runId: string; readonly ended: Promise<RunResult> }>
  /** Reports each change, of whatever process. @returns stops it */
  follow(changed: (book: ProposalBook) => void): () => void
}

// How commands and sessions ask what a line would do.

export interface PreviewRequest {
  readonly command: string
  /** As whom it would run: what a page or hook may not, fails here too. */
  readonly source: Source
  readonly account?: string
  readonly symbol?: string
  /** What an alert fills into the slots. */
  readonly values?: Readonly<Record<string, string>>
  readonly hookId?: string
  /** The page that asks: its variables are its own. */
  readonly clientId?: string
  /** Its origin, by which its grant is known. */
  readonly pageOrigin?: string
  /** What its symbols must be for the line to run at all. */
  readonly onlyIf?: PositionState
  /** Dollars that its orders may be worth together. */
  readonly max?: string
}

export interface PreviewCare {
  /** Cuts it short: it resolves at once with what there is. */
  readonly signal?: AbortSignal
  /** Called when nothing of it is under way any more, which may be after it was cut short. */
  readonly onEnded?: () => void
}

/** Nothing is sent, nothing is written, no run is made; rejects only on a bug. It takes 5 s at most: what is not done by then is left out, and told. */
export type PreviewPort = (request: PreviewRequest, care?: PreviewCare) => Promise<Preview>

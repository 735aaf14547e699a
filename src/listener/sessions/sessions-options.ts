// What the sessions of web clients need from the rest of the program, and what they report to it.
import type { CompletionNames } from '../../commands/kit/command.ts'
import type { CommandPorts, PreviewPort, ProposalPort, ReplayHook, RunArchive } from '../../commands/kit/ports.ts'
import type { LookAtHooks } from '../../hooks/fire-limits.ts'
import type { ReadHookCounts } from '../../runtime/hook-counts.ts'
import type { RunPages } from '../../runtime/run-pages.ts'
import type { Runner } from '../../runtime/runner.ts'
import type { AccountStore } from '../../stores/accounts.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { CrossTradeEngine, CrossTradeStore, LeadingPages } from '../../stores/cross-trade.ts'
import type { Focus } from '../../stores/focus.ts'
import type { GuardStore } from '../../stores/guards.ts'
import type { HookStore } from '../../stores/hooks.ts'
import type { ListenerKey } from '../../stores/identity.ts'
import type { NoteStore } from '../../stores/notes.ts'
import type { PanicStore } from '../../stores/panic.ts'
import type { TextMapStore } from '../../stores/rows.ts'
import type { SignInStore } from '../../stores/sign-in.ts'
import type { TaskStore } from '../../stores/tasks.ts'
import type { TrustedClientStore } from '../../stores/trusted-clients.ts'
import type { Clock } from '../../trading/clock.ts'
import type { FillTail } from '../../trading/fill-tail.ts'
import type { CopyRecord } from '../../trading/history/copies.ts'
import type { ReadOrderHistory } from '../../trading/history/journal-history.ts'
import type { Question, QuestionEvents } from '../approvals/approvals.ts'
import type { EditQuestionEvents } from '../approvals/edit-questions.ts'
import type { EquitySource, TopicStores } from '../topics/topic-sources.ts'
import type { HookOp, MutationPorts } from './mutations.ts'

/** What pages see and change. */
interface SessionStores {
  readonly config: ConfigStore
  readonly accounts: AccountStore
  readonly hooks: HookStore
  readonly aliases: TextMapStore
  readonly panic: PanicStore
  readonly guards: GuardStore
  readonly trustedClients: TrustedClientStore
  readonly tasks: TaskStore
  readonly crossTrade: CrossTradeStore
  readonly crossTradeEngine: CrossTradeEngine
  readonly leadingPages: LeadingPages
  readonly signInFile: Pick<SignInStore, 'email'>
}

/** Where what pages ask is known. */
export interface DeskSources {
  readonly runPages: Pick<RunPages, 'page' | 'find'>
  readonly runArchive: Pick<RunArchive, 'output' | 'orders'>
  readonly orderHistory: ReadOrderHistory
  readonly notes: Pick<NoteStore, 'read'>
  readonly fills: FillTail
  readonly equity: EquitySource
  readonly triggers?: TopicStores['triggers']
  /** What copiers ordered, newest first, of every process. */
  readonly copies: (limit: number) => Promise<readonly CopyRecord[]>
  /** What completion offers for lines on this account. */
  readonly names: (account: string) => CompletionNames
}

export interface SessionsOptions
  extends Pick<MutationPorts, 'disconnect' | 'now'>,
    Pick<TopicStores, 'connect' | 'files' | 'notices'> {
  readonly stores: SessionStores
  readonly clock: Clock
  readonly focus: Focus
  readonly runner: Runner
  readonly desk: DeskSources
  readonly preview: PreviewPort
  readonly proposals: Pick<ProposalPort, 'find' | 'propose' | 'withdraw' | 'approve' | 'deny' | 'follow'>
  readonly guardBook: CommandPorts['guardBook']
  readonly hookCounts: ReadHookCounts
  readonly hookFacts: LookAtHooks
  readonly replayHook: ReplayHook
  /** undefined while it is not known, or a file of it is invalid: no client is let in then. */
  readonly identity: () =>
    | { readonly listenerId: string; readonly key: ListenerKey; readonly consoleKey: Buffer }
    | undefined
  readonly events: SessionEvents
}

/** What the sessions report. */
export interface SessionEvents extends QuestionEvents, EditQuestionEvents {
  /** A client did something that the operator should know. `by`: whose page, where it edited something. */
  activity(activity: ClientActivity, by?: ActingClient): void
  /** A client was turned away because it did not prove itself. Texts are as it sent them. */
  unproven(client: Question): void
  /** An error of no known class. */
  bug(error: unknown): void
}

/** As it was let in. */
interface ActingClient {
  readonly clientId: string
  readonly origin: string
}

export type ClientActivity =
  | { readonly type: 'connected' | 'disconnected'; readonly label: string; readonly origin: string }
  | {
      readonly type: 'hook'
      readonly op: HookOp
      readonly label: string
      readonly hookId: string
      readonly name: string
    }
  | {
      readonly type: 'account'
      readonly op: 'add' | 'change' | 'delete'
      readonly label: string
      readonly name: string
      readonly exchange: string
      /** As in `AccountChange`. */
      readonly fields: readonly string[]
    }
  | {
      readonly type: 'cross-trade'
      readonly op: 'upsert' | 'delete'
      readonly label: string
      readonly id: string
      readonly masterAccount: string
      /** What of it copies only after a yes at the terminal. */
      readonly waits: readonly string[]
    }
  | {
      readonly type: 'client'
      readonly op: 'grant' | 'revoke'
      readonly label: string
      /** As it was let in. */
      readonly client: { readonly clientId: string; readonly label: string; readonly origin: string }
      /** What it may from then on. */
      readonly to?: string
    }
  | {
      readonly type: 'proposal'
      readonly op: 'approve' | 'deny'
      readonly label: string
      readonly proposal: string
      readonly account: string
      readonly line: string
      /** Of one that has begun. */
      readonly runId?: string
    }
  /** Both this machine's engine and web pages' trade the same configs: orders would be doubled. `labels`: of the pages. */
  | { readonly type: 'dual-engine'; readonly active: boolean; readonly labels: readonly string[] }

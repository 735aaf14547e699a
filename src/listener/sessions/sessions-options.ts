// What the sessions of web clients need from the rest of the program.
import type { CommandPorts, Focus } from '../../commands/kit/ports.ts'
import type { PreviewPort } from '../../commands/kit/preview-port.ts'
import type { Runner } from '../../runtime/runner.ts'
import type { AccountStore } from '../../stores/accounts.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { CrossTradeStore } from '../../stores/cross-trade.ts'
import type { CrossTradeEngine, LeadingPages } from '../../stores/cross-trade-engine.ts'
import type { GuardStore } from '../../stores/guards.ts'
import type { HookStore } from '../../stores/hooks.ts'
import type { ListenerKey } from '../../stores/listener-key.ts'
import type { PanicStore } from '../../stores/panic.ts'
import type { SignInStore } from '../../stores/sign-in.ts'
import type { TaskStore } from '../../stores/tasks.ts'
import type { TextMapStore } from '../../stores/text-map.ts'
import type { TrustedClientStore } from '../../stores/trusted-clients.ts'
import type { DeskSources } from '../requests/desk-sources.ts'
import type { TopicStores } from '../topics/topic-sources.ts'
import type { MutationPorts } from './mutations.ts'
import type { SessionEvents } from './session-events.ts'

/** What pages see and change. */
export interface SessionStores {
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

export interface SessionsOptions
  extends Pick<MutationPorts, 'disconnect' | 'now'>,
    Pick<TopicStores, 'connect' | 'files' | 'notices'> {
  readonly stores: SessionStores
  readonly focus: Focus
  readonly runner: Runner
  readonly desk: DeskSources
  readonly preview: PreviewPort
  readonly hookCounts: CommandPorts['hookCounts']
  readonly hookFacts: CommandPorts['hookFacts']
  /** undefined while it is not known, or a file of it is invalid: no client is let in then. */
  readonly identity: () =>
    | { readonly listenerId: string; readonly key: ListenerKey; readonly consoleKey: Buffer }
    | undefined
  readonly events: SessionEvents
}

// What the doctor looks at, as it was found: no judgement here.
import type { ConsoleStatus } from '../../commands/kit/data.ts'
import type { Config } from '../../stores/config.ts'
import type { DirectoryHealth } from '../../stores/directory.ts'
import type { Guarding } from '../../stores/guards.ts'
import type { Panic } from '../../stores/panic.ts'
import type { SignInRow } from '../../stores/sign-in.ts'
import type { StoreProblem } from '../../stores/store-error.ts'

export type PortHolder =
  | { readonly is: 'hookline'; readonly pid: number; readonly isOurs: boolean }
  /** `who`: `nginx, pid 12`, where the system says. */
  | { readonly is: 'another'; readonly who?: string }
  | { readonly is: 'nobody' }

export interface ServiceFacts {
  readonly state: 'running' | 'starting' | 'failed' | 'stopped'
  readonly pid?: number
  readonly isCurrent: boolean
  /** Whether it goes on without a login; undefined: not known. */
  readonly isLingering?: boolean
  /** Whether a file or a credential gives it the passphrase of the vault; undefined: not known. */
  readonly hasPassphrase?: boolean
}

/** Of keys: had, not needed, or why not. Those in the environment are of this process, and maybe of no other. */
export type KeyFacts =
  | 'not-needed'
  | 'there'
  | 'in-environment'
  | { readonly code: string; readonly message: string; readonly hint?: string }

export interface AccountFacts {
  readonly name: string
  readonly exchange: string
  readonly keys: KeyFacts
  readonly guarding: Guarding
}

/** What a venue answered. */
export interface VenueFacts {
  readonly account: string
  readonly latencyMs?: number
  readonly clockDifferenceMs?: number
  /** Why it, or the keys, cannot be used. */
  readonly error?: string
}

/** What a fire of a hook would come to now. */
export interface FireFacts {
  readonly hook: string
  /** Empty: it would trade, as far as was tried. */
  readonly problems: readonly { readonly code: string; readonly text: string; readonly hint?: string }[]
}

interface EngineFacts {
  /** Rows that copy. */
  readonly enabled: number
  readonly isRunning: boolean
}

export interface DoctorFacts {
  readonly nodeVersion: string
  readonly directory: { readonly path: string; readonly health: DirectoryHealth }
  readonly problems: readonly StoreProblem[]
  readonly listener: Config['listener']
  readonly port: PortHolder
  readonly console: ConsoleStatus
  /** undefined: none is installed, or there is no manager. */
  readonly service?: ServiceFacts
  readonly panic: Panic | undefined
  readonly defaultAccount: string
  readonly accounts: readonly AccountFacts[]
  readonly hooks: readonly { readonly name: string; readonly account?: string }[]
  readonly fires: readonly FireFacts[]
  /** ms since the epoch. */
  readonly now: number
  readonly tasks: {
    readonly running: number
    /** The process that drives them; undefined: none does. */
    readonly driver?: number
  }
  readonly engine: EngineFacts
  /** Accounts on which an ended process has left orders, or why the journal of orders cannot be read. */
  readonly leftOpen: readonly string[] | { readonly error: string }
  /** What is wrong with the audit log; undefined: nothing. */
  readonly audit: string | undefined
  /** Files with keys in plain text that no account uses. */
  readonly leftKeys: readonly string[]
  /** undefined: nobody is signed in. */
  readonly signIn: SignInRow | undefined
  /** Empty unless asked for. */
  readonly venues: readonly VenueFacts[]
}

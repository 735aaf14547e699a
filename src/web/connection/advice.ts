// What a piece of advice is made of, and the facts it is drawn from.
import type { ConnectionState } from '../../client/connection-state.ts'
import type { LoopbackAccess } from '../../client/loopback-permission.ts'
import { isLoopback } from '../../protocol/address.ts'
import type { Browser } from './browser.ts'

export interface ConnectionFacts {
  readonly connection: ConnectionState
  readonly access: LoopbackAccess | undefined
  readonly isProbing: boolean
  readonly isSlow: boolean
  /** Since when a connected hookline has said nothing; ms since the epoch. */
  readonly silentSince?: number | undefined
  readonly clientId: string
  /** The public key by which this page proves itself; undefined where it cannot. */
  readonly key: string | undefined
  /** What the operator reads as the label. */
  readonly label: string
  /** `location.origin`. */
  readonly origin: string
  readonly browser: Browser
  /** False: `hookline web` does not run, and this page is the copy that the browser keeps. */
  readonly isServed?: boolean | undefined
  /** It has been let in since it was loaded. */
  readonly wasIn: boolean
}

export type Tone = 'good' | 'busy' | 'ask' | 'bad' | 'off'
export type AdviceAction = 'connect' | 'retry' | 'check' | 'disconnect' | 'accept-listener' | 'stay-away'

export interface Advice {
  readonly tone: Tone
  /** A few words, for the badge. */
  readonly badge: string
  /** A sentence, also announced to screen readers. */
  readonly title: string
  /** What to do next; paragraphs. */
  readonly steps: readonly string[]
  /** To be copied: `where` says into what. */
  readonly lines?: readonly { readonly where: string; readonly text: string }[]
  /** To be compared by eye. */
  readonly values?: readonly { readonly name: string; readonly text: string }[]
  readonly actions: readonly AdviceAction[]
  /** When the next attempt is due, ms since the epoch. */
  readonly retryAt?: number
  /** Needs a person: worth showing unasked. */
  readonly isPressing: boolean
}

/** Pages from this machine are asked nothing by any browser. */
export function isLocalPage(origin: string): boolean {
  return URL.canParse(origin) && isLoopback(new URL(origin))
}

/** How to start hookline. */
export const START_LINES = [
  { where: 'In a terminal', text: 'hookline' },
  { where: 'Or in a clone of its repository', text: 'npm start' },
] as const

/** How to start what serves this page. */
export const SERVE_LINE = { where: 'In another terminal, for the newest console', text: 'hookline web' } as const

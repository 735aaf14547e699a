// What the operator is told wherever they are (behaviour 50): one line, of a kind, with what it is about.

import { CodedError } from '../base/coded-error.ts'
import type { KeyOwner } from '../credentials/credentials.ts'
import { printable } from '../language/printable.ts'
import { NOTICE_KINDS, type NoticeKind, type NoticeRow } from '../protocol/rows.ts'

export type { NoticeKind, NoticeRow }
export { NOTICE_KINDS }

/** `urgent`: it is told in quiet hours too. */
type Severity = 'info' | 'warn' | 'urgent'

export interface Notice {
  readonly kind: NoticeKind
  readonly severity: Severity
  /** May be anything; it is made printable and cut. */
  readonly text: string
  readonly account?: string
  /** The name of the hook. */
  readonly hook?: string
}

// Notices as one line of plain text each. What they say may come from a venue, an alert or a page: it is made printable and cut, and no channel
// reads markup in it (behaviours 20, 50).

/** In UTF-16 units. */
export const TEXT_LENGTH = 400
const NAME_LENGTH = 64

/** The notice with its texts made safe. */
export function cutNotice({ kind, severity, text, account, hook }: Notice): Notice {
  return {
    kind,
    severity,
    text: printable(text.trim(), TEXT_LENGTH).trimEnd(),
    ...(account === undefined ? {} : { account: printable(account, NAME_LENGTH) }),
    ...(hook === undefined ? {} : { hook: printable(hook, NAME_LENGTH) }),
  }
}

/** What is the same said again. */
export function keyOf({ kind, text, account, hook }: Notice | NoticeRow): string {
  return JSON.stringify([kind, account, hook, text])
}

/** `[paper] bought 0.003 BTCUSDT at 65,012.5 (×3)`. */
function noticeLine({ text, account, count }: Pick<NoticeRow, 'text' | 'account' | 'count'>): string {
  const where = account === undefined ? '' : `[${account}] `
  return `${where}${text}${count > 1 ? ` (×${count})` : ''}`
}

/** Several in one message, oldest first. @param leftOut had no room in the queue @param maxLength in UTF-16 units */
export function messageOf(rows: readonly NoticeRow[], leftOut: number, maxLength = Number.POSITIVE_INFINITY): string {
  const missing = leftOut === 0 ? [] : [`${leftOut === 1 ? '1 notice' : `${leftOut} notices`} before this left out`]
  const text = [...missing, ...rows.map(noticeLine)].join('\n')
  // Without half of a character at its end.
  return text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')
}

// Why a notice was not delivered. Its text is ours alone: what a library or a receiver says may hold an address with a secret in it.

type NoticeFailure =
  /** The vault has the keys of the channel, and is locked. */
  | 'locked'
  /** The keys of the channel cannot be had. */
  | 'no-secret'
  | 'timeout'
  | 'unreachable'
  /** An answer other than 2xx. */
  | 'refused'
  /** This machine has no way to show it. */
  | 'not-supported'

interface NoticeErrorOptions {
  readonly hint?: string
  /** The same may do better later. Default: it may not. */
  readonly mayRetry?: boolean
  /** The receiver asked for this much patience. */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

export class NoticeError extends CodedError<NoticeFailure> {
  override readonly name = 'NoticeError'
  readonly mayRetry: boolean
  readonly retryAfterMs: number | undefined
  constructor(code: NoticeFailure, message: string, options: NoticeErrorOptions = {}) {
    super(code, message, options)
    this.mayRetry = options.mayRetry ?? false
    this.retryAfterMs = options.retryAfterMs
  }
}

// Notices as commands see them.

/** Of one channel, in this process. Times are ms since the epoch. */
export interface ChannelStatus {
  readonly name: string
  readonly waiting: number
  readonly sent: number
  /** Given up after the last try. */
  readonly failed: number
  /** Had no room while the channel was slow. */
  readonly leftOut: number
  /** When it last ended well or badly; absent: nothing was sent. */
  readonly last?: { readonly at: number; readonly error?: string }
}

export interface NoticePort {
  /** Tells it to every channel that is to have it. Never waits, never throws. */
  send(notice: Notice): void
  /** As `tell`, for text that a line gives. @param who is counted @returns false: too much was said in a minute, and this was not told */
  sendFor(notice: Notice, who: string): boolean
  /** Of the channels in config.json. */
  status(): readonly ChannelStatus[]
  /** Sends one line through a channel, once, whatever its kinds and hours. @throws {NoticeError} why it was not delivered */
  test(channel: string): Promise<void>
  /** As `test`, with a text of its own. @throws {NoticeError} */
  sendNow(channel: string, text: string): Promise<void>
}

// Under which name the secret of a channel is kept. No account can have it, because of the dot.

export function ownerOf(channel: string): KeyOwner {
  return { name: `notices.${channel}`, exchange: 'notices' }
}

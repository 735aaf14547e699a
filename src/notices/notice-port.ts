// Notices as commands see them.
import type { Notice } from './notice.ts'

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
  tell(notice: Notice): void
  /** As `tell`, for text that a line gives. @param who is counted @returns false: too much was said in a minute, and this was not told */
  say(notice: Notice, who: string): boolean
  /** Of the channels in config.json. */
  status(): readonly ChannelStatus[]
  /** Sends one line through a channel, once, whatever its kinds and hours. @throws {NoticeError} why it was not delivered */
  test(channel: string): Promise<void>
}

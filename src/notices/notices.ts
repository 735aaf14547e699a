// Everything that is told, and the channels that carry it (behaviour 50). Telling costs a run a few microseconds: each channel sends on its own.
import { defined } from '../base/defined.ts'
import type { ChannelSettings, NoticeSettings, UnsentNotice } from '../stores/notices.ts'
import { ChannelSender, type Deliver } from './channel-sender.ts'
import { type ChannelStatus, type Notice, NoticeError, type NoticePort, type NoticeRow } from './notice.ts'
import { NoticeBoard } from './notice-board.ts'

interface NoticesOptions {
  /** As config.json has them now. */
  readonly settings: () => NoticeSettings
  /** Loads what the channel needs when the first notice comes. */
  readonly open: (channel: ChannelSettings) => Promise<Deliver>
  /** ms since the epoch. */
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Takes out what leaves by the terminal alone (behaviour 18). Default: nothing is taken out. */
  readonly hide?: (text: string) => string
  /** Of every notice, before any channel takes it. */
  readonly onNotice?: (notice: Notice) => void
  /** As of a channel's sender. */
  readonly onUnsent?: () => void
  readonly keep?: () => Promise<void>
  /** How a notice of a channel went. Default: no one is told. */
  readonly onResult?: (channel: string, result: NonNullable<ChannelStatus['last']>) => void
  /** For the terminal. */
  readonly warn: (text: string) => void
  readonly onBug: (error: unknown) => void
  /** Default: by this machine's clock. */
  readonly minuteOfDay?: (now: number) => number
}

interface Opened {
  readonly sender: ChannelSender
  /** What it was opened with: another text is another channel. */
  readonly settings: string
}

/** So many notices in one message, which has room for them, and ms between two: chats and desktops bear one a second. */
const PACE = {
  desktop: { bundle: 3, gapMs: 1_000 },
  telegram: { bundle: 8, gapMs: 1_100 },
  webhook: { bundle: 1, gapMs: 100 },
} as const

export class Notices implements NoticePort {
  readonly board: NoticeBoard
  readonly #options: NoticesOptions
  readonly #rate: NotifyRate
  readonly #opened = new Map<string, Opened>()
  #isClosed = false

  constructor(options: NoticesOptions) {
    this.#options = options
    this.board = new NoticeBoard(options.now)
    this.#rate = new NotifyRate(options.now)
  }

  send(notice: Notice): void {
    if (this.#isClosed) return
    try {
      const { hide = (text) => text, onNotice } = this.#options
      onNotice?.(notice)
      const row = this.board.add({ ...notice, text: hide(notice.text) })
      const { channels, quiet } = this.#options.settings()
      this.#closeRemoved(channels)
      if (channels.length === 0 || this.#isHeldBack(row, quiet)) return
      for (const channel of channels) {
        if (takesKind(channel, notice.kind)) this.#senderOf(channel).push(row)
      }
    } catch (error) {
      // Nothing that a run does may fail because of what is told about it.
      this.#options.onBug(error)
    }
  }

  sendFor(notice: Notice, who: string): boolean {
    if (!this.#rate.admit(who)) return false
    this.send(notice)
    return true
  }

  /** Of all channels, oldest first in each. */
  unsent(): readonly UnsentNotice[] {
    return [...this.#opened].flatMap(([channel, { sender }]) => sender.unsent().map((each) => ({ ...each, channel })))
  }

  /** What another process has not sent. What a channel no longer takes is dropped. */
  takeOver(notices: readonly UnsentNotice[]): void {
    const { channels } = this.#options.settings()
    for (const { channel: name, id, row } of notices) {
      const channel = channels.find((each) => each.name === name)
      if (channel !== undefined && takesKind(channel, row.kind)) this.#senderOf(channel).push(row, id)
    }
  }

  status(): readonly ChannelStatus[] {
    return this.#options.settings().channels.map((channel) => {
      const opened = this.#opened.get(channel.name)
      const isSame = opened?.settings === JSON.stringify(channel)
      return isSame ? opened.sender.status() : { name: channel.name, waiting: 0, sent: 0, failed: 0, leftOut: 0 }
    })
  }

  test(name: string): Promise<void> {
    return this.sendNow(name, `this is a test of channel ${name}`)
  }

  async sendNow(name: string, text: string): Promise<void> {
    const channel = this.#options.settings().channels.find((each) => each.name === name)
    if (channel === undefined) throw new NoticeError('not-supported', `no channel ${name} found`)
    await this.#senderOf(channel).test({
      id: 0,
      at: this.#options.now(),
      kind: 'said',
      severity: 'info',
      count: 1,
      text,
    })
  }

  /** What waits is sent, as far as it can be in that time. Never rejects. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#opened.values()].map(({ sender }) => sender.close(graceMs)))
  }

  /** What waits for a channel that is gone is not sent any more. */
  #closeRemoved(channels: readonly ChannelSettings[]): void {
    for (const [name, { sender }] of this.#opened) {
      if (channels.some((channel) => channel.name === name)) continue
      void sender.close(0)
      this.#opened.delete(name)
    }
  }

  #isHeldBack({ severity }: NoticeRow, quiet: string | undefined): boolean {
    if (quiet === undefined || severity === 'urgent') return false
    const hours = readQuietHours(quiet)
    const { now, minuteOfDay: minute = minuteOfDay } = this.#options
    return hours !== undefined && isQuiet(hours, minute(now()))
  }

  #senderOf(channel: ChannelSettings): ChannelSender {
    const settings = JSON.stringify(channel)
    const opened = this.#opened.get(channel.name)
    if (opened?.settings === settings) return opened.sender
    // What waits for it under other settings is not sent any more.
    void opened?.sender.close(0)
    const sender = this.#openSender(channel)
    this.#opened.set(channel.name, { sender, settings })
    return sender
  }

  #openSender(channel: ChannelSettings): ChannelSender {
    const { open, now, pause, warn, onBug, onResult, onUnsent, keep } = this.#options
    let opening: Promise<Deliver> | undefined
    return new ChannelSender({
      name: channel.name,
      ...PACE[channel.type],
      now,
      pause,
      onBug,
      ...defined({ onUnsent, keep }),
      onResult: (result) => onResult?.(channel.name, result),
      async deliver(taken, signal) {
        opening ??= open(channel)
        const deliver = await opening
        await deliver(taken, signal)
      },
      onChange(error) {
        if (error === undefined) return warn(`notices: channel ${channel.name} works again`)
        const hint = error.hint === undefined ? '' : ` (${error.hint})`
        warn(
          `notices: channel ${channel.name} does not work: ${error.message}${hint}; \`notices\` shows what was not sent`,
        )
      },
    })
  }
}

const takesKind = ({ kinds }: ChannelSettings, kind: string): boolean => kinds?.some((each) => each === kind) ?? true

// Hours in which only urgent notices are sent, in the time of this machine: `22:00-07:00`.

const RANGE = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/

/** Minutes of the day; `from` is quiet, `to` no longer. From 22:00 to 07:00 goes over midnight. */
interface QuietHours {
  readonly from: number
  readonly to: number
}

/** @returns undefined: it is not such a range, or an empty one */
export function readQuietHours(text: string): QuietHours | undefined {
  const [, fromHour, fromMinute, toHour, toMinute] = RANGE.exec(text) ?? []
  if (toMinute === undefined) return undefined
  const from = Number(fromHour) * 60 + Number(fromMinute)
  const to = Number(toHour) * 60 + Number(toMinute)
  return from === to ? undefined : { from, to }
}

/** @param minute of the day */
export function isQuiet({ from, to }: QuietHours, minute: number): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}

/** By the clock on the wall of this machine. */
export function minuteOfDay(now: number): number {
  const date = new Date(now)
  return date.getHours() * 60 + date.getMinutes()
}

// How often `notify` may tell something: so often in a minute for each hook, page or terminal, and for all together. A hook that fires all the
// time floods no one.
const WINDOW_MS = 60_000
const OF_ONE = 10
const OF_ALL = 30

export class NotifyRate {
  readonly #now: () => number
  #sent: { readonly who: string; readonly at: number }[] = []

  /** @param now ms since the epoch */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts it where it may be told. @param who a hook's id, `terminal` */
  admit(who: string): boolean {
    const now = this.#now()
    this.#sent = this.#sent.filter(({ at }) => at > now - WINDOW_MS && at <= now)
    if (this.#sent.length >= OF_ALL || this.#sent.filter((each) => each.who === who).length >= OF_ONE) return false
    this.#sent.push({ who, at: now })
    return true
  }
}

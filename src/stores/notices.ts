// `notices` in config.json (behaviour 50): where notices are sent. Secrets of channels are kept where keys are, never here.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { NOTICE_KINDS, type NoticeKind, type NoticeRow, noticeRow, time } from '../protocol/rows.ts'
import { type KeyPlace, keyPlace } from './accounts.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { isAlive, ownIdentity, type ProcessIdentity } from './kernel-files.ts'
import { recordOf } from './rows.ts'

export const CHANNEL_TYPES = ['desktop', 'telegram', 'webhook'] as const
export type ChannelType = (typeof CHANNEL_TYPES)[number]

export interface ChannelSettings {
  /** Of `desktop` and `telegram`, of which there is one each, their type. */
  readonly name: string
  readonly type: ChannelType
  /** Absent: all. */
  readonly kinds?: readonly NoticeKind[]
  /** Of Telegram. */
  readonly chatId?: string
  /** Of Telegram: the chat that was proven at the terminal, and may give orders (behaviour 147). It counts while it is `chatId`. */
  readonly listensTo?: string
  /** Of Telegram: the Bot API of a server of one's own. Default: Telegram's. */
  readonly api?: string
  /** Of a webhook. */
  readonly url?: string
  /** Where its secret is. */
  readonly keys?: KeyPlace
}

export interface NoticeSettings {
  readonly channels: readonly ChannelSettings[]
  /** `22:00-07:00`, by this machine's clock: only urgent notices are sent. */
  readonly quiet?: string
}

/** A setting that cannot be used is told with its path, and counts as not there. */
export type ReadSetting = <T>(path: readonly string[], schema: z.ZodMiniType<T>, value: unknown, fallback: T) => T

type Fields = Record<string, unknown>

/** Whether what is written in its chat counts: the chat was proven at the terminal, and is still the one. */
export function listensIn({ type, chatId, listensTo }: ChannelSettings): boolean {
  return type === 'telegram' && listensTo !== undefined && listensTo === chatId && PRIVATE_CHAT.test(chatId)
}

/** The chat of one person; those of groups are negative. */
export const PRIVATE_CHAT = /^\d{1,20}$/

export const NO_NOTICES: NoticeSettings = { channels: [] }

/** Letters, digits, `-` and `_`, as names of accounts. */
export const WEBHOOK_NAME = /^[A-Za-z0-9_-]{1,32}$/
/** `22:00-07:00`. */
export const QUIET = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/
export const CHAT_ID = /^-?\d{1,20}$/
export const MAX_WEBHOOKS = 8

/** Made when there are notices to read: a start without them does not pay for it. */
function makeSchemas() {
  const object = z.looseObject({})
  const keys = z.exactOptional(keyPlace)
  const name = z.string().check(
    z.regex(WEBHOOK_NAME, 'must be 1 to 32 letters, digits, - and _'),
    z.refine((text) => !isType(text), 'must not be desktop or telegram'),
  )
  const chatId = z.string().check(z.regex(CHAT_ID, 'must be the number of a chat, as text'))
  return {
    object,
    desktop: z.optional(z.union([z.boolean(), object], 'must be true, false or an object')),
    telegram: z.optional(
      z.looseObject({ chatId, keys, listensTo: z.exactOptional(z.string()), api: z.exactOptional(z.string()) }),
    ),
    webhooks: z.optional(z.array(z.unknown())),
    webhook: z.optional(z.looseObject({ name, url: z.string(), keys })),
    kinds: z.optional(z.array(z.enum(NOTICE_KINDS, `must be one of ${NOTICE_KINDS.join(', ')}`))),
    quiet: z.optional(z.string().check(z.regex(QUIET, 'must be two times of day: `22:00-07:00`'))),
  }
}

let schemas: ReturnType<typeof makeSchemas> | undefined

const isType = (name: string): boolean => CHANNEL_TYPES.some((type) => type === name)

/** Reads what is in the file; each channel on its own, so that a mistake in one leaves the others. */
export function readNoticeSettings(value: unknown, setting: ReadSetting): NoticeSettings {
  if (value === undefined) return NO_NOTICES
  schemas ??= makeSchemas()
  const fields = setting<Fields>(['notices'], schemas.object, value, {})
  const quiet = setting(['notices', 'quiet'], schemas.quiet, fields.quiet, undefined)
  return { channels: readChannels(fields, schemas, setting), ...defined({ quiet }) }
}

function readChannels(
  fields: Fields,
  known: ReturnType<typeof makeSchemas>,
  setting: ReadSetting,
): readonly ChannelSettings[] {
  const read = <T>(path: readonly string[], schema: z.ZodMiniType<T | undefined>, value: unknown): T | undefined =>
    setting(['notices', ...path], schema, value, undefined)
  const kindsOf = (path: readonly string[], channel: Fields): Pick<ChannelSettings, 'kinds'> => {
    const kinds = read([...path, 'kinds'], known.kinds, channel.kinds)
    return defined({ kinds })
  }
  const channels: ChannelSettings[] = []
  const desktop = read(['desktop'], known.desktop, fields.desktop)
  if (desktop !== undefined && desktop !== false) {
    channels.push({ name: 'desktop', type: 'desktop', ...(desktop === true ? {} : kindsOf(['desktop'], desktop)) })
  }
  const bot = read(['telegram'], known.telegram, fields.telegram)
  if (bot !== undefined) {
    const { chatId, listensTo, api } = bot
    channels.push({
      name: 'telegram',
      type: 'telegram',
      chatId,
      ...defined({ listensTo, api }),
      ...keysOf(bot),
      ...kindsOf(['telegram'], bot),
    })
  }
  const rows = read(['webhooks'], known.webhooks, fields.webhooks) ?? []
  for (const [index, row] of rows.slice(0, MAX_WEBHOOKS).entries()) {
    const path = ['webhooks', String(index)]
    const webhook = read(path, known.webhook, row)
    if (webhook === undefined || channels.some(({ name }) => name === webhook.name)) continue
    const { name, url } = webhook
    channels.push({ name, type: 'webhook', url, ...keysOf(webhook), ...kindsOf(path, webhook) })
  }
  return channels
}

function keysOf({ keys }: { readonly keys?: KeyPlace }): Pick<ChannelSettings, 'keys'> {
  return defined({ keys })
}

/** Puts a channel in place of the one of its name. What hookline does not know in the file stays. */
export function withChannel(value: unknown, { type, ...channel }: ChannelSettings): Fields {
  const fields = withoutChannel(value, channel.name)
  const { name, ...settings } = channel
  if (type !== 'webhook') return { ...fields, [name]: settings }
  return { ...fields, webhooks: [...webhooksOf(fields), channel] }
}

export function withoutChannel(value: unknown, name: string): Fields {
  const fields = { ...fieldsOf(value) }
  if (isType(name)) delete fields[name]
  else if (fields.webhooks !== undefined) {
    fields.webhooks = webhooksOf(fields).filter((row) => fieldsOf(row).name !== name)
  }
  return fields
}

export function withQuiet(value: unknown, hours: string | undefined): Fields {
  const { quiet: _, ...fields } = fieldsOf(value)
  return hours === undefined ? fields : { ...fields, quiet: hours }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function webhooksOf({ webhooks }: Fields): readonly unknown[] {
  return Array.isArray(webhooks) ? webhooks : []
}

// `notice-results.json`: how the last notice of each channel went, for `notices` in whatever process it is typed (behaviour 50).

const result = z.looseObject({ at: time, error: z.exactOptional(z.string()) })

/** `error`: why it was not delivered, for people. */
export interface NoticeResult {
  /** ms since the epoch. */
  readonly at: number
  readonly error?: string
}

const fileSchema = z.looseObject({ channels: z.exactOptional(z.record(z.string(), result)) })
interface ResultsFile {
  readonly channels?: Readonly<Record<string, NoticeResult>>
}

export interface NoticeResultStore extends FileState {
  find(channel: string): NoticeResult | undefined
  /** Those that are given take the places of theirs; of channels that are not named in `known` nothing is kept. @throws {StoreError} */
  note(results: ReadonlyMap<string, NoticeResult>, known: readonly string[]): Promise<void>
}

export function openNoticeResults(directory: string): NoticeResultStore {
  const file = createJsonFile<ResultsFile>({
    path: join(directory, 'notice-results.json'),
    parse: recordOf<ResultsFile>(fileSchema),
    defaults: {},
  })
  return {
    find(channel) {
      const { channels = {} } = file.read()
      return Object.hasOwn(channels, channel) ? channels[channel] : undefined
    },
    async note(results, known) {
      await file.update((content) => {
        const all = { ...content.channels, ...Object.fromEntries(results) }
        const kept = Object.entries(all).filter(([channel]) => known.includes(channel))
        return { ...content, channels: Object.fromEntries(kept) }
      })
    },
    ...stateOf(file),
  }
}

// `notices-unsent.json`: what channels have still to send, so that the end of a process loses none of it (behaviour 50).

/** What one channel has still to send. `id`: a receiver knows it again by that, also when another process sends it. */
export interface UnsentNotice {
  readonly channel: string
  readonly id: string
  readonly row: NoticeRow
}

const unsentSchema = z.looseObject({
  channel: z.string(),
  id: z.string(),
  row: noticeRow,
  pid: z.int(),
  born: z.exactOptional(z.string()),
})
type KeptNotice = UnsentNotice & ProcessIdentity

const unsentFileSchema = z.looseObject({
  unsent: z.exactOptional(z.array(unsentSchema)),
  since: z.exactOptional(time),
  alerts: z.exactOptional(z.array(z.string())),
})

interface UnsentFile {
  readonly unsent?: readonly KeptNotice[]
  /** Alerts that ended later are in `alerts` once they were given to the channels. */
  readonly since?: number
  /** Their ids, oldest first. */
  readonly alerts?: readonly string[]
}

/** ms. What is older is not sent any more. */
export const UNSENT_FOR_MS = 86_400_000
const MAX_ALERTS = 500

interface EndedAlert {
  readonly id: string
  /** ms since the epoch. */
  readonly updatedAt: number
}

export interface UnsentNoticeStore extends FileState {
  /** Those of this process are these. @param alerts given to the channels since the last time @throws {StoreError} */
  keep(notices: readonly UnsentNotice[], alerts: readonly string[]): Promise<void>
  /** What processes that have ended left unsent is this one's from now on. @returns it, oldest first @throws {StoreError} */
  takeOver(): Promise<readonly UnsentNotice[]>
  /**
   * The reports of ended alerts are given to the channels.
   * @returns those whose reports were not before, and are not too old @throws {StoreError}
   */
  claim<Ended extends EndedAlert>(alerts: readonly Ended[]): Promise<readonly Ended[]>
}

const withAlerts = ({ alerts = [] }: UnsentFile, more: readonly string[]): readonly string[] =>
  [...alerts, ...more].slice(-MAX_ALERTS)

interface UnsentOptions {
  /** Default: this process. */
  readonly identity?: ProcessIdentity
  readonly isAlive?: (process: ProcessIdentity) => boolean
  /** ms since the epoch. */
  readonly now?: () => number
}

export function openUnsentNotices(directory: string, options: UnsentOptions = {}): UnsentNoticeStore {
  const { identity, isAlive: lives = isAlive, now = Date.now } = options
  const own = (): ProcessIdentity => identity ?? ownIdentity()
  const isOwn = ({ pid, born }: ProcessIdentity): boolean => pid === own().pid && born === own().born
  const file = createJsonFile<UnsentFile>({
    path: join(directory, 'notices-unsent.json'),
    parse: recordOf<UnsentFile>(unsentFileSchema),
    defaults: {},
  })
  return {
    async keep(notices, alerts) {
      const { unsent = [] } = file.read()
      if (notices.length === 0 && alerts.length === 0 && !unsent.some(isOwn)) return
      await file.update((content) => ({
        ...content,
        unsent: [
          ...(content.unsent ?? []).filter((each) => !isOwn(each)),
          ...notices.map((each) => ({ ...each, ...own() })),
        ],
        alerts: withAlerts(content, alerts),
      }))
    },
    async takeOver() {
      const { since, unsent = [] } = file.read()
      if (since !== undefined && !unsent.some((each) => !lives(each))) return []
      let taken: readonly KeptNotice[] = []
      await file.update((content) => {
        const { unsent: all = [] } = content
        taken = all.filter((each) => !lives(each) && now() - each.row.at < UNSENT_FOR_MS)
        const kept = all.filter(lives)
        return {
          ...content,
          since: content.since ?? now(),
          unsent: [...kept, ...taken.map(({ channel, id, row }) => ({ channel, id, row, ...own() }))],
        }
      })
      return taken.map(({ channel, id, row }) => ({ channel, id, row }))
    },
    async claim(alerts) {
      const openIn = ({ since = Number.POSITIVE_INFINITY, alerts: given = [] }: UnsentFile) =>
        alerts.filter(({ id, updatedAt }) => {
          return updatedAt > since && now() - updatedAt < UNSENT_FOR_MS && !given.includes(id)
        })
      if (openIn(file.read()).length === 0) return []
      let claimed: typeof alerts = []
      await file.update((content) => {
        claimed = openIn(content)
        const ids = claimed.map(({ id }) => id)
        return ids.length === 0 ? content : { ...content, alerts: withAlerts(content, ids) }
      })
      return claimed
    },
    ...stateOf(file),
  }
}

// `chat-updates.json`: the last message or press of the Telegram chat that was acted on, so that none is acted on twice (behaviour 147).

const seenSchema = z.looseObject({ last: z.exactOptional(z.int()), at: z.exactOptional(time) })

interface SeenFile {
  readonly last?: number
  /** ms since the epoch. */
  readonly at?: number
}

export interface ChatUpdateStore extends FileState {
  /** @returns undefined: none yet */
  read(): { readonly last: number; readonly at: number } | undefined
  /** @throws {StoreError} */
  keep(last: number, at: number): Promise<void>
}

export function openChatUpdates(directory: string): ChatUpdateStore {
  const file = createJsonFile<SeenFile>({
    path: join(directory, 'chat-updates.json'),
    parse: recordOf<SeenFile>(seenSchema),
    defaults: {},
  })
  return {
    read() {
      const { last, at } = file.read()
      return last === undefined || at === undefined ? undefined : { last, at }
    },
    async keep(last, at) {
      await file.update((content) => ({ ...content, last, at }))
    },
    ...stateOf(file),
  }
}

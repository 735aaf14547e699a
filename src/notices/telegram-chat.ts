// What the operator writes to the Telegram bot and presses there (behaviour 147), read by long polling: nothing reaches in from outside. Words and
// presses of the one person whose chat was proven come through, once, while they are new; all else is dropped without an answer. Fields and
// methods: https://core.telegram.org/bots/api (getUpdates, Message, CallbackQuery).
import * as z from 'zod/mini'
import { backoffMs } from '../base/concurrency.ts'
import { printable } from '../language/printable.ts'
import { NoticeError } from './notice.ts'
import { post, refusalOf } from './post.ts'
import { isBotToken, retryAfterIn, unknownBot } from './telegram.ts'

/** Of one message, in UTF-16 units: Telegram takes 4 096. */
export const MAX_LENGTH = 4_000
/** Of what is written to the bot. */
const MAX_WORDS = 200
/** A message that took longer is not acted on: the market is elsewhere by then. */
export const MAX_AGE_MS = 60_000
/** Telegram answers at once when there is something, and otherwise after this. */
const POLL_S = 50
const POLL_TIMEOUT_MS = (POLL_S + 10) * 1_000
const CALL_TIMEOUT_MS = 10_000
/** So few fit into the bytes that are read, whatever strangers write. */
const UPDATES_AT_ONCE = 10
const MAX_UPDATES_BYTES = 2_000_000
const MAX_PAUSE_MS = 60_000

/** A button below a message, and what its press brings back: at most 64 bytes. */
export interface ChatButton {
  readonly text: string
  readonly data: string
}

export type ChatEvent =
  | { readonly type: 'words'; readonly text: string }
  /** `callback` answers the press, `message` is the one that had the button. */
  | { readonly type: 'press'; readonly data: string; readonly callback: string; readonly message: number }
  /** It is of the operator and too old, or from the future. */
  | { readonly type: 'late'; readonly ageMs: number }

/** After a week without updates Telegram numbers them anew, from anywhere. */
export const NUMBERED_ANEW_MS = 6 * 86_400_000

/** The last update acted on, kept across restarts: Telegram repeats what was not confirmed. */
interface SeenUpdates {
  /** undefined: none, or so long ago that its number says nothing. */
  last(): number | undefined
  /** Resolves once it is on the disk. @throws {StoreError} */
  keep(id: number): Promise<void>
}

interface TelegramChatOptions {
  /** Of the one private chat, which is also the id of its person. */
  readonly chatId: string
  /** Of the bot. @throws {NoticeError} `no-secret` */
  readonly token: () => Promise<string>
  /** Without a `/` at its end. */
  readonly api: string
  /** ms since the epoch. */
  readonly now: () => number
  /** Resolves early when the signal aborts; never rejects. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly seen: SeenUpdates
  /** Called for each in order; what it begins is not waited for. */
  readonly onEvent: (event: ChatEvent) => void
  /** It does not work, or works again. */
  readonly onChange: (error: Error | undefined) => void
}

const person = z.looseObject({ id: z.number(), is_bot: z.optional(z.boolean()) })
const chat = z.looseObject({ id: z.number(), type: z.string() })
const message = z.looseObject({
  message_id: z.number(),
  date: z.number(),
  chat,
  from: z.optional(person),
  text: z.optional(z.string()),
})
const update = z.looseObject({
  update_id: z.int(),
  message: z.optional(z.unknown()),
  callback_query: z.optional(z.unknown()),
})
const callbackQuery = z.looseObject({
  id: z.string(),
  from: person,
  message: z.optional(z.looseObject({ message_id: z.number(), chat })),
  data: z.optional(z.string()),
})
const answer = z.looseObject({ ok: z.boolean(), result: z.optional(z.unknown()) })

/** Of a message that somebody else wrote, or another program made: it is not what this person types now. */
const BORROWED = [
  'forward_origin',
  'forward_from',
  'forward_from_chat',
  'forward_date',
  'via_bot',
  'sender_chat',
] as const

/** @returns undefined: it is not for hookline */
export function readUpdate(value: unknown, chatId: string, now: number): ChatEvent | undefined {
  const read = update.safeParse(value)
  if (!read.success) return undefined
  const { message: written, callback_query: pressed } = read.data
  if (written !== undefined) return readWords(written, chatId, now)
  return pressed === undefined ? undefined : readPress(pressed, chatId)
}

function readWords(value: unknown, chatId: string, now: number): ChatEvent | undefined {
  const read = message.safeParse(value)
  if (!read.success) return undefined
  const { chat: where, from, date, text } = read.data
  if (!isProven(where, from, chatId) || BORROWED.some((field) => Object.hasOwn(read.data, field))) return undefined
  if (text === undefined || text.length > MAX_WORDS) return undefined
  const ageMs = now - date * 1_000
  if (Math.abs(ageMs) > MAX_AGE_MS) return { type: 'late', ageMs }
  return { type: 'words', text }
}

function readPress(value: unknown, chatId: string): ChatEvent | undefined {
  const read = callbackQuery.safeParse(value)
  if (!read.success) return undefined
  const { id, from, message: below, data } = read.data
  if (below === undefined || data === undefined || !isProven(below.chat, from, chatId)) return undefined
  return { type: 'press', data, callback: id, message: below.message_id }
}

/** The private chat of one person has the id of that person. */
function isProven(where: z.infer<typeof chat>, from: z.infer<typeof person> | undefined, chatId: string): boolean {
  return where.type === 'private' && String(where.id) === chatId && String(from?.id) === chatId && from?.is_bot !== true
}

export class TelegramChat {
  readonly #options: TelegramChatOptions
  /** The first update that is asked for. */
  #next: number | undefined
  /** When that was known, ms since the epoch. */
  #nextAt = 0
  #atOnce = UPDATES_AT_ONCE
  #failures = 0

  constructor(options: TelegramChatOptions) {
    this.#options = options
  }

  /** Resolves when the signal aborts; never rejects. */
  async follow(signal: AbortSignal): Promise<void> {
    const { pause, onChange } = this.#options
    while (!signal.aborted) {
      try {
        await this.#poll(signal)
        if (this.#failures > 0) onChange(undefined)
        this.#failures = 0
      } catch (error) {
        if (signal.aborted) return
        this.#failures += 1
        if (this.#failures === 1) onChange(error instanceof Error ? error : new Error(String(error)))
        const asked = error instanceof NoticeError ? (error.retryAfterMs ?? 0) : 0
        await pause(Math.max(asked, backoffMs(this.#failures, { firstMs: 1_000, mostMs: MAX_PAUSE_MS })), signal)
      }
    }
  }

  /** @param isTable in letters of one width @returns the number of the message @throws {NoticeError} */
  async send(text: string, { isTable = false, buttons = [] as readonly ChatButton[] } = {}): Promise<number> {
    const cut = printableLines(text)
      .slice(0, MAX_LENGTH)
      .replace(/[\uD800-\uDBFF]$/, '')
    const sent = await this.#call('sendMessage', {
      chat_id: this.#options.chatId,
      text: cut === '' ? 'done' : cut,
      link_preview_options: { is_disabled: true },
      ...(isTable && cut !== '' ? { entities: [{ type: 'pre', offset: 0, length: cut.length }] } : {}),
      ...(buttons.length === 0
        ? {}
        : {
            reply_markup: {
              inline_keyboard: [buttons.map(({ text: label, data }) => ({ text: label, callback_data: data }))],
            },
          }),
    })
    return Number((sent as { readonly message_id?: unknown } | undefined)?.message_id)
  }

  /** Ends the waiting sign of a press. @throws {NoticeError} */
  async answerPress(callback: string, text: string): Promise<void> {
    await this.#call('answerCallbackQuery', { callback_query_id: callback, text: text.slice(0, 200) })
  }

  /** @throws {NoticeError} */
  async removeButtons(messageId: number): Promise<void> {
    await this.#call('editMessageReplyMarkup', { chat_id: this.#options.chatId, message_id: messageId })
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { seen, chatId, now, onEvent } = this.#options
    const last = seen.last()
    if (now() - this.#nextAt > NUMBERED_ANEW_MS) this.#next = undefined
    this.#next ??= last === undefined ? undefined : last + 1
    const result = await this.#call(
      'getUpdates',
      {
        ...(this.#next === undefined ? {} : { offset: this.#next }),
        limit: this.#atOnce,
        timeout: POLL_S,
        allowed_updates: ['message', 'callback_query'],
      },
      { signal, timeoutMs: POLL_TIMEOUT_MS, maxBytes: MAX_UPDATES_BYTES },
    )
    this.#atOnce = UPDATES_AT_ONCE
    for (const row of Array.isArray(result) ? result : []) {
      const read = update.safeParse(row)
      if (!read.success || signal.aborted) continue
      const { update_id: id } = read.data
      const event = readUpdate(row, chatId, now())
      const isRepeated = id <= (seen.last() ?? Number.NEGATIVE_INFINITY)
      // On the disk before anything is done: after a crash it comes again, and is dropped.
      if (event !== undefined && !isRepeated) {
        await seen.keep(id)
        onEvent(event)
      }
      this.#next = id + 1
      this.#nextAt = now()
    }
  }

  /** @throws {NoticeError} */
  async #call(
    method: string,
    parameters: Readonly<Record<string, unknown>>,
    { signal, timeoutMs = CALL_TIMEOUT_MS, maxBytes = 16_384 }: Partial<Calling> = {},
  ): Promise<unknown> {
    const { token, api, now } = this.#options
    const bot = await token()
    if (!isBotToken(bot)) throw new NoticeError('no-secret', 'the token of the bot is not one of Telegram')
    const late = AbortSignal.timeout(timeoutMs)
    const got = await post({
      url: new URL(`${api}/bot${bot}/${method}`),
      body: JSON.stringify(parameters),
      headers: {},
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
      now,
      maxBytes,
    })
    if (got.status === 409) {
      throw new NoticeError('refused', 'another program reads what is written to this bot', {
        hint: 'give hookline a bot of its own',
        retryAfterMs: MAX_PAUSE_MS,
      })
    }
    const refusal = refusalOf({ ...got, retryAfterMs: got.retryAfterMs ?? retryAfterIn(got.text) })
    if (refusal !== undefined) throw got.status === 401 || got.status === 404 ? unknownBot(refusal) : refusal
    return this.#resultOf(got.text)
  }

  #resultOf(text: string): unknown {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (cause) {
      // Cut, where strangers wrote more than is read: asked for one by one, each fits.
      this.#atOnce = 1
      throw new NoticeError('refused', 'the answer of Telegram is not JSON', { mayRetry: true, cause })
    }
    const read = answer.safeParse(value)
    if (read.success && read.data.ok) return read.data.result
    throw new NoticeError('refused', 'the answer of Telegram is not one of its own', { mayRetry: true })
  }
}

interface Calling {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Of the answer. */
  readonly maxBytes: number
}

function printableLines(text: string): string {
  return text
    .split('\n')
    .map((line) => printable(line, MAX_LENGTH).trimEnd())
    .join('\n')
    .trim()
}

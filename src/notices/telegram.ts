// Notices by a Telegram bot, as plain text: nothing in them is read as markup. The token of the bot is part of the address, so no error has it.

import type { Taken } from './channel-sender.ts'
import { messageOf, NoticeError } from './notice.ts'
import { post, refusalOf } from './post.ts'

export const TELEGRAM_API = 'https://api.telegram.org'

interface TelegramOptions {
  readonly chatId: string
  /** Of the bot. @throws {NoticeError} `no-secret` */
  readonly token: () => Promise<string>
  readonly now: () => number
  /** Without a `/` at its end. */
  readonly api: string
}

const TOKEN = /^\d{3,20}:[A-Za-z0-9_-]{20,100}$/
/** Telegram takes 4 096 characters, the heading included. */
const MAX_LENGTH = 4_000

export const isBotToken = (text: string): boolean => TOKEN.test(text)

export function telegramDelivery({ chatId, token, now, api }: TelegramOptions) {
  return async (taken: Taken, signal: AbortSignal): Promise<void> => {
    const bot = await token()
    if (!isBotToken(bot)) throw new NoticeError('no-secret', 'the token of the bot is not one of Telegram')
    const text = `hookline: ${messageOf(taken.rows, taken.leftOut, MAX_LENGTH)}`
    const body = JSON.stringify({ chat_id: chatId, text, link_preview_options: { is_disabled: true } })
    const answer = await post({ url: new URL(`${api}/bot${bot}/sendMessage`), body, headers: {}, signal, now })
    const refusal = refusalOf({ ...answer, retryAfterMs: answer.retryAfterMs ?? retryAfterIn(answer.text) })
    if (refusal === undefined) return
    throw answer.status === 401 || answer.status === 404 ? unknownBot(refusal) : refusal
  }
}

export function unknownBot(cause: NoticeError): NoticeError {
  return new NoticeError('refused', 'Telegram does not know the token of the bot', {
    hint: '`notices add telegram` takes another one',
    cause,
  })
}

/** Telegram says it in the body. */
export function retryAfterIn(text: string): number | undefined {
  try {
    const seconds: unknown = (JSON.parse(text) as { parameters?: { retry_after?: unknown } } | null)?.parameters
      ?.retry_after
    return typeof seconds === 'number' && seconds >= 0 ? seconds * 1_000 : undefined
  } catch {
    // Not JSON, or cut: then nothing is known.
    return undefined
  }
}

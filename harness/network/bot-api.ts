// Telegram's Bot API on a free port of this machine, as far as hookline uses it. What it does is of https://core.telegram.org/bots/api: getUpdates
// (long polling; an update is confirmed once getUpdates is called with a higher offset, and comes again until then), sendMessage,
// answerCallbackQuery, editMessageReplyMarkup, "Making requests" for the answers.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface BotCall {
  readonly method: string
  readonly body: {
    readonly offset?: number
    readonly text?: string
    readonly message_id?: number
    readonly callback_query_id?: string
    readonly reply_markup?: {
      readonly inline_keyboard: readonly (readonly { text: string; callback_data: string }[])[]
    }
    readonly entities?: readonly { readonly type: string; readonly offset: number; readonly length: number }[]
  }
}

interface Written {
  readonly chat?: number
  readonly from?: number
  readonly ageS?: number
  readonly more?: object
}

type Update = { readonly update_id: number } & Readonly<Record<string, unknown>>

export class BotApi {
  readonly origin: string
  readonly calls: BotCall[] = []
  readonly #updates: Update[] = []
  #waiting: { readonly response: ServerResponse; readonly offset: number }[] = []
  #updateId: number
  #messageId = 40

  private constructor(origin: string, firstUpdate: number) {
    this.origin = origin
    this.#updateId = firstUpdate
  }

  /** @param firstUpdate the number of the first update */
  static async start(firstUpdate = 700): Promise<BotApi> {
    const server = createServer(async (request, response) => {
      const body = JSON.parse((await text(request)) || '{}') as BotCall['body']
      api.#answer(/\/bot[^/]+\/(\w+)$/.exec(request.url ?? '')?.[1] ?? '', body, response)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const api = new BotApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, firstUpdate)
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return api
  }

  /** Texts that were sent, oldest first. */
  get sent(): readonly string[] {
    return this.calls.flatMap(({ method, body }) => (method === 'sendMessage' ? [body.text ?? ''] : []))
  }

  /** Whether somebody waits for updates. */
  get isRead(): boolean {
    return this.#waiting.length > 0
  }

  get polls(): number {
    return this.calls.filter(({ method }) => method === 'getUpdates').length
  }

  /** The newest button, and the message below which it is. */
  get button(): { readonly data: string; readonly message: number } | undefined {
    const index = this.#sentIds.findLastIndex(({ data }) => data !== undefined)
    const found = this.#sentIds[index]
    return found?.data === undefined ? undefined : { data: found.data, message: found.id }
  }

  readonly #sentIds: { readonly id: number; readonly data: string | undefined }[] = []

  /** @param more fields of the message, such as `forward_origin` @returns its update, to be sent again */
  write(words: string, { chat = 42, from = chat, ageS = 0, more = {} }: Written = {}): Update {
    const date = Math.floor(Date.now() / 1_000) - ageS
    const where = { id: chat, type: chat < 0 ? 'group' : 'private' }
    const message = {
      message_id: this.#messageId++,
      date,
      chat: where,
      from: { id: from, is_bot: false },
      text: words,
      ...more,
    }
    return this.#push({ update_id: this.#updateId++, message })
  }

  press(
    { data, message }: { readonly data: string; readonly message: number },
    { chat = 42, from = chat }: Written = {},
  ): Update {
    const where = { id: chat, type: 'private' }
    const callback_query = {
      id: `c${this.#updateId}`,
      from: { id: from },
      message: { message_id: message, chat: where },
      data,
    }
    return this.#push({ update_id: this.#updateId++, callback_query })
  }

  /** An update comes again, as after a crash before it was confirmed. */
  repeat(update: Update): void {
    this.#push(update)
  }

  #push(update: Update): Update {
    this.#updates.push(update)
    for (const { response, offset } of this.#waiting.splice(0)) this.#giveUpdates(response, offset)
    return update
  }

  #answer(method: string, body: BotCall['body'], response: ServerResponse): void {
    this.calls.push({ method, body })
    if (method === 'getUpdates') return this.#giveUpdates(response, body.offset ?? 0)
    if (method !== 'sendMessage') return respond(response, true)
    const id = this.#messageId++
    this.#sentIds.push({ id, data: body.reply_markup?.inline_keyboard[0]?.[0]?.callback_data })
    respond(response, { message_id: id })
  }

  #giveUpdates(response: ServerResponse, offset: number): void {
    const kept = this.#updates.filter(({ update_id }) => update_id >= offset)
    this.#updates.splice(0, this.#updates.length, ...kept)
    if (kept.length === 0) {
      this.#waiting.push({ response, offset })
      response.on('close', () => {
        this.#waiting = this.#waiting.filter((each) => each.response !== response)
      })
      return
    }
    respond(response, kept)
  }
}

function respond(response: ServerResponse, result: unknown): void {
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify({ ok: true, result }))
}

// A model of a venue: the engine behind the venue's own routes, envelopes and codes, asked by whole requests as a program sends them. No socket
// is needed; `transport` is what an adapter is opened with.
import type { MarketKind } from '../../../src/exchange/market.ts'
import {
  type AccountStreams,
  type AccountStreamsOptions,
  createAccountStreams,
} from '../../../src/exchanges/ccxt/streams/account-streams.ts'
import type { WireRequest, WireResponse } from '../../../src/exchanges/ccxt/transport.ts'
import { TransportError } from '../../../src/exchanges/ccxt/transport-error.ts'
import { Engine, type Policy } from './engine.ts'
import { type ModelMarket, ModelRefusal, type RefusalReason } from './orders.ts'

/** What a model claims of its venue, and by what right. */
export interface Claim {
  readonly says: string
  /** A document or a recording. Absent: assumed, and said to be. */
  readonly source?: string
}

/** A fact with its source. */
export function documented(says: string, source: string): Claim {
  return { says, source }
}

/** What nobody has looked up: counted, and printed by the tests. */
export function assumption(says: string): Claim {
  return { says }
}

export type Fields = Readonly<Record<string, unknown>>

/** One request, taken apart. */
export interface Asked {
  readonly engine: Engine
  readonly kind: MarketKind
  /** Method and path: `GET /v5/order/realtime`. */
  readonly route: string
  readonly method: string
  readonly path: string
  /** Of the query and the body. */
  readonly fields: Fields
  /** The body where it is no object of fields. */
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  /** The venue's clock. */
  readonly now: number
  /** Of the path, where its row has such places: `{id}`. */
  readonly places: Readonly<Record<string, string>>
}

export interface Said {
  readonly status?: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type Answer = (asked: Asked) => unknown

export interface ModelSpec {
  /** As `openCcxtExchange` calls it. */
  readonly venue: string
  readonly kind: MarketKind
  readonly keys: Readonly<Record<string, string>>
  /** Every host that its class dials. */
  readonly hosts: readonly string[]
  readonly markets: readonly ModelMarket[]
  readonly wallet: Readonly<Record<string, string>>
  readonly policy: Policy
  readonly idOf: (count: number) => string
  readonly claims: readonly Claim[]
  /** `GET /v5/market/time` → what the venue answers; a place in braces is any text without a slash. */
  readonly routes: Readonly<Record<string, Answer>>
  /** Which routes need a signature, and whether one is there. */
  readonly isPrivate: (asked: Asked) => boolean
  readonly isSigned: (asked: Asked) => boolean
  /** Which requests place, change or cancel. */
  readonly changesOrders: (asked: Pick<Asked, 'method' | 'path' | 'fields'>) => boolean
  /** When a signed request says that it was made; undefined where it does not say. */
  readonly sentAt?: (asked: Asked) => number | undefined
  /** How old a signed request may be. */
  readonly windowMs?: number
  /** What an answer looks like around its content. */
  readonly wrap: (content: unknown, asked: Asked) => unknown
  readonly refusal: (reason: RefusalReason, asked: Asked) => Said
  readonly rateLimited: (retryAfterS: number | undefined) => Said
  /** Its word that it cannot answer now and has done nothing; absent where it has none. */
  readonly unavailable?: () => Said
  /** Something of its own is broken. */
  readonly broken: () => Said
}

export type ModelFaultKind =
  /** The connection breaks. */
  | 'lost'
  /** No connection is made. */
  | 'unreachable'
  | 'rate-limited'
  | 'unavailable'
  | 'broken'
  /** Some proxy's page under 200. */
  | 'html'
  /** Half of the answer. */
  | 'cut'
  /** It arrives twice. */
  | 'twice'
  /** The answer to the same question of a while ago. */
  | 'older'
  /** The answer to the last question of this route about something else. */
  | 'of-another'

export interface ModelFault {
  readonly kind: ModelFaultKind
  /** Whether the request is carried out all the same. Default: no. */
  readonly isDone?: boolean
  /** Default: the next request that changes orders. `private`: the next that is signed. */
  readonly route?: RegExp | 'private'
  readonly retryAfterS?: number
  readonly times?: number
}

export interface ModelHeard {
  readonly route: string
  readonly fields: Fields
  readonly url: string
  readonly at: number
}

interface Row {
  readonly method: string
  readonly pattern: RegExp
  readonly answer: Answer
}

const DEFAULT_WINDOW_MS = 5_000

export class VenueModel {
  readonly spec: ModelSpec
  readonly engine: Engine
  readonly heard: ModelHeard[] = []
  /** What was asked that the model does not know: each is a test's failure. */
  readonly unexpected: string[] = []
  /** How far the venue's clock is ahead of ours. */
  clockOffsetMs = 0
  /** Called with each request as it arrives, before it is answered. */
  onHeard: (heard: ModelHeard, isChange: boolean) => void = () => {}
  /** A request's way there and back. */
  latencyMs = 10
  readonly #rows: readonly Row[]
  readonly #faults: { readonly fault: ModelFault; left: number }[] = []
  readonly #answers: { readonly route: string; readonly question: string; readonly response: WireResponse }[] = []

  constructor(spec: ModelSpec) {
    this.spec = spec
    const { markets, wallet, policy, idOf } = spec
    this.engine = new Engine({ markets, wallet, policy, idOf, now: this.now })
    this.#rows = Object.entries(spec.routes).map(([route, answer]) => {
      const [method = '', path = ''] = route.split(' ')
      const pattern = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')
      return { method, pattern: new RegExp(`^${pattern}$`), answer }
    })
  }

  now = (): number => Date.now() + this.clockOffsetMs

  fail(fault: ModelFault): void {
    this.#faults.push({ fault, left: fault.times ?? 1 })
  }

  /** No fault is left. */
  mend(): void {
    this.#faults.length = 0
  }

  asked(route: RegExp): readonly ModelHeard[] {
    return this.heard.filter((each) => route.test(each.route))
  }

  readonly transport = async (request: WireRequest): Promise<WireResponse> => {
    await pause(this.latencyMs / 2)
    const response = this.answer(request)
    await pause(this.latencyMs / 2)
    return response
  }

  /** @throws {TransportError} where no answer comes */
  answer(request: WireRequest): WireResponse {
    this.engine.run()
    const asked = this.#read(request)
    const { route, fields } = asked
    const heard = { route, fields, url: request.url, at: Date.now() }
    this.heard.push(heard)
    this.onHeard(heard, this.spec.changesOrders(asked))
    const fault = this.#take(asked)
    if (fault === undefined) return this.#remember(asked, this.#answered(asked))
    const done = fault.isDone === true || fault.kind === 'cut' || fault.kind === 'twice'
    const answered = done ? this.#answered(asked) : undefined
    return this.#faulty(fault, asked, answered)
  }

  #faulty(fault: ModelFault, asked: Asked, answered: WireResponse | undefined): WireResponse {
    const { spec } = this
    switch (fault.kind) {
      case 'lost':
        throw new TransportError('connection', 'ECONNRESET')
      case 'unreachable':
        throw new TransportError('connection', 'ECONNREFUSED', true)
      case 'rate-limited':
        return responseOf(spec.rateLimited(fault.retryAfterS))
      case 'unavailable':
        return responseOf((spec.unavailable ?? spec.broken)())
      case 'broken':
        return responseOf(spec.broken())
      case 'html':
        return { status: 200, headers: {}, text: '<html><body>one moment</body></html>' }
      case 'cut': {
        const whole = answered ?? this.#answered(asked)
        return { ...whole, text: whole.text.slice(0, Math.floor(whole.text.length / 2)) }
      }
      case 'twice':
        return this.#answered(asked)
      case 'older':
        return this.#answers.find(({ question }) => question === questionOf(asked))?.response ?? this.#answered(asked)
      case 'of-another': {
        const others = this.#answers.filter(({ route }) => route === asked.route)
        const other = others.findLast(({ question }) => question !== questionOf(asked))
        return other?.response ?? this.#answered(asked)
      }
    }
  }

  #remember(asked: Asked, response: WireResponse): WireResponse {
    this.#answers.push({ route: asked.route, question: questionOf(asked), response })
    return response
  }

  #take(asked: Asked): ModelFault | undefined {
    const { changesOrders, isPrivate } = this.spec
    const index = this.#faults.findIndex(({ fault: { route } }) => {
      if (route === undefined) return changesOrders(asked)
      return route === 'private' ? isPrivate(asked) : route.test(asked.route)
    })
    const found = this.#faults[index]
    if (found === undefined) return undefined
    found.left -= 1
    if (found.left <= 0) this.#faults.splice(index, 1)
    return found.fault
  }

  #answered(asked: Asked): WireResponse {
    const { spec } = this
    try {
      this.#admit(asked)
      for (const { method, pattern, answer } of this.#rows) {
        const found = method === asked.method ? pattern.exec(asked.path) : null
        if (found !== null) return responseOf(this.#wrapped(answer({ ...asked, places: found.groups ?? {} }), asked))
      }
    } catch (error) {
      if (!(error instanceof ModelRefusal)) throw error
      return responseOf(spec.refusal(error.reason, asked))
    }
    this.unexpected.push(`${asked.route} ${JSON.stringify(asked.fields)}`)
    throw new TransportError('connection')
  }

  /** @throws {ModelRefusal} */
  #admit(asked: Asked): void {
    const { isPrivate, isSigned, sentAt, windowMs = DEFAULT_WINDOW_MS } = this.spec
    if (!isPrivate(asked)) return
    if (!isSigned(asked)) throw new ModelRefusal('signature')
    const sent = sentAt?.(asked)
    if (sent !== undefined && Math.abs(asked.now - sent) > windowMs) throw new ModelRefusal('clock')
  }

  #wrapped(content: unknown, asked: Asked): Said {
    if (content instanceof Whole) return content.said
    return { body: this.spec.wrap(content, asked) }
  }

  #read({ url, method, headers, body }: WireRequest): Asked {
    const { pathname, searchParams } = new URL(url)
    const path = decodeURIComponent(pathname)
    const parsed = parseBody(body)
    const isFields = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    const fields = { ...Object.fromEntries(searchParams), ...(isFields ? (parsed as Fields) : {}) }
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const { engine } = this
    const base = { engine, kind: this.spec.kind, method, path, route: `${method} ${path}`, fields }
    return { ...base, body: parsed, headers: lower, now: this.now(), places: {} }
  }
}

/** An answer that has a status and an envelope of its own. */
export class Whole {
  readonly said: Said
  constructor(said: Said) {
    this.said = said
  }
}

function responseOf({ status = 200, body, headers = {} }: Said): WireResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, text: JSON.stringify(body) }
}

function parseBody(body: string | undefined): unknown {
  if (body === undefined || body === '') return undefined
  return /^\s*[[{]/.test(body) ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
}

/** Signatures, times and numbers of requests differ at each call. */
const CHANGING = /^(signature|sign|timestamp|nonce|recvWindow|recv_window|api_key)$/

function questionOf({ route, fields }: Asked): string {
  return `${route} ${JSON.stringify(Object.entries(fields).filter(([name]) => !CHANGING.test(name)))}`
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
}

/** A field as text; undefined where it is absent or empty. */
export function textIn(fields: Fields, ...names: readonly string[]): string | undefined {
  const found = names.map((name) => fields[name]).find((value) => value !== undefined && value !== null && value !== '')
  return found === undefined ? undefined : String(found)
}

/** A page of rows, newest or oldest first as they come. */
export function pageOf<T>(rows: readonly T[], limit: string | undefined, fallback: number, most: number): readonly T[] {
  return rows.slice(0, Math.min(Number(limit ?? fallback), most))
}

/** For `openCcxtExchange`: all is asked for. A model has no sockets, and nothing that is tested on one may dial its venue. */
export function withoutStreams(options: AccountStreamsOptions): AccountStreams {
  return createAccountStreams({ ...options, own: undefined, client: { id: options.client.id, has: {} } })
}

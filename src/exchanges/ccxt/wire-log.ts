// What left and what came back during one call of the adapter. ccxt's classes and errors say too little, and each venue's says it differently:
// whether an order was sent at all, and whether an answer came, is read here.
import { AsyncLocalStorage } from 'node:async_hooks'
import { defined } from '../../base/defined.ts'
import type { CcxtClient } from './ccxt-client.ts'
import type { Transport, WireRequest, WireResponse } from './transport.ts'
import { TransportError } from './transport-error.ts'

export interface WireExchange {
  readonly request: WireRequest
  response?: WireResponse
  /** Why there is no response, or none that can be read. */
  failure?: unknown
}

export interface WireCall {
  /** Orders and cancels wait for no question. */
  readonly isUrgent: boolean
  /** Its answers wait for those of others that came before: so many are read in each turn of the event loop. */
  readonly isInTurn?: boolean
  readonly exchanges: WireExchange[]
  /** Nothing leaves before it has resolved; what rejects is not sent. */
  readonly release?: () => Promise<void>
}

/** An answer with HTTP 2xx that is not JSON: cut off, or a page of someone between here and the venue. */
class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer'
}

const current = new AsyncLocalStorage<WireCall>()

export function currentCall(): WireCall | undefined {
  return current.getStore()
}

/** Runs `work` and keeps what it sends and gets. */
export async function recorded<T>(
  terms: Omit<WireCall, 'exchanges'>,
  work: () => Promise<T>,
): Promise<{ readonly call: WireCall; readonly result: Promise<T> }> {
  const call: WireCall = { ...terms, exchanges: [] }
  const result = current.run(call, work)
  await result.catch(() => undefined)
  return { call, result }
}

interface FetchOptions {
  readonly method: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly body?: string
}

/** What ccxt reads of a response. */
interface CcxtResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: Readonly<Record<string, string>>
  text(): Promise<string>
}

/**
 * What is put in the place of ccxt's `fetch`. A success that is not JSON never reaches ccxt: some of its classes read it as an empty list,
 * which would be a flat account.
 * @param isAnswer whether the parsed answer has the venue's own envelope
 * @param admit throws where nothing may be sent
 */
export function createFetch(
  transport: Transport,
  isAnswer: (json: unknown, url: string) => boolean,
  admit: (url: string) => void,
): (url: string, options: FetchOptions) => Promise<CcxtResponse> {
  return async (url, { method, headers = {}, body }) => {
    admit(url)
    const request: WireRequest = { url, method, headers: textOf(headers), ...defined({ body }) }
    const exchange: WireExchange = { request }
    currentCall()?.exchanges.push(exchange)
    try {
      const response = await sendWhenReleased(transport, request)
      exchange.response = response
      if (currentCall()?.isInTurn === true) await readTurn(response.text.length)
      if (response.status < 300) refuseUnreadable(response.text, url, isAnswer)
      return { status: response.status, statusText: '', headers: response.headers, text: async () => response.text }
    } catch (error) {
      exchange.failure = error
      throw error
    }
  }
}

// Bars are asked for, and come, by the dozen as a minute closes. What one of them fires does not wait until all others have been asked for and
// read, and the last of them do not wait for all that the first have fired.

/** Characters that one turn reads: the newest bars of two dozen symbols, or some hundred bars of one. */
const READ_IN_TURN = 16_000

const waitingToAsk: (() => void)[] = []
let isAsked = false
const waitingToRead: { readonly length: number; readonly read: () => void }[] = []

/** One question in each turn of the event loop. @returns undefined: it may be asked at once */
export function askTurn(): Promise<void> | undefined {
  if (isAsked) return new Promise((ask) => void waitingToAsk.push(ask))
  isAsked = true
  setImmediate(askNext)
  return undefined
}

function askNext(): void {
  const ask = waitingToAsk.shift()
  isAsked = ask !== undefined
  if (ask === undefined) return
  ask()
  setImmediate(askNext)
}

function readTurn(length: number): Promise<void> {
  return new Promise((read) => {
    waitingToRead.push({ length, read })
    if (waitingToRead.length === 1) setImmediate(readSome)
  })
}

function readSome(): void {
  for (let left = READ_IN_TURN; left > 0; ) {
    const next = waitingToRead.shift()
    if (next === undefined) return
    left -= next.length
    next.read()
  }
  if (waitingToRead.length > 0) setImmediate(readSome)
}

async function sendWhenReleased(transport: Transport, request: WireRequest): Promise<WireResponse> {
  const release = currentCall()?.release
  const signal = currentTurn()?.signal
  const held = release !== undefined && transport.holdsBytes === true
  if (release !== undefined && !held) {
    await release().catch(() => {
      throw new TransportError('held', undefined, true)
    })
  }
  return transport(request, { ...(held ? { release } : {}), ...defined({ signal }) })
}

function refuseUnreadable(text: string, url: string, isAnswer: (json: unknown, url: string) => boolean): void {
  if (!isAnswer(jsonOf(text), url)) throw new UnreadableAnswer('the answer is not what this venue sends')
}

/** @returns undefined for what is not JSON */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function textOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}

// Venues that number requests refuse one that overtakes another: signed requests go one after the other there. What must not wait goes to the
// head of the line, and gives up a question that is under way; that one is asked again behind it, under a new number. Public questions have no
// number, and do not line up.

interface Turn {
  readonly isUrgent: boolean
  cancel: AbortController
  /** Begins once it is the first in the line. */
  begin: () => void
}

const turns = new AsyncLocalStorage<Turn>()

/** Of the request that is being made. */
function currentTurn(): { readonly signal: AbortSignal } | undefined {
  const turn = turns.getStore()
  return turn && { signal: turn.cancel.signal }
}

/** The parts of a ccxt instance that are wrapped; `throttle` comes right before a request is numbered and signed. */
interface Numbered {
  fetch2: (path: string, api: string | readonly string[], ...rest: readonly unknown[]) => Promise<unknown>
  throttle: (cost?: number) => Promise<void>
}

/** @param isUrgent whether what is being asked must not wait */
export function lineUp(made: CcxtClient, isUrgent: () => boolean): void {
  const client = made as unknown as Numbered
  const [send, pace] = [client.fetch2.bind(made), client.throttle.bind(made)]
  const waiting: Turn[] = []
  let active: Turn | undefined

  function next(): void {
    if (active !== undefined) return
    active = waiting.shift()
    active?.begin()
  }

  /** Resolves when it is its turn. */
  function enter(turn: Turn): Promise<void> {
    return new Promise((begin) => {
      turn.begin = begin
      const behind = turn.isUrgent ? waiting.findIndex((each) => !each.isUrgent) : -1
      if (behind === -1) waiting.push(turn)
      else waiting.splice(behind, 0, turn)
      if (turn.isUrgent && active?.isUrgent === false) active.cancel.abort()
      next()
    })
  }

  function leave(turn: Turn): void {
    if (active !== turn) return
    active = undefined
    next()
  }

  client.throttle = async (cost) => {
    await pace(cost)
    const turn = turns.getStore()
    if (turn !== undefined) await enter(turn)
  }

  client.fetch2 = async (path, api, ...rest) => {
    if ((typeof api === 'string' ? [api] : api).includes('public')) return turns.exit(() => send(path, api, ...rest))
    const turn: Turn = { isUrgent: isUrgent(), cancel: new AbortController(), begin: () => {} }
    for (;;) {
      turn.cancel = new AbortController()
      const { signal } = turn.cancel
      try {
        return await turns.run(turn, () => orAborted(send(path, api, ...rest), signal))
      } catch (error) {
        if (!signal.aborted) throw error
      } finally {
        leave(turn)
      }
    }
  }
}

/** A transport may not hear of it, and then no one waits for its answer. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

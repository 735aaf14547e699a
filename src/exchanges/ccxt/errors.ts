// ccxt's error classes, by name, and what they are to us. By name and not by `instanceof`: each venue is a chunk of its own with classes of its
// own. A test compares the names with those of the pinned ccxt.
import { defined } from '../../base/defined.ts'
import { ExchangeError, type ExchangeErrorCode } from '../../exchange/exchange-error.ts'
import type { VenueProfile } from './profile.ts'
import { redact } from './redact.ts'
import { TransportError } from './transport-error.ts'
import { jsonOf, type WireCall, type WireExchange } from './wire-log.ts'

interface CcxtErrorClass {
  /** As a question, or as a refusal of an order. */
  readonly code: ExchangeErrorCode
  /** Whether it is the venue's no to an order, whatever HTTP says. Elsewhere the status and the venue's own code decide. */
  readonly isRefusal: boolean
}

const no = (code: ExchangeErrorCode): CcxtErrorClass => ({ code, isRefusal: true })
const perhaps = (code: ExchangeErrorCode): CcxtErrorClass => ({ code, isRefusal: false })

const CCXT_ERRORS: Readonly<Record<string, CcxtErrorClass>> = {
  BaseError: perhaps('network'),
  // A code that ccxt does not know. Some venues say so of a fault of their own, with the order already placed.
  ExchangeError: perhaps('invalid-order'),
  AuthenticationError: no('authentication'),
  PermissionDenied: no('permission'),
  AccountNotEnabled: no('permission'),
  AccountSuspended: no('permission'),
  ArgumentsRequired: no('invalid-order'),
  BadRequest: no('invalid-order'),
  BadSymbol: no('bad-symbol'),
  OperationRejected: no('invalid-order'),
  NoChange: no('invalid-order'),
  MarginModeAlreadySet: no('invalid-order'),
  MarketClosed: no('unavailable'),
  ManualInteractionNeeded: no('permission'),
  RestrictedLocation: no('permission'),
  InsufficientFunds: no('insufficient-funds'),
  InvalidAddress: no('invalid-order'),
  AddressPending: no('invalid-order'),
  InvalidOrder: no('invalid-order'),
  OrderNotFound: no('order-not-found'),
  OrderNotCached: no('order-not-found'),
  OrderImmediatelyFillable: no('order-immediately-fillable'),
  OrderNotFillable: no('invalid-order'),
  DuplicateOrderId: no('duplicate-id'),
  ContractUnavailable: no('bad-symbol'),
  NotSupported: no('not-supported'),
  InvalidProxySettings: perhaps('network'),
  ExchangeClosedByUser: perhaps('network'),
  OperationFailed: perhaps('network'),
  NetworkError: perhaps('network'),
  DDoSProtection: no('rate-limited'),
  RateLimitExceeded: no('rate-limited'),
  ExchangeNotAvailable: perhaps('unavailable'),
  OnMaintenance: no('unavailable'),
  InvalidNonce: no('clock'),
  ChecksumError: perhaps('network'),
  RequestTimeout: perhaps('network'),
  BadResponse: perhaps('network'),
  NullResponse: perhaps('network'),
  CancelPending: perhaps('network'),
  UnsubscribeError: perhaps('network'),
}

// What a failed call means: for a question, one of our codes; for an order, whether the venue said no or whether it may live (behaviour 37).
// Read from what went over the wire first, from the venue's own code second, from ccxt's class last.

/** What of a venue's profile and keys a verdict needs. */
export interface ErrorContext {
  /** For people. */
  readonly venueName: string
  readonly secrets: readonly string[]
  /** The venue's own code in an answer. */
  readonly codeOf: (json: unknown) => string | undefined
  /** The venue's own codes whose ccxt class says too little or the wrong thing. */
  readonly codes: Readonly<Record<string, ExchangeErrorCode>>
  /** What to do about a code of the venue, where that is not what its kind of error suggests. */
  readonly hints: Readonly<Record<string, string>>
  /** Codes after which an order may live, whatever class ccxt gives them. */
  readonly unknownCodes: ReadonlySet<string>
  /** Whether an unlisted code of the venue is its definite no. */
  readonly isRefusalCode: (code: string) => boolean
  /** What a status means where its answer has no code of the venue's. */
  readonly statuses: VenueProfile['statuses']
  /** Whether a request only asks. */
  readonly isQuestion: (exchange: WireExchange) => boolean
}

/** What a failed order came to. `none`: nothing was sent, so nothing was placed. */
type Fate = 'none' | 'refused' | 'unknown'

const LONGEST_TEXT = 200
const NO_ANSWER = 'no answer that can be read'
/** Statuses of 4xx that say nothing about the order: a proxy's timeout, a conflict. */
const OPEN_STATUSES: ReadonlySet<number> = new Set([408, 409, 425, 499])

/** For a question. */
export function toQuestionError(error: unknown, call: WireCall, context: ErrorContext): ExchangeError {
  if (error instanceof ExchangeError) return error
  const last = call.exchanges.at(-1)
  const code = last !== undefined && last.response === undefined ? 'network' : codeFor(error, last, context)
  return new ExchangeError(code, describe(code, error, last, context), {
    ...hintFor(code, last, context),
    ...retryAfter(code, last, context),
  })
}

/** For an order, a change or a cancel. */
export function toOrderError(
  error: unknown,
  call: WireCall,
  context: ErrorContext,
  clientOrderId?: string,
): { readonly fate: Fate; readonly error: ExchangeError } {
  if (error instanceof ExchangeError) return { fate: call.exchanges.length === 0 ? 'none' : 'refused', error }
  const last = call.exchanges.at(-1)
  const fate = fateOf(error, call, context)
  if (fate === 'unknown') return { fate, error: unknownOutcome(context, last, clientOrderId) }
  const code = refusalCode(codeFor(error, last, context))
  const text = describe(code, error, last, context)
  return {
    fate,
    error: new ExchangeError(code, text, {
      ...hintFor(code, last, context),
      ...retryAfter(code, last, context),
    }),
  }
}

export function unknownOutcome(
  { venueName, codeOf }: ErrorContext,
  last: WireExchange | undefined,
  clientOrderId?: string,
): ExchangeError {
  const status = last?.response?.status
  const code = last?.response === undefined ? undefined : codeOf(jsonOf(last.response.text))
  const stated = status === undefined ? NO_ANSWER : `HTTP ${status}${code === undefined ? '' : `, code ${code}`}`
  return new ExchangeError('outcome-unknown', `${venueName} did not report the outcome: ${stated}`, {
    hint: '`orders` shows what the venue has',
    ...defined({ clientOrderId }),
  })
}

function fateOf(error: unknown, { exchanges }: WireCall, context: ErrorContext): Fate {
  const sent = exchanges.filter((exchange) => !context.isQuestion(exchange))
  const last = sent.at(-1)
  if (last === undefined || neverLeft(last.failure)) return 'none'
  const { response } = last
  if (response === undefined || last.failure !== undefined) return 'unknown'
  const code = context.codeOf(jsonOf(response.text))
  if (code !== undefined) {
    if (context.unknownCodes.has(code)) return 'unknown'
    if (Object.hasOwn(context.codes, code) || context.isRefusalCode(code)) return 'refused'
  }
  if (response.status >= 500) return isClass(error, 'OnMaintenance') ? 'refused' : 'unknown'
  if (response.status >= 400) return OPEN_STATUSES.has(response.status) ? 'unknown' : 'refused'
  return ownOf(CCXT_ERRORS, nameOf(error))?.isRefusal === true ? 'refused' : 'unknown'
}

/** No connection was made, so no byte of the order left. */
function neverLeft(failure: unknown): boolean {
  return failure instanceof TransportError && failure.neverLeft
}

function codeFor(error: unknown, last: WireExchange | undefined, context: ErrorContext): ExchangeErrorCode {
  if (neverLeft(last?.failure)) return 'unavailable'
  const status = last?.response?.status
  const stated = last?.response === undefined ? undefined : context.codeOf(jsonOf(last.response.text))
  const own = ownOf(context.codes, stated)
  if (own !== undefined) return own
  const meant = status === undefined || stated !== undefined ? undefined : context.statuses[status]
  if (meant !== undefined) return meant.code
  const known = ownOf(CCXT_ERRORS, nameOf(error))?.code
  if (status === 429 || status === 418) return 'rate-limited'
  if (status !== undefined && status >= 500 && (known === undefined || known === 'network')) return 'unavailable'
  if (known === 'invalid-order' && status === 401) return 'authentication'
  if (known === undefined || known === 'network') return status === 403 ? 'permission' : 'network'
  return known
}

/** A refused order is never `network`: that says that no one knows. */
function refusalCode(code: ExchangeErrorCode): ExchangeErrorCode {
  return code === 'network' ? 'invalid-order' : code
}

function describe(
  code: ExchangeErrorCode,
  error: unknown,
  last: WireExchange | undefined,
  { venueName, secrets }: ErrorContext,
): string {
  if (last !== undefined && neverLeft(last.failure)) return `${venueName} cannot be reached; nothing was sent`
  if (code === 'network') return `${venueName} gave ${NO_ANSWER}`
  const stated = last?.response === undefined ? textOf(error) : (messageIn(last.response.text) ?? textOf(error))
  const line = redact(stated, secrets).replace(/\s+/g, ' ').trim().slice(0, LONGEST_TEXT)
  return `${venueName}: ${line === '' ? code : line}`
}

/** The venue's own words in an answer, where it has a usual field for them. */
function messageIn(text: string): string | undefined {
  const json = jsonOf(text)
  if (typeof json !== 'object' || json === null) return undefined
  const rows = json as Readonly<Record<string, unknown>>
  for (const field of ['msg', 'retMsg', 'message', 'label', 'error', 'errors', 'response']) {
    const value = rows[field]
    if (typeof value === 'string' && value !== '') return value
    if (Array.isArray(value) && typeof value[0] === 'string') return value[0]
    if (typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string')
      return value.message
  }
  return undefined
}

/** ccxt writes the venue's id and the whole answer or URL into its messages. */
function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'internal error'
}

const HINTS: Partial<Record<ExchangeErrorCode, string>> = {
  authentication: 'check the key and its secret: `account check`',
  permission: "check the key's permissions and its list of IP addresses at the venue",
  clock: "set this computer's clock",
  'wrong-account-mode': 'switch the account to one-way mode at the venue',
  network: 'check the connection and try again',
  unavailable: 'try again later',
  'rate-limited': 'wait before you try again',
}

function hintFor(
  code: ExchangeErrorCode,
  last: WireExchange | undefined,
  { codeOf, hints }: ErrorContext,
): { readonly hint?: string } {
  const stated = last?.response === undefined ? undefined : codeOf(jsonOf(last.response.text))
  const hint = ownOf(hints, stated) ?? HINTS[code]
  return defined({ hint })
}

/** Binance's shortest ban: it answers 418 for two minutes at least. */
const BAN_MS = 120_000

function retryAfter(
  code: ExchangeErrorCode,
  last: WireExchange | undefined,
  { statuses }: ErrorContext,
): { readonly retryAfterMs?: number } {
  if (code !== 'rate-limited') return {}
  const seconds = Number(headerOf(last, 'retry-after'))
  if (Number.isFinite(seconds) && seconds > 0) return { retryAfterMs: Math.ceil(seconds * 1000) }
  const status = last?.response?.status
  const retryAfterMs =
    status === undefined ? undefined : (statuses[status]?.retryAfterMs ?? (status === 418 ? BAN_MS : undefined))
  return defined({ retryAfterMs })
}

function headerOf(exchange: WireExchange | undefined, wanted: string): string | undefined {
  const headers = Object.entries(exchange?.response?.headers ?? {})
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
}

/** The names come from answers: `constructor` is in every table. */
function ownOf<T>(table: Readonly<Record<string, T>>, name: string | undefined): T | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined
}

function isClass(error: unknown, name: string): boolean {
  return nameOf(error) === name
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}

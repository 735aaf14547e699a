// Request and response cases of a venue, in the form of ccxt's static tests: a call of ours, what must leave for it, an answer in the
// venue's documented shape, and what must come of that. Written from the venues' own documentation, not from what ccxt does.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { defined } from '../../../src/base/defined.ts'
import type { MarketKind } from '../../../src/exchange/market.ts'

const CASES = resolve(import.meta.dirname, 'cases')

/** One request that must leave, and what answers it. */
export interface Step {
  readonly method: string
  /** With its query, less the keys that are skipped. */
  readonly url: string
  /** The body, as JSON or as the pairs of a form; null for none. */
  readonly output: unknown
  /** A string is the answer's very text. */
  readonly httpResponse: unknown
  readonly httpStatus?: number
  readonly httpHeaders?: Readonly<Record<string, string>>
  /** Where the connection breaks instead of an answer. */
  readonly isLost?: boolean
}

/** What answers questions that no case is about: markets, the clock, modes. */
export interface Background {
  readonly method: string
  readonly url: string
  /** What the query or the body must hold. */
  readonly query?: Readonly<Record<string, unknown>>
  readonly httpResponse: unknown
}

export interface VenueCase extends Partial<Step> {
  readonly description: string
  readonly kind: MarketKind
  readonly input: readonly unknown[]
  /** Where more than one request leaves. */
  readonly requests?: readonly Step[]
  readonly parsedResponse: unknown
  /** What came may hold more than what is written. */
  readonly partial?: boolean
}

export interface VenueCases {
  readonly venue: string
  readonly documentation: string
  readonly keys: Readonly<Record<string, string>>
  /** Of query and body: signatures, times and what else differs at each call. */
  readonly skipKeys: readonly string[]
  /** The field that carries our id, what the venue admits there, and how it says so. */
  readonly clientOrderId: { readonly fields: readonly string[]; readonly form: string; readonly said: string }
  readonly background: readonly Background[]
  readonly methods: Readonly<Record<string, readonly VenueCase[]>>
}

let read: readonly VenueCases[] | undefined

/** Read once: every caller has the same rows. */
export function readVenueCases(): readonly VenueCases[] {
  read ??= readdirSync(CASES)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(CASES, name), 'utf8')) as VenueCases)
  return read
}

export function stepsOf(venueCase: VenueCase): readonly Step[] {
  if (venueCase.requests !== undefined) return venueCase.requests
  const { method, url, output, httpResponse, httpStatus, httpHeaders, isLost } = venueCase
  if (method === undefined || url === undefined) return []
  return [{ method, url, output: output ?? null, httpResponse, ...defined({ httpStatus, httpHeaders, isLost }) }]
}

/** Private keys are made here: a file of cases holds none. */
export function keysOf({ keys }: VenueCases): Record<string, string> {
  return Object.fromEntries(Object.entries(keys).map(([name, value]) => [name, made(value)]))
}

function made(value: string): string {
  if (value === '<32 random bytes>') return `0x${randomBytes(32).toString('hex')}`
  if (value !== '<an EC key>') return value
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'sec1', format: 'pem' })
    .toString()
}

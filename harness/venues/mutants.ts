// Every line of a venue's profile and of its tables, changed one at a time and in place: a flag turned, a code that is missing or means something
// else, what the venue does by itself as most do it. What no test notices is a line that nothing proves.
import { createHash } from 'node:crypto'
import type { ExchangeErrorCode } from '../../src/exchange/exchange-error.ts'
import type { MarketKind } from '../../src/exchange/market.ts'
import { DEFAULT_PROFILE } from '../../src/exchanges/ccxt/default-profile.ts'
import type { VenueProfile } from '../../src/exchanges/ccxt/profile.ts'
import { PLAIN } from '../../src/exchanges/ccxt/profile.ts'
import * as binance from '../../src/exchanges/ccxt/venues/binance.ts'
import * as binanceStreams from '../../src/exchanges/ccxt/venues/binance-streams.ts'
import * as bitget from '../../src/exchanges/ccxt/venues/bitget.ts'
import * as bybit from '../../src/exchanges/ccxt/venues/bybit.ts'
import * as coinbase from '../../src/exchanges/ccxt/venues/coinbase.ts'
import * as deribit from '../../src/exchanges/ccxt/venues/deribit.ts'
import * as gate from '../../src/exchanges/ccxt/venues/gate.ts'
import * as hyperliquid from '../../src/exchanges/ccxt/venues/hyperliquid.ts'
import * as kraken from '../../src/exchanges/ccxt/venues/kraken.ts'
import * as krakenfutures from '../../src/exchanges/ccxt/venues/krakenfutures.ts'
import * as kucoin from '../../src/exchanges/ccxt/venues/kucoin.ts'
import * as mexc from '../../src/exchanges/ccxt/venues/mexc.ts'
import * as okx from '../../src/exchanges/ccxt/venues/okx.ts'
import * as okxAlgos from '../../src/exchanges/ccxt/venues/okx-algos.ts'

type Fields = Record<PropertyKey, unknown>

export interface Mutant {
  readonly name: string
  /** The entry that is changed, as `traced` names what a test reads. */
  readonly line: string
  /** @returns what cancels it */
  readonly apply: () => () => void
}

/** The tables of a venue that are no field of its profile. */
const TABLES: Readonly<Record<string, readonly [profile: VenueProfile, ...modules: readonly object[]]>> = {
  binance: [binance.BINANCE, binance, binanceStreams],
  bybit: [bybit.BYBIT, bybit],
  okx: [okx.OKX, okx, okxAlgos],
  hyperliquid: [hyperliquid.HYPERLIQUID, hyperliquid],
  bitget: [bitget.BITGET, bitget],
  kucoin: [kucoin.KUCOIN, kucoin],
  gate: [gate.GATE, gate],
  kraken: [kraken.KRAKEN, kraken],
  krakenfutures: [krakenfutures.KRAKENFUTURES, krakenfutures],
  coinbase: [coinbase.COINBASE, coinbase],
  mexc: [mexc.MEXC, mexc],
  deribit: [deribit.DERIBIT, deribit],
}

export const MUTATED_VENUES: readonly string[] = Object.keys(TABLES)

/** Of which a wrong one costs nothing. */
const UNCHANGED: ReadonlySet<string> = new Set(['id', 'name', 'remarks'])
/** Functions of the kind of market alone: each kind is a line. */
const OF_KIND: ReadonlySet<string> = new Set([
  'options',
  'orderTypes',
  'timeInForce',
  'oco',
  'triggersListedOnly',
  'triggers',
  'openOrdersNeedSymbol',
  'tradesWindow',
  'tradesKeptMs',
  'findableMs',
  'buysByCost',
  'streams',
])

export function mutantsOf(venue: string): readonly Mutant[] {
  const [profile, ...modules] = TABLES[venue] ?? []
  if (profile === undefined) return []
  return [
    ...profileMutants(profile),
    ...tablesOf(profile, modules).flatMap(([name, table]) => tableMutants(name, table)),
  ]
}

/** Of all names, in any order: a profile that was changed has another. */
export function digestOf(mutants: readonly Mutant[]): string {
  const names = mutants.map(({ name }) => name).sort()
  return createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 12)
}

function tablesOf(profile: VenueProfile, modules: readonly object[]): readonly (readonly [string, object])[] {
  const known = new Set<unknown>([profile, ...Object.values(profile)])
  return modules
    .flatMap((module) => Object.entries(module))
    .filter((entry): entry is [string, object] => typeof entry[1] === 'object' && !known.has(entry[1]))
    .filter(([name]) => /^[A-Z_]+$/.test(name) && !name.endsWith('STREAMS'))
}

function profileMutants(profile: VenueProfile): readonly Mutant[] {
  const common: Fields = { ...DEFAULT_PROFILE }
  return Object.entries(profile)
    .filter(([field, value]) => !UNCHANGED.has(field) && value !== common[field])
    .flatMap(([field, value]) => fieldMutants(profile, field, value, common[field]))
}

function fieldMutants(profile: VenueProfile, field: string, value: unknown, common: unknown): readonly Mutant[] {
  const owner = profile as unknown as Fields
  const become = (how: string, other: unknown) => set(`${field}: ${how}`, field, owner, field, other)
  if (typeof value === 'boolean') return [become(`not ${value}`, !value)]
  if (typeof value === 'number') return [become(`half of ${value}`, Math.ceil(value / 2))]
  if (typeof value === 'string') return [become(`not ${value}`, value === 'sandbox' ? 'none' : 'sandbox')]
  if (Array.isArray(value)) {
    return value.map((each) =>
      become(
        `without ${each}`,
        value.filter((other) => other !== each),
      ),
    )
  }
  if (typeof value === 'function' && OF_KIND.has(field)) {
    return kindMutants(profile, field, value as OfKind, common as OfKind | undefined)
  }
  if (typeof value === 'function') return [become('as most', common)]
  if (field === 'clientOrderIds') return [become('as most', PLAIN)]
  const table = value as Fields
  if (field === 'codes') return Object.keys(table).flatMap((key) => codeMutants(table, key))
  if (field === 'hints' || field === 'statuses' || field === 'classes') {
    return Object.keys(table).map((key) => without(`${field}: without ${key}`, `${field}/${key}`, table, key))
  }
  return [become('as most', common), ...limitMutants(field, table)]
}

/** Limits that a record has beside its functions. */
function limitMutants(field: string, table: Fields): readonly Mutant[] {
  return Object.entries(table).flatMap(([key, value]) =>
    typeof value === 'number'
      ? [set(`${field}.${key}: half of ${value}`, field, table, key, Math.ceil(value / 2))]
      : [],
  )
}

type OfKind = (kind: MarketKind) => unknown

function kindMutants(profile: VenueProfile, field: string, own: OfKind, common?: OfKind): readonly Mutant[] {
  const owner = profile as unknown as Fields
  const kinds = Object.keys(profile.classes) as MarketKind[]
  return kinds.flatMap((kind) => {
    const value = own(kind)
    const instead = (how: string, other: unknown) =>
      set(`${field} of ${kind}: ${how}`, field, owner, field, (each: MarketKind) => (each === kind ? other : own(each)))
    const most = common?.(kind)
    const differs = JSON.stringify(value) !== JSON.stringify(most)
    return [
      ...(differs ? [instead('as most', most)] : []),
      ...valueMutants(value, most).map((each) => instead(...each)),
    ]
  })
}

function valueMutants(value: unknown, most: unknown): readonly (readonly [how: string, other: unknown])[] {
  if (typeof value === 'number') return [[`half of ${value}`, value / 2]]
  if (typeof value === 'object' && value !== null && 'ms' in value) {
    return [[`half of ${value.ms}`, { ...value, ms: Number(value.ms) / 2 }]]
  }
  if (!Array.isArray(value)) return []
  // One that is left out of all is the other way round: more than the venue takes.
  return value
    .filter((each) => !(most as readonly unknown[]).includes(each))
    .map((each) => [`without ${each}`, value.filter((other) => other !== each)])
}

const OTHERS: readonly ExchangeErrorCode[] = ['invalid-order', 'insufficient-funds']

function codeMutants(codes: Fields, code: string): readonly Mutant[] {
  const other = OTHERS.find((each) => each !== codes[code])
  const line = `codes/${code}`
  return [
    without(`codes: without ${code}`, line, codes, code),
    set(`codes: ${code} is ${other}`, line, codes, code, other),
  ]
}

function tableMutants(name: string, table: object): readonly Mutant[] {
  if (table instanceof Map) {
    const entries: ReadonlyMap<unknown, unknown> = table
    return [...entries].map(([key, value]) => ({
      name: `${name}: without ${key}`,
      line: `${name}/${key}`,
      apply() {
        table.delete(key)
        return () => void table.set(key, value)
      },
    }))
  }
  if (table instanceof Set) {
    const entries: ReadonlySet<unknown> = table
    return [...entries].map((key) => ({
      name: `${name}: without ${key}`,
      line: `${name}/${key}`,
      apply() {
        table.delete(key)
        return () => void table.add(key)
      },
    }))
  }
  if (Array.isArray(table)) {
    return table.map((row, index) => ({
      name: `${name}: without ${row}`,
      line: name,
      apply() {
        table.splice(index, 1)
        return () => void table.splice(index, 0, row)
      },
    }))
  }
  const fields = table as Fields
  return Object.entries(fields).flatMap(([key, value]) => {
    const line = `${name}/${key}`
    const other = name === 'WORDS' || name === 'ENDS' ? (value === 'open' ? 'canceled' : 'open') : undefined
    return [
      without(`${name}: without ${key}`, line, fields, key),
      ...(other === undefined ? [] : [set(`${name}: ${key} is ${other}`, line, fields, key, other)]),
    ]
  })
}

function set(name: string, line: string, owner: Fields, key: string, value: unknown): Mutant {
  return {
    name,
    line,
    apply() {
      const before = Object.getOwnPropertyDescriptor(owner, key) ?? {}
      Object.defineProperty(owner, key, { ...FIELD, value })
      return () => void Object.defineProperty(owner, key, before)
    },
  }
}

function without(name: string, line: string, owner: Fields, key: string): Mutant {
  return {
    name,
    line,
    apply() {
      const before = Object.getOwnPropertyDescriptors(owner)
      delete owner[key]
      return () => {
        // In the order in which they were.
        for (const each of Object.keys(owner)) delete owner[each]
        Object.defineProperties(owner, before)
      }
    },
  }
}

const FIELD = { configurable: true, enumerable: true, writable: true } as const

/** Watches which lines are read until it is ended. */
export function traced(venues: readonly string[], onRead: (venue: string, line: string) => void): () => void {
  const ends = venues.flatMap((venue) => {
    const [profile, ...modules] = TABLES[venue] ?? []
    if (profile === undefined) return []
    const read = (line: string): void => onRead(venue, line)
    const { codes, hints, statuses, classes } = profile
    const records = [...Object.entries({ codes, hints, statuses, classes }), ...tablesOf(profile, modules)]
    return [
      ...records.map(([name, table]) =>
        tracedTable(
          table,
          (key) => read(`${name}/${key}`),
          () => read(name),
        ),
      ),
      tracedFields(profile, read),
    ]
  })
  return () => {
    for (const end of ends) end()
  }
}

function tracedTable(table: object, onKey: (key: string) => void, onAny: () => void): () => void {
  const owner = table as Fields
  if (Array.isArray(table)) return watched(owner, Object.keys(table), onAny)
  if (!(table instanceof Map || table instanceof Set)) return watched(owner, Object.keys(table), onKey)
  for (const name of ['get', 'has'] as const) {
    const real = owner[name] as ((key: unknown) => unknown) | undefined
    if (real === undefined) continue
    owner[name] = (key: unknown) => {
      onKey(String(key))
      return real.call(table, key)
    }
  }
  return () => {
    delete owner.get
    delete owner.has
  }
}

/** A function is read when it is called. */
function tracedFields(profile: VenueProfile, read: (line: string) => void): () => void {
  const owner = profile as unknown as Fields
  const functions = Object.entries(owner).filter(([, value]) => typeof value === 'function')
  for (const [field, value] of functions) {
    owner[field] = (...args: readonly unknown[]) => {
      read(field)
      return Reflect.apply(value as () => unknown, profile, args)
    }
  }
  const others = Object.keys(owner).filter((field) => typeof owner[field] !== 'function')
  const end = watched(owner, others, read)
  return () => {
    end()
    for (const [field, value] of functions) owner[field] = value
  }
}

function watched(owner: Fields, keys: readonly string[], onRead: (key: string) => void): () => void {
  const before = Object.getOwnPropertyDescriptors(owner)
  for (const key of keys) {
    const value = owner[key]
    const get = (): unknown => {
      onRead(key)
      return value
    }
    Object.defineProperty(owner, key, { configurable: true, enumerable: true, get })
  }
  return () => void Object.defineProperties(owner, before)
}

// Which exchange serves an account row. Loaded at the first command that trades or asks for a price.
import { CommandError } from '../commands/kit/errors.ts'
import type { Keys } from '../credentials/keys.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { CcxtAccountOptions } from '../exchanges/ccxt/open-ccxt.ts'
import type { RecordedExchange } from '../exchanges/ccxt/recording.ts'
import { findVenue } from '../exchanges/venues.ts'
import { ACCOUNT_PLACES } from '../protocol/rows.ts'
import { type AccountRow, isDemo } from '../stores/accounts.ts'
import { openPaper } from './open-paper.ts'

/** @param record gets what a live venue is asked and answers, redacted @throws {CommandError} `not-supported` for an exchange this version does not speak @throws {ExchangeError} `not-supported` */
export async function openExchange(
  row: AccountRow,
  keys: Keys,
  directory: string,
  onProblem: (problem: unknown) => void,
  record?: (recorded: RecordedExchange) => void,
): Promise<Exchange> {
  if (row.exchange === 'paper') return openPaper(row, directory, onProblem)
  const options: CcxtAccountOptions = { ...liveOptions(row), keys, now: Date.now, onProblem }
  // Loaded when an account of it is opened, and not before.
  const { openCcxtExchange } = await import('../exchanges/ccxt/open-ccxt.ts')
  if (record === undefined) return openCcxtExchange(options)
  const { recordTransport } = await import('../exchanges/ccxt/recording.ts')
  const { createTransport } = await import('../exchanges/ccxt/transport.ts')
  const secrets = Object.values(keys).flatMap((key) => key ?? [])
  const transport = recordTransport({ transport: createTransport(), secrets, now: Date.now, keep: record })
  return openCcxtExchange({ ...options, transport })
}

/** @throws {CommandError} `not-supported` */
function liveOptions(row: AccountRow): Pick<CcxtAccountOptions, 'venue' | 'kind' | 'environment'> {
  const venue = findVenue(row.exchange)
  if (venue === undefined || !venue.canTrade) {
    throw new CommandError(
      'not-supported',
      `account ${row.name} is on ${row.exchange}, which this version cannot trade on`,
      { hint: 'use a paper account: `account add <name> paper`' },
    )
  }
  const fields = row as Readonly<Record<string, unknown>>
  // Another account's money would be traded.
  if (ACCOUNT_PLACES.some((name) => isSet(fields[name]))) {
    throw new CommandError('not-supported', `account ${row.name} is for a subaccount, which this version cannot name`, {
      hint: "use the subaccount's own key",
    })
  }
  const kind = venue.kinds.find((each) => each === row.kind) ?? venue.kinds[0]
  if (kind === undefined || (isSet(row.kind) && kind !== row.kind)) {
    throw new CommandError('not-supported', `there is no ${String(row.kind)} market at ${venue.id}`, {
      hint: `use ${venue.kinds.join(' or ')}`,
    })
  }
  return { venue: venue.id, kind, environment: isDemo(row) ? 'demo' : 'live' }
}

function isSet(field: unknown): boolean {
  return field !== undefined && field !== null && field !== ''
}

const SENDS: ReadonlySet<PropertyKey> = new Set<keyof Exchange>([
  ...(['createOrder', 'editOrder', 'cancelOrder', 'cancelAllOrders', 'setLeverage', 'setMarginMode'] as const),
])

/** A process that slept while the vault was locked has its account open still, and may not have noticed. */
export function withKeysHeld(venue: Exchange, requireKeys: () => void): Exchange {
  const bound = new Map<PropertyKey, unknown>()
  return new Proxy(venue, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const call = bound.get(name) ?? (SENDS.has(name) ? sending(value.bind(target), requireKeys) : value.bind(target))
      bound.set(name, call)
      return call
    },
  })
}

function sending(send: (...args: unknown[]) => Promise<unknown>, requireKeys: () => void) {
  return async (...args: unknown[]): Promise<unknown> => {
    requireKeys()
    return send(...args)
  }
}

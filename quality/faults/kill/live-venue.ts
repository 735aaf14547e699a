// The stand-in of Binance under the venue's own host names, with accounts of its own on it, and what it makes go wrong.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { venueCertificate } from '../../../harness/network/venue-names.ts'
import type { Random } from '../../../harness/random/random.ts'
import { booksOf } from '../../../harness/venues/binance/books.ts'
import type { Fault, FaultKind } from '../../../harness/venues/binance/faults.ts'
import { Binance } from '../../../harness/venues/binance/start-binance.ts'
import type { Order } from '../../../src/exchange/order.ts'
import { type Hook, openHookStore } from '../../../src/stores/hooks.ts'

export type Certificate = Exclude<ReturnType<typeof venueCertificate>, { missing: string }>

/** One order in so many meets a fault. */
const FAULTY = 12
const LOST: readonly FaultKind[] = ['reset', 'cut-json', 'html', 'unknown', 'timed-out', 'hang']

export const keyOf = (name: string) => `KeyOfTheAccount-${name}-0123456789abcdef`
const secretOf = (name: string) => `SecretOfTheAccount-${name}-0123456789abcdef`

/** With these accounts, which the directory knows too. */
export async function startLiveVenue(directory: string, names: readonly string[], tls: Certificate): Promise<Binance> {
  const accounts = names.map((name) => ({ key: keyOf(name), secret: secretOf(name), wallet: '1000000' }))
  const live = names.map((name) => {
    const keys = { apiKey: keyOf(name), secret: secretOf(name) }
    return { name, exchange: 'binance', kind: 'linear', ...keys, createdAt: 1, updatedAt: 1 }
  })
  const paper = { name: 'paper', exchange: 'paper', createdAt: 1, updatedAt: 1 }
  writeFileSync(join(directory, 'accounts.json'), JSON.stringify({ accounts: [paper, ...live] }), { mode: 0o600 })
  return Binance.start({ accounts, port: 443, tls })
}

/** One hook of each body on each account. */
export async function createHooks(
  directory: string,
  names: readonly string[],
  bodies: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, readonly Hook[]>> {
  const store = openHookStore(directory)
  const hooks = new Map<string, Hook[]>()
  for (const account of names) {
    const own: Hook[] = []
    for (const [name, command] of Object.entries(bodies)) {
      own.push(await store.create({ name: `${name} ${account}`, command, account }))
    }
    hooks.set(account, own)
  }
  return hooks
}

/** @param oneIn so many orders meets a fault */
export function faultOf(random: Random, oneIn = FAULTY): Fault | undefined {
  if (!random.chance(1 / oneIn)) return undefined
  if (random.chance(0.1)) return { kind: 'busy' }
  // Where it never arrived nothing is sure for a minute: few are lost that way.
  return { kind: random.pick(LOST) ?? 'reset', isDone: !random.chance(0.1) }
}

export function bookedBy(venue: Binance): { readonly orders: Map<string, Order>; readonly twice: readonly string[] } {
  const all = [...venue.engine.accounts.values()].map((account) => booksOf(account))
  const orders = new Map(all.flatMap((books) => [...books.orders]))
  return { orders, twice: all.flatMap((books) => books.twice) }
}

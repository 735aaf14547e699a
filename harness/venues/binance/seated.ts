// A person at the built program whose account `main` is on the stand-in of Binance, and whatever others the test asks for.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { tempDirectory } from '../../files/temp-directory.ts'
import { venueCertificate } from '../../network/venue-names.ts'
import { Seat } from '../seat.ts'
import { KEYS, stageBinance } from './staged.ts'
import type { Binance } from './start-binance.ts'

export interface SeatedAtBinance {
  readonly venue: Binance
  readonly seat: Seat
  /** The same person at another start of the program, over the same files. */
  readonly again: () => Promise<Seat>
}

const WALLET = '100000'
const ADDED_AT = 1_700_000_000_000

/** @param others accounts beside `main`, by their names */
export async function seatAtBinance(
  context: TestContext,
  others: Readonly<Record<string, { readonly key: string; readonly secret: string }>> = {},
): Promise<SeatedAtBinance> {
  const venue = await stageBinance(context, { account: { wallet: WALLET } })
  for (const keys of Object.values(others)) venue.open({ ...keys, wallet: WALLET })
  const certificate = venueCertificate()
  const env = 'missing' in certificate ? {} : certificate.env
  const directory = tempDirectory()
  const accounts = Object.entries({ main: KEYS, ...others }).map(([name, { key, secret }]) => ({
    name,
    exchange: 'binance',
    kind: 'linear',
    apiKey: key,
    secret,
    createdAt: ADDED_AT,
    updatedAt: ADDED_AT,
  }))
  writeFileSync(join(directory, 'accounts.json'), JSON.stringify({ accounts }), { mode: 0o600 })
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ defaultAccount: 'main', defaultSymbol: 'BTCUSDT' }))
  const again = () => Seat.take(directory, env)
  return { venue, seat: await again(), again }
}

/** Stops and take-profits of `main` that rest there. */
export function triggersAt(venue: Binance): readonly string[] {
  return venue
    .account()
    .openAlgos()
    .map(({ type, amount, trigger }) => `${type} ${amount} ${trigger}`)
}

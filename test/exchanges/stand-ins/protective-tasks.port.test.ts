// Tasks that protect, by the built program, on a venue that changes no stop in place and holds no pair in one order; killed in the middle.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, type TestContext } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import { KEYS, stageBinance } from '../../../harness/venues/binance/staged.ts'
import type { Binance } from '../../../harness/venues/binance/start-binance.ts'
import { Seat } from '../../../harness/venues/seat.ts'

const PATIENCE_MS = 120_000

async function sitDown(context: TestContext) {
  const venue = await stageBinance(context, { account: { wallet: '100000' } })
  const certificate = venueCertificate()
  const env = 'missing' in certificate ? {} : certificate.env
  const directory = tempDirectory()
  const main = { name: 'main', exchange: 'binance', kind: 'linear', apiKey: KEYS.key, secret: KEYS.secret }
  const accounts = [{ ...main, createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_000 }]
  writeFileSync(join(directory, 'accounts.json'), JSON.stringify({ accounts }), { mode: 0o600 })
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ defaultAccount: 'main', defaultSymbol: 'BTCUSDT' }))
  const seat = await Seat.take(directory, env)
  return { venue, seat, again: () => Seat.take(directory, env) }
}

const triggers = (venue: Binance) =>
  venue
    .account()
    .openAlgos()
    .map(({ type, amount, trigger }) => `${type} ${amount} ${trigger}`)

it(
  'a trail replaces its stop as the price rises, goes on after a kill, and is done when the stop fires',
  async (context) => {
    const { venue, seat, again } = await sitDown(context)
    await seat.types('buy 0.01', 'bought 0.01 BTCUSDT')
    await seat.types('trail 1%', /stop for 0\.01 BTCUSDT at 49,\d+/)
    venue.engine.movePrice('BTCUSDT', '51000')
    await expect.poll(() => triggers(venue), { timeout: 20_000 }).toEqual(['STOP_MARKET 0.01 50490'])
    await seat.dies()
    const next = await again()
    await next.sees(/goes on/)
    expect(triggers(venue)).toEqual(['STOP_MARKET 0.01 50490'])
    venue.engine.movePrice('BTCUSDT', '52000')
    await expect.poll(() => triggers(venue), { timeout: 20_000 }).toEqual(['STOP_MARKET 0.01 51480'])
    venue.engine.movePrice('BTCUSDT', '51400')
    await next.sees(/done: the stop at 51,480 was reached: sold 0\.01 BTCUSDT at 51,/)
    expect([venue.account().held('BTCUSDT').amount.toFixed(), triggers(venue)]).toEqual(['0', []])
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

it(
  'an oco is a stop and a limit order, and the one that fills ends the other',
  async (context) => {
    const { venue, seat } = await sitDown(context)
    await seat.types('buy 0.01', 'bought 0.01 BTCUSDT')
    await seat.types('oco at 51000 stop 49000', /oco [0-9a-f]{8}: keeps a take-profit at 51,000 and a stop at 49,000/)
    await expect.poll(() => triggers(venue), { timeout: 20_000 }).toEqual(['STOP_MARKET 0.01 49000'])
    venue.engine.movePrice('BTCUSDT', '51010')
    await seat.sees(/done: the take-profit at 51,000 was reached: sold 0\.01 BTCUSDT/)
    expect([venue.account().held('BTCUSDT').amount.toFixed(), triggers(venue)]).toEqual(['0', []])
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

// A venue that leaves reduce-only stops resting when their position is gone, and the built program at a terminal: what protected a position is taken
// back after it, also by the program that is started after a kill, and what protects the next one stays.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, type TestContext } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import { KEYS, stageBinance } from '../../../harness/venues/binance/staged.ts'
import type { Binance } from '../../../harness/venues/binance/start-binance.ts'
import { Seat } from '../../../harness/venues/seat.ts'

const PATIENCE_MS = 120_000
const FLAT = /taken back: BTCUSDT is flat, and its stop has nothing left to protect/

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
  'what protected a position is taken back as `close` has ended it, and the next one keeps its own',
  async (context) => {
    const { venue, seat } = await sitDown(context)
    await seat.types('buy 0.01 stop -2% tp +4%', 'take-profit sell 0.01 BTCUSDT at 52,000 is open')
    await seat.types('close; buy 0.012 stop -3%', [
      'sold 0.01 BTCUSDT at',
      FLAT,
      /taken back: BTCUSDT is flat, and its take-profit has nothing left to protect/,
      'stop sell 0.012 BTCUSDT at 48,500 is open',
    ])
    expect(triggers(venue)).toEqual(['STOP_MARKET 0.012 48500'])
    venue.engine.movePrice('BTCUSDT', '48400')
    await seat.sees(/sold 0\.012 BTCUSDT at 48,/)
    expect([venue.account().held('BTCUSDT').amount.toFixed(), triggers(venue)]).toEqual(['0', []])
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

it(
  'half a close takes nothing back, and a stop that was typed is told and stays',
  async (context) => {
    const { venue, seat } = await sitDown(context)
    await seat.types('buy 0.01 stop -2%', 'stop sell 0.01 BTCUSDT at 49,000 is open')
    await seat.types('stop at 45000', 'stop sell 0.01 BTCUSDT at 45,000 is open')
    await seat.types('close 50%', 'sold 0.005 BTCUSDT at')
    expect(triggers(venue)).toEqual(['STOP_MARKET 0.01 49000', 'STOP_MARKET 0.01 45000'])
    await seat.types('close', [
      FLAT,
      /still rests, and BTCUSDT is flat: stop sell 0\.01 BTCUSDT at 45,000, reduce-only/,
    ])
    expect(triggers(venue)).toEqual(['STOP_MARKET 0.01 45000'])
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

it(
  'the stop of another entry that has closed all is followed by what is left of the others',
  async (context) => {
    const { venue, seat } = await sitDown(context)
    await seat.types('buy 0.01 stop -2%', 'stop sell 0.01 BTCUSDT at 49,000 is open')
    await seat.types('buy 0.01 stop -4%', 'stop sell 0.01 BTCUSDT at 48,000 is open')
    await seat.types('sell 0.01 reduce', 'sold 0.01 BTCUSDT at')
    expect(triggers(venue)).toEqual(['STOP_MARKET 0.01 49000', 'STOP_MARKET 0.01 48000'])
    venue.engine.movePrice('BTCUSDT', '48900')
    await seat.sees(FLAT)
    expect([venue.account().held('BTCUSDT').amount.toFixed(), triggers(venue)]).toEqual(['0', []])
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

it(
  'what a killed program has left over is taken back by the next one',
  async (context) => {
    const { venue, seat, again } = await sitDown(context)
    await seat.types('buy 0.01 stop -2%', 'stop sell 0.01 BTCUSDT at 49,000 is open')
    // The venue fills the exit, and the program is gone before it can do anything about it.
    const filled = new Promise<void>((resolve) => {
      venue.onHeard = ({ route, params }) => {
        if (route === 'POST /fapi/v1/order' && params.side === 'SELL') resolve()
      }
    })
    seat.terminal.send('close\r')
    await filled
    await seat.dies()
    expect([venue.account().held('BTCUSDT').amount.toFixed(), triggers(venue)]).toEqual([
      '0',
      ['STOP_MARKET 0.01 49000'],
    ])
    const next = await again()
    await next.types('positions', 'no open positions')
    await next.sees(FLAT)
    expect(triggers(venue)).toEqual([])
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

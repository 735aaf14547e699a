// A new user's first hour on Binance, with the built program at a terminal and the venue's own host names: keys typed without echo, an order with
// its stop and take-profit, parts told as they fill, the network cut in between, the program killed and started again.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import { KEYS, stageBinance } from '../../../harness/venues/binance/staged.ts'
import type { Binance } from '../../../harness/venues/binance/start-binance.ts'
import { Seat } from '../../../harness/venues/seat.ts'

const PASSPHRASE = 'correct horse battery staple 9'
/** Enter at each question. */
const USUAL_LIMITS = ['', '']
const HOUR_MS = 180_000

async function takeSeat(): Promise<{ readonly directory: string; readonly seat: Seat; again(): Promise<Seat> }> {
  const certificate = venueCertificate()
  const env = 'missing' in certificate ? {} : certificate.env
  const directory = tempDirectory()
  return { directory, seat: await Seat.take(directory, env), again: () => Seat.take(directory, env) }
}

const accountsIn = (directory: string) => readFileSync(join(directory, 'accounts.json'), 'utf8')

it('a wrong key is refused with the reason, and nothing of it is stored', async (context) => {
  const venue = await stageBinance(context)
  const { directory, seat } = await takeSeat()
  const why = 'nothing was stored: Binance: Signature for this request is not valid.'
  await seat.types('account add main binance linear', why, PASSPHRASE, PASSPHRASE, KEYS.key, 'not the secret at all')
  expect(accountsIn(directory)).not.toContain('main')
  expect(existsSync(join(directory, 'vault.json'))).toBe(false)
  expect(venue.unexpected).toEqual([])
})

it('a key that may withdraw is refused, and nothing of it is stored', async (context) => {
  await stageBinance(context, { account: { mayWithdraw: true } })
  const { directory, seat } = await takeSeat()
  await seat.types('account add main binance linear', /withdraw/, PASSPHRASE, PASSPHRASE, KEYS.key, KEYS.secret)
  expect(accountsIn(directory)).not.toContain('main')
  expect(existsSync(join(directory, 'vault.json'))).toBe(false)
})

it(
  'what the screen says is what the venue has, from the first key to the last close, over a cut and a kill',
  async (context) => {
    const venue = await stageBinance(context, { account: { wallet: '100000' } })
    const { seat, again } = await takeSeat()
    await addAccount(seat)
    await tradeWithProtection(seat, venue)
    await hearParts(seat, venue)
    await surviveCut(seat, venue)
    await seat.dies()
    await goOn(await again(), venue)
    expect(venue.unexpected).toEqual([])
  },
  HOUR_MS,
)

async function addAccount(seat: Seat): Promise<void> {
  const says = ['checked: may trade; may not withdraw; one-way mode', 'added account main on binance linear']
  const keys = [KEYS.key, KEYS.secret]
  await seat.types('account add main binance linear', says, PASSPHRASE, PASSPHRASE, ...keys, ...USUAL_LIMITS)
  await seat.types('account use main', 'trading on main')
  await seat.types('symbol BTCUSDT', 'BTCUSDT 50,000')
}

async function tradeWithProtection(seat: Seat, venue: Binance): Promise<void> {
  await seat.types('buy $360 BTCUSDT stop -2% tp +4%', [
    'bought 0.007 BTCUSDT at 50,000.1 ($350.00)',
    '$360 rounded down to the lot size of 0.001 BTC',
    'stop sell 0.007 BTCUSDT at 49,000.0 is open, reduce-only',
    'take-profit sell 0.007 BTCUSDT at 52,000.0 is open, reduce-only',
  ])
  const triggers = venue.account().openAlgos()
  expect(triggers.map(({ type, trigger }) => `${type} ${trigger}`)).toEqual([
    'STOP_MARKET 49000',
    'TAKE_PROFIT_MARKET 52000',
  ])
}

async function hearParts(seat: Seat, venue: Binance): Promise<void> {
  const resting = () =>
    venue
      .account()
      .openOrders('ETHUSDT')
      .map(({ price }) => price.toFixed())
  await seat.types('buy 0.3 ETHUSDT at -1%', 'buy 0.3 ETHUSDT at 2,475.00 is open')
  await seat.types('amend ETHUSDT at -2%', /order \d+ is now: buy 0\.3 ETHUSDT at 2,450.00/)
  expect(resting()).toEqual(['2450'])
  venue.engine.isThin = true
  // Back at once, so that no more of it fills.
  for (const price of ['2440', '2500']) venue.engine.movePrice('ETHUSDT', price)
  await seat.sees(/bought \S+ (of 0.3 )?ETHUSDT at 2,450.00/)
  await seat.types('cancel ETHUSDT', /canceled order \d+/)
  expect(resting()).toEqual([])
  venue.engine.isThin = false
  const held = venue.account().held('ETHUSDT').amount.toFixed()
  await seat.types('positions', new RegExp(`ETHUSDT +long +${held.replace('.', '\\.')} `))
  await seat.types('close ETHUSDT', `sold ${held} ETHUSDT at`)
  expect(venue.account().held('ETHUSDT').amount.isZero()).toBe(true)
}

async function surviveCut(seat: Seat, venue: Binance): Promise<void> {
  await venue.cut()
  await seat.sees('main [BTCUSDT stale] >')
  await seat.types('buy $260 BTCUSDT', 'Binance cannot be reached; nothing was sent')
  await venue.listen()
  await seat.terminal.until((screen) => /^main \[BTCUSDT [\d,.]+\] > ?$/.test(screen.typed()))
  venue.fail({ kind: 'reset', isDone: true, route: 'POST /fapi/v1/order' })
  await seat.types('buy $260 BTCUSDT stop -3%', [
    'no answer to the BTCUSDT order: its outcome is unknown; asking the venue',
    /the BTCUSDT order that got no answer was placed: it is order \d+/,
    'stop sell 0.005 BTCUSDT at 48,500.0 is open',
  ])
  expect(venue.account().held('BTCUSDT').amount.toFixed()).toBe('0.012')
}

async function goOn(seat: Seat, venue: Binance): Promise<void> {
  await seat.types('orders', 'the vault is locked')
  await seat.types('vault unlock', 'the vault is unlocked', PASSPHRASE)
  await seat.types('orders', [/stop +0\.007 +0 +49,000/, /take-profit +0\.007 +0 +52,000/, /stop +0\.005 +0 +48,500/])
  await seat.types('positions', /BTCUSDT +long +0\.012 /)
  venue.engine.movePrice('BTCUSDT', '48900')
  await seat.sees(/sold 0\.007 BTCUSDT at 48,899\.9/)
  await seat.sees('canceled: the stop closed the part that it covered of BTCUSDT')
  expect(
    venue
      .account()
      .openAlgos()
      .map(({ trigger }) => trigger.toFixed()),
  ).toEqual(['48500'])
  const flat = /order \d+ canceled: BTCUSDT is flat, and its stop has nothing left to protect/
  await seat.types('close', ['sold 0.005 BTCUSDT at', flat])
  await seat.types('orders', 'no open orders')
  await seat.types('positions', 'no open positions')
  expect(venue.account().openAlgos()).toEqual([])
  const fills = await seat.types('fills', /ETHUSDT +sell/)
  expect(fills.match(/ (BTC|ETH)USDT +(buy|sell) /g)).toHaveLength(venue.account().fills.length)
  const wallet = venue.account().wallet.toNumber()
  const shown = wallet.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  await seat.types('account balances', `$${shown}`)
}

// Several orders of one line on Binance's stand-in, by the built program at a terminal: what is printed is what the venue has, also where an answer
// is lost on the way, and where the venue changes no orders.
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import { KEYS, stageBinance } from '../../../harness/venues/binance/staged.ts'
import { Seat } from '../../../harness/venues/seat.ts'
import { READING_MS } from '../../../src/repl/block-question.ts'

const PASSPHRASE = 'correct horse battery staple 9'
const MINUTES_MS = 120_000

it(
  'a scale rests whole although an answer is lost, moves in its place, and a nuke leaves nothing',
  async (context) => {
    const venue = await stageBinance(context, { account: { wallet: '100000' } })
    const certificate = venueCertificate()
    const seat = await Seat.take(tempDirectory(), 'missing' in certificate ? {} : certificate.env)
    const resting = () =>
      venue
        .account()
        .openOrders('BTCUSDT')
        .map(({ price, amount }) => `${amount.toFixed()} at ${price.toFixed()}`)
        .sort()
    const held = () => venue.account().held('BTCUSDT').amount.toFixed()
    const keys = [PASSPHRASE, PASSPHRASE, KEYS.key, KEYS.secret, '', '']
    await seat.types('account add main binance linear', 'added account main on binance linear', ...keys)
    await seat.types('account use main', 'trading on main')
    await seat.types('symbol BTCUSDT', 'BTCUSDT 50,000')

    venue.fail({ kind: 'reset', isDone: true, route: 'POST /fapi/v1/order' })
    await seat.types('scale buy 0.04 into 4 from 49000 to 46000 po', [
      'no answer to the BTCUSDT order: its outcome is unknown; asking the venue',
      'scaled: buy 0.04 BTCUSDT in 4 orders, $1,900.00 at 47,500.0 on average if all fill',
    ])
    expect(resting()).toEqual(['0.01 at 46000', '0.01 at 47000', '0.01 at 48000', '0.01 at 49000'])

    await seat.types('bump -100', /buy 0\.01 BTCUSDT at 45,900.0/)
    expect(resting()).toEqual(['0.01 at 45900', '0.01 at 46900', '0.01 at 47900', '0.01 at 48900'])

    await seat.types('swarm buy 0.01 into 4 irregular', 'swarm: bought 0.01 BTCUSDT in 4 orders')
    expect(held()).toBe('0.01')
    await seat.types('swarm sell 50% into 2 reduce', 'swarm: sold 0.005 BTCUSDT in 2 orders')
    expect(held()).toBe('0.005')

    seat.terminal.send('nuke\r')
    await seat.terminal.until((screen) => screen.typed().trimEnd().endsWith('y or n >'))
    expect(resting()).toHaveLength(4)
    // A key that comes sooner is not an answer.
    await setTimeout(2 * READING_MS)
    seat.terminal.send('y')
    await seat.sees('account main: resting orders are canceled, and open positions are closed')
    expect([held(), resting(), venue.account().openAlgos()]).toEqual(['0', [], []])
    expect(venue.unexpected).toEqual([])
  },
  MINUTES_MS,
)

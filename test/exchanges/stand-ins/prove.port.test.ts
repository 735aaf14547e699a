// `account prove` with the built program on the demo host of Binance: it asks first, says each fact as it is looked at, leaves nothing held, and
// what it writes has no keys.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import { KEYS, stageBinance } from '../../../harness/venues/binance/staged.ts'
import { Seat } from '../../../harness/venues/seat.ts'
import { READING_MS } from '../../../src/repl/block-question.ts'

const PASSPHRASE = 'correct horse battery staple 9'
/** The whole contract runs over this stand-in elsewhere. */
const PROVE = 'account prove practice --demo --only "a market order"'
const LONG_MS = 240_000

it(
  'proves a demo account, and writes a report and a recording without keys',
  async (context) => {
    const venue = await stageBinance(context, { account: { wallet: '100000' } })
    const certificate = venueCertificate()
    const directory = tempDirectory()
    const seat = await Seat.take(directory, 'missing' in certificate ? {} : certificate.env)
    const answers = [PASSPHRASE, PASSPHRASE, KEYS.key, KEYS.secret, '', '']
    await seat.types('account add practice binance linear --demo', 'account practice', ...answers)
    await seat.types('account prove practice', 'only on a demo account')
    await seat.types('account prove practice --demo', 'limits of account practice prevent a proof: order, day')
    for (const limit of ['order', 'day']) await seat.types(`guards set practice ${limit} off --yes`, limit)
    seat.terminal.send(PROVE)
    await seat.terminal.until((screen) => screen.typed().endsWith(PROVE))
    seat.terminal.send('\r')
    await seat.terminal.until((screen) => screen.typed().includes('y or n'))
    // A key that was on its way is no answer.
    await new Promise((resolve) => setTimeout(resolve, 2 * READING_MS))
    seat.terminal.send('y')
    await seat.sees(/\d+ hold, \d+ fail, \d+ skipped/)
    const [report = '', recording = ''] = readdirSync(join(directory, 'proofs')).map((name) =>
      readFileSync(join(directory, 'proofs', name), 'utf8'),
    )
    const { facts, isWhole, exchange, demo } = JSON.parse(report) as {
      readonly facts: readonly { readonly verdict: string; readonly what: string; readonly why?: string }[]
      readonly isWhole: boolean
      readonly exchange: string
      readonly demo: boolean
    }
    expect(facts.filter(({ verdict }) => verdict === 'fails')).toEqual([])
    expect([isWhole, exchange, demo]).toEqual([true, 'binance', true])
    expect(recording.split('\n').some((line) => line.includes('/fapi/v1/order') && line.includes('orderId'))).toBe(true)
    for (const secret of [KEYS.key, KEYS.secret]) expect(report + recording + seat.raw).not.toContain(secret)
    await seat.types('account use practice', 'trading on practice')
    await seat.types('positions', 'no open positions')
    await seat.types('orders', 'no open orders')
    expect(venue.unexpected).toEqual([])
  },
  LONG_MS,
)

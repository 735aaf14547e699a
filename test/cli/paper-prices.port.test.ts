// The built program, whole: an account of practice money at prices of Binance, whose stand-in answers under the venue's own names.
import { expect, it, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../harness/network/venue-names.ts'
import { RunningHookline, run } from '../../harness/process/hookline.ts'
import { stageBinance } from '../../harness/venues/binance/staged.ts'

/** A stream is silent for 15 s before it is stale. */
const PATIENT = { timeout: 60_000, interval: 500 }

it('trades at the prices of a venue, says so when they are stale, and makes nothing up for the gap', async (context) => {
  const certificate = venueCertificate()
  const venue = await stageBinance(context)
  const env = 'missing' in certificate ? {} : certificate.env
  const directory = tempDirectory()
  const added = await run(
    directory,
    ['exec', 'account add practice paper --prices binance:linear; account use practice'],
    { env },
  )
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('at prices of binance:linear') })

  const hookline = new RunningHookline(directory, [], { env })
  hookline.say('buy 0.01 stop -2%')
  await hookline.prints('bought 0.01 BTCUSDT at 50,000.1')
  await hookline.prints('stop sell 0.01 BTCUSDT at 49,000.0')

  await venue.cut()
  venue.engine.movePrice('BTCUSDT', '48000')
  await vi.waitFor(() => {
    hookline.say('price')
    expect(hookline.stdout + hookline.stderr).toContain('the prices of BTCUSDT are stale')
  }, PATIENT)
  hookline.say('buy 0.01')
  hookline.say('echo after the order')
  await hookline.prints('after the order')
  expect(hookline.stdout.match(/bought/g)).toHaveLength(1)

  venue.engine.movePrice('BTCUSDT', '50000')
  await venue.listen()
  await vi.waitFor(async () => {
    const { stdout } = await run(directory, ['exec', 'price'], { env })
    expect(stdout).toContain('BTCUSDT 50,000')
  }, PATIENT)
  hookline.say('positions; orders; echo all there')
  await hookline.prints('all there')
  expect(hookline.stdout).not.toContain('sold')

  venue.engine.movePrice('BTCUSDT', '48900')
  await hookline.prints('sold 0.01 BTCUSDT')
  expect(venue.unexpected).toEqual([])
}, 180_000)

// Tasks that protect, by the built program, on a venue that changes no stop in place and holds no pair in one order; killed in the middle.
import { expect, it } from 'vitest'
import { seatAtBinance, triggersAt } from '../../../harness/venues/binance/seated.ts'

const PATIENCE_MS = 120_000

it(
  'a trail replaces its stop as the price rises, goes on after a kill, and is done when the stop fires',
  async (context) => {
    const { venue, seat, again } = await seatAtBinance(context)
    await seat.types('buy 0.01', 'bought 0.01 BTCUSDT')
    await seat.types('trail 1%', /keeps a stop for 0\.01 BTCUSDT 1% below the best price, first at 49,\d+/)
    venue.engine.movePrice('BTCUSDT', '51000')
    await expect.poll(() => triggersAt(venue), { timeout: 20_000 }).toEqual(['STOP_MARKET 0.01 50490'])
    await seat.dies()
    const next = await again()
    await next.sees(/continues/)
    expect(triggersAt(venue)).toEqual(['STOP_MARKET 0.01 50490'])
    venue.engine.movePrice('BTCUSDT', '52000')
    await expect.poll(() => triggersAt(venue), { timeout: 20_000 }).toEqual(['STOP_MARKET 0.01 51480'])
    venue.engine.movePrice('BTCUSDT', '51400')
    await next.sees(/done: the stop at 51,480.0 was reached: sold 0\.01 BTCUSDT at 51,/)
    expect([venue.account().held('BTCUSDT').amount.toFixed(), triggersAt(venue)]).toEqual(['0', []])
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

it(
  'an oco is a stop and a limit order, and the one that fills ends the other',
  async (context) => {
    const { venue, seat } = await seatAtBinance(context)
    await seat.types('buy 0.01', 'bought 0.01 BTCUSDT')
    await seat.types(
      'oco at 51000 stop 49000',
      /oco [0-9a-f]{8}: keeps a take-profit at 51,000.0 and a stop at 49,000.0/,
    )
    await expect.poll(() => triggersAt(venue), { timeout: 20_000 }).toEqual(['STOP_MARKET 0.01 49000'])
    venue.engine.movePrice('BTCUSDT', '51010')
    await seat.sees(/done: the take-profit at 51,000.0 was reached: sold 0\.01 BTCUSDT/)
    expect([venue.account().held('BTCUSDT').amount.toFixed(), triggersAt(venue)]).toEqual(['0', []])
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

// A venue that leaves reduce-only stops resting when their position is gone, and the built program at a terminal: what protected a position is taken
// back after it, also by the program that is started after a kill, and what protects the next one stays.
import { expect, it } from 'vitest'
import { seatAtBinance, triggersAt } from '../../../harness/venues/binance/seated.ts'

const PATIENCE_MS = 120_000
const FLAT = /canceled: BTCUSDT is flat, and its stop has nothing left to protect/

it(
  'what protected a position is taken back as `close` has ended it, and the next one keeps its own',
  async (context) => {
    const { venue, seat } = await seatAtBinance(context)
    await seat.types('buy 0.01 stop -2% tp +4%', 'take-profit sell 0.01 BTCUSDT at 52,000.0 is open')
    await seat.types('close; buy 0.012 stop -3%', [
      'sold 0.01 BTCUSDT at',
      FLAT,
      /canceled: BTCUSDT is flat, and its take-profit has nothing left to protect/,
      'stop sell 0.012 BTCUSDT at 48,500.0 is open',
    ])
    expect(triggersAt(venue)).toEqual(['STOP_MARKET 0.012 48500'])
    venue.engine.movePrice('BTCUSDT', '48400')
    await seat.sees(/sold 0\.012 BTCUSDT at 48,/)
    expect([venue.account().held('BTCUSDT').amount.toFixed(), triggersAt(venue)]).toEqual(['0', []])
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

it(
  'half a close takes nothing back, and a stop that was typed is told and stays',
  async (context) => {
    const { venue, seat } = await seatAtBinance(context)
    await seat.types('buy 0.01 stop -2%', 'stop sell 0.01 BTCUSDT at 49,000.0 is open')
    await seat.types('stop at 45000 add', 'stop sell 0.01 BTCUSDT at 45,000.0 is open')
    await seat.types('close 50%', 'sold 0.005 BTCUSDT at')
    expect(triggersAt(venue)).toEqual(['STOP_MARKET 0.01 49000', 'STOP_MARKET 0.01 45000'])
    await seat.types('close', [
      FLAT,
      /\(sell 0\.01 BTCUSDT at 45,000.0, reduce-only\) still rests, and BTCUSDT is flat/,
    ])
    expect(triggersAt(venue)).toEqual(['STOP_MARKET 0.01 45000'])
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

it(
  'the stop of another entry that has closed all is followed by what is left of the others',
  async (context) => {
    const { venue, seat } = await seatAtBinance(context)
    await seat.types('buy 0.01 stop -2%', 'stop sell 0.01 BTCUSDT at 49,000.0 is open')
    await seat.types('buy 0.01 stop -4%', 'stop sell 0.01 BTCUSDT at 48,000.0 is open')
    await seat.types('sell 0.01 reduce', 'sold 0.01 BTCUSDT at')
    expect(triggersAt(venue)).toEqual(['STOP_MARKET 0.01 49000', 'STOP_MARKET 0.01 48000'])
    venue.engine.movePrice('BTCUSDT', '48900')
    await seat.sees(FLAT)
    expect([venue.account().held('BTCUSDT').amount.toFixed(), triggersAt(venue)]).toEqual(['0', []])
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

it(
  'what a killed program has left over is taken back by the next one',
  async (context) => {
    const { venue, seat, again } = await seatAtBinance(context)
    await seat.types('buy 0.01 stop -2%', 'stop sell 0.01 BTCUSDT at 49,000.0 is open')
    // The venue fills the exit, and the program is gone before it can do anything about it.
    const filled = new Promise<void>((resolve) => {
      venue.onHeard = ({ route, params }) => {
        if (route === 'POST /fapi/v1/order' && params.side === 'SELL') resolve()
      }
    })
    seat.terminal.send('close\r')
    await filled
    await seat.dies()
    expect([venue.account().held('BTCUSDT').amount.toFixed(), triggersAt(venue)]).toEqual([
      '0',
      ['STOP_MARKET 0.01 49000'],
    ])
    const next = await again()
    await next.types('positions', 'no open positions')
    await next.sees(FLAT)
    expect(triggersAt(venue)).toEqual([])
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

// What goes over the wire before an order does, with the built program at Binance's own names and its streams live: each question is a round trip that
// the order waits for.
import { expect, it } from 'vitest'
import { seatAtBinance } from '../../../harness/venues/binance/seated.ts'
import type { Binance } from '../../../harness/venues/binance/start-binance.ts'

const PATIENCE_MS = 120_000
const ORDERS = new Set(['POST /fapi/v1/order', 'POST /fapi/v1/algoOrder'])

/** The fills of an order are asked for behind it, and nothing waits for them. */
const FILLS = 'GET /fapi/v1/userTrades'

/** What was asked from `from` on until the next order. */
function before(venue: Binance, from: number): readonly string[] {
  const routes = venue.heard.slice(from).map(({ route }) => route)
  const order = routes.findIndex((route) => ORDERS.has(route))
  return routes.slice(0, order).filter((route) => route !== FILLS)
}

it(
  'before an order nothing is asked but the price, what is held and what the account is worth, none where it is known, and before a stop what rests',
  async (context) => {
    const { venue, seat } = await seatAtBinance(context)
    // The first orders learn what holds for the account, and what the venue's answers leave out.
    await seat.types('buy 0.01', 'bought 0.01 BTCUSDT')
    await seat.types('buy 0.01 at -5%', 'is open')
    async function asked(line: string, says: string) {
      const from = venue.heard.length
      await seat.types(line, says)
      return before(venue, from).toSorted()
    }
    const price = ['GET /fapi/v1/depth', 'GET /fapi/v1/ticker/24hr']
    const position = ['GET /fapi/v1/symbolConfig', 'GET /fapi/v3/positionRisk']
    // What the order before has changed may be read anew meanwhile, behind it.
    const worth = 'GET /fapi/v3/account'
    const known = await asked('buy $620', 'bought 0.012 BTCUSDT')
    expect([worth, ...price, ...position]).toEqual(expect.arrayContaining(known))
    expect(known.filter((route) => price.includes(route)).length).toBeLessThanOrEqual(price.length)
    const stop = await asked('stop at -2%', 'stop sell')
    // A second stop beside one that covers the position is a slip.
    const resting = ['GET /fapi/v1/openAlgoOrders', 'GET /fapi/v1/openOrders']
    expect([...price, ...position, ...resting]).toEqual(expect.arrayContaining(stop))
    expect(stop).toEqual(expect.arrayContaining(position))
    const close = await asked('close 50%', 'sold')
    expect([...new Set(close)]).toEqual(position)
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

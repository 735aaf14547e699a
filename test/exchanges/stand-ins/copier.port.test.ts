// One account of a venue copies another, by the built program: through lost answers, dropped streams and a kill.
import { expect, it, type TestContext } from 'vitest'
import { seatAtBinance } from '../../../harness/venues/binance/seated.ts'
import { KEYS } from '../../../harness/venues/binance/staged.ts'

const PATIENCE_MS = 120_000
const SOON = { timeout: 30_000 }
const COPY_KEYS = { key: 'K3yOfTheCopier00123456789abcdefghijKLMNOPQRSTUVWXYZ', secret: `${KEYS.secret}C` }

async function sitDown(context: TestContext) {
  const { venue, seat, again } = await seatAtBinance(context, { copy: COPY_KEYS })
  const held = () => venue.account(COPY_KEYS.key).held('BTCUSDT').amount.toFixed()
  /** Of the copier, those that were sent. */
  const orders = () => [...venue.account(COPY_KEYS.key).orders.values()].length
  return { venue, seat, again, held, orders }
}

it(
  'a copier follows through a lost answer and dropped streams, each order once, and goes flat whole',
  async (context) => {
    const { venue, seat, held, orders } = await sitDown(context)
    await seat.types('cross-trade add --master main --copier copy --weight 0.5 --enabled', /added row [0-9a-f]{8}/)
    await seat.types('cross-trade start', /row [0-9a-f]{8} is copied from now on/)
    await seat.types('buy 0.01', 'bought 0.01 BTCUSDT')
    await expect.poll(held, SOON).toBe('0.005')
    expect(orders()).toBe(1)
    // The second of the next orders is the copier's: it is carried out, and its answer is lost.
    let sent = 0
    venue.faults.choose = () => (++sent === 2 ? { kind: 'reset', isDone: true } : undefined)
    await seat.types('buy 0.004', 'bought 0.004 BTCUSDT')
    await expect.poll(held, SOON).toBe('0.007')
    expect([sent, orders()]).toEqual([2, 2])
    venue.streams.drop()
    await seat.types('sell 0.02 flip', 'sold 0.02 BTCUSDT')
    await expect.poll(held, SOON).toBe('-0.003')
    await seat.types('close', /bought 0\.006 BTCUSDT/)
    await expect.poll(held, SOON).toBe('0')
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

it(
  'an engine that was killed finds what it had sent, and catches up with what it missed',
  async (context) => {
    const { venue, seat, again, held, orders } = await sitDown(context)
    await seat.types('cross-trade add --master main --copier copy --weight -0.5 --enabled', /added row [0-9a-f]{8}/)
    await seat.types('cross-trade start', /row [0-9a-f]{8} is copied from now on/)
    await seat.types('buy 0.01', 'bought 0.01 BTCUSDT')
    await expect.poll(held, SOON).toBe('-0.005')
    await seat.dies()
    const next = await again()
    await next.types('buy 0.006', 'bought 0.006 BTCUSDT')
    expect(held()).toBe('-0.005')
    await next.types('cross-trade start', /the engine runs in this process/)
    await expect.poll(held, SOON).toBe('-0.008')
    expect(orders()).toBe(2)
    expect(venue.unexpected).toEqual([])
  },
  PATIENCE_MS,
)

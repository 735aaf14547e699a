// How fast a venue is asked, and what goes before everything else.
import { describe, expect, it } from 'vitest'
import { askFirst, createPacing } from '../../../src/exchanges/ccxt/pacing.ts'
import { recorded } from '../../../src/exchanges/ccxt/wire-log.ts'

/** One unit a second, three at once. */
function stage() {
  const waits: number[] = []
  const clock = { now: 1_000 }
  const pacing = createPacing({
    msPerUnit: 1_000,
    burstMs: 3_000,
    now: () => clock.now,
    delay: async (ms) => void waits.push(ms),
  })
  return { pacing, waits, clock }
}

describe('a question', () => {
  it('waits for nothing within the burst, and behind it for what was used', async () => {
    const { pacing, waits } = stage()
    for (let count = 0; count < 5; count += 1) await pacing.take(1)
    expect(waits).toEqual([1_000, 2_000])
  })

  it('waits for what orders have used, which wait for nothing themselves', async () => {
    const { pacing, waits } = stage()
    for (let count = 0; count < 4; count += 1) await recorded({ isUrgent: true }, () => pacing.take(1))
    expect(waits).toEqual([])
    await pacing.take(1)
    expect(waits).toEqual([2_000])
  })

  it('waits no longer after hundreds of orders than after a few', async () => {
    const { pacing, waits } = stage()
    for (let count = 0; count < 500; count += 1) {
      await askFirst(() => pacing.take(5))
      await recorded({ isUrgent: true }, () => pacing.take(4))
    }
    expect(waits).toEqual([])
    await pacing.take(1)
    expect(waits).toEqual([2_000])
  })

  it('of what is held or rests goes before a backlog, and is counted', async () => {
    const { pacing, waits } = stage()
    await pacing.take(60)
    expect(waits).toEqual([57_000])
    await askFirst(() => pacing.take(5))
    expect(waits).toEqual([57_000])
    await pacing.take(1)
    expect(waits).toEqual([57_000, 58_000])
  })

  it('of what is held or rests waits where the venue says that nothing may be asked', async () => {
    const { pacing, waits, clock } = stage()
    pacing.pause(10_000)
    clock.now += 4_000
    await askFirst(() => pacing.take(1))
    expect(waits).toEqual([6_000])
  })
})

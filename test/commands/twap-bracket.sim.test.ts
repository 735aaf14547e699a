// A twap whose slices take their stop and target with them, and a grid, which takes none.
import { describe, expect, it } from 'vitest'
import { deciding } from '../../harness/commands/answering.ts'
import { createSession } from '../../harness/commands/command-session.ts'

const TWAP = 'twap buy 0.03 BTCUSDT into 3 over 3m'

describe('twap with a stop', () => {
  it.each(['repl', 'exec', 'hook', 'web', 'phone'] as const)('protects each slice as it fills: %s', async (source) => {
    const session = await createSession()
    const said = await session.run(`${TWAP} stop -2% tp 2R`, { source })
    expect(said.join('\n')).toContain('buys 0.03 BTCUSDT in 3 slices of 0.01 over 3m, stop 63,700, tp 67,600')
    await session.advance(62_000)
    const stop = { type: 'stop', amount: '0.01', triggerPrice: '63700', takeProfitPrice: '67600', reduceOnly: true }
    expect(await session.market.exchange.fetchOpenOrders()).toMatchObject([stop, stop])
    session.market.setPrice('BTCUSDT', '67700')
    await session.advance(120_000)
    expect(session.ports.tasks.list()).toMatchObject([
      { status: 'done', reason: 'the take-profit at 67,600 was reached', filled: '0.02' },
    ])
    expect(await session.market.exchange.fetchPositions()).toEqual([])
  })

  it.each([
    [`${TWAP} stop +2%`, 'bad-stop: a sell stop goes below the last price'],
    [`${TWAP} stop -0.01%`, 'near-stop: '],
    ['twap buy 0.003 BTCUSDT into 3 over 3m stop -60%', 'far-price: the stop at 26,000'],
    [`${TWAP} tp 2R`, 'missing-argument: a target in R needs a stop'],
    ['twap buy 0.5 BTCUSDT into 41 over 3m stop -2%', 'bad-argument: a twap with a stop has at most 40 slices'],
    ['buy 0.03; twap sell 0.03 BTCUSDT into 3 over 3m reduce stop +2%', 'bad-stop: a `reduce` order opens no position'],
    [
      'grid $1000 BTCUSDT into 4 from -4% to +4% stop -8%',
      'unexpected-argument: a grid takes no stop | type `then close` to sell a step outside of its range, or `stop at -8%` once it has bought',
    ],
  ])('begins nothing of what could not do its work: `%s`', async (line, refusal) => {
    const { terminal } = deciding([false])
    const session = await createSession({ terminal })
    expect((await session.run(line)).join('\n')).toContain(`error ${refusal}`)
    expect(session.ports.tasks.list()).toEqual([])
  })
})

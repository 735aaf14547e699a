// A scale whose orders take their stop and take-profit with them, each as a single entry does.
import { describe, expect, it } from 'vitest'
import { deciding } from '../../harness/commands/answering.ts'
import { createSession } from '../../harness/commands/command-session.ts'

const BUY = 'scale buy 0.03 BTCUSDT into 3 from -1% to -3%'

describe('scale with a stop', () => {
  it.each(['repl', 'hook', 'web', 'phone'] as const)('counts it from the price of each order: %s', async (source) => {
    const session = await createSession()
    const lines = await session.run(`${BUY} stop -4% tp 2R`, { source })
    expect(lines.at(-1)).toBe(
      'success scaled: buy 0.03 BTCUSDT in 3 orders, $1,911.00 at 63,700 on average if all fill; each has its own stop (61,776 to 60,528) and take-profit (69,498 to 68,094)',
    )
    session.market.setPrice('BTCUSDT', '63600')
    await session.advance(2_000)
    const open = await session.market.exchange.fetchOpenOrders()
    expect(open.filter(({ reduceOnly }) => reduceOnly)).toMatchObject([
      { type: 'stop', amount: '0.01', triggerPrice: '61776', takeProfitPrice: '69498' },
      { type: 'stop', amount: '0.01', triggerPrice: '61152', takeProfitPrice: '68796' },
    ])
    session.market.setPrice('BTCUSDT', '61500')
    await session.advance(2_000)
    const [position] = await session.market.exchange.fetchPositions()
    expect(position?.amount).toBe('0.02')
  })

  it('keeps a fixed price for all of them', async () => {
    const session = await createSession()
    expect((await session.run(`${BUY} sl 60000`)).at(-1)).toContain('; each has its own stop (60,000)')
  })

  it.each([
    [`${BUY} stop 63900`, 'bad-stop: the price would reach the stop at 63,900 before the entry at 63,700'],
    [`${BUY} stop -0.01%`, 'near-stop: the stop is 6.4 from 64,350'],
    [`${BUY.replace('0.03', '0.006')} stop -60%`, 'far-price: the stop at 25,740 is 60% below'],
    [`${BUY} reduce stop -2%`, 'bad-stop: a `reduce` order opens no position for a stop'],
    [`${BUY} tp 2R`, 'missing-argument: a target in R needs a stop'],
  ])('sends nothing of what could not do its work: `%s`', async (line, refusal) => {
    const { terminal } = deciding([false])
    const session = await createSession({ terminal })
    expect((await session.run(line)).join('\n')).toContain(`error ${refusal}`)
    expect(await session.market.exchange.fetchOpenOrders()).toEqual([])
  })

  it('is refused to exec, which would not stay to place them, as a single entry is', async () => {
    const session = await createSession()
    for (const line of [`${BUY} stop -4%`, 'buy 0.01 BTCUSDT at -1% stop -4%']) {
      expect((await session.run(line, { source: 'exec' })).join('\n')).toContain('this process ends before')
    }
    expect(await session.market.exchange.fetchOpenOrders()).toEqual([])
  })

  it('is weighed with the loss at all of its stops', async () => {
    const { terminal, asked } = deciding([false])
    const session = await createSession({ terminal })
    await session.run('scale buy 0.5 BTCUSDT into 5 from -1% to -3% stop -20%')
    expect(asked).toEqual([expect.stringMatching(/risks [\d.]+% .*at its stop/)])
  })
})

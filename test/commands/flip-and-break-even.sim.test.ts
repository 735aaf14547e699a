// `flip` turns a position round and takes its old protection away; `stop breakeven` rests at the entry or in profit, in place of what was there.
import { describe, expect, it } from 'vitest'
import { movePrice, positionsOf, restingOrders } from '../../harness/commands/account-state.ts'
import { createSession } from '../../harness/commands/command-session.ts'

const DOORS = ['repl', 'exec', 'web', 'hook'] as const

describe('flip', () => {
  it.each(DOORS)('from %s: the other side, as large, and the old stop is gone', async (source) => {
    const session = await createSession()
    await session.run('buy 0.02 stop -2% tp +4%')
    const run = session.start('flip', { source })
    expect(await run.done).toBe(true)
    const said = run.lines.join('\n')
    expect([await positionsOf(session), await restingOrders(session)]).toEqual([['short 0.02'], []])
    expect(said).toMatch(/^success sold 0.02 .*: closes the long$/m)
    expect(said).toMatch(/^success sold 0.02 .*: opens the short$/m)
    expect(run.lines.filter((line) => /stop .+ ended with the long$/.test(line))).toHaveLength(1)
    expect(said).toMatch(/warn the BTCUSDT short of 0.02 BTC has no stop: `stop BTCUSDT at \+2%` places one/)
    expect(await session.start('flip BTCUSDT stop -2% tp 2R', { source }).done).toBe(true)
    expect([await positionsOf(session), await restingOrders(session)]).toEqual([
      ['long 0.02'],
      ['sell stop 0.02 @ 63700, 67600 profit'],
    ])
  })

  it('with --dry says what would end, and not that it has', async () => {
    const session = await createSession()
    await session.run('buy 0.02 stop -2%')
    const said = (await session.run('flip --dry')).join('\n')
    expect(said).toMatch(
      /^info simulated: stop p2 \(sell 0.02 BTCUSDT at 63,700, reduce-only\) would end with the long$/m,
    )
    expect(said).not.toContain('ended')
    expect(await restingOrders(session)).toHaveLength(1)
  })

  it.each([
    ['flip', '', /no-position/],
    ['flip stop +2%', 'sell 0.02', /bad-stop/],
    ['flip stop -2', 'sell 0.02', /near-stop/],
    ['flip $100', 'sell 0.02', /same size/],
    ['flip BTCUSDT,ETHUSDT', 'sell 0.02', /one position is flipped at a time/],
  ])('%s is refused before anything is ended (%#)', async (line, before, why) => {
    const session = await createSession()
    if (before !== '') await session.run(before)
    const held = await positionsOf(session)
    const run = session.start(line, { source: 'hook' })
    expect(await run.done).toBe(false)
    expect(run.lines.join('\n')).toMatch(why)
    expect(await positionsOf(session)).toEqual(held)
  })

  it.each(
    (['repl', 'exec', 'web'] as const).flatMap((source) =>
      (
        [
          ['buy 0.02', 'the order is worth $1,300.00, and the limit is $500.00'],
          ['buy 0.02 stop -2%', 'the order is worth $1,300.00, and the limit is $500.00'],
        ] as const
      ).map(([entry, why]) => [source, entry, why] as const),
    ),
  )('from %s after `%s`: leaves all as it is where a limit refuses the other side', async (source, entry, why) => {
    const session = await createSession()
    await session.run(entry)
    await session.run('guards set paper order $500 --yes')
    const before = [await positionsOf(session), await restingOrders(session)]
    const run = session.start('flip', { source })
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual([
      `error guarded: the BTCUSDT short cannot be opened: ${why}; nothing was sent | \`guards\` shows the limits; \`close\` ends the position alone`,
    ])
    expect([await positionsOf(session), await restingOrders(session)]).toEqual(before)
  })

  it.each(DOORS)('from %s: within the limits of its account it is not refused for reducing', async (source) => {
    const session = await createSession()
    await session.run('buy 0.02')
    await session.run('guards set paper order $1500 --yes')
    expect(await session.start('flip', { source }).done).toBe(true)
    expect(await positionsOf(session)).toEqual(['short 0.02'])
  })

  it('of a hook ends the position where a limit refuses the other side, and says so', async () => {
    const session = await createSession()
    await session.run('buy 0.02')
    await session.run('guards set paper order $500 --yes')
    const run = session.start('flip', { source: 'hook' })
    expect(await run.done).toBe(false)
    expect(run.lines.join('\n')).toMatch(/guarded/)
    expect(await positionsOf(session)).toEqual([])
  })
})

describe('stop breakeven', () => {
  it.each([
    ['buy 0.02 stop -2%', '66000', 'stop breakeven', 'sell stop 0.02 @ 65000.1, no profit'],
    ['buy 0.02 stop -2%', '66000', 'stop be +0.1%', 'sell stop 0.02 @ 65065.2, no profit'],
    ['buy 0.02 stop -2%', '66000', 'stop BTCUSDT breakeven 100', 'sell stop 0.02 @ 65100.1, no profit'],
    ['sell 0.02 stop +2%', '64000', 'stop breakeven +0.1%', 'buy stop 0.02 @ 64934.9, no profit'],
    ['sell 0.02', '64000', 'sl breakeven', 'buy stop 0.02 @ 64999.9, no profit'],
  ])('after %s at %s: %s', async (entry, price, line, order) => {
    for (const source of DOORS) {
      const session = await createSession()
      await session.run(entry)
      await movePrice(session, price)
      expect(await session.start(line, { source }).done).toBe(true)
      expect(await restingOrders(session)).toEqual([order])
    }
  })

  it.each([
    ['stop breakeven', '64500', /bad-stop: break-even needs a price above 65,000.1, and BTCUSDT is at 64,500/],
    ['stop breakeven +2%', '66000', /break-even needs a price above/],
    ['stop breakeven -1%', '66000', /a break-even stop is at the entry or in profit/],
    ['stop breakeven at -1%', '66000', /error/],
  ])('%s at %s is refused, and the old stop stays', async (line, price, why) => {
    const session = await createSession()
    await session.run('buy 0.02 stop -2%')
    await movePrice(session, price)
    expect((await session.run(line)).join('\n')).toMatch(why)
    expect(await restingOrders(session)).toEqual(['sell stop 0.02 @ 63700, no profit'])
  })

  it.each([
    ['stop breakeven', 'sell stop 0.02 @ 65000.1, 67600 profit'],
    ['stop at -1% replace', 'sell stop 0.02 @ 65340, 67600 profit'],
  ])('%s keeps the take-profit of the pair that it replaces', async (line, order) => {
    for (const source of DOORS) {
      const session = await createSession()
      await session.run('buy 0.02 stop -2% tp +4%')
      await movePrice(session, '66000')
      expect(await session.start(line, { source }).done).toBe(true)
      expect(await restingOrders(session)).toEqual([order])
    }
  })

  it.each([
    [
      'stop breakeven',
      /^info at 65,000.1 the position loses about \$1.43 after fees: `stop BTCUSDT breakeven \+fees` covers them$/m,
    ],
    ['stop breakeven +0.1%', /^info at 65,065.2 the position loses about \$0.13 after fees: `stop BTCUSDT breakeven/m],
    ['stop breakeven +0.2%', undefined],
    ['stop breakeven +fees', undefined],
  ])('%s names the loss that its fees leave', async (line, loss) => {
    for (const source of DOORS) {
      const session = await createSession()
      await session.run('buy 0.02')
      await movePrice(session, '66000')
      const run = session.start(line, { source })
      expect(await run.done).toBe(true)
      if (loss === undefined) expect(run.lines.join('\n')).not.toContain('after fees')
      else expect(run.lines.join('\n')).toMatch(loss)
    }
  })

  it.each([
    ['buy 0.02', '66000', '65071.7'],
    ['sell 0.02', '64000', '64928.4'],
  ])('with +fees rests where the trade is even after the fees of entry and exit: %s', async (entry, price, at) => {
    const session = await createSession()
    await session.run(entry)
    await movePrice(session, price)
    const preview = await session.ports.preview({ command: 'stop BTCUSDT breakeven +fees', source: 'web' })
    expect(await session.start('stop BTCUSDT breakeven +fees').done).toBe(true)
    const [order] = await session.market.exchange.fetchOpenOrders()
    expect(order?.triggerPrice).toBe(at)
    const net = Number(preview.orders[0]?.net)
    expect(net).toBeGreaterThanOrEqual(0)
    expect(net).toBeLessThan(0.01)
  })

  it.each(['stop breakeven', 'stop at -1% replace'])(
    'keeps the amount of the one take-profit that it replaces, where the position has grown: %s',
    async (line) => {
      const session = await createSession()
      await session.run('buy 0.03 stop -2% tp +4%; buy 0.01')
      await movePrice(session, '66000')
      await session.run(line)
      const orders = await session.market.exchange.fetchOpenOrders()
      expect(orders.map(({ amount, takeProfitPrice }) => [amount, takeProfitPrice])).toEqual([
        ['0.03', '67600'],
        ['0.01', undefined],
      ])
    },
  )

  it.each(['stop at -1% replace', 'stop breakeven'])(
    'in place of several pairs keeps each take-profit with its amount: %s',
    async (line) => {
      const session = await createSession()
      await session.run('buy 0.03 stop -2% tp 25% 1R, 25% 2R; buy 0.01')
      await movePrice(session, '66000')
      const printed = (await session.run(line)).join('\n')
      expect(printed).not.toContain('take-profit')
      const at = line === 'stop breakeven' ? '65000.1' : '65340'
      const orders = await session.market.exchange.fetchOpenOrders()
      expect(
        orders.map(({ amount, triggerPrice, takeProfitPrice }) => [amount, triggerPrice, takeProfitPrice]),
      ).toEqual([
        ['0.007', at, '66300'],
        ['0.008', at, '67600'],
        ['0.025', at, undefined],
      ])
    },
  )

  it('where the venue holds no pair names the take-profits that went with them, and the lines that place them again', async () => {
    const session = await createSession()
    await session.run('buy 0.02 stop -2% tp 50% 1R, 50% 2R')
    await movePrice(session, '66000')
    const { exchange } = session.market
    session.useExchange({ ...exchange, capabilities: { ...exchange.capabilities, oco: false } })
    const printed = (await session.run('stop at -1% replace')).join('\n')
    const [, lines = ''] =
      /warn the take-profits at [\d.,]+, [\d.,]+ were canceled with their stops; `(.*)` places them again/.exec(
        printed,
      ) ?? []
    expect(lines.split('; ')).toHaveLength(2)
    await session.run(lines)
    expect(await restingOrders(session)).toHaveLength(3)
  })
})

// `position` brings about what it names (behaviour 45).
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'

async function held(session: CommandSession, symbol = 'BTCUSDT'): Promise<string> {
  const positions = await session.market.exchange.fetchPositions()
  const position = positions.find((each) => each.symbol === symbol)
  return position === undefined ? 'flat' : `${position.side} ${position.amount}`
}

describe('position', () => {
  it('opens what is not there, and does nothing when it is said again, wherever the price has gone', async () => {
    const session = await createSession()
    expect(await session.run('position long $500')).toEqual([
      expect.stringMatching(/^success bought 0.007 BTCUSDT at 65,000.1/),
      'info $500 rounded down to the lot size of 0.001 BTC: 9% less',
      'info the BTCUSDT long of 0.007 BTC has no stop: `stop BTCUSDT at -2%` places one',
    ])
    for (const price of ['65000', '52000', '91000', '64000']) {
      session.market.setPrice('BTCUSDT', price)
      expect(await session.run('position long $500')).toEqual(['info BTCUSDT is long 0.007 already'])
    }
    expect(await held(session)).toBe('long 0.007')
  })

  it('turns the other side round: what is held ends first, then it opens', async () => {
    const session = await createSession()
    await session.run('buy 0.01')
    const lines = await session.run('position short $500')
    expect(lines[0]).toMatch(/^success sold 0.01 BTCUSDT .*: closes the long$/)
    expect(lines[1]).toMatch(/^success sold 0.007 BTCUSDT .*: opens the short$/)
    expect(await held(session)).toBe('short 0.007')
  })

  it('leaves the other side alone where the size may be money without its `$`', async () => {
    const session = await createSession()
    await session.run('buy 0.01')
    expect((await session.run('position short 2'))[0]).toMatch(/^error bare-number: 2 could be money/)
    expect(await held(session)).toBe('long 0.01')
  })

  it('fills up what is too small and takes off what is too much', async () => {
    const session = await createSession()
    await session.run('buy 0.003')
    await session.run('position long 0.01')
    expect(await held(session)).toBe('long 0.01')
    await session.run('position long 0.004')
    expect(await held(session)).toBe('long 0.004')
    await session.run('position long $520')
    expect(await held(session)).toBe('long 0.007')
    await session.run('position long $260')
    expect(await held(session)).toBe('long 0.004')
  })

  it('flat ends what is there, with or without a size, and says so where nothing is', async () => {
    const session = await createSession()
    await session.run('sell 0.01')
    expect(await session.run('position flat $500')).toEqual([expect.stringMatching(/^success bought 0.01 BTCUSDT/)])
    expect(await session.run('position flat')).toEqual(['info BTCUSDT is flat already'])
  })

  it('said twice at once is opened once', async () => {
    const session = await createSession()
    const runs = [1, 2, 3].map(() => session.start('position long 0.01', { source: 'hook' }))
    expect(await Promise.all(runs.map(({ done }) => done))).toEqual([true, true, true])
    expect(await held(session)).toBe('long 0.01')
  })

  it('--dry tells each order, and sends none', async () => {
    const session = await createSession()
    await session.run('buy 0.01')
    expect(await session.run('position short $500 --dry')).toEqual([
      'info simulated: would place sell 0.01 BTCUSDT at the market, reduce-only',
      'info simulated: would place sell 0.007 BTCUSDT at the market',
      expect.stringMatching(/^print # +symbol +side +type +amount/),
      expect.stringMatching(/^print 1 +BTCUSDT +sell +market +0.01 BTC .* reduce-only$/),
      expect.stringMatching(/^print 2 +BTCUSDT +sell +market +0.007 BTC .* \$45.50 at 10x/),
      'print profits and losses are after fees',
    ])
    expect(await held(session)).toBe('long 0.01')
  })

  it('whose sender was wrong about what was there is refused, and nothing is sent', async () => {
    const session = await createSession()
    await session.run('buy 0.01')
    const lines = await session.run('position short $500 from flat')
    expect(lines.join()).toContain('BTCUSDT is long, not flat as expected')
    expect(await held(session)).toBe('long 0.01')
  })

  it.each([
    ['position short $500 from flat --out-of-sync resync', 'short 0.007'],
    ['position short $500 from flat --out-of-sync=flatten', 'flat'],
    ['position short $500 from long', 'short 0.007'],
    ['position long $650 from flat', 'long 0.01'],
    ['position flat from short --out-of-sync resync', 'flat'],
  ])('%s of a long ends as %s', async (line, wanted) => {
    const session = await createSession()
    await session.run('buy 0.01')
    await session.run(line)
    expect(await held(session)).toBe(wanted)
  })

  it.each([
    ['position', /long, short or flat is missing/],
    ['position long', /the size is missing/],
    ['position long 50%', /a share of the account would be another size each time/],
    ['position long short $5', /`short` is a second target, and a position has one/],
    ['position long $5 BTCUSDT,ETHUSDT', /one position is set at a time/],
    ['position long $5 from there', /not one of long, short, flat/],
    ['position long $5 --out-of-sync resynk', /did you mean resync/],
    ['position long $5 nowhere', /has no market NOWHERE/],
  ])('%s is refused', async (line, why) => {
    const session = await createSession()
    expect((await session.run(line)).join('\n')).toMatch(why)
    expect(await held(session)).toBe('flat')
  })
})

describe('what rests in the same direction', () => {
  it('counts as if it had filled, and is said', async () => {
    const session = await createSession()
    await session.run('buy 0.01 at -0.01%')
    expect(await session.run('position long 0.01')).toEqual([
      'info open orders already buy 0.01 BTCUSDT: nothing is ordered (`cancel BTCUSDT` cancels them)',
    ])
    session.market.setPrice('BTCUSDT', '64000')
    await session.advance(1000)
    expect(await held(session)).toBe('long 0.01')
    expect(await session.run('position long 0.01')).toEqual(['info BTCUSDT is long 0.01 already'])
  })

  it('leaves the rest to be ordered, beside what is held', async () => {
    const session = await createSession()
    await session.run('buy 0.002; buy 0.003 at -1%')
    expect(await session.run('position long 0.01')).toEqual([
      'info open orders already buy 0.003 BTCUSDT, which count towards the target',
      expect.stringMatching(/^success bought 0\.005 BTCUSDT/),
      'info the BTCUSDT long of 0.007 BTC has no stop: `stop BTCUSDT at -2%` places one',
    ])
    expect(await held(session)).toBe('long 0.007')
  })

  it('counts after the other side was ended', async () => {
    const session = await createSession()
    await session.run('sell 0.01 at +1%; buy 0.02')
    const lines = await session.run('position short 0.01')
    expect(lines[0]).toMatch(/^success sold 0\.02 BTCUSDT/)
    expect(lines[1]).toMatch(/^info open orders already sell 0\.01 BTCUSDT: nothing is ordered/)
    expect(await held(session)).toBe('flat')
  })

  it('is not what reduces, waits for a trigger, or rests on the other side or on another symbol', async () => {
    const session = await createSession()
    await session.run('buy 0.002 stop -2%; sell 0.001 at +1%; stop buy 0.01 at +1%; buy 1 ETHUSDT at -1%')
    const lines = await session.run('position long 0.01')
    expect(lines).toEqual([
      expect.stringMatching(/^success bought 0\.008 BTCUSDT/),
      expect.stringMatching(/^warn 0\.008 BTC .* has no stop/),
    ])
  })

  it('takes off what is held too much, and leaves what rests', async () => {
    const session = await createSession()
    await session.run('buy 0.02; buy 0.01 at -1%')
    await session.run('position long 0.01')
    expect(await held(session)).toBe('long 0.01')
    expect(await session.market.exchange.fetchOpenOrders()).toHaveLength(1)
  })
})

describe('what lots leave', () => {
  it.each([
    ['buy 0.015', 'position long $500', 'long 0.007'],
    ['sell 0.015', 'position short $500', 'short 0.007'],
    ['buy 0.008', 'position long $500', 'long 0.007'],
    ['buy 0.011', 'position long 0.0105', 'long 0.01'],
    // One lot of 0.001 is worth $65.
    ['buy 0.01', 'position long $50', 'long 0.001'],
    ['buy 0.001', 'position long $50', 'long 0.001'],
  ])(
    'after `%s`, `%s` keeps %s, never far above what was typed where a lot fits, and again does nothing',
    async (before, line, left) => {
      for (const source of ['repl', 'hook'] as const) {
        const session = await createSession()
        await session.run(before)
        await session.run(line, { source })
        expect(await held(session)).toBe(left)
        expect((await session.run(line, { source }))[0]).toMatch(/ already$/)
        expect(await held(session)).toBe(left)
      }
    },
  )
})

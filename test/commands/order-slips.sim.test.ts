// Sizes and prices that are easily mistyped: they do what was asked or nothing (behaviour 39).
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deciding } from '../../harness/commands/answering.ts'
import { createSession } from '../../harness/commands/command-session.ts'

interface Row {
  readonly line: string
  readonly after?: string
  readonly says: readonly (string | RegExp)[]
}

/** BTCUSDT is at 65,000 (bid 64,999.9, ask 65,000.1, lot 0.001), ETHUSDT at 3,000 (lot 0.01); 10,000 USDT are free. */
async function expectLines({ line, after, says }: Row): Promise<void> {
  const session = await createSession()
  if (after !== undefined) await session.run(after)
  const before = session.journal.length
  const lines = await session.run(line)
  expect(lines).toEqual(says.map((say) => (typeof say === 'string' ? say : expect.stringMatching(say))))
  if (lines.every((each) => each.startsWith('error'))) expect(session.journal).toHaveLength(before)
}

const BARE = /^info the [A-Z]+ (long|short) of [\d.]+ [A-Z]+ has no stop: `stop [A-Z]+ at [-+]2%` places one$/

describe('money on a limit that crosses', () => {
  it.each<Row>([
    {
      line: 'sell $6500 at -4% --far',
      says: ['success sold 0.1 BTCUSDT at 64,999.9 ($6,499.99), fee $3.57', BARE],
    },
    { line: 'buy $6500 at +4% --far', says: [/^success bought 0\.099 BTCUSDT at 65,000\.1 \(\$6,435\.01\)/, BARE] },
    { line: 'sell $6500 at +1%', says: [/^success order p1: sell 0\.099 BTCUSDT at 65,650 is open/] },
    { line: 'buy $98000 --far', says: [/^success bought 1\.507 BTCUSDT at 65,000\.1 \(\$97,955\.15\)/, BARE] },
    // Venues count their smallest order at the limit: the hint has to be enough for that.
    { line: 'sell $5 DOGEUSDT at -4%', says: [/^error below-minimum: .* \| type at least \$5\.\d\d \(\d+ DOGE\)$/] },
  ])('$line', expectLines)
})

describe('money on any limit', () => {
  it('costs no more than was asked for, and no percentage turns the position round', async () => {
    const sizes = fc.oneof(
      fc.integer({ min: 300, max: 900_000 }).map((cents) => `$${cents / 100}`),
      fc.integer({ min: 1, max: 100 }).map((percent) => `${percent}%bal`),
    )
    const prices = fc.oneof(
      fc.constantFrom('', ' best'),
      fc.integer({ min: -49, max: 49 }).map((share) => ` at ${share < 0 ? '' : '+'}${share / 10}% --far`),
    )
    const sides = fc.constantFrom('buy', 'sell')
    await fc.assert(
      fc.asyncProperty(sides, sides, sizes, prices, async (before, side, size, price) => {
        const { run, market } = await createSession()
        await run(`${before} 1 ETHUSDT`)
        const [held] = await market.exchange.fetchPositions()
        await run(`${side} ${size} ETHUSDT${price}`)
        const [now] = await market.exchange.fetchPositions()
        const [, ...fills] = await market.exchange.fetchMyTrades({ symbol: 'ETHUSDT' })
        const resting = await market.exchange.fetchOpenOrders()
        if (size.endsWith('%bal')) {
          expect([held?.side, undefined]).toContain(now?.side)
          return
        }
        const cost = [...fills, ...resting].reduce(
          (sum, { amount, price = 0 }) => sum.plus(new Decimal(amount).times(price)),
          new Decimal(0),
        )
        expect(cost.lessThanOrEqualTo(size.slice(1))).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})

describe('a limit far through the market', () => {
  it.each<Row>([
    {
      line: 'sell $30 at 1000',
      says: [
        'error bad-price: 1,000 is more than 5% below the bid, 64,999.9 | leave the price out to sell at the market, or type a limit of at least 61,750',
      ],
    },
    {
      line: 'buy $300 at 300000',
      says: [
        'error bad-price: 300,000 is more than 5% above the ask, 65,000.1 | leave the price out to buy at the market, or type a limit of at most 68,250.1',
      ],
    },
    { line: 'sell 0.1 at 5573', says: [/^error bad-price: /] },
    { line: 'buy 0.1 at 68250.2', says: [/^error bad-price: /] },
    { line: 'buy 0.1 at 68250.1 --far', says: [/^success bought 0\.1 BTCUSDT at 65,000\.1/, BARE] },
    { line: 'sell 0.1 at 61749.9', says: [/^error bad-price: /] },
    { line: 'sell 0.1 at 61750 --far', says: [/^success sold 0\.1 BTCUSDT at 64,999\.9/, BARE] },
    { line: 'sell 100% at 5000 reduce', after: 'buy 0.01', says: [/^error bad-price: /] },
    { line: 'buy 0.1 at 650 --far', says: ['success order p1: buy 0.1 BTCUSDT at 650 is open'] },
  ])('$line', expectLines)
})

describe('a stop on the wrong side', () => {
  it.each<Row>([
    {
      line: 'buy $200 stop +2%',
      says: [
        'error bad-stop: a sell stop goes below the last price, and 66,300 is above it | type `stop -2%` for a stop-loss, `tp 66300` for a take-profit',
      ],
    },
    {
      line: 'sell $200 ETHUSDT stop -2%',
      says: [
        'error bad-stop: a buy stop goes above the last price, and 2,940 is below it | type `stop +2%` for a stop-loss, `tp 2940` for a take-profit',
      ],
    },
    {
      line: 'buy 0.01 at -1% stop +2%',
      says: [/^error bad-stop: a sell stop .*`stop -2%` for a stop-loss, `tp 65637` for a take-profit$/],
    },
    {
      line: 'buy 0.01 at -1% stop +0.5%',
      says: [
        /^error bad-stop: the price would reach the stop .*`stop -0.5%` for a stop-loss, `tp 64671.8` for a take-profit$/,
      ],
    },
    {
      line: 'stop at +2%',
      after: 'buy 0.01',
      says: [
        /^error bad-stop: .* type `stop BTCUSDT at -2%` for a stop-loss, `take BTCUSDT at 66300` for a take-profit$/,
      ],
    },
    {
      line: 'stop at -1%',
      after: 'sell 0.01',
      says: [
        /^error bad-stop: .* type `stop BTCUSDT at \+1%` for a stop-loss, `take BTCUSDT at 64350` for a take-profit$/,
      ],
    },
    {
      line: 'stop 50% at -1%',
      after: 'sell 0.01',
      says: [/`stop 50% BTCUSDT at \+1%` for a stop-loss, `take 50% BTCUSDT at 64350` for a take-profit$/],
    },
    { line: 'stop at 66000', after: 'buy 0.01', says: [/ \| type `take BTCUSDT at 66000` for a take-profit$/] },
    ...['$1000', '0.01', '1%'].map((size) => ({
      line: `buy ${size} stop 70000`,
      says: [new RegExp(`; \`stop buy ${size.replace('$', '\\$')} at 70000\` enters there$`)],
    })),
    {
      line: 'buy 250usd stop 70000',
      says: [/; `stop buy \$250 at 70000` enters there$/],
    },
    { line: 'stop at 65000', after: 'buy 0.01', says: [/^error bad-stop: .*, and 65,000 is at it/] },
    {
      line: 'stop buy $250 at -2%',
      says: [
        'error bad-stop: a buy stop goes above the last price, and 63,700 is below it | type a limit order to enter there: `buy $250 BTCUSDT at 63700`',
      ],
    },
    {
      // `$entry` of a limit that crosses is where it fills.
      line: 'buy 0.01 at +1% stop $entry -1% --far',
      says: [/^success bought 0\.01/, 'success order p2: stop sell 0.01 BTCUSDT at 64,350.1 is open, reduce-only'],
    },
  ])('$line, after: $after', expectLines)

  it('protects by the first line of the hint, on either side', async () => {
    for (const [entry, line] of [
      ['buy 0.01', 'stop at +1%'],
      ['sell 0.01', 'stop at -1%'],
      ['sell 0.01', 'stop -1%'],
      ['buy 0.01', 'stop -1%'],
    ] as const) {
      const session = await createSession()
      await session.run(entry)
      // A line without its `at` is read first, and its side then.
      let typed: string = line
      let said = ''
      for (let hints = 0; hints < 3 && !said.startsWith('success'); hints++) {
        said = (await session.run(typed)).join('\n')
        typed = /`(stop [^`]+)`/.exec(said)?.[1] ?? ''
      }
      expect(said).toMatch(/^success order p\d+: stop (buy|sell) 0\.01 BTCUSDT/)
    }
  })

  it('takes what the hint says', async () => {
    const session = await createSession()
    await session.run('buy 0.01')
    const [refusal = ''] = await session.run('stop at +2%')
    const [, line = ''] = /`(take [^`]+)`/.exec(refusal) ?? []
    expect(await session.run(line)).toEqual([
      'success order p2: take-profit sell 0.01 BTCUSDT at 66,300 is open, reduce-only',
    ])
  })
})

describe('a percentage never turns a position round', () => {
  it.each<Row>([
    {
      line: 'sell 100%',
      after: 'buy 0.01',
      says: [
        'error would-flip: 100% of the balance is 0.152 BTC, and the BTCUSDT long is only 0.01 BTC | type `close BTCUSDT` to end it, or add `reduce` for a percentage of the position',
      ],
    },
    { line: 'buy 50%', after: 'sell 0.01', says: [/^error would-flip: 50% of the balance .* the BTCUSDT short/] },
    { line: 'sell 100%bal at +1%', after: 'buy 0.01', says: [/^error would-flip: 100%bal of the balance/] },
    { line: 'sell 5%bal', after: 'buy 0.01', says: [/^success sold 0\.007 BTCUSDT/, /^info 5%bal rounded down/] },
    {
      line: 'sell 5%',
      after: 'buy 0.01',
      says: [/^error ambiguous-percent: 5% of the free balance is 0\.007 BTC, and/],
    },
    { line: 'sell 100%pos', after: 'buy 0.01', says: [/^success sold 0\.01 BTCUSDT/] },
    { line: 'sell 100% reduce', after: 'buy 0.01', says: [/^success sold 0\.01 BTCUSDT/] },
    { line: 'buy 50%', after: 'buy 0.01', says: [/^success bought/, BARE] },
  ])('$line, after: $after', expectLines)

  it.each<Row>([
    {
      line: 'sell 0.5 flip',
      after: 'buy 0.01',
      says: [/^success sold 0\.5 BTCUSDT/, 'warn the sell closes 0.01 BTC and opens a short of 0.49 BTC', BARE],
    },
    {
      line: 'buy $3250 BTCUSDT flip',
      after: 'sell 0.02',
      says: [
        /^success bought 0\.049 BTCUSDT/,
        /^info \$3,250 rounded down/,
        'warn the buy closes 0.02 BTC and opens a long of 0.029 BTC',
        BARE,
      ],
    },
    {
      line: 'sell 0.5 at +1% flip',
      after: 'buy 0.01',
      says: [/^success order p2/, 'warn once it fills, the sell closes 0.01 BTC and opens a short of 0.49 BTC'],
    },
    { line: 'sell 0.01', after: 'buy 0.01', says: [/^success sold 0\.01/] },
    { line: 'sell 0.5 reduce', after: 'buy 0.01', says: [/^success sold 0\.01/] },
  ])('an amount may, and it is said: $line', expectLines)
})

describe('rounding', () => {
  it.each<Row>([
    {
      line: 'buy $65.66',
      says: [/^success bought 0\.001/, 'info $65.66 rounded down to the lot size of 0.001 BTC: 1% less', BARE],
    },
    { line: 'buy $65.65', says: [/^success bought 0\.001/, BARE] },
    {
      line: 'buy 0.0015',
      says: [/^success bought 0\.001/, 'info 0.0015 rounded down to the lot size of 0.001 BTC: 33.3% less', BARE],
    },
    {
      line: 'close 50%',
      after: 'buy 0.003',
      says: [/^success sold 0\.001/, 'info 50% rounded down to the lot size of 0.001 BTC: 33.3% less'],
    },
    {
      line: 'stop 50% at -2%',
      after: 'buy 0.003',
      says: [/^success order p2: stop sell 0\.001/, 'info 50% rounded down to the lot size of 0.001 BTC: 33.3% less'],
    },
    { line: 'close', after: 'buy 0.003', says: [/^success sold 0\.003/] },
  ])('that took more than 1 % is said: $line', expectLines)
})

describe('several symbols', () => {
  it.each<Row>([
    {
      line: 'buy $100 BTCUSDT,ETHUSDT,NOPEUSDT',
      says: ['error unknown-symbol: paper has no market NOPEUSDT | `markets` lists them'],
    },
    {
      line: 'buy $20 DOGEUSDT,BTCUSDT',
      says: [
        /^error BTCUSDT: \$20 is below the minimum BTCUSDT order/,
        'error none-placed: BTCUSDT refused: no order was placed | correct the size or the list',
      ],
    },
    {
      line: 'stop buy $20 DOGEUSDT,BTCUSDT at +1%',
      says: [/^error BTCUSDT: /, /^error none-placed: /],
    },
    {
      line: 'sell 50% ETHUSDT,BTCUSDT',
      after: 'buy 0.01',
      says: [
        /^error ETHUSDT: 50% of the free balance opens a short of 1\.\d+ ETH/,
        /^error BTCUSDT: 50% of the balance/,
        /^error none-placed: /,
      ],
    },
    {
      line: 'buy $100 btc,BTCUSDT',
      says: ['error repeated-symbol: BTC and BTCUSDT are one market | name it once'],
    },
  ])('nothing is placed where one would be refused: $line', expectLines)

  it.each<Row>([
    {
      line: 'stop BTCUSDT,ETHUSDT at -2%',
      after: 'buy 0.01',
      says: [/^success order p2: stop sell 0\.01 BTCUSDT/, /^error ETHUSDT: no position/, /partly-failed/],
    },
    {
      line: 'close BTCUSDT,ETHUSDT 10%',
      after: 'buy 0.01; buy 0.01 ETHUSDT',
      says: [/^success sold 0\.001 BTCUSDT/, /^error ETHUSDT: 10% is less than one lot of ETHUSDT/, /partly-failed/],
    },
  ])('what reduces goes as far as it can: $line', expectLines)
})

describe('the coin for its one market', () => {
  it.each<Row>([
    { line: 'buy btc $250', says: [/^success bought 0\.003 BTCUSDT/, /^info/, BARE] },
    { line: 'buy 0.1 eth', says: [/^success bought 0\.1 ETHUSDT/, BARE] },
    { line: 'close btc', after: 'buy 0.01', says: [/^success sold 0\.01 BTCUSDT/] },
    { line: 'stop eth at -2%', after: 'buy 0.1 eth', says: [/^success order p2: stop sell 0\.1 ETHUSDT/] },
    { line: 'cancel eth', after: 'buy 0.1 eth at -1%', says: [/^success canceled order p1: buy 0\.1 ETHUSDT/] },
    { line: 'orders eth', after: 'buy 0.1 eth at -1%', says: [/^print id/, /^print p1 +ETHUSDT/] },
    { line: 'price eth', says: [/^print ETHUSDT 3,000/, /^print {3}mark 3,000/] },
    { line: 'symbol ETH', says: ['print ETHUSDT 3,000.00'] },
    { line: 'wait price eth > 2999', says: [] },
    { line: 'wait flat eth', says: [] },
  ])('$line', expectLines)
})

describe('close', () => {
  it.each<Row>([
    {
      line: 'close 0.5',
      after: 'buy 0.01',
      says: [/^error above-position: 0\.5 is more than the position on BTCUSDT: 0\.01 BTC \| .*`close 50%`/],
    },
    { line: 'close 0.0105', after: 'buy 0.01', says: [/^success sold 0\.01 BTCUSDT/, /rounded down/] },
    { line: 'close $700', after: 'buy 0.01', says: [/^success sold 0\.01 BTCUSDT/, /rounded down/] },
    {
      line: 'close 50',
      after: 'buy 0.01',
      says: [
        'error bare-number: 50 BTC is more than the position on BTCUSDT: 0.01 | type close 50% for a part, close $50 for quote currency, or `close` for all of it',
      ],
    },
    { line: 'close $99999', after: 'sell 0.01', says: [/^error above-position: \$99,999 is more than/] },
    {
      line: 'close 20%',
      after: 'buy 0.001',
      says: ['error below-minimum: 20% is less than one lot of BTCUSDT | type at least $65.00 (0.001 BTC)'],
    },
  ])('ends what there is, whatever size was typed: $line', expectLines)
})

describe('a size far above the equity', () => {
  // The paper account has $10,000.
  it.each([
    ['buy $60000', /is worth 6 times the equity/],
    ['sell 1.0 BTCUSDT', /is worth 6\.5 times the equity/],
    ['buy $30000 stop -4%', /risks 12% of the equity at its stop/],
    ['scale buy $60000 into 5 from -1% to -3%', /is worth 6 times the equity/],
    ['swarm buy $60000 into 5', /is worth 6 times the equity/],
    ['chase buy $60000', /is worth 6 times the equity/],
    ['twap buy $60000 into 4 over 10m', /is worth 6 times the equity/],
    ['position long $60000', /the buy is worth 6 times the equity/],
    ['position short $60000', /the sell is worth 6 times the equity/],
    ['grid $60000 into 5 from -4% to +4%', /the buy is worth 6 times the equity/],
    ['stop buy $60000 at +1%', /the buy is worth 6 times the equity/],
    ['stop sell $60000 BTCUSDT,ETHUSDT at -1%', /the sell is worth 6 times the equity/],
  ])('`%s` asks at a terminal and is refused in exec; --far means it', async (line, says) => {
    const { terminal, asked } = deciding([false])
    const session = await createSession({ terminal })
    await session.run(line)
    expect(asked.join('\n')).toMatch(says)
    expect(session.journal.filter((entry) => entry.includes('"t":"intent"'))).toEqual([])
    const other = await createSession()
    expect((await other.run(line, { source: 'exec' })).join('\n')).toMatch(says)
    expect((await other.run(`${line} --far`, { source: 'exec' })).join('\n')).not.toMatch(
      /large-risk|unexpected|is not a/,
    )
  })

  it.each([
    ['amend p1 0.5', /0\.5 BTC is worth \$30,875\.00, and \$[\d,.]+ is free/],
    ['amend p1 $60000', /the buy is worth 6 times the equity/],
  ])('of a resting entry that grows: `%s`', async (line, says) => {
    const { terminal, asked } = deciding([false])
    const session = await createSession({ terminal })
    await session.run('buy 0.005 at -5%')
    await session.run(line)
    expect(asked.join('\n')).toMatch(says)
    const amounts = async (of = session) => (await of.market.exchange.fetchOpenOrders()).map(({ amount }) => amount)
    expect(await amounts()).toEqual(['0.005'])
    for (const source of ['exec', 'repl'] as const) {
      const other = await createSession()
      await other.run('buy 0.005 at -5%')
      expect((await other.run(line, { source })).join('\n')).toMatch(says)
      expect(await amounts(other)).toEqual(['0.005'])
      expect((await other.run(`${line} --far`, { source })).join('\n')).not.toMatch(/bare-number|large-risk/)
    }
    const other = await createSession()
    await other.run('buy 0.005 at -5%')
    expect((await other.run('amend p1 0.01', { source: 'exec' })).join('\n')).toContain('success')
  })

  it('of a position on the other side ends nothing before it is answered', async () => {
    const { terminal, asked } = deciding([false, true])
    const session = await createSession({ terminal })
    await session.run('sell 0.01 BTCUSDT')
    expect((await session.run('position long $60000')).join('\n')).toContain('error large-risk')
    expect(await session.market.exchange.fetchPositions()).toMatchObject([{ side: 'short', amount: '0.01' }])
    expect((await session.run('position long $60000')).join('\n')).not.toContain('error')
    expect(await session.market.exchange.fetchPositions()).toMatchObject([{ side: 'long' }])
    expect(asked).toHaveLength(2)
  })

  it.each(['buy $40000', 'buy $20000 stop -4%', 'buy $60000 at -1% reduce'])(
    '`%s` is not asked about',
    async (line) => {
      const session = await createSession()
      await session.run('sell 0.01 BTCUSDT')
      expect((await session.run(line)).join('\n')).not.toContain('large-risk')
    },
  )

  it.each(['hook', 'web'] as const)('of a %s is left to the guards', async (source) => {
    const session = await createSession()
    expect((await session.run('buy $60000 BTCUSDT', { source })).join('\n')).toMatch(/success bought/)
  })
})

describe('a position far above the equity, built of orders that are not', () => {
  const SAYS = 'with the buy the long is worth 7.8 times the equity'
  const built = async (options: Parameters<typeof createSession>[0] = {}) => {
    const session = await createSession(options)
    await session.run('leverage BTCUSDT 50; buy $32500 BTCUSDT')
    return session
  }

  it.each([
    'buy $45500',
    'buy $45500 at -0.01%',
    'scale buy $45500 into 5 from -0.01% to -0.02%',
    'swarm buy $45500 into 5',
    'chase buy $45500',
    'twap buy $45500 into 4 over 10m',
    'dca buy $45500 into 2 every -0.01%',
  ])('is asked about at a terminal, refused in exec and a pipe, and --far means it: `%s`', async (line) => {
    const { terminal, asked } = deciding([true, false])
    const session = await built({ terminal })
    expect(asked).toEqual([])
    const before = (await session.market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).length
    await session.run(line)
    expect(asked.join('\n')).toMatch(/with the buy the long is worth 7\.[678] times the equity/)
    for (const source of ['exec', 'repl'] as const) {
      const other = await built()
      const said = (await other.run(line, { source })).join('\n')
      expect(said).toMatch(/large-risk: with the buy the long is worth 7\.[678] times the equity/)
      expect(await other.market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toHaveLength(before)
      expect(await other.market.exchange.fetchOpenOrders()).toEqual([])
      expect((await other.run(`${line} --far`, { source })).join('\n')).not.toContain('large-risk')
    }
  })

  it('is left to the guards for hooks and pages, and is none where the order reduces', async () => {
    for (const source of ['hook', 'web'] as const) {
      expect((await (await built()).run('buy $45500 BTCUSDT', { source })).join('\n')).toContain('success bought')
    }
    expect((await (await built()).run('sell $32000', { source: 'exec' })).join('\n')).toContain('success sold')
  })

  it('is named by --dry, which asks nothing', async () => {
    const { terminal, asked } = deciding([])
    const said = await (await built({ terminal })).run('buy $45500 --dry')
    expect(said).toContain(`warn ${SAYS}`)
    expect(said).toContain('info without --dry, this asks first')
    expect(asked).toEqual([])
    const exec = await (await built()).run('buy $45500 --dry', { source: 'exec' })
    expect(exec.join('\n')).toContain('large-risk')
  })
})

describe('coins without a unit that are worth more than is free', () => {
  it.each([
    ['buy 0.5', '0.5 BTC is worth $32,500.05, and $10,000.00 is free: 0.5 could be a percentage'],
    ['sell 0.5 BTCUSDT', '0.5 BTC is worth $32,499.95, and $10,000.00 is free: 0.5 could be a percentage'],
    [
      'buy 3.5 ETHUSDT stop -2%',
      /^3\.5 ETH is worth \$10,500\.\d\d, and \$10,000\.00 is free: 3\.5 could be a percentage/,
    ],
    ['buy 100.5 SOLUSDT', /^100\.5 SOL is worth \$[\d,.]+, and \$10,000\.00 is free(?!: )/],
    ['swarm buy 0.5 into 5', /^0\.5 BTC is worth/],
    ['scale buy 0.5 into 5 from -1% to -2%', /^0\.5 BTC is worth/],
    ['chase buy 0.5', /^0\.5 BTC is worth/],
    ['twap buy 0.5 into 4 over 10m', /^0\.5 BTC is worth/],
    ['dca buy 0.5 into 2 every -1%', /^0\.5 BTC is worth/],
    ['position long 0.5 BTCUSDT', /^0\.5 BTC is worth \$32,500\.05, and \$10,000\.00 is free$/],
    ['grid 0.5 into 5 from -4% to +4%', /^0\.5 BTC is worth .*: 0\.5 could be a percentage$/],
    ['stop buy 0.5 at +1%', /^0\.5 BTC is worth .*: 0\.5 could be a percentage$/],
  ])('`%s` asks at a terminal and is refused elsewhere', async (line, says) => {
    const { terminal, asked } = deciding([false])
    const session = await createSession({ terminal })
    await session.run(line)
    const [question = ''] = asked
    expect(question.replace(/^\w+: /, '').replace(/; send it\? .*$/, '')).toMatch(says)
    expect(session.journal.filter((entry) => entry.includes('"t":"intent"'))).toEqual([])
    for (const source of ['exec', 'repl'] as const) {
      const other = await createSession()
      expect((await other.run(line, { source })).join('\n')).toMatch(/bare-number: [\d.]+ [A-Z]+ is worth/)
      const size = /[\d.]+/.exec(line)?.[0] ?? ''
      expect((await other.run(line, { source })).join('\n')).toContain(` or ${size}0 for coins; add --far`)
      const again = (await other.run(line.replace(size, `${size}0`), { source })).join('\n')
      expect(again).not.toMatch(/error (bare-number|unexpected|bad)/)
      expect((await other.run(`${line} --far`, { source })).join('\n')).not.toMatch(
        /error (bare-number|unexpected|bad)/,
      )
    }
  })

  it.each([
    'buy 0.5 BTC',
    'buy 0.500',
    'sell 3.5 eth',
    'swarm buy 0.5 BTC into 5',
    'buy 0.15',
    'position long 0.5 BTC',
    'chase buy 0.5 BTC',
    'grid 0.5 BTC into 5 from -4% to +4%',
    'dca buy 0.5 BTC into 4 every -1%',
  ])('`%s` has its unit, or is not worth that much', async (line) => {
    const session = await createSession()
    expect((await session.run(line, { source: 'exec' })).join('\n')).not.toMatch(/^error/)
  })

  it.each(['hook', 'web'] as const)('of a %s is left to the guards', async (source) => {
    const session = await createSession()
    expect((await session.run('buy 0.5 BTCUSDT', { source })).join('\n')).toMatch(/success bought/)
  })

  it('is none where it ends a position', async () => {
    const session = await createSession()
    await session.run('leverage BTCUSDT 50; buy 0.500')
    expect((await session.run('sell 0.5', { source: 'exec' })).join('\n')).toContain('success sold')
  })
})

describe('a stop that the liquidation comes before', () => {
  const leveraged = async (options: Parameters<typeof createSession>[0] = {}) => {
    const session = await createSession(options)
    await session.run('leverage BTCUSDT 50')
    await session.run('buy $90000 BTCUSDT --far')
    return session
  }

  it.each(['stop at -20%', 'trail 20%', 'oco at +2% stop -20%'])('is refused in exec: `%s`', async (line) => {
    const session = await leveraged()
    const said = (await session.run(line, { source: 'exec' })).join('\n')
    expect(said).toMatch(
      /liquidation-first: the BTCUSDT long is liquidated at about [\d,.]+, before its stop at 52,000/,
    )
    expect(await session.market.exchange.fetchOpenOrders()).toEqual([])
  })

  it('is asked about at a terminal, also of one that is moved, and leaves the good one where it is', async () => {
    const session = await leveraged()
    await session.run('stop at -2%')
    for (const line of ['stop at -20% replace', 'move p2 to -20%', 'amend p2 at -20%']) {
      expect((await session.run(line)).join('\n'), line).toContain('liquidation-first')
    }
    expect((await session.market.exchange.fetchOpenOrders()).map(({ triggerPrice }) => triggerPrice)).toEqual(['63700'])
  })

  it('is placed for a hook, and named', async () => {
    const session = await leveraged()
    const said = (await session.run('stop BTCUSDT at -20%', { source: 'hook' })).join('\n')
    expect(said).toMatch(/^warn the BTCUSDT long is liquidated at about/m)
    expect(said).toMatch(/^success order p\d+: stop sell/m)
  })
})

describe('a stop or a target of an entry that is far away, or too near', () => {
  it.each([
    ['buy $500 stop -50%', /far-price: the stop at 32,500 is 50% below the last price/],
    ['buy $500 stop -2% tp +200%', /far-price: the take-profit at 195,000 is 200% above/],
    ['buy $500 stop -2% tp +0.02%', /near-stop: the take-profit is 13 from (last|[\d,.]+), inside spread and fees \(/],
  ])('is refused in exec: `%s`', async (line, says) => {
    const session = await createSession()
    expect((await session.run(line, { source: 'exec' })).join('\n')).toMatch(says)
    expect(session.journal.filter((entry) => entry.includes('"t":"intent"'))).toEqual([])
  })
})

describe('what may open again what a person has ended', () => {
  it('is named by close: entries that rest, and tasks that add', async () => {
    const session = await createSession()
    await session.run('buy 0.01 BTCUSDT; buy 0.02 BTCUSDT at -3%; buy 1 ETHUSDT at -3%; stop BTCUSDT at -2%')
    const [twap] = await session.run('twap buy $2000 BTCUSDT into 4 over 4m')
    const id = /twap ([0-9a-f]{8})/.exec(twap ?? '')?.[1] ?? ''
    const said = await session.run('close BTCUSDT')
    expect(said).toContain(`warn twap ${id} still runs on BTCUSDT: \`tasks cancel ${id}\` ends it`)
    expect(said).toContain('warn 1 entry still rests on BTCUSDT: `cancel entries BTCUSDT` cancels it')
    expect(said.join('\n')).not.toContain('ETHUSDT')
    expect((await session.run('close all')).join('\n')).toContain('1 entry still rests on ETHUSDT')
    expect((await session.run('cancel all')).join('\n')).toContain(`twap ${id} still runs on BTCUSDT`)
    expect((await session.run('cancel ETHUSDT')).join('\n')).not.toContain('still runs')
  })

  it.each(['close', 'close all', 'close longs', 'c btcusdt'])(
    'is asked about before `%s` at a terminal',
    async (line) => {
      const { terminal, asked } = deciding([false, true])
      const session = await createSession({ terminal })
      await session.run('buy 0.01 BTCUSDT')
      await session.run('twap buy $2000 BTCUSDT into 4 over 4m')
      await session.advance(10)
      const id =
        session.ports.tasks
          .list()
          .find(({ kind }) => kind === 'twap')
          ?.id.slice(0, 8) ?? ''
      const before = await session.market.exchange.fetchPositions()
      expect(await session.run(line)).toEqual([
        `error cancelled: canceled: nothing was closed | type \`tasks cancel ${id}\` first, or \`nuke\``,
      ])
      expect(await session.market.exchange.fetchPositions()).toEqual(before)
      expect(asked[0]).toMatch(
        new RegExp(
          `^twap ${id} on BTCUSDT \\(filled 0.007 of 0.03 at [\\d,.]+\\) still runs; close anyway\\? y or n >$`,
        ),
      )
      expect((await session.run(line)).join('\n')).toContain('success sold 0.017 BTCUSDT')
      await session.run('tasks cancel --all --yes')
      expect(asked).toHaveLength(2)
      await session.run('buy 0.01 BTCUSDT')
      expect((await session.run(line)).join('\n')).toContain('success sold')
      expect(asked).toHaveLength(2)
    },
  )

  it.each(['exec', 'repl', 'hook', 'web'] as const)('of %s is named first, and the exit is sent', async (source) => {
    const session = await createSession()
    await session.run('buy 0.01 BTCUSDT')
    await session.run('twap buy $2000 BTCUSDT into 4 over 4m')
    const said = await session.run('close all', { source })
    expect(said[0]).toMatch(/^warn twap [0-9a-f]{8} still runs on BTCUSDT: `tasks cancel [0-9a-f]{8}` ends it$/)
    expect(said[1]).toMatch(/^success sold /)
  })

  it.each([
    ['every 1h (buy $150 ETHUSDT)', 'close all', true],
    ['every 1h (buy $150 ETHUSDT)', 'close ETHUSDT', true],
    ['every 1h (buy $150 ETHUSDT)', 'close BTCUSDT', false],
    ['every 1h (repeat 2 (buy $150))', 'close', true],
    ['at 23:30 (sell $150 BTCUSDT)', 'close BTCUSDT', true],
    ['when BTCUSDT last > 70000 (chase buy $150 ETHUSDT)', 'close ETHUSDT', true],
    ['when BTCUSDT last > 70000 (dip)', 'close all', true],
    ['when BTCUSDT last > 70000 (close)', 'close all', false],
    ['every 1h (status; stop ETHUSDT at -2%)', 'close all', false],
    ['alert last > 70000 and last > 69000', 'close all', false],
  ])('is one whose line may open again: `%s`, `%s`', async (task, line, isNamed) => {
    const { terminal, asked } = deciding([false, true])
    const session = await createSession({ terminal })
    await session.run('buy 0.01 BTCUSDT; buy 0.1 ETHUSDT; alias dip "buy $50 ETHUSDT"')
    expect((await session.run(task)).join('\n')).not.toMatch(/^error/m)
    asked.length = 0
    const kind = task.split(' ')[0] ?? ''
    const said = (await session.run(line)).join('\n')
    expect(asked).toEqual(
      isNamed ? [expect.stringMatching(new RegExp(`^${kind} [0-9a-f]{8} \\(.*\\) still runs; close anyway\\?`))] : [],
    )
    expect(said).toContain(isNamed ? 'canceled: nothing was closed' : 'success sold')
    for (const source of ['exec', 'hook', 'web'] as const) {
      const told = (await session.run(line, { source })).join('\n')
      expect(told.includes(`warn ${kind} `)).toBe(isNamed)
    }
  })

  it('is not the one whose line closes', async () => {
    const session = await createSession()
    await session.run('every 1h (close BTCUSDT; buy $150 BTCUSDT)')
    await session.run('buy 0.01 BTCUSDT')
    const [task] = session.ports.tasks.list()
    const origin = `every ${task?.id.slice(0, 8)}`
    expect((await session.run('close BTCUSDT', { source: 'exec', origin })).join('\n')).not.toContain('still runs')
  })

  it.each([
    ['every 1h (buy $150 ETHUSDT)', 'ETHUSDT'],
    ['at 23:30 (buy $150 ETHUSDT stop -2%; stop ETHUSDT at -1%)', 'ETHUSDT'],
    ['every 1h (dip)', 'BTCUSDT'],
    ['every 1h (status)', 'BTCUSDT'],
  ])('is listed with the symbol of its line, where that takes no focus: `%s`', async (task, symbol) => {
    const session = await createSession()
    await session.run('alias dip "buy $50"')
    await session.run(task)
    expect(session.ports.tasks.list().map((row) => row.symbol)).toEqual([symbol])
  })

  it.each([
    ['dca buy $1000 BTCUSDT into 4 every -1%', 'cancel all'],
    ['dca buy $1000 BTCUSDT into 4 every -1%', 'cancel entries'],
    ['chase buy $1000 BTCUSDT', 'cancel BTCUSDT'],
    ['chase buy $1000 BTCUSDT', 'cancel'],
    ['grid $1000 BTCUSDT into 4 from -4% to +4%', 'cancel all'],
  ])('is not a task that ends with the orders that were canceled: `%s`, `%s`', async (task, cancel) => {
    const session = await createSession()
    await session.run(task)
    await session.advance(2_000)
    const run = session.start(cancel)
    await session.advance(3_000)
    expect(await run.done).toBe(true)
    expect(run.lines.filter((line) => line.startsWith('warn') && line.includes('still runs'))).toEqual([])
    expect(session.ports.tasks.list().map(({ status }) => status)).not.toContain('running')
  })

  it('is one that goes on beside them', async () => {
    const session = await createSession()
    await session.run('dca buy $1000 BTCUSDT into 4 every -1%')
    await session.run('twap buy $2000 BTCUSDT into 4 over 4m; grid $1000 ETHUSDT into 4 from -4% to +4%')
    await session.advance(2_000)
    for (const [line, kinds] of [
      ['cancel BTCUSDT', ['twap']],
      // What it has bought it still sells, and then buys again.
      ['cancel entries all', ['grid', 'twap']],
    ] as const) {
      const run = session.start(line)
      await session.advance(3_000)
      const said = run.lines.flatMap((each) => /^warn (\w+) [0-9a-f]{8} still runs on/.exec(each)?.[1] ?? [])
      expect(said.sort()).toEqual(kinds)
    }
  })

  it.each(['dca buy $1000 BTCUSDT into 4 every -1%', 'grid $1000 BTCUSDT into 4 from -4% to +4%'])(
    'is asked about where its entries rest until it has seen that the position is gone: `%s`',
    async (task) => {
      const answers = [true]
      const { terminal, asked } = deciding(answers)
      const session = await createSession({ terminal })
      await session.run('buy 0.01 BTCUSDT')
      await session.run(task)
      await session.advance(2_000)
      asked.length = 0
      answers.splice(0, 1, false, true)
      expect((await session.run('close')).join('\n')).toContain('canceled: nothing was closed')
      expect((await session.run('close')).join('\n')).toContain('success sold')
      const [kind] = task.split(' ')
      expect(asked[0]).toMatch(new RegExp(`^${kind} [0-9a-f]{8} on BTCUSDT \\(.*\\) still runs; close anyway\\?`))
      for (const source of ['exec', 'hook', 'web', 'phone'] as const) {
        expect((await session.run('close', { source })).join('\n')).toContain(`warn ${kind} `)
      }
    },
  )

  it('is not a part that is closed, or a protection', async () => {
    const session = await createSession()
    await session.run('buy 0.02 BTCUSDT; buy 0.02 BTCUSDT at -3%; trail 1%')
    expect((await session.run('close 50%')).join('\n')).not.toContain('still')
    await session.run('cancel entries')
    expect((await session.run('close')).join('\n')).not.toContain('still')
  })
})

it('`sell 50%` on a smaller short asks at a terminal, and is sent elsewhere', async () => {
  const { terminal, asked } = deciding([false])
  const session = await createSession({ terminal })
  await session.run('sell 0.01')
  await session.run('sell 50%')
  expect(asked).toEqual([expect.stringContaining('50% of the free balance adds 0.076 BTC to the short of 0.01 BTC')])
  expect((await session.run('sell 50%', { source: 'hook' })).join('\n')).toContain('success sold')
})

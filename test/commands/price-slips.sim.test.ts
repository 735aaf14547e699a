// A price that is nearly always a slip: a percentage without its sign, a limit that should rest and fills at once, a digit lost.
import { describe, expect, it } from 'vitest'
import { deciding } from '../../harness/commands/answering.ts'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'

/** BTCUSDT is at 65,000 (bid 64,999.9, ask 65,000.1). */
async function stage(answers?: boolean[], before?: string) {
  const { terminal, asked } = deciding(answers)
  const session = await createSession({ terminal })
  if (before !== undefined) await session.run(before)
  return { session, asked }
}

const openOrders = async ({ market }: CommandSession) =>
  (await market.exchange.fetchOpenOrders()).map(
    ({ side, type, price, triggerPrice }) => `${type} ${side} ${triggerPrice ?? price}`,
  )

const errorsOf = (lines: readonly string[]) => lines.filter((each) => each.startsWith('error'))

describe('a percentage without a sign', () => {
  it.each([
    ['buy 0.01 at 1%'],
    ['sell 0.01 at 1%'],
    ['sell 0.01 at 1% ioc'],
    ['scale buy 0.05 into 5 from 1% to 3%'],
    ['move p1 1%'],
    ['move p1 to 1%'],
    ['amend p1 at 1%'],
    ['stop at $entry 1%'],
    ['take at $entry 1%'],
    ['alert < 5%'],
  ])('`%s` is refused at each door, and nothing is sent', async (line) => {
    for (const source of ['repl', 'exec', 'hook', 'web'] as const) {
      const { session, asked } = await stage([true], 'buy 0.01 at -2%; buy 0.01 ETHUSDT')
      const before = session.journal.length
      expect((await session.run(line, { source })).join('\n')).toMatch(
        /^error bad-price: `.*%` has no sign .*-\d%.*\+\d%/,
      )
      expect(session.journal).toHaveLength(before)
      expect(asked).toEqual([])
      expect(session.ports.tasks.list()).toEqual([])
    }
  })

  it.each(['hook create dip "buy 0.01 at 1%"', 'alias dip "buy 0.01 at 1%"', 'when price < 64000 (buy 0.01 at 1%)'])(
    'is refused when it is defined: `%s`',
    async (line) => {
      const { session } = await stage([true])
      expect((await session.run(line)).join('\n')).toMatch(/error bad-price: /)
      expect(session.ports.tasks.list()).toEqual([])
    },
  )

  it.each([
    ['buy 0.01 stop 1% tp 2%', undefined, ['stop sell 64350']],
    ['sell 0.01 stop 1% tp 2%', undefined, ['stop buy 65650']],
    ['buy 0.01 at -1% stop 1%', undefined, ['limit buy 64350']],
    ['flip stop 1%', 'buy 0.01', ['stop buy 65650']],
    ['stop at 1%', 'buy 0.01', ['stop sell 64350']],
    ['stop at 1%', 'sell 0.01', ['stop buy 65650']],
    ['stop at 1% limit 0.2%', 'buy 0.01', ['stop-limit sell 64350']],
    ['stop buy 0.01 at 1%', undefined, ['stop buy 65650']],
    ['take at 2%', 'buy 0.01', ['take-profit sell 66300']],
    ['take at 2%', 'sell 0.01', ['take-profit buy 63700']],
    ['oco at 2% stop 1%', 'sell 0.01', ['stop buy 65650']],
  ])('of what protects counts on the side where it does its work: `%s` after `%s`', async (line, before, orders) => {
    const { session } = await stage(undefined, before)
    expect(errorsOf(await session.run(line))).toEqual([])
    expect(await openOrders(session)).toEqual(orders)
  })

  it('of an entry that rests is worked out from its own price', async () => {
    const { session } = await stage(undefined, 'buy 0.01 at -1% stop 1% tp 2%')
    const { orders } = await session.ports.preview({ command: 'buy 0.01 at 64350 stop 1% tp 2%', source: 'web' })
    expect(orders).toMatchObject([{ stop: { triggerPrice: '63706.5' }, takeProfit: { triggerPrice: '65637' } }])
    await session.run('amend p1 stop 2% tp 1%')
    expect((await session.run('amend p1 stop 2% tp 1%')).join('\n')).toContain(
      'stop at 63,063.0, take-profit at 64,993.5',
    )
  })
})

describe('a limit that fills at once', () => {
  const ROWS = [
    ['buy 0.01 at +1%', 'the buy at 65,650.0 fills at once: the ask is 65,000.1', 'type at -1% to rest'],
    [
      'buy 0.01 at 65100',
      'the buy at 65,100.0 fills at once: the ask is 65,000.1',
      'type a price below 65,000.1 to rest',
    ],
    ['sell 0.01 at -1%', 'the sell at 64,350.0 fills at once: the bid is 64,999.9', 'type at +1% to rest'],
    ['buy 0.01 at $ask +10', 'the buy at 65,010.1 fills at once: the ask is 65,000.1', 'type a price below'],
    [
      'scale buy 0.05 into 5 from -1% to +1%',
      'the buy at 65,650.0 fills at once: the ask is 65,000.1',
      'type at -1% to rest',
    ],
    ['move p1 65650', 'the buy at 65,650.0 fills at once: the ask is 65,000.1', 'type a price below 65,000.1 to rest'],
    ['move p1 +1%', 'the buy at 65,650.0 fills at once: the ask is 65,000.1', 'type at -1% to rest'],
    ['amend p1 at +1%', 'the buy at 65,650.0 fills at once: the ask is 65,000.1', 'type at -1% to rest'],
  ] as const

  it.each(ROWS)('`%s` asks once at a terminal, and is sent after y alone', async (line, sentence) => {
    const { session, asked } = await stage([false, true], 'buy 0.01 at -2%')
    const before = session.journal.length
    expect((await session.run(line)).join('\n')).toContain(`error would-take: ${sentence}`)
    expect(session.journal).toHaveLength(before)
    expect(asked).toEqual([`BTCUSDT: ${sentence}; send it? y or n >`])
    expect(errorsOf(await session.run(line))).toEqual([])
    expect(asked).toHaveLength(2)
    expect(session.journal.length).toBeGreaterThan(before)
  })

  it.each(ROWS)('`%s` is refused in exec and in a pipe, with the line to type', async (line, sentence, hint) => {
    for (const source of ['exec', 'repl'] as const) {
      const { session } = await stage(undefined, 'buy 0.01 at -2%')
      const before = session.journal.length
      const said = (await session.run(line, { source })).join('\n')
      expect(said).toContain(`error would-take: ${sentence} | ${hint}`)
      expect(said).toContain('--far')
      expect(session.journal).toHaveLength(before)
    }
  })

  it.each(ROWS)('`%s` of a hook and of a page is sent', async (line) => {
    for (const source of ['hook', 'web'] as const) {
      const { session } = await stage([], 'buy 0.01 at -2%')
      expect(errorsOf(await session.run(line, { source }))).toEqual([])
    }
  })

  it.each(ROWS.slice(0, 5))('`%s` of a hook and of a page is named', async (line, sentence) => {
    for (const source of ['hook', 'web'] as const) {
      const { session } = await stage([], 'buy 0.01 at -2%')
      expect((await session.ports.preview({ command: line, source })).notes).toContain(sentence)
      expect(await session.run(line, { source })).toContain(`warn ${sentence}`)
    }
  })

  it.each(ROWS)('`%s --far` says that it is meant', async (line) => {
    for (const source of ['repl', 'exec'] as const) {
      const { session, asked } = await stage([], 'buy 0.01 at -2%')
      expect((await session.run(`${line} --far`, { source })).join('\n')).not.toMatch(/error|fills at once/)
      expect(asked).toEqual([])
    }
  })

  it.each(ROWS)('`%s --dry` says so and asks no one', async (line, sentence) => {
    const { session, asked } = await stage([], 'buy 0.01 at -2%')
    expect(await session.run(`${line} --dry`)).toContain(`warn ${sentence}`)
    expect(asked).toEqual([])
  })

  it.each([
    ['buy 0.01 at +1% ioc', undefined],
    ['buy 0.01 at +1% fok', undefined],
    ['buy 0.01 at $ask', undefined],
    ['sell 0.01 at $bid', undefined],
    ['buy 0.01 best', undefined],
    ['bump p1 -10', 'buy 0.01 at -2%'],
    ['move p1 -1%', 'buy 0.01 at -2%'],
  ])('`%s` is not asked about', async (line, before) => {
    const { session, asked } = await stage([], before)
    expect(errorsOf(await session.run(line))).toEqual([])
    expect(asked).toEqual([])
  })
})

describe('a price far from the market', () => {
  const ROWS = [
    ['buy 0.01 at 6200', 'the limit at 6,200.0 is 90% below the last price, 65,000.0'],
    ['sell 0.01 at 620000', 'the limit at 620,000.0 is 854% above the last price, 65,000.0'],
    ['buy 0.01 stop 6100', 'the stop at 6,100.0 is 91% below the last price, 65,000.0'],
    ['buy 0.01 tp 670000', 'the take-profit at 670,000.0 is 931% above the last price, 65,000.0'],
    [
      'buy 0.02 stop 64000 tp 50% 67000, 50% 680000',
      'the take-profit at 680,000.0 is 946% above the last price, 65,000.0',
    ],
    ['stop at 6100', 'the stop at 6,100.0 is 91% below the last price, 65,000.0'],
    ['stop buy 0.01 at 670000', 'the stop at 670,000.0 is 931% above the last price, 65,000.0'],
    ['take at 670000', 'the take-profit at 670,000.0 is 931% above the last price, 65,000.0'],
    ['oco at 67000 stop 6100', 'the stop at 6,100.0 is 91% below the last price, 65,000.0'],
    ['scale buy 0.05 into 5 from 64000 to 6300', 'the limit at 6,300.0 is 90% below the last price, 65,000.0'],
    ['move p1 6200', 'the limit at 6,200.0 is 90% below the last price, 65,000.0'],
    ['amend p1 at 6200', 'the limit at 6,200.0 is 90% below the last price, 65,000.0'],
  ] as const
  const BEFORE = 'buy 0.01 at -2%; buy 0.01'

  it.each(ROWS)('`%s` asks once at a terminal, and is sent after y alone', async (line, sentence) => {
    const { session, asked } = await stage([false, true], BEFORE)
    const before = session.journal.length
    expect((await session.run(line)).join('\n')).toMatch(new RegExp(`^error .*${sentence} .*type the price again`))
    expect(session.journal).toHaveLength(before)
    expect(asked).toEqual([`BTCUSDT: ${sentence}; send it? y or n >`])
    expect(errorsOf(await session.run(line))).toEqual([])
    expect(asked).toHaveLength(2)
  })

  it.each(ROWS)('`%s` is refused in exec, in a pipe and from a hook', async (line, sentence) => {
    for (const source of ['exec', 'repl', 'hook'] as const) {
      const { session } = await stage(undefined, BEFORE)
      const before = session.journal.length
      expect((await session.run(line, { source })).join('\n')).toMatch(new RegExp(`^error .*${sentence} .*--far`))
      expect(session.journal).toHaveLength(before)
    }
  })

  it.each(ROWS)('`%s` of a page, and with --far, is sent', async (line) => {
    for (const [typed, source] of [
      [line, 'web'],
      [`${line} --far`, 'exec'],
      [`${line} --far`, 'hook'],
    ] as const) {
      const { session } = await stage([], BEFORE)
      expect(errorsOf(await session.run(typed, { source }))).toEqual([])
    }
  })

  it.each(['buy 0.01 at 50000', 'buy 0.01 at -40%', 'stop at -30%', 'take at 80000', 'sell 0.01 at $last +50000'])(
    '`%s` is not asked about',
    async (line) => {
      const { session, asked } = await stage([], BEFORE)
      expect(errorsOf(await session.run(line))).toEqual([])
      expect(asked).toEqual([])
    },
  )
})

/** The account has $10,000. */
describe('a size by risk that is a large part of the equity', () => {
  const ROWS = [
    ['buy risk 50% stop -20%', 'the buy risks 50% of the equity at its stop'],
    ['buy risk $3000 stop -20%', 'the buy risks 30% of the equity at its stop'],
    ['buy risk 6% stop -8%', 'the buy risks 6% of the equity at its stop'],
    ['sell risk 3% stop +0.4%', 'the sell is worth 5.9 times the equity'],
    ['buy risk 10% stop -1%', 'the buy is worth 9 times the equity and risks 10% of it at its stop'],
    ['buy risk 10% stop -1% tp 50% 1R, 50% 2R', 'the buy is worth 9 times the equity and risks 10% of it at its stop'],
  ] as const

  it.each(ROWS)('`%s` asks once at a terminal, and is sent after y alone', async (line, sentence) => {
    const { session, asked } = await stage([false, true], 'leverage BTCUSDT 20')
    const before = session.journal.length
    expect((await session.run(line)).join('\n')).toMatch(
      new RegExp(`^error (large-risk|BTCUSDT part 1 .*): ${sentence}`),
    )
    expect(session.journal).toHaveLength(before)
    expect(asked).toEqual([`BTCUSDT: ${sentence}; send it? y or n >`])
    expect(errorsOf(await session.run(line))).toEqual([])
    expect(asked).toHaveLength(2)
    expect(session.journal.length).toBeGreaterThan(before)
  })

  it.each(ROWS)('`%s` is refused in exec and in a pipe, with what means it', async (line, sentence) => {
    for (const source of ['exec', 'repl'] as const) {
      const { session } = await stage(undefined, 'leverage BTCUSDT 20')
      const before = session.journal.length
      const said = (await session.run(line, { source })).join('\n')
      expect(said).toMatch(new RegExp(`^error .*${sentence} .*type a smaller risk.*--far`))
      expect(session.journal).toHaveLength(before)
    }
  })

  it.each(ROWS)('`%s` of a hook and of a page is sent, and named', async (line, sentence) => {
    for (const source of ['hook', 'web'] as const) {
      const { session } = await stage([], 'leverage BTCUSDT 20')
      expect((await session.ports.preview({ command: line, source })).notes).toContain(sentence)
      const said = await session.run(line, { source })
      expect(errorsOf(said)).toEqual([])
      expect(said).toContain(`warn ${sentence}`)
    }
  })

  it.each(ROWS)('`%s --far` says that it is meant, and `--dry` asks no one', async (line, sentence) => {
    const { session, asked } = await stage([], 'leverage BTCUSDT 20')
    expect(await session.run(`${line} --dry`)).toContain(`warn ${sentence}`)
    expect((await session.run(`${line} --far`, { source: 'exec' })).join('\n')).not.toMatch(/error|the equity/)
    expect(asked).toEqual([])
  })

  it.each(['buy risk 5% stop -8%', 'buy risk $400 stop -1%', 'buy risk 1% stop -2%'])(
    '`%s` is not asked about',
    async (line) => {
      const { session, asked } = await stage([])
      expect(errorsOf(await session.run(line))).toEqual([])
      expect(asked).toEqual([])
    },
  )
})

it('a far stop that also breaks a limit is asked about once for each', async () => {
  const { session, asked } = await stage([true, true, true], 'guards set paper order $300')
  const before = asked.length
  expect(errorsOf(await session.run('stop buy 0.01 at 670000'))).toEqual([])
  expect(asked.slice(before).filter((question) => question.includes('above the last price'))).toHaveLength(1)
  expect(asked.slice(before)).toHaveLength(2)
})

describe('a guard that refuses an order', () => {
  it.each([
    'buy $250',
    'buy 0.01 at +1%',
    'buy 0.01 at 6200',
    'chase buy $250',
    'twap buy $250 into 2 over 10m',
    'swarm buy $250 into 2',
  ])('does so before anyone is asked about `%s`', async (line) => {
    const { session, asked } = await stage([true], 'halt paper')
    expect((await session.run(line)).join('\n')).toMatch(/error (halted|none-placed)/)
    expect(asked).toEqual([])
  })
})

// A protective stop closer to the price than a trade costs: asked about at a terminal, refused elsewhere. A stop-limit keeps its limit by its side.
import { describe, expect, it } from 'vitest'
import { deciding } from '../../harness/commands/answering.ts'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { barePositions, warnOfLargeTargets } from '../../src/commands/trading/protective-stop.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'

const PLACES = [
  // 65,000: spread 0.2, fees of 0.055 % twice.
  ['stop at -2', 'buy 0.02'],
  ['stop at -0.1%', 'buy 0.02'],
  ['stop at 65030', 'sell 0.02'],
  ['buy 0.01 stop -2', ''],
  ['sell 0.01 at 66000 stop 66010', ''],
  ['trail 1', 'buy 0.02'],
  ['oco at +2% stop -3', 'buy 0.02'],
  ['move p2 to -5', 'buy 0.02 stop -3%'],
  ['amend p2 at -5', 'buy 0.02 stop -3%'],
] as const

async function stage(before: string, answers: readonly boolean[]) {
  const { terminal, asked } = deciding([...answers])
  const session = await createSession({ terminal })
  if (before !== '') await session.run(before)
  return { session, asked }
}

async function triggers(session: CommandSession): Promise<readonly (string | undefined)[]> {
  return (await session.market.exchange.fetchOpenOrders()).map(({ triggerPrice }) => triggerPrice)
}

describe('a stop next to the price', () => {
  it.each(PLACES)('`%s` is refused for a hook, and nothing is sent', async (line, before) => {
    const { session, asked } = await stage(before, [])
    const resting = await triggers(session)
    const run = session.start(line, { source: 'hook' })
    expect(await run.done).toBe(false)
    expect(run.lines.join('\n')).toMatch(
      /near-stop: the stop is [\d.]+ from (last|[\d,.]+), inside spread and fees \([\d.]+\) \| .*--near/,
    )
    expect(await triggers(session)).toEqual(resting)
    expect(asked).toEqual([])
  })

  it.each(PLACES)('`%s --near` is placed for a hook', async (line, before) => {
    const { session } = await stage(before, [])
    expect(await session.start(`${line} --near`, { source: 'hook' }).done).toBe(true)
  })

  it.each(PLACES)('`%s` asks at a terminal', async (line, before) => {
    const refused = await stage(before, [false])
    const resting = await triggers(refused.session)
    expect((await refused.session.run(line)).join('\n')).toContain('near-stop')
    expect(refused.asked).toEqual([expect.stringContaining('place it? y or n >')])
    expect(await triggers(refused.session)).toEqual(resting)
    const accepted = await stage(before, [true])
    expect((await accepted.session.run(line)).join('\n')).not.toContain('near-stop')
  })

  it.each(PLACES)('`%s --dry` asks nothing and names the question', async (line, before) => {
    const { session, asked } = await stage(before, [])
    const lines = await session.run(`${line} --dry`)
    expect(lines).toContainEqual(expect.stringMatching(/^info without --dry, this asks: .*; place it\?$/))
    expect(lines.join('\n')).not.toContain('error')
    expect(asked).toEqual([])
  })

  it.each(['stop at -0.2%', 'buy 0.01 stop -1%', 'trail 0.3%', 'stop buy 0.01 at +2', 'take at +1'])(
    '%s is none',
    async (line) => {
      const { session, asked } = await stage('buy 0.02', [])
      expect((await session.run(line)).join('\n')).not.toContain('error')
      expect(asked).toEqual([])
    },
  )
})

it('an oco asks about a near target as an entry does, and no hook places it', async () => {
  const { session, asked } = await stage('buy 0.02', [false, true])
  const line = 'oco at +0.03% stop -1%'
  expect((await session.run(line, { source: 'hook' })).join('\n')).toContain('near-stop: the take-profit is')
  await session.run(line)
  expect(asked).toEqual([expect.stringMatching(/the take-profit is .* place it\? y or n >$/)])
  expect(await triggers(session)).toEqual([])
  await session.run(line)
  expect(await triggers(session)).toHaveLength(1)
})

describe('a near target of one part of several', () => {
  const LINES = [
    'buy 0.02 BTCUSDT stop -0.5% tp 50% +0.04%, 50% +1%',
    'buy 0.02 BTCUSDT stop -0.5% tp 50% +1%, 50% +0.04%',
    'buy 0.02 BTCUSDT stop -0.5% tp 30% +1%, 30% +0.04%',
    'buy 0.02 BTCUSDT stop -0.5% tp 50% +0.04%, 50% +0.05%',
    'buy $2000 ETHUSDT,BTCUSDT stop -0.5% tp +0.04%',
  ]

  it.each(LINES)('`%s` is asked about once, before the first order, and a no sends nothing', async (line) => {
    const { session, asked } = await stage('', [false])
    await session.run(line)
    expect(asked).toEqual([expect.stringMatching(/the take-profit is .* place it\? y or n >$/)])
    expect(await session.market.exchange.fetchPositions()).toEqual([])
    expect(await session.market.exchange.fetchOpenOrders()).toEqual([])
  })

  it.each(LINES)('`%s` is asked about once, and a yes sends all of it', async (line) => {
    const { session, asked } = await stage('', [true])
    expect((await session.run(line)).join('\n')).not.toContain('error')
    expect(asked).toHaveLength(1)
    expect(await session.market.exchange.fetchPositions()).not.toEqual([])
  })

  it.each(['hook', 'exec', 'web', 'repl'] as const)('sends nothing from %s', async (source) => {
    for (const line of LINES) {
      const session = await createSession()
      expect((await session.run(line, { source })).join('\n')).toMatch(/the take-profit is .* inside spread and fees/)
      expect(await session.market.exchange.fetchPositions()).toEqual([])
    }
  })
})

it('a no to one of several stops ends the line', async () => {
  const { session, asked } = await stage('buy 0.02 BTCUSDT; buy 0.3 ETHUSDT', [false])
  await session.run('stop BTCUSDT,ETHUSDT at -1')
  expect(asked).toHaveLength(1)
  expect(await triggers(session)).toEqual([])
})

describe('targets of a position that is made smaller', () => {
  const ENTRY = 'buy 0.04 BTCUSDT stop -1% tp 50% 1R, 50% 2R'
  const WARNING =
    /^warn the BTCUSDT long is 0\.02 BTC, and its targets are for 0\.04 BTC: order (\S+) closes 0\.02 BTC first; `(amend \S+ 0\.01; amend \S+ 0\.01)` makes them fit$/

  it.each([
    ['close 50%', 'repl'],
    ['close 50%', 'exec'],
    ['close 50%', 'web'],
    ['close 50%', 'hook'],
    ['sell 50% reduce', 'repl'],
    ['position long 0.02', 'repl'],
  ] as const)(
    'after `%s` from %s: the line names what the first closes, and the line that makes them fit',
    async (line, source) => {
      const { session } = await stage(ENTRY, [])
      const said = (await session.run(line, { source })).filter((each) => WARNING.test(each))
      expect(said).toHaveLength(1)
      expect((await session.run('positions')).join('\n')).not.toContain('+1')
      const [, , makesFit = ''] = WARNING.exec(said[0] ?? '') ?? []
      expect((await session.run(makesFit)).join('\n')).not.toContain('error')
      const resting = await session.market.exchange.fetchOpenOrders()
      expect(resting.map(({ remaining, takeProfitPrice }) => [remaining, takeProfitPrice])).toEqual([
        ['0.01', expect.any(String)],
        ['0.01', expect.any(String)],
      ])
      expect((await session.run('positions')).join('\n')).toMatch(/\+1 .*\+1/)
    },
  )

  it('are resized in dollars where the amounts of the market are', async () => {
    const { session } = await stage(ENTRY, [])
    const { exchange } = session.market
    const positions = await exchange.fetchPositions()
    const venue = { ...exchange, fetchPositions: async () => positions.map((each) => ({ ...each, amount: '0.02' })) }
    const market = (await exchange.loadMarkets()).find(({ symbol }) => symbol === 'BTCUSDT')
    if (market === undefined) throw new Error('no market')
    const said: string[] = []
    const context = { out: { warn: (text: string) => said.push(text) }, elsewhere: () => undefined }
    await warnOfLargeTargets(context, { venue, name: 'paper' }, { ...market, amountUnit: 'quote' })
    expect(said).toEqual([expect.stringMatching(/first; `amend p\d+ \$0\.01; amend p\d+ \$0\.01` makes them fit$/)])
  })

  it('are not warned of where they fit, or one covers all', async () => {
    for (const entry of ['buy 0.04 BTCUSDT stop -1% tp 25% 1R, 25% 2R', 'buy 0.04 BTCUSDT stop -1% tp 2R']) {
      const { session } = await stage(entry, [])
      expect((await session.run('close 50%')).join('\n')).not.toContain('targets')
    }
  })
})

it('a stop-limit that is moved keeps its limit at the same distance', async () => {
  const { session } = await stage('buy 0.02', [])
  await session.run('stop at -1% limit -0.2%')
  const [before] = await session.market.exchange.fetchOpenOrders()
  const apart = Number(before?.price) - Number(before?.triggerPrice)
  expect(apart).toBeLessThan(-100)
  for (const line of ['move p2 to -3%', 'amend p2 at -4%']) {
    await session.run(line)
    const [after] = await session.market.exchange.fetchOpenOrders()
    expect(Number(after?.triggerPrice)).not.toBe(Number(before?.triggerPrice))
    expect(Number(after?.price) - Number(after?.triggerPrice)).toBeCloseTo(apart, 1)
  }
  await session.run('amend p2 at -5% limit -0.5%')
  const [named] = await session.market.exchange.fetchOpenOrders()
  expect(Number(named?.price)).toBeCloseTo(Number(named?.triggerPrice) * 0.995, 0)
})

describe('a second stop', () => {
  const COVERED =
    /^error covered: order \S+ \(stop sell 0\.02 BTCUSDT at 64,[\d.]+, reduce-only\) already protects the BTCUSDT long \| add `replace`/

  it('beside one that covers the position is refused for a hook, and asked about at a terminal', async () => {
    const { session, asked } = await stage('buy 0.02 stop -1%', [false, true])
    const run = session.start('stop at -2%', { source: 'hook' })
    expect(await run.done).toBe(false)
    expect(run.lines.join('\n')).toMatch(COVERED)
    expect((await session.run('stop at -2%')).join('\n')).toMatch(COVERED)
    expect(await triggers(session)).toHaveLength(1)
    await session.run('stop at -2%')
    expect(await triggers(session)).toHaveLength(2)
    expect(asked).toHaveLength(2)
  })

  it.each(['hook', 'exec', 'repl'] as const)(
    'without a size is for the part that the first leaves, and nothing is asked: %s',
    async (source) => {
      const { session, asked } = await stage('buy 0.02 stop -1%', [])
      await session.run('buy 0.03')
      const run = session.start('stop at -2%', { source })
      expect(await run.done).toBe(true)
      expect(run.lines.join('\n')).toContain(
        'this stop covers the 0.03 BTC that had none; add `replace` to cover the whole',
      )
      expect((await session.market.exchange.fetchOpenOrders()).map(({ amount }) => amount)).toEqual(['0.02', '0.03'])
      expect(asked).toEqual([])
    },
  )

  it('with a size that counts a part twice names the part that has none', async () => {
    const { session, asked } = await stage('buy 0.02 stop -1%', [])
    await session.run('buy 0.03')
    expect((await session.run('stop 0.04 at -2%')).join('\n')).toMatch(
      /^error covered: order \S+ \(.*\) already protects a part of the BTCUSDT long; 0\.03 BTC of the BTCUSDT long of 0\.05 BTC has no stop \| `stop BTCUSDT at -2%` stops that part; add `replace`/,
    )
    expect(asked).toHaveLength(1)
  })

  it.each(['hook', 'repl'] as const)(
    'with `replace` takes the place of the others, with `add` it stands beside them: %s',
    async (source) => {
      const { session, asked } = await stage('buy 0.02 stop -1%', [])
      expect(await session.start('stop at -2% add', { source }).done).toBe(true)
      expect(await triggers(session)).toHaveLength(2)
      expect(await session.start('stop at -3% replace', { source }).done).toBe(true)
      expect(await triggers(session)).toEqual([expect.stringMatching(/^63/)])
      expect(asked).toEqual([])
    },
  )

  it('that is refused replaces nothing', async () => {
    const { session } = await stage('buy 0.02 stop -1%', [])
    const before = await triggers(session)
    expect((await session.run('stop at +2% replace')).join('\n')).toContain('error bad-stop')
    expect((await session.run('stop 0.03 at -2% replace --dry')).join('\n')).not.toContain('canceled')
    expect(await triggers(session)).toEqual(before)
  })

  it('for what the first leaves uncovered is placed without a question', async () => {
    const { session, asked } = await stage('buy 0.02', [])
    await session.run('stop 50% at -1%')
    await session.run('stop 50% at -2%')
    expect(await triggers(session)).toHaveLength(2)
    expect(asked).toEqual([])
    expect((await session.run('stop 50% at -3%'))[0]).toMatch(
      /^error covered: 2 protective orders, the nearest .*, already protect the BTCUSDT long/,
    )
  })

  it('of two words only one is meant', async () => {
    const { session } = await stage('buy 0.02', [])
    expect((await session.run('stop at -2% add replace'))[0]).toMatch(
      /bad-argument: `replace` contradicts or repeats `add`/,
    )
  })
})

describe('a cancel', () => {
  const BARE = 'warn the BTCUSDT long of 0.02 BTC has no stop: `stop BTCUSDT at -2%` places one'

  it.each(['cancel', 'cancel BTCUSDT', 'cancel all', 'cancel p2'])('`%s` of the last stop says so', async (line) => {
    const { session } = await stage('buy 0.02 stop -1%', [true])
    expect(await session.run(line)).toContain(BARE)
  })

  it.each(['repl', 'exec', 'hook', 'web'] as const)(
    'from %s of the last stop in a market that is no longer listed says so, and does not fail',
    async (source) => {
      let isListed = true
      const session = await createSession({
        exchange: (paper) => ({
          ...paper,
          loadMarkets: async () => (await paper.loadMarkets()).filter(({ symbol }) => isListed || symbol !== 'BTCUSDT'),
        }),
      })
      await session.run('buy 0.02 stop -2%')
      isListed = false
      const run = session.start('cancel p2', { source })
      expect(await run.done, run.lines.join('\n')).toBe(true)
      expect(run.lines.at(-1)).toBe('warn 0.02 of the BTCUSDT long has no stop, and the venue no longer lists BTCUSDT')
    },
  )

  it('says nothing while another stop protects, of a take-profit, or where nothing is held', async () => {
    const { session } = await stage('buy 0.02 stop -1%', [])
    await session.run('stop at -2% add')
    expect(await session.run('cancel p2')).not.toContain(BARE)
    await session.run('take at +4%')
    const [take] = (await session.market.exchange.fetchOpenOrders()).filter(({ type }) => type !== 'stop')
    expect(await session.run(`cancel ${take?.id}`)).not.toContain(BARE)
    await session.run('close')
    expect((await session.run('cancel')).join('\n')).not.toContain('no stop now')
  })

  it.each(['repl', 'exec', 'hook', 'web'] as const)(
    'of one of several stops says what is bare, from %s',
    async (source) => {
      const { session } = await stage('buy 0.02; stop 50% at -1%; stop 50% at -2%', [true])
      expect(await session.run('cancel p2', { source })).toContain(
        'warn 0.01 BTC of the BTCUSDT long of 0.02 BTC has no stop: `stop 0.01 BTCUSDT at -2% add` places one',
      )
      expect((await session.run('stop 0.01 BTCUSDT at -2% add', { source })).join('\n')).toContain('is open')
    },
  )

  it('of a short says the part too, and says nothing of a stop that others still cover', async () => {
    const { session } = await stage('sell 0.03; stop 0.02 at +1%; stop 0.01 at +2%', [true])
    expect((await session.run('cancel p2')).join('\n')).toContain(
      '0.02 BTC of the BTCUSDT short of 0.03 BTC has no stop: `stop 0.02 BTCUSDT at +2% add` places one',
    )
    const covered = await stage('buy 0.02; stop at -1%; stop at -2% add', [])
    expect((await covered.session.run('cancel p2')).join('\n')).not.toContain('no stop')
  })

  it('of several orders says it once, at the end', async () => {
    const { session } = await stage('buy 0.02; stop 50% at -1%; stop 50% at -2%', [true])
    const said = await session.run('cancel p2,p3')
    expect(said.filter((line) => line.includes('has no stop'))).toEqual([BARE])
    expect(said.at(-1)).toBe(BARE)
  })
})

describe('an addition without a stop to a position that has one', () => {
  const bare = (amount: string, whole: string) =>
    `warn ${amount} BTC of the BTCUSDT long of ${whole} BTC has no stop: \`stop ${amount} BTCUSDT at -2% add\` places one`

  it.each(['repl', 'exec', 'hook', 'web'] as const)(
    'is named with the line that covers it, from %s',
    async (source) => {
      const { session } = await stage('buy 0.02 stop -2%', [])
      expect(await session.run('buy 0.01', { source })).toContain(bare('0.01', '0.03'))
      expect(await session.run('buy 0.005 at +1% ioc', { source })).toContain(bare('0.015', '0.035'))
      expect(await session.run('position long 0.04', { source })).toContain(bare('0.02', '0.04'))
      expect((await session.run('stop 0.02 BTCUSDT at -2% add', { source })).join('\n')).toContain('is open')
      expect((await session.run('positions')).join('\n')).not.toContain('bare')
    },
  )

  it('of a short too', async () => {
    const { session } = await stage('sell 0.02 stop +2%', [])
    expect((await session.run('sell 0.01')).at(-1)).toBe(
      'warn 0.01 BTC of the BTCUSDT short of 0.03 BTC has no stop: `stop 0.01 BTCUSDT at +2% add` places one',
    )
  })

  it.each([
    ['buy 0.02 stop -2%', 'buy 0.01 stop -1%'],
    ['buy 0.02; stop at -2%; stop at -3% add', 'buy 0.01'],
    ['buy 0.02 stop -2%', 'sell 0.01'],
    ['buy 0.02 stop -2%', 'buy 0.01 at -1%'],
    ['', 'buy 0.01; stop at -2%'],
    ['', 'buy 0.01 && stop at -2%'],
    ['alias guarded "stop at -2%"', 'repeat 2 (buy 0.01); guarded'],
    ['', 'sell 0.01 stop +2%'],
  ])('after `%s`, `%s` says nothing of it', async (before, line) => {
    const { session } = await stage(before, [])
    expect((await session.run(line)).join('\n')).not.toContain('has no stop')
  })

  it.each(['web', 'phone'] as const)('an entry without a stop is a warning to source %s', async (source) => {
    const { session } = await stage('', [])
    expect(await session.run('buy 0.01', { source })).toContain(
      'warn the BTCUSDT long of 0.01 BTC has no stop: `stop BTCUSDT at -2%` places one',
    )
  })

  it.each([
    ['', 'buy 0.01', 'the BTCUSDT long of 0.01 BTC has no stop: `stop BTCUSDT at -2%` places one'],
    ['', 'sell 0.01 tp -2%', 'the BTCUSDT short of 0.01 BTC has no stop: `stop BTCUSDT at +2%` places one'],
    ['buy 0.02', 'buy 0.01', 'the BTCUSDT long of 0.03 BTC has no stop: `stop BTCUSDT at -2%` places one'],
    ['', 'swarm buy 0.01 into 2', 'the BTCUSDT long of 0.01 BTC has no stop: `stop BTCUSDT at -2%` places one'],
    ['sell 0.01', 'buy 0.03 flip', 'the BTCUSDT long of 0.02 BTC has no stop: `stop BTCUSDT at -2%` places one'],
    ['', 'position short 0.01', 'the BTCUSDT short of 0.01 BTC has no stop: `stop BTCUSDT at +2%` places one'],
    [
      'buy 0.02',
      'buy 0.01 stop -2% tp 50% 1R',
      '0.02 BTC of the earlier BTCUSDT long has no stop: `stop 0.02 BTCUSDT at -2% add` places one',
    ],
  ])('after `%s`, `%s` reports once what no stop ends, and no hook does', async (before, line, report) => {
    const { session } = await stage(before, [])
    const said = await session.run(line)
    expect(said.filter((each) => each.includes('has no stop'))).toEqual([
      `${line.includes('tp 50%') ? 'warn' : 'info'} ${report}`,
    ])
    const [, placing = ''] = /`(.*)`/.exec(report) ?? []
    expect((await session.run(placing)).join('\n')).toContain('is open')
    expect((await session.run('positions')).join('\n')).not.toContain('bare')
    const { session: fired } = await stage(before, [])
    const ofHook = (await fired.run(line, { source: 'hook' })).join('\n')
    if (before === '' || before.startsWith('sell')) expect(ofHook).not.toContain('has no stop')
  })

  it.each([
    ['repl', 1],
    ['web', 1],
    ['hook', 0],
  ] as const)('is reported once the entry that rested has filled, from %s', async (source, times) => {
    const { session } = await stage('', [])
    const run = session.start('buy 0.01 at -1%', { source })
    await run.done
    session.market.setPrice('BTCUSDT', '64000')
    await session.advance(3_000)
    await session.settle()
    expect(run.lines.join('\n')).toContain('bought 0.01 BTCUSDT')
    expect(run.lines.filter((line) => line.includes('has no stop'))).toEqual(
      Array(times).fill('warn the BTCUSDT long of 0.01 BTC has no stop: `stop BTCUSDT at -2%` places one'),
    )
  })

  it.each(['buy 0.01 at -1% stop -1%', 'buy 0.01 at -1% reduce'])('is not reported of `%s`', async (line) => {
    const { session } = await stage(line.endsWith('reduce') ? 'sell 0.02 stop +5%' : '', [])
    const run = session.start(line)
    await run.done
    session.market.setPrice('BTCUSDT', '64000')
    await session.advance(3_000)
    await session.settle()
    expect(run.lines.join('\n')).toContain('bought 0.01 BTCUSDT')
    expect(run.lines.join('\n')).not.toContain('has no stop')
  })

  it('is sent where the open orders cannot be read, and that is reported', async () => {
    const { session } = await stage('buy 0.02 stop -2%', [])
    const { exchange } = session.market
    session.useExchange({
      ...exchange,
      fetchOpenOrders: async () => {
        throw new ExchangeError('network', 'the venue does not answer')
      },
    })
    expect((await session.run('buy 0.01')).at(-1)).toMatch(
      /^warn it is not known whether a stop covers what was added on BTCUSDT: the venue does not answer/,
    )
  })
})

describe('`cancel entries`', () => {
  const BEFORE =
    'buy 0.02 stop -2%; take at +4%; sell 50% at +3% reduce; buy 0.01 at -1%; stop buy 0.01 at +2%; buy 1 ETHUSDT at -1%'
  const resting = async ({ market }: CommandSession) =>
    (await market.exchange.fetchOpenOrders()).map(({ symbol, side, type }) => `${symbol} ${side} ${type}`)
  const PROTECTS = ['BTCUSDT sell stop', 'BTCUSDT sell take-profit', 'BTCUSDT sell limit']

  it.each(['repl', 'exec', 'hook', 'web'] as const)('leaves stops and targets, from %s', async (source) => {
    const { session } = await stage(BEFORE, [])
    const lines = await session.run('cancel entries', { source })
    expect(lines).toEqual([
      expect.stringMatching(/^success canceled order \w+: buy 0\.01 BTCUSDT at 64,350$/),
      expect.stringMatching(/^success canceled order \w+: stop buy 0\.01 BTCUSDT/),
    ])
    expect(await resting(session)).toEqual([...PROTECTS, 'ETHUSDT buy limit'])
    expect(await session.run('cancel entries', { source })).toEqual(['info no open entries on BTCUSDT'])
  })

  it('takes symbols, and all', async () => {
    const { session } = await stage(BEFORE, [])
    expect(await session.run('cancel entries eth')).toHaveLength(1)
    expect(await session.run('cancel entries all')).toHaveLength(2)
    expect(await resting(session)).toEqual(PROTECTS)
    expect(await session.run('cancel entries all')).toEqual(['info no open entries'])
  })

  it('looks with --dry, and cancels nothing of an unknown symbol', async () => {
    const { session } = await stage(BEFORE, [])
    const before = await resting(session)
    await session.run('cancel entries --dry')
    expect((await session.run('cancel entries eth,nope'))[0]).toMatch(/^error unknown-symbol: /)
    expect((await session.run('cancel entries entries'))[0]).toMatch(/^error unexpected-argument: /)
    expect(await resting(session)).toEqual(before)
  })
})

describe('`cancel stops`', () => {
  const BEFORE = 'buy 0.02 stop -2%; take at +4%; buy 0.01 at -1%; sell 1 ETHUSDT stop +2%'
  const ids = async ({ market }: CommandSession) => (await market.exchange.fetchOpenOrders()).map(({ id }) => id)

  it.each(['exec', 'hook', 'web', 'phone'] as const)(
    'cancels stops alone, and names what is bare: %s',
    async (source) => {
      const { session } = await stage(BEFORE, [])
      expect(await session.run('cancel stops', { source })).toEqual([
        expect.stringMatching(/^success canceled order p2: stop sell 0\.02 BTCUSDT/),
        'warn the BTCUSDT long of 0.02 BTC has no stop: `stop BTCUSDT at -2%` places one',
      ])
      expect(await ids(session)).toEqual(['p3', 'p4', 'p6'])
      expect(await session.run('cancel stops', { source })).toEqual(['info no open stops on BTCUSDT'])
    },
  )

  it('takes symbols, and all', async () => {
    const { session } = await stage(BEFORE, [true, true])
    await session.run('cancel sl eth')
    expect(await ids(session)).toEqual(['p2', 'p3', 'p4'])
    await session.run('cancel stops all')
    expect(await ids(session)).toEqual(['p3', 'p4'])
    expect((await session.run('cancel stops entries'))[0]).toMatch(/^error unexpected-argument: /)
  })
})

describe('a `cancel` that would leave a position without its stop', () => {
  const BEFORE = 'buy 0.02 stop -2%; buy 0.01 at -1%'
  const QUESTION = 'the BTCUSDT long of 0.02 BTC would have no stop; cancel anyway? y or n >'
  const open = async ({ market }: CommandSession) => (await market.exchange.fetchOpenOrders()).length

  it.each(['cancel', 'cancel all', 'cancel BTCUSDT', 'cancel p2', 'cancel p2,p3', 'cancel stops', 'cancel stops all'])(
    'asks at a terminal: `%s`',
    async (line) => {
      const { session, asked } = await stage(BEFORE, [false, true])
      expect(await session.run(line)).toEqual([
        'error cancelled: canceled: every order stays | `cancel entries` cancels entries only',
      ])
      expect(await open(session)).toBe(2)
      expect((await session.run(line)).join('\n')).toContain('canceled order p2')
      expect(asked).toEqual([QUESTION, QUESTION])
    },
  )

  it('says how much of it, where another stop remains', async () => {
    const { session, asked } = await stage('buy 0.02; stop 50% at -2%; stop 50% at -3% add', [true])
    await session.run('cancel p2')
    expect(asked).toEqual(['0.01 BTC of the BTCUSDT long of 0.02 BTC would have no stop; cancel anyway? y or n >'])
  })

  it.each([
    ['cancel p3', BEFORE],
    ['cancel entries', BEFORE],
    ['cancel all', 'buy 0.02; take at +4%'],
    ['cancel; stop BTCUSDT at -3%', BEFORE],
    ['cancel ETHUSDT', `${BEFORE}; buy 1 ETHUSDT at -1%`],
    ['cancel p3', 'buy 0.02 stop -2%; stop at -3% add'],
  ])('asks nothing where it would not: `%s`', async (line, before) => {
    const { session, asked } = await stage(before, [])
    expect((await session.run(line)).join('\n')).not.toContain('error')
    expect(asked).toEqual([])
  })

  it('is not held up where the venue does not answer', async () => {
    const { session, asked } = await stage(BEFORE, [])
    session.useExchange({
      ...session.market.exchange,
      fetchPositions: () => Promise.reject(new ExchangeError('network', 'no answer')),
    })
    expect((await session.run('cancel all')).join('\n')).toContain('success canceled order p2')
    expect(asked).toEqual([])
  })

  it('is named in a dry run, which asks nothing', async () => {
    const { session, asked } = await stage(BEFORE, [])
    expect((await session.run('cancel all --dry')).join('\n')).toContain(
      'info without --dry, this asks: the BTCUSDT long of 0.02 BTC would have no stop; cancel anyway?',
    )
    expect([asked, await open(session)]).toEqual([[], 2])
  })
})

describe('a part in place of a stop for all', () => {
  const BARE = 'warn 0.01 BTC of the BTCUSDT long of 0.02 BTC has no stop: `stop 0.01 BTCUSDT at -2% add` places one'

  it.each(['stop 50% at -1% replace', 'trail 1% 50% replace', 'oco 50% at +2% stop -1% replace'])(
    '`%s` names what is bare, from every door',
    async (line) => {
      for (const source of ['repl', 'exec', 'hook', 'web'] as const) {
        // A task does not outlive `exec`.
        if (source === 'exec' && !line.startsWith('stop')) continue
        const { session } = await stage('buy 0.02 stop -3%', [])
        const lines = await session.run(line, { source })
        expect(lines.filter((each) => each.includes('no stop'))).toEqual([BARE])
      }
    },
  )

  it('a stop for all names nothing', async () => {
    const { session } = await stage('buy 0.02 stop -3%', [])
    for (const line of [
      'stop at -1% replace',
      'stop breakeven -0.1% replace',
      'oco at +2% stop -2% replace',
      'trail 1% replace',
    ]) {
      expect((await session.run(line)).join('\n')).not.toContain('no stop')
    }
  })
})

describe('what a person who comes or leaves is told of positions', () => {
  it('is each that no stop ends, or the part of it', async () => {
    const session = await createSession()
    const bare = async () => (await barePositions({ venue: session.market.exchange })).map(({ line }) => line)
    expect(await bare()).toEqual([])
    await session.run('buy 0.03; sell 1.0 ETHUSDT')
    expect(await bare()).toEqual([
      'the BTCUSDT long of 0.03 BTC has no stop: `stop BTCUSDT at -2%` places one',
      'the ETHUSDT short of 1 ETH has no stop: `stop ETHUSDT at +2%` places one',
    ])
    await session.run('stop BTCUSDT 0.01 at -2%; stop ETHUSDT at +2%')
    expect(await bare()).toEqual([
      '0.02 BTC of the BTCUSDT long of 0.03 BTC has no stop: `stop 0.02 BTCUSDT at -2% add` places one',
    ])
  })
})

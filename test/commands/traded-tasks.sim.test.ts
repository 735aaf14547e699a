// `chase` and `twap` as they are typed: what they refuse before anything begins, and what they begin.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { spotOver } from '../../harness/venues/spot-market.ts'

/** BTCUSDT stands at 65,000 (bid 64,999.9, ask 65,000.1, lot 0.001), ETHUSDT at 3,000 (lot 0.01); 10,000 USDT are free. */
async function linesOf(line: string, ...before: readonly string[]): Promise<readonly string[]> {
  const session = await createSession()
  for (const each of before) await session.run(each)
  return (await session.run(line)).map((said) =>
    said.replace(/(?<=chase |twap |show |cancel )[0-9a-f]{8}\b/g, 'a1b2c3d4'),
  )
}

describe('a task is refused before it begins', () => {
  it.each([
    ['chase buy $5', 'below-minimum: $5 is below the minimum BTCUSDT order | type at least $65.00 (0.001 BTC)'],
    ['chase sell 50% reduce', 'no-position: no position on BTCUSDT | `positions` lists them'],
    ['chase buy 0.01 to -70000', 'bad-price: that price would be -5,000 | BTCUSDT trades at 65,000'],
    ['chase buy 0.01 NOPE', 'unknown-symbol: paper has no market NOPE | `markets` lists them'],
    ['chase cancel', 'unknown-task: no chase runs on BTCUSDT of account paper | `tasks` lists what does'],
    [
      'twap buy 0.01 into 12 over 1h',
      'below-minimum: a slice of 0.000833 is below the minimum BTCUSDT order, 0.001 | type into 10 at most, or a larger size',
    ],
    [
      'twap buy 0.01 into 10 over 1h random 20%',
      'below-minimum: a slice of 0.001 is below the minimum BTCUSDT order, 0.001 | type into 6 at most, or a larger size',
    ],
    [
      'twap buy 0.001 into 2 over 1h',
      'below-minimum: a slice of 0.0005 is below the minimum BTCUSDT order, 0.001 | type a larger size: the whole makes one order',
    ],
  ])('%s', async (line, refusal) => {
    expect(await linesOf(line)).toEqual([`error ${refusal}`])
  })

  it('where it would add to what it is to reduce', async () => {
    expect(await linesOf('chase buy 0.01 reduce', 'buy 0.01')).toEqual([
      'error bad-argument: a buy adds to the BTCUSDT long | type sell, or leave out reduce',
    ])
  })

  it.each(['chase buy 0.01', 'twap buy 0.02 into 2 over 1h'])('by a guard of its first order: %s', async (line) => {
    const session = await createSession()
    await session.run('guards set paper order $500')
    expect(await session.run(line)).toEqual([expect.stringMatching(/^error guarded: the order is worth \$6\d\d/)])
    expect(session.ports.tasks.list()).toEqual([])
    expect(session.journal).toEqual([])
  })

  it.each(['halt', 'sim on'])('while it could do nothing: %s', async (before) => {
    const session = await createSession()
    await session.run(before)
    expect(await session.run('chase buy 0.01')).toEqual([expect.stringMatching(/^error (halted|simulated|held): /)])
    expect(session.ports.tasks.list()).toEqual([])
  })

  it.each(['chase buy 0.01', 'twap buy 0.02 into 2 over 1h'])('under panic where it adds: %s', async (line) => {
    const session = await createSession()
    await session.run('panic')
    expect(await session.run(line)).toEqual([
      expect.stringMatching(/^error panic: panic is on, turned on .*: only orders that reduce a position are sent/),
    ])
    expect(session.journal).toEqual([])
  })

  it('for every symbol where it is for one', async () => {
    expect(await linesOf('chase buy $40 BTCUSDT,ETHUSDT')).toEqual([
      expect.stringMatching(/^error BTCUSDT: \$40 is below the minimum/),
      'error none-placed: BTCUSDT refused: no order was placed | correct the size or the list',
    ])
  })
})

describe('a task that is begun', () => {
  it('is one for each symbol, on the account and for the line that was typed', async () => {
    const session = await createSession()
    await session.run('twap buy $1000 BTCUSDT,ETHUSDT into 5 over 10m')
    expect(session.ports.tasks.list()).toMatchObject([
      { kind: 'twap', symbol: expect.stringMatching(/USDT$/), account: 'paper', status: 'running' },
      { kind: 'twap', command: 'twap buy $1000 BTCUSDT,ETHUSDT into 5 over 10m' },
    ])
  })

  it('takes no more than there is of the position', async () => {
    expect(await linesOf('chase sell 0.02 reduce', 'buy 0.01')).toEqual([
      'success chase a1b2c3d4: sells 0.01 BTCUSDT, first at 65,000.1, for 1h, reduce-only (`tasks show a1b2c3d4`, `tasks cancel a1b2c3d4`)',
    ])
  })

  it.each([
    ['chase buy 0.01 to 64000', 'buys 0.01 BTCUSDT, resting at 64,000, for 1h'],
    ['chase sell 0.01 to 1%', 'sells 0.01 BTCUSDT, first at 65,000.1, no further than 64,350, for 1h'],
    ['chase buy 0.01 to $50', 'buys 0.01 BTCUSDT, first at 64,999.9, no further than 65,050, for 1h'],
    ['chase buy 0.01 to $ask +100', 'buys 0.01 BTCUSDT, first at 64,999.9, no further than 65,100.1, for 1h'],
  ])('knows how far it goes: %s', async (line, says) => {
    expect(await linesOf(`${line} --dry`)).toEqual([`info simulated: would start a chase: ${says}`])
  })

  it('begins nothing with --dry', async () => {
    const session = await createSession()
    await session.run('chase buy 0.01 --dry; twap buy 0.02 into 2 over 1h --dry')
    expect(session.ports.tasks.list()).toEqual([])
    expect(await session.market.exchange.fetchOpenOrders()).toEqual([])
    expect(session.journal).toEqual([])
  })

  it('comes from a hook and a page as well', async () => {
    for (const source of ['hook', 'web'] as const) {
      const session = await createSession()
      const run = session.start('chase buy 0.01', { source })
      expect(await run.done).toBe(true)
      expect(session.ports.tasks.list()).toHaveLength(1)
    }
  })

  it('is checked as the body of a hook', async () => {
    expect(await linesOf('hook create a "twap buy $100 into 5"')).toEqual([
      expect.stringMatching(/^error missing-argument: the duration is missing/),
    ])
    expect(await linesOf('hook create a "chase buy $100 then wait"')).toEqual([
      expect.stringMatching(/^error bad-argument: /),
    ])
    expect(await linesOf('hook create a "chase sell 50% reduce for 5m"')).not.toEqual([expect.stringMatching(/^error/)])
  })
})

describe('on spot', () => {
  /** 0.5 BTC are free. */
  const stage = () => createSession({ exchange: (paper) => spotOver(paper, '0.5') })

  it.each([
    ['chase sell 50%', 'chase a1b2c3d4: sells 0.25 BTCUSDT, first at 65,000.1, for 1h'],
    ['twap sell 100% into 2 over 1h', 'twap a1b2c3d4: sells 0.5 BTCUSDT in 2 slices of 0.25 over 1h'],
    ['twap buy $1000 into 2 over 1h', 'twap a1b2c3d4: buys 0.015 BTCUSDT in 2 slices of 0.007 to 0.008 over 1h'],
  ])('%s is of what is free', async (line, says) => {
    const session = await stage()
    const [first = ''] = await session.run(line)
    expect(first.replace(/(?<=chase |twap |show |cancel )[0-9a-f]{8}\b/g, 'a1b2c3d4')).toMatch(`success ${says} (`)
    await session.settle()
    expect(session.ports.tasks.list()).toMatchObject([{ status: 'running' }])
  })

  it.each(['chase sell 50% reduce', 'twap sell 50% into 2 over 1h reduce'])('%s is refused', async (line) => {
    const session = await stage()
    expect(await session.run(line)).toEqual([
      expect.stringMatching(/^error not-supported: a spot account has no positions/),
    ])
  })
})

describe('under panic', () => {
  it.each(['chase sell 0.01 reduce', 'twap sell 0.01 reduce into 2 over 1h', 'trail 1%'])(
    'what reduces or protects is begun: %s',
    async (line) => {
      const session = await createSession()
      await session.run('buy 0.01')
      await session.run('panic')
      const run = session.start(line)
      for (let second = 0; second < 3; second += 1) await session.advance(1000)
      expect(await run.done, run.lines.join('\n')).toBe(true)
      expect(session.ports.tasks.list()).toMatchObject([{ status: 'running', protective: true }])
    },
  )

  it('an oco that the venue holds is placed', async () => {
    const session = await createSession()
    await session.run('buy 0.01')
    await session.run('panic')
    await session.run('oco at +2% stop -1%')
    const open = await session.market.exchange.fetchOpenOrders()
    expect(open.length).toBeGreaterThan(0)
    expect(open.every(({ reduceOnly }) => reduceOnly)).toBe(true)
  })
})

it.each([
  ['flip', 'every 1m (buy $100 BTCUSDT)', ['every ID (buy $100 BTCUSDT) still runs: `tasks cancel ID` ends it']],
  ['flip', 'every 1m (buy $100 ETHUSDT)', []],
  ['flip', 'at 23:00 (close)', []],
  ['flip', 'twap buy 0.05 over 10m into 5', ['twap ID still runs on BTCUSDT: `tasks cancel ID` ends it']],
  ['flip --dry', 'every 1m (buy $100)', []],
  ['cancel all', 'every 1m (buy $100)', ['every ID (buy $100) still runs: `tasks cancel ID` ends it']],
  ['cancel BTCUSDT', 'when last < 60000 (buy $100)', ['when ID (buy $100) still runs: `tasks cancel ID` ends it']],
  ['cancel entries', 'every 1m (buy $100)', ['every ID (buy $100) still runs: `tasks cancel ID` ends it']],
  ['cancel ETHUSDT', 'every 1m (buy $100 BTCUSDT)', []],
])('`%s` beside `%s` names what may open again', async (line, task, names) => {
  for (const source of ['repl', 'exec', 'hook', 'web'] as const) {
    const session = await createSession()
    await session.run('buy 0.05')
    expect((await session.run(task)).join()).not.toContain('error')
    const printed = (await session.run(line, { source })).filter((each) => each.includes('still runs'))
    expect(printed.map((each) => each.replace(/^warn /, '').replaceAll(/\b[0-9a-f]{8}\b/g, 'ID'))).toEqual(names)
  }
})

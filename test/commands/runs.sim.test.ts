import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import type { KeptOutput, RunSummary } from '../../src/runs/run.ts'
import type { RunOrder } from '../../src/trading/history/journal-history.ts'

const FIRE: RunSummary = {
  runId: '5a0e81c2-6f1d-4c0a-9a57-1d2f6c3b8e90',
  source: 'hook',
  origin: 'dip',
  hookId: 'ac4d',
  command: 'buy 0.01',

  account: 'paper',
  startedAt: 1_795_326_743_949,
  finishedAt: 1_795_326_744_990,
  state: 'failed',
  error: 'no money',
}
const TYPED: RunSummary = {
  runId: '5a0f0000-6f1d-4c0a-9a57-1d2f6c3b8e90',
  source: 'repl',
  command: 'hook show dip',
  account: 'paper',
  startedAt: 1_795_326_740_000,
  finishedAt: 1_795_326_740_001,
  state: 'done',
}
const kept: { readonly output: KeptOutput; readonly orders: readonly RunOrder[] } = {
  output: {
    lines: [
      [250, 'success', 'bought 0.01 BTCUSDT\nand more'],
      [1_040, 'error', 'no money'],
    ],
    steps: [
      [0, 250, true, 'buy 0.01'],
      [250, 790, false, 'sell 5'],
    ],
    leftOut: 1_200,
  },
  orders: [
    {
      clientOrderId: '5a0e',
      orderId: 'p1',
      account: 'paper',
      at: 1,
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'market',
      amount: '0.01',
      filled: '0.01',
      average: '56388.9',
      state: 'closed',
    },
  ],
}

describe('runs', () => {
  it('lists what ran, with why it failed', async () => {
    const session = await createSession({ runs: [FIRE, TYPED] })
    const lines = await session.run('runs')
    expect(lines.join('\n')).toMatch(/5a0e81c2 .* 1s +failed +hook:dip +paper +buy 0\.01/)
    expect(lines.at(-1)).toBe('warn 5a0e81c2 failed: no money')
  })

  it('shows the line that an alert has filled, and the hook beside it', async () => {
    const filled = { ...FIRE, command: 'buy {size:usd<=500} stop -2%', values: { size: '250' } }
    const session = await createSession({ runs: [filled] })
    expect((await session.run('runs')).join('\n')).toMatch(/hook:dip +paper +buy \$250 stop -2%/)
    const shown = (await session.run(`runs show ${filled.runId}`)).join('\n')
    expect(shown).toMatch(
      /command +buy \$250 stop -2%\nprint hook +buy \{size:usd<=500\} stop -2%\nprint alert +size=250/,
    )
    const run = session.start('runs')
    await run.done
    expect(run.data[0]).toMatchObject({ runs: [{ command: filled.command, values: { size: '250' } }] })
  })

  it('shows the hook where its values no longer fit', async () => {
    const unfit = { ...FIRE, command: 'buy {size:usd<=500}', values: { other: '250' } }
    const session = await createSession({ runs: [unfit] })
    expect((await session.run('runs')).join('\n')).toContain('buy {size:usd<=500}')
  })

  it.each([
    ['skipped', 'skipped: cooldown of 30s', 'skipped: cooldown of 30s'],
    ['expired', 'expired: it waited longer than 30s', 'expired: it waited longer than 30s'],
    ['refused', 'bad alert: size `900` is above 500', 'refused: bad alert: size `900` is above 500'],
  ] as const)('says of a fire that never began that it was %s', async (unbegun, error, said) => {
    const session = await createSession({ runs: [{ ...FIRE, unbegun, error }] })
    const run = session.start('runs')
    await run.done
    expect(run.lines.join('\n')).toMatch(new RegExp(`5a0e81c2 .* ${unbegun} +hook:dip `))
    expect(run.lines.at(-1)).toBe(`warn 5a0e81c2 ${said}`)
    expect(run.data[0]).toMatchObject({ runs: [{ state: 'failed', unbegun }] })
  })

  it.each([
    ['runs --failed', ['5a0e81c2']],
    ['runs --hook dip', ['5a0e81c2']],
    ['runs --hook=AC4D', []],
    ['runs 1', ['5a0e81c2']],
    ['runs --since 2026-11-22T05:52:22', ['5a0e81c2']],
    ['runs list --since=2026-11-22T05:52:19', ['5a0e81c2', '5a0f0000']],
  ])('%s finds %j', async (line, ids) => {
    const session = await createSession({ runs: [FIRE, TYPED] })
    const run = session.start(line)
    await run.done
    expect(run.data).toMatchObject([{ type: 'runs', runs: ids.map((id) => ({ runId: expect.stringContaining(id) })) }])
  })

  it.each([
    ['runs --since soon', 'bad-argument', 14],
    ['runs --fialed', 'unexpected-argument', 6],
    ['runs 0', 'bad-argument', 6],
  ])('%s is refused at its place', async (line, code, column) => {
    const session = await createSession()
    const run = session.start(line)
    await run.done
    expect(run.lines[0]).toContain(code)
    expect(run.columns).toEqual([column])
  })
})

describe('runs show', () => {
  it('shows the command, the output with its times, what was not kept, and the orders', async () => {
    const session = await createSession({ runs: [FIRE, TYPED], kept })
    const lines = await session.run('runs show 5a0e')
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^print command +buy 0\.01$/),
        expect.stringMatching(/^print took +1s$/),
        expect.stringMatching(/^print sell 5 +\+250ms +790ms +failed$/),
        'print +250ms   bought 0.01 BTCUSDT',
        'print          and more',
        'print +1s      error: no money',
        'info 1,200 more lines were not kept',
        expect.stringMatching(/^print p1 +BTCUSDT +buy +market +0\.01 +0\.01 +56,388\.9 +filled$/),
      ]),
    )
  })

  it.each([
    ['runs show 5a', 'prefix-too-short'],
    ['runs show 5a0', 'prefix-too-short'],
    ['runs show ffff', 'unknown-run'],
    ['runs show nope', 'no hook of that name'],
  ])('%s is refused: %s', async (line, code) => {
    const session = await createSession({ runs: [FIRE, TYPED], kept })
    expect((await session.run(line))[0]).toContain(code)
  })

  it('takes the name of a hook for its newest run', async () => {
    const session = await createSession({ runs: [FIRE, TYPED], kept })
    const lines = await session.run('runs show dip')
    expect(lines).toContainEqual(expect.stringMatching(/^print run +5a0e81c2-/))
  })

  it('refuses an id that could be two', async () => {
    const session = await createSession({ runs: [FIRE, { ...TYPED, runId: '5a0e81c2-7' }] })
    expect((await session.run('runs show 5a0e81c2'))[0]).toContain('ambiguous')
  })

  it.each(['web', 'hook'] as const)('keeps what a terminal showed from a %s run', async (source) => {
    const session = await createSession({ runs: [FIRE, TYPED], kept })
    expect((await session.run('runs show 5a0f', { source }))[0]).toContain('terminal-only')
    expect((await session.run('runs show 5a0e', { source }))[0]).toContain('5a0e81c2')
  })
})

describe('`cancel` of a run', () => {
  const RUNNING: RunSummary = {
    runId: TYPED.runId,
    source: 'repl',
    command: 'repeat 9 (sleep 1m)',
    startedAt: 1,
    state: 'running',
  }

  it('ends one that is under way, by the id that `runs` shows', async () => {
    const session = await createSession({ runs: [RUNNING] })
    expect(await session.run('cancel 5a0f0000')).toEqual(['success run 5a0f0000 ends; its orders stay open'])
  })

  it.each(['cancel 5a0f000', 'cancel 5a0e81c2', 'cancel 5a0f0000 p1'])('ends nothing by `%s`', async (line) => {
    const session = await createSession({ runs: [RUNNING, FIRE] })
    expect(await session.run(line)).toEqual([expect.stringMatching(/^error bad-argument: .* is neither an open order/)])
  })
})

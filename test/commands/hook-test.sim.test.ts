import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { runsOf } from '../../harness/tiers/runs.ts'

async function withHook(line: string, options: Parameters<typeof createSession>[0] = {}): Promise<CommandSession> {
  const session = await createSession(options)
  const created = await session.run(line)
  expect(created[0]).toMatch(/^success created hook/)
  return session
}

const ALERT = 'hook create alert "buy {size:usd<=500} {symbol:in(BTCUSDT,ETHUSDT)} stop -2%"'
const last = async (session: CommandSession, line: string) => (await session.run(line)).at(-1)

describe('hook test', () => {
  it('shows each order with its figures, and places none', async () => {
    const session = await withHook('hook create dip "cancel; buy $250 BTCUSDT stop -2% tp +4%"')
    const journal = session.journal.length
    expect((await session.run('hook test dip')).map((line) => line.replace(/^print /, ''))).toEqual([
      'hook dip on account paper: cancel; buy $250 BTCUSDT stop -2% tp +4%',
      '#  symbol   side  type       amount        at    worth  stop               take-profit          fee         margin  notes',
      '1  BTCUSDT  buy   market  0.003 BTC  65,000.1  $195.00  63,700.0 (-$4.11)  67,600.0 (+$7.58)  $0.11  $19.50 at 10x  rounding cuts 22.0%',
      'profits and losses are after fees',
      'position on BTCUSDT: 0 BTC before, 0.003 BTC after',
      'success hook dip would run now; nothing was sent',
    ])
    expect(session.journal.length).toBe(journal)
    expect(await session.market.exchange.fetchPositions()).toEqual([])
  })

  it.each([
    'size=250 symbol=ETHUSDT',
    `'{"size":250,"symbol":"ETHUSDT"}'`,
    `'{"symbol":"BINANCE:ETHUSDT.P","size":"250"}'`,
  ])('fills the slots as a fire does: %s', async (body) => {
    const session = await withHook(ALERT)
    const run = session.start(`hook test alert ${body}`)
    expect(await run.done).toBe(true)
    expect(run.data).toMatchObject([
      {
        type: 'preview',
        hook: 'alert',
        ok: true,
        values: { size: '250', symbol: 'ETHUSDT' },
        orders: [{ symbol: 'ETHUSDT', amount: '0.08', stop: { triggerPrice: '2940' } }],
      },
    ])
  })

  describe('of an alert with an id and a time', () => {
    const STAMPED = 'hook create tv "buy {size:usd<=500} BTCUSDT -- {id:key} {at:time<=30s}"'
    const agoOf = (session: CommandSession, ms: number) => new Date(session.market.now() - ms).toISOString()

    it('names the run of which it would be a repeat', async () => {
      const session = await withHook(STAMPED, { keys: { A: '5a0e81c2-6f1d-4c0a-9a57-1d2f6c3b8e90' } })
      const fresh = agoOf(session, 1_000)
      expect(await last(session, `hook test tv size=100 id=A at=${fresh}`)).toBe(
        'error would-not-run: a fire would be a repeat of run 5a0e81c2: it runs nothing | `runs show 5a0e81c2` shows it',
      )
      expect(await last(session, `hook test tv size=100 id=B at=${fresh}`)).toBe(
        'success hook tv would run now; nothing was sent',
      )
    })

    it.each([
      [48 * 60_000, '48 min old'],
      [-3_600_000, 'its time is 60 min ahead of the clock here'],
    ])('says that it would be skipped, %d ms old', async (ms, why) => {
      const session = await withHook(STAMPED)
      const run = session.start(`hook test tv size=100 id=A at=${agoOf(session, ms)}`)
      expect(await run.done).toBe(false)
      expect(run.lines.at(-1)).toBe(`error would-not-run: a fire would be skipped: ${why}`)
      expect(run.data[0]).toMatchObject({ ok: false, blocked: { code: 'age' } })
    })
  })

  it.each([
    ['', 'bad alert: the body is empty'],
    ['size=250', 'bad alert: symbol is missing'],
    ['size=501 symbol=BTCUSDT', 'bad alert: size `501` is above 500'],
    ['size=250 symbol=DOGEUSDT', 'bad alert: symbol'],
    [`'{"size":250,"symbol":"BTCUSDT","symbol":"ETHUSDT"}'`, 'is given twice'],
  ])('fails where the body %j would be refused', async (body, why) => {
    const session = await withHook(ALERT)
    const run = session.start(`hook test alert ${body}`)
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual([expect.stringContaining(why)])
    expect(run.data).toMatchObject([{ type: 'error', code: 'bad-alert' }])
  })

  it('lets no body become anything but values of its slots', async () => {
    const session = await withHook(ALERT)
    const files = () => session.ports.hooks.list()
    const before = files()
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ maxLength: 60 }), fc.json({ maxDepth: 1 })), async (body) => {
        const [hook] = session.ports.hooks.list()
        const run = session.start(`hook test ${hook?.id} "${body.replace(/[\\"]/g, '\\$&')}"`)
        await run.done
        const [found] = run.data.filter(({ type }) => type === 'preview') as { orders?: { symbol: string }[] }[]
        for (const { symbol } of found?.orders ?? []) expect(['BTCUSDT', 'ETHUSDT']).toContain(symbol)
        expect(files()).toEqual(before)
      }),
      { numRuns: runsOf(200) },
    )
    expect(await session.market.exchange.fetchPositions()).toEqual([])
  })

  it('fails where a step would fail, with the place in its body', async () => {
    const session = await withHook('hook create dip "set @x 500; buy @x"')
    const run = session.start('hook test dip')
    expect(await run.done).toBe(false)
    expect(run.lines.slice(-4)).toEqual([
      expect.stringMatching(/^error `500` could be money/),
      'error set @x 500; buy @x',
      'error                 ^',
      'error would-fail: hook dip would fail now',
    ])
  })

  it.each([
    ['hook create dip "buy $250" --dry', undefined, 'would-not-run: the hook is dry: its fires send nothing'],
    ['hook create dip "buy $250"', 'sim on', 'would-not-run: simulation is on for account paper: nothing is sent'],
    ['hook create dip "buy $250"', 'hook pause dip', 'would-not-run: a fire would be skipped: the hook is paused'],
    [
      'hook create dip "buy $250" --only-if long',
      undefined,
      'would-not-run: a fire would be skipped: BTCUSDT is flat, and it runs only if long',
    ],
    [
      'hook create dip "buy $250" --only-if flat',
      'buy 0.01',
      'would-not-run: a fire would be skipped: BTCUSDT is long, and it runs only if flat',
    ],
  ])('says what would keep it from running: %s; %s', async (create, before, why) => {
    const session = await withHook(create)
    if (before !== undefined) await session.run(before)
    const run = session.start('hook test dip')
    expect(await run.done).toBe(false)
    expect(run.lines.at(-1)).toContain(`error ${why}`)
    expect(run.data).toMatchObject([{ type: 'preview', ok: false, orders: [{ side: 'buy' }] }, { type: 'error' }])
  })

  it('counts what its orders are worth together against its --max', async () => {
    const session = await withHook('hook create dip "buy 0.001; buy 0.002; buy 0.001" --max $200')
    const run = session.start('hook test dip')
    expect(await run.done).toBe(false)
    expect(run.data).toMatchObject([
      {
        orders: [{ amount: '0.001' }, { amount: '0.002' }, { refused: { code: 'guarded' } }],
        errors: [{ code: 'guarded' }],
      },
      { type: 'error', code: 'would-fail' },
    ])
  })

  it.each([
    ['size=200', 'warn hook tv would run now with id and at, which a fire needs; nothing was sent'],
    ['size=200 id=7', 'warn hook tv would run now with at, which a fire needs; nothing was sent'],
    ['size=200 id=7 at=2026-01-01T00:00:00Z', 'success hook tv would run now; nothing was sent'],
  ])('names what a fire with %s is refused without', async (body, line) => {
    const session = await withHook('hook create tv "buy {size:usd<=500} BTCUSDT -- {id:key} {at:time<=60s}"')
    expect(await last(session, `hook test tv ${body}`)).toBe(line)
  })

  it('says that a limit which counts runs would skip it', async () => {
    const session = await withHook('hook create dip "buy $250" --cooldown 5m', {
      begun: [{ runId: 'r', at: Date.UTC(2026, 0, 1), resumed: 0 }],
    })
    expect(await last(session, 'hook test dip')).toContain('would-not-run: a fire would be skipped: cooldown of 5m')
  })

  it('says that the switches and a panic keep every hook from running', async () => {
    const session = await withHook('hook create dip "echo ok"')
    await session.run('panic')
    expect(await last(session, 'hook test dip')).toContain('would-not-run: panic is on: no hook runs')
  })

  it('ignores a body where the hook has no slots, as a fire does', async () => {
    const session = await withHook('hook create dip "buy $250"')
    const lines = await session.run('hook test dip size=900')
    expect(lines[0]).toBe('info the body is ignored: this hook has no slots')
    expect(lines.at(-1)).toBe('success hook dip would run now; nothing was sent')
  })

  it('works out on the account of the hook', async () => {
    const session = await createSession()
    await session.run('account add swing paper; hook create dip "buy $250" --account swing')
    const run = session.start('hook test dip')
    await run.done
    expect(run.data).toMatchObject([{ account: 'swing', orders: [{ account: 'swing' }] }])
  })
})

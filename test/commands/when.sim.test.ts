// `when`, `every`, `at` and an `alert` on a condition, as they are typed and as they act.
import { describe, expect, it } from 'vitest'
import { createSession, type SessionOptions } from '../../harness/commands/command-session.ts'
import { CANDLE_MS, type Candle, type CandleInterval } from '../../src/exchange/market.ts'

/** Between the prices that a condition sees within a minute; a bar's close is followed second by second. */
const TICK_MS = 10_000

/** BTCUSDT is at 65,000; bars say what the price was when they closed. */
async function createStage(mostBars = 1_000, options: SessionOptions = {}) {
  const session = await createSession(options)
  const { market } = session
  const closes = new Map<number, string>()
  const { exchange } = market
  const fetchCandles = async (_symbol: string, interval: CandleInterval, limit: number): Promise<readonly Candle[]> => {
    const ms = CANDLE_MS[interval]
    const now = Math.floor(market.now() / ms) * ms
    const count = Math.min(limit, mostBars)
    return Array.from({ length: count }, (_, index) => {
      const at = now - (count - 1 - index) * ms
      const close = closes.get(at + ms) ?? '65000'
      return { at, open: close, high: close, low: close, close, volume: '1' }
    })
  }
  const withBars = new Proxy(exchange, {
    get(target, key) {
      if (key === 'fetchCandles') return fetchCandles
      const value = Reflect.get(target, key) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const { useExchange: connectTo } = session
  connectTo(withBars)
  /** The next minutes close at these prices. */
  const minutes = async (...prices: readonly string[]) => {
    for (const price of prices) {
      market.setPrice('BTCUSDT', price)
      const closesAt = (Math.floor(market.now() / 60_000) + 1) * 60_000
      closes.set(closesAt, price)
      await session.advance(closesAt - market.now(), TICK_MS)
      await session.advance(2_000)
    }
  }
  const tasks = () => session.ports.tasks.list()
  const held = async () => (await exchange.fetchPositions()).map(({ side, symbol }) => `${side} ${symbol}`)
  return { ...session, minutes, tasks, held }
}

const anonymous = (lines: readonly string[]) => lines.map((line) => line.replace(/\b[0-9a-f]{8}\b/g, 'a1b2c3'))

describe('a distance in a condition', () => {
  it.each([
    ['when price < -0.05% (close)', 'price < 64,967.5, runs close'],
    ['when BTCUSDT last crosses above +1% (close)', 'last crosses above 65,650, runs close'],
    ['when "last > +1% and rsi(14, 1h) < 60" (close)', 'last > 65,650 and rsi(14, 1h) < 60, runs close'],
    ['when each BTCUSDT < -2% for 30s (close)', 'last < 63,700 for 30s, runs close'],
    ['alert last < -1% or last > +1%', 'last < 64,350 or last > 65,650, reports it'],
  ])('counts from the last price as it is now, and is said as a price: `%s`', async (line, says) => {
    for (const source of ['repl', 'exec'] as const) {
      const { run, ports } = await createSession()
      expect((await run(line, { source }))[0]).toContain(says)
      expect(ports.tasks.list()).toHaveLength(1)
    }
  })

  it.each([
    'when rsi(14, 1h) < -5% (close)',
    'when price < 5% (close)',
    'when price < -0.05%x (close)',
    'hook create dip "close" --when "price < -2%"',
  ])('is none elsewhere: `%s`', async (line) => {
    const { run, ports } = await createSession()
    expect((await run(line))[0]).toMatch(/^error bad-condition: .*`?%/)
    expect(ports.tasks.list()).toEqual([])
  })
})

describe('a line that is typed behind a condition', () => {
  it('runs at the close of the bar, once', async () => {
    const made = await createStage()
    expect(anonymous(await made.run('when close(1m) crosses above sma(3) (buy $500)'))).toEqual([
      'success when a1b2c3: once BTCUSDT close(1m) crosses above sma(3), runs buy $500 (`tasks show a1b2c3` lists its values, `tasks cancel a1b2c3`)',
    ])
    await made.minutes('64900', '64800')
    expect(await made.held()).toEqual([])
    await made.minutes('65500')
    expect(await made.held()).toEqual(['long BTCUSDT'])
    expect(made.tasks()).toMatchObject([
      { kind: 'when', status: 'done', reason: expect.stringMatching(/^its line ran at /) },
    ])
    await made.minutes('64000', '66000')
    expect(await made.held()).toEqual(['long BTCUSDT'])
  })

  it.each([
    ['each', 'when each last < 64000 (buy $500)'],
    ['once', 'when last < 64000 (buy $500)'],
    ['each, for a time', 'when each last < 64000 for 2s (buy $500)'],
  ])('names at its resume what prices made true in its pause, and runs nothing of it: %s', async (_name, line) => {
    const made = await createStage()
    await made.run(line)
    const [task] = made.tasks()
    const id = task?.id.slice(0, 8) ?? ''
    await made.run(`tasks pause ${id}`)
    made.market.setPrice('BTCUSDT', '63000')
    await made.advance(10_000)
    made.market.setPrice('BTCUSDT', '65000')
    await made.advance(10_000)
    const missed = /the condition became true at \d{4}-.* UTC, while it was paused: missed/
    expect((await made.run(`tasks show ${id}`)).join('\n')).toMatch(missed)
    await made.run(`tasks resume ${id}`)
    await made.advance(2_000)
    const shown = (await made.run(`tasks show ${id}`)).join('\n')
    expect(shown.match(new RegExp(missed, 'g'))).toHaveLength(1)
    expect(await made.held()).toEqual([])
    made.market.setPrice('BTCUSDT', '63000')
    await made.advance(10_000)
    expect(await made.held()).toEqual(['long BTCUSDT'])
  })

  it.each([
    ['when last > 60000 (buy $500)', true],
    ['when each last > 60000 for 30s (buy $500)', true],
    ['when close(1m) > 60000 (buy $500)', true],
    ['when mark > 60000 and position == 0 and equity > 1 (buy $500)', true],
    ['when last > 66000 (buy $500)', false],
    ['when close(1m) crosses above 60000 (buy $500)', false],
  ])('that is true already is named: %s', async (line, isSo) => {
    for (const source of ['repl', 'exec'] as const) {
      const made = await createStage()
      const run = made.start(line, { source })
      expect(await run.done, run.lines.join()).toBe(true)
      const warning =
        'warn already true on BTCUSDT: the condition has to become false, then true again, before the task runs'
      expect(run.lines.slice(1)).toEqual(isSo ? [warning] : [])
      expect(run.data.some((each) => (each as { holds?: boolean }).holds === true)).toBe(isSo)
      await made.minutes('65100')
      expect(await made.held()).toEqual([])
    }
  })

  it('is news each time that an alert reports it, and when its line fails', async () => {
    const news: string[] = []
    const made = await createStage(1_000, {
      onTaskReport: (report) => report.type === 'news' && void news.push(report.text),
    })
    await made.run('alert each close(1m) > 65000 "up"')
    await made.run('when each close(1m) < 64000 (buy $1 BTCUSDT)')
    await made.minutes('65100', '64900', '65200', '63000')
    expect(news).toEqual([
      expect.stringMatching(/^BTCUSDT: close\(1m\) > 65,000, at .*: up$/),
      expect.stringMatching(/^BTCUSDT: close\(1m\) > 65,000, at .*: up$/),
      expect.stringMatching(/^its line failed at .* UTC: /),
    ])
  })

  it('takes a symbol and a price, as `alert` does: the last price is meant', async () => {
    const made = await createStage()
    expect(anonymous(await made.run('when BTCUSDT > 66000 (buy $500)'))).toEqual([
      'success when a1b2c3: once BTCUSDT last > 66,000, runs buy $500 (`tasks show a1b2c3` lists its values, `tasks cancel a1b2c3`)',
    ])
    await made.advance(2_000)
    await made.minutes('66500')
    expect(await made.held()).toEqual(['long BTCUSDT'])
  })

  it.each([
    ['when price < 64000 (buy $500)', 'price < 64,000'],
    ['when BTCUSDT price < 64000 (buy $500)', 'price < 64,000'],
    ['when price BTCUSDT < 64000 (buy $500)', 'price < 64,000'],
  ])('takes the price, as `wait` and `alert` do: %s', async (line, condition) => {
    const made = await createStage()
    const [said = ''] = await made.run(line)
    expect(said).toContain(`once BTCUSDT ${condition}, runs buy $500`)
    await made.advance(2_000)
    await made.minutes('63500')
    expect(await made.held()).toEqual(['long BTCUSDT'])
  })

  it('runs each time, until it is canceled', async () => {
    const made = await createStage()
    await made.run('when each last > 66000 (buy $500)')
    await made.advance(2_000)
    await made.minutes('66500', '65000', '66500')
    expect((await made.market.exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 10 })).length).toBe(2)
    await made.run('tasks cancel --all')
    await made.minutes('65000', '66500')
    expect((await made.market.exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 10 })).length).toBe(2)
  })

  it('shows its values and the bar that it judged last', async () => {
    const made = await createStage()
    await made.run('when close(1m) > sma(3) and last > 70000 (buy $500)')
    await made.minutes('65100')
    expect(made.tasks()[0]?.doing).toMatch(
      /^waits for .*; now close\(1m\) 65,100, sma\(3, 1m\) 65,033\.333, last 65,\d{3}\.?\d*, judged last at 2026-01-01 00:01:00 UTC$/,
    )
  })

  it('is lost under a panic, told, and comes again after it', async () => {
    const made = await createStage()
    await made.run('when last > 66000 (buy $500)')
    await made.advance(2_000)
    await made.run('panic')
    await made.minutes('66500')
    expect(await made.held()).toEqual([])
    const [{ id = '', status = '' } = {}] = made.tasks()
    expect(status).toBe('running')
    expect((await made.ports.tasks.history(id)).map(({ text }) => text)).toContainEqual(
      expect.stringContaining('and did not run: panic is on'),
    )
    await made.run('resume')
    await made.minutes('66600')
    expect(await made.held()).toEqual([])
    await made.minutes('65000', '66600')
    expect(await made.held()).toEqual(['long BTCUSDT'])
  })

  it('is lost while its task is paused', async () => {
    const made = await createStage()
    await made.run('when each close(1m) > 66000 (buy $500)')
    await made.minutes('65000')
    await made.run('tasks pause --all')
    await made.minutes('66500', '65000', '66500')
    await made.run('tasks resume --all')
    await made.advance(2_000)
    expect(await made.held()).toEqual([])
    const [{ id = '' } = {}] = made.tasks()
    expect((await made.ports.tasks.history(id)).map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/: missed$/),
    )
    await made.minutes('65000', '66500')
    expect(await made.held()).toEqual(['long BTCUSDT'])
  })

  it('is held by the limits of an order that is typed', async () => {
    const made = await createStage()
    await made.run('guards set paper order $100')
    await made.run('when last > 66000 (buy $500)')
    await made.advance(2_000)
    await made.minutes('66500')
    expect(await made.held()).toEqual([])
    expect(made.tasks()).toMatchObject([
      { status: 'failed', reason: expect.stringMatching(/^its line failed at .*guarded/) },
    ])
  })

  it.each(['hook', 'web'] as const)('is refused to a %s', async (source) => {
    const made = await createStage()
    for (const line of ['when last > 1 (buy $5)', 'every 4h (buy $5)', 'at 14:30 (buy $5)']) {
      const run = made.start(line, { source })
      await run.done
      expect(run.lines.join()).toContain('error not-allowed-here')
    }
    expect(made.tasks()).toEqual([])
  })

  it.each([
    ['when last > 70000', 'missing-argument: the commands are missing', 18],
    ['when (buy $5)', 'missing-argument: the condition is missing', 1],
    ['when emma(5) > last (buy $5)', 'bad-condition: `emma` is not a value', 6],
    ['when last > 70000 (byu $5)', '', undefined],
    ['when last > 70000 (buy)', 'missing-argument', undefined],
    ['when last > 70000 (exit)', 'bad-argument', 20],
    [
      'when (last > 70000 or bid > 3) (buy $5)',
      'bad-condition: parentheses around a condition are read as commands',
      6,
    ],
    [
      'when close(1m) / (5 - 5) > 1 (buy $5)',
      'bad-condition: parentheses around a condition are read as commands here | put the whole condition in quotes',
      18,
    ],
    ['when "close(1m) / (5 - 5) > 1" (buy $5)', 'bad-condition: it divides by zero', 17],
    ['when last > 5 & bid > 3 (buy $5)', 'bad-condition: `&` joins commands | type and', 15],
    ['when last > 5 && bid > 3 (buy $5)', 'bad-condition: `&&` joins commands | type and', 15],
    ['when last > 5 || bid > 3 (buy $5)', 'bad-condition: `||` joins commands | type or', 15],
    ['alert close(1m) / (5 - 5) > 1', 'bad-condition: parentheses around a condition are read as commands', 19],
    ['alert last > 5 && rsi(14,1m) < 3', 'bad-condition: `&&` joins commands | type and', 16],
    ['alert last > 5 || close(1m) crosses above 3', 'bad-condition: `||` joins commands | type or', 16],
    ['when NOPE last > 70000 (buy $5)', 'unknown-symbol: paper has no market NOPE', undefined],
    ['when "last > 70000 and (bid > 3 or ask >" (buy $5)', 'bad-condition: a value is missing', undefined],
  ])('%s is refused', async (line, refusal, column) => {
    const made = await createStage()
    const run = made.start(line)
    await run.done
    if (refusal === '') return
    expect(run.lines.join()).toContain(`error ${refusal}`)
    if (column !== undefined) expect(run.columns).toEqual([column])
    expect(made.tasks()).toEqual([])
  })

  it('is refused where the venue has too few bars', async () => {
    const made = await createStage(21)
    const [printed] = await made.run('when close(1d) > sma(50) (buy $5)')
    expect(printed).toMatch(
      /^error bad-argument: it needs 51 bars of 1d, and \S+ has 20 \| ask for fewer bars, or wait 744 h$/,
    )
    expect(made.tasks()).toEqual([])
  })
})

describe('an alert on a condition', () => {
  it('reports once, and orders nothing', async () => {
    const made = await createStage()
    expect(anonymous(await made.run('alert close(1m) > sma(3) and last > 65000 "look at it"'))).toEqual([
      expect.stringContaining('success alert a1b2c3: once BTCUSDT close(1m) > sma(3) and last > 65,000, reports it'),
    ])
    await made.minutes('65000', '65600')
    expect(made.tasks()).toMatchObject([
      { status: 'done', reason: expect.stringMatching(/^BTCUSDT: close\(1m\) > .*, at 2026-.* UTC: look at it$/) },
    ])
  })

  it('is told from a price', async () => {
    const made = await createStage()
    await made.run('alert last > 70000')
    await made.run('alert ETHUSDT rsi(14, 1m) > 70')
    expect(
      made
        .tasks()
        .map(({ kind, symbol }) => `${kind} ${symbol}`)
        .sort(),
    ).toEqual(['alert BTCUSDT', 'alert ETHUSDT'])
  })
})

describe('a line with its times', () => {
  it('runs at each of them', async () => {
    const made = await createStage()
    expect(anonymous(await made.run('every 15m (buy $500 BTCUSDT)'))).toEqual([
      'success every a1b2c3: runs buy $500 BTCUSDT every 15m, next at 2026-01-01 00:15:00 UTC (`tasks cancel a1b2c3`)',
    ])
    await made.advance(14 * 60_000, TICK_MS)
    expect(await made.held()).toEqual([])
    await made.advance(2 * 60_000)
    expect(await made.held()).toEqual(['long BTCUSDT'])
    expect(made.tasks()).toMatchObject([
      { kind: 'every', status: 'running', doing: 'next 00:30:00 UTC: buy $500 BTCUSDT; ran once' },
    ])
  })

  it('runs once at its time of day in a zone', async () => {
    const made = await createStage()
    await made.run('at 01:05 Europe/Berlin (buy $500)')
    await made.advance(6 * 60_000, TICK_MS)
    expect(await made.held()).toEqual(['long BTCUSDT'])
    expect(made.tasks()).toMatchObject([{ kind: 'at', command: 'at 01:05 Europe/Berlin (buy $500)', status: 'done' }])
  })

  it.each([
    ['at 2025-01-01 00:00 (buy $5)', 'bad-argument: at 2025-01-01 00:00 UTC has passed'],
    ['every day (buy $5)', 'missing-argument: the time of day is missing'],
    ['every day 09:00 CET (buy $5)', 'bad-condition: `CET` is not a time zone'],
    ['every day 09:00', 'missing-argument: the commands are missing'],
    ['every day 09:00 --late 8d (buy $5)', 'bad-duration'],
    ['every 4h --dry (buy $5)', 'unexpected-argument'],
  ])('%s is refused', async (line, refusal) => {
    const made = await createStage()
    expect((await made.run(line)).join()).toContain(`error ${refusal}`)
    expect(made.tasks()).toEqual([])
  })
})

describe('a line that would be refused now', () => {
  it.each([
    ['at 23:30 (buy $1000 BTCUSDT stop 6600)', 'the stop at 6,600.0 is 90% below the last price, 65,000.0'],
    ['when BTCUSDT last > 66615 (buy $1000 NOPEUSDT)', 'has no market NOPEUSDT'],
    [
      'when each ETHUSDT last > 99999 (buy $1000 stop +2%)',
      'a sell stop goes below the last price, and 3,060.00 is above it',
    ],
    [
      'every day 09:00 (buy risk 50% stop -8%)',
      'the buy is worth 6.2 times the equity and risks 50% of it at its stop',
    ],
  ])('warns when it is typed, and is kept: %s', async (line, why) => {
    for (const source of ['repl', 'exec'] as const) {
      const made = await createStage()
      const said = await made.run(line, { source })
      expect(said[0]).toMatch(/^success /)
      expect(said[1]).toContain('warn a run now would be refused: ')
      expect(said[1]).toContain(why)
      expect(made.tasks()).toHaveLength(1)
      expect(await made.held()).toEqual([])
    }
  })

  it.each(['at 23:30 (close BTCUSDT)', 'when last > 66615 (buy $1000 stop -1%)', 'every 4h (status)'])(
    'is not one that may run: %s',
    async (line) => {
      const made = await createStage()
      expect(await made.run(line)).toEqual([expect.stringMatching(/^success /)])
    },
  )
})

describe('each stop and what it does to lines that run by themselves', () => {
  const ADDS = 'buy $500'
  const REDUCES = 'sell 0.001 BTCUSDT reduce'
  type Sends = readonly [during: boolean, after: boolean]
  /** What is typed, what lifts it, and whether a line that adds, and one that reduces, sends under it and after it. */
  const STOPS: readonly (readonly [stop: string, lift: string, adds: Sends, reduces: Sends])[] = [
    ['panic', 'resume', [false, true], [false, true]],
    ['halt', 'resume', [false, true], [true, true]],
    ['halt --reducing', 'resume', [false, true], [true, true]],
    ['guards set paper order $100', 'guards set paper order off --yes', [false, true], [true, true]],
    ['sim on paper', 'sim off paper', [false, true], [false, true]],
    ['switch off remoteExec', 'switch on remoteExec', [true, true], [true, true]],
    ['switch off enabled', 'switch on enabled', [true, true], [true, true]],
    ['tasks pause --all', 'tasks resume --all', [false, true], [false, true]],
    ['tasks cancel --all', 'echo done', [false, false], [false, false]],
    ['nuke --yes', 'buy 0.1 BTCUSDT', [false, false], [false, false]],
  ]
  const cells = STOPS.flatMap(([stop, lift, adds, reduces]) => [
    { stop, lift, cause: 'when each last > 66000', line: ADDS, sends: adds },
    { stop, lift, cause: 'every 1m', line: ADDS, sends: adds },
    { stop, lift, cause: 'when each close(1m) > 66000', line: REDUCES, sends: reduces },
  ])

  it.each(cells)('`$stop`: $cause ($line)', async ({ stop, lift, cause, line, sends }) => {
    const made = await createStage()
    await made.run('buy 0.1 BTCUSDT')
    await made.run(`${cause} (${line})`)
    const trades = async () => (await made.market.exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 100 })).length
    /** Whether something was sent while the price went up and down again. */
    const hasSent = async () => {
      const before = await trades()
      await made.minutes('65000', '66500', '65000')
      return (await trades()) > before
    }
    expect(await hasSent(), 'before it').toBe(true)
    await made.run(stop)
    const [during, after] = sends
    expect(await hasSent(), 'under it').toBe(during)
    await made.run(lift)
    expect(await hasSent(), 'after it').toBe(after)
  })

  it.each([
    ['panic', 'resume', 'failed'],
    ['tasks pause --all', 'tasks resume --all', 'failed'],
    ['halt', 'resume', 'failed'],
    ['tasks cancel --all', 'echo done', 'cancelled'],
  ])('`%s`: a line that is due once under it is missed', async (stop, lift, status) => {
    const made = await createStage()
    await made.run('at 00:02 (buy $500)')
    const [{ id = '' } = {}] = made.tasks()
    const shown = async () => (await made.run(`tasks show ${id.slice(0, 8)}`)).join('\n')
    expect(await shown()).toContain('continues by itself')
    await made.run(stop)
    await made.minutes('65000', '65000', '65000')
    await made.run(lift)
    await made.minutes('65000')
    expect(await made.held()).toEqual([])
    expect(made.tasks()).toMatchObject([{ kind: 'at', status }])
    expect(await shown()).not.toContain('continues by itself')
  })
})

describe('a price of a condition that is far away', () => {
  it.each([
    ['when last > 700000 (echo up)', '700,000.0 is 977% above the last price, 65,000.0'],
    [
      'when each close(1m) crosses below 6500 and rsi(3) < 30 (echo down)',
      '6,500.0 is 90% below the last price, 65,000.0',
    ],
    ['when "not (6500 < bid)" (echo down)', '6,500.0 is 90% below the last price, 65,000.0'],
    ['alert close(1m) > 700000', '700,000.0 is 977% above the last price, 65,000.0'],
    ['wait price < 6600 timeout=1s', '6,600.0 is 90% below the last price, 65,000.0'],
    ['wait last > 700000 and bid > 1 timeout=1s', '700,000.0 is 977% above the last price, 65,000.0'],
  ])('is named: %s', async (line, far) => {
    for (const source of ['repl', 'exec'] as const) {
      const made = await createStage()
      const run = made.start(line, { source })
      await made.settle()
      await made.advance(1_000)
      await run.done
      expect(run.lines.filter((each) => each.includes('the last price'))).toContain(`warn ${far}`)
    }
  })

  it.each([
    'when rsi(3) < 30 (echo down)',
    'when volume(1m) > 700000 (echo up)',
    'when pnl > 5 (echo up)',
    'when last > 66000 (echo up)',
    'when last > 1 (echo up)',
    'wait price < -40% timeout=1s',
    'wait pnl < -50 timeout=1s',
  ])('is none: %s', async (line) => {
    const made = await createStage()
    const run = made.start(line)
    await made.settle()
    await made.advance(1_000)
    await run.done
    expect(run.lines.join()).not.toContain('the last price')
  })
})

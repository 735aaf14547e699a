import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import type { StartedRun } from '../../harness/commands/started-run.ts'
import { lookup } from '../../src/commands/catalogue.ts'
import { callsIn } from '../../src/language/expansion.ts'
import { LanguageError } from '../../src/language/language-error.ts'
import { parseChain } from '../../src/language/parse.ts'

async function started(session: CommandSession, line: string): Promise<StartedRun> {
  const run = session.start(line)
  await session.settle()
  return run
}

/** Sets a price and lets the market tick once. */
async function price(session: CommandSession, value: string, symbol = 'BTCUSDT'): Promise<void> {
  session.market.setPrice(symbol, value)
  await session.advance(1000)
}

describe('sleep and wait <duration>', () => {
  it.each([
    ['sleep 5', '5'],
    ['wait 1.5', '1.5'],
    ['wait flat timeout=10', '10'],
    ['wait price > 65000 for=2', '2'],
    ['twap buy $1000 into 5 over 10', '10'],
    ['chase buy $100 for 5', '5'],
    ['repeat 2 (echo hi; sleep 1)', '1'],
  ])('%s is refused before anything of its line runs, with both readings', async (line, number) => {
    for (const source of ['repl', 'exec', 'web'] as const) {
      const session = await createSession()
      const run = session.start(`buy 0.01; ${line}`, { source })
      expect(await run.done).toBe(false)
      expect(run.lines.join('\n')).toContain(
        `\`${number}\` could be seconds or minutes | type ${number}s for seconds or ${number}m for minutes`,
      )
      expect(await session.market.exchange.fetchPositions()).toEqual([])
    }
  })

  it('without a unit still runs in a hook that was stored with it, and is in no new one', async () => {
    const session = await createSession()
    const run = session.start('buy 0.01; sleep 5; close', { source: 'hook' })
    await session.settle()
    await session.advance(6_000)
    expect(await run.done).toBe(true)
    expect((await session.run('hook create old "buy 0.01; sleep 5; close"')).join('\n')).toContain(
      'could be seconds or minutes',
    )
  })

  it.each(['sleep 5s', 'wait 5s'])('%s takes five seconds', async (line) => {
    const session = await createSession()
    const run = await started(session, `${line}; echo done`)
    await session.advance(4000)
    expect(run.lines).toEqual([])
    await session.advance(1000)
    expect(run.lines).toEqual(['print done'])
    expect(await run.done).toBe(true)
  })

  it('ends with the run', async () => {
    const session = await createSession()
    const run = await started(session, 'sleep 10m')
    run.abort()
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual(['error interrupted: the run was canceled'])
  })

  it.each(['sleep', 'sleep 11m', 'sleep soon', 'sleep 1s 2s', 'wait 11m'])('refuses `%s`', async (line) => {
    const session = await createSession()
    const run = session.start(line)
    expect(await run.done).toBe(false)
    expect(run.columns).toHaveLength(1)
  })
})

describe('wait price', () => {
  it.each([
    // Upward the ask counts (one tick of 0.1 above last), downward the bid.
    ['price > 65010', '65009.9', '65010'],
    ['price >= 65010', '65009.8', '65009.9'],
    ['price < 64990', '64990.1', '64990'],
    ['last > 65010', '65010', '65010.1'],
    ['last == 65010', '65009.9', '65010'],
    ['bid >= 65010', '65010', '65010.1'],
    ['price > +1%', '65649.9', '65650'],
    ['price < -100', '64900.1', '64900'],
    ['price BTCUSDT > 65010', '65009.9', '65010'],
  ])('%s: not yet at %s, but at %s', async (condition, notYet, enough) => {
    const session = await createSession()
    const run = await started(session, `wait ${condition}; echo done`)
    await price(session, notYet)
    expect(run.lines).toEqual([])
    await price(session, enough)
    expect(run.lines).toEqual(['print done'])
  })

  it('ends at once when it is so already', async () => {
    const session = await createSession()
    expect(await session.run('wait price > 60000; echo done')).toEqual(['print done'])
  })

  it('watches another symbol than the one in focus', async () => {
    const session = await createSession()
    const run = await started(session, 'wait price ETHUSDT > 3100')
    await price(session, '70000')
    expect(run.ended).toBe(false)
    await price(session, '3200', 'ETHUSDT')
    expect(run.ended).toBe(true)
  })

  it('fails the step at its timeout, which ends the chain', async () => {
    const session = await createSession()
    const run = await started(session, 'wait price > 70000 timeout=30s; echo next')
    await session.advance(29_000)
    expect(run.ended).toBe(false)
    await session.advance(1000)
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual(['error timeout: timed out after 30s', 'warn not run: echo next'])
  })

  it('with for= asks that it holds without a break', async () => {
    const session = await createSession()
    const run = await started(session, 'wait price > 66000 for=5s')
    await price(session, '66100')
    await session.advance(3000)
    await price(session, '65900')
    await price(session, '66100')
    await session.advance(4000)
    expect(run.ended).toBe(false)
    await session.advance(1000)
    expect(run.ended).toBe(true)
    expect(await run.done).toBe(true)
  })

  it.each(['wait price > 70000', 'wait price > 60000 for=5s'])('`%s` fails when the run is cut short', async (line) => {
    const session = await createSession()
    const run = await started(session, line)
    run.abort()
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual(['error interrupted: the run was canceled'])
  })

  it('stops listening when it ends', async () => {
    const session = await createSession()
    const { exchange } = session.market
    const subscribe = exchange.subscribe.bind(exchange)
    let listening = 0
    const counted = {
      ...exchange,
      subscribe(handler: Parameters<typeof subscribe>[0]) {
        const stop = subscribe(handler)
        listening += 1
        return () => {
          listening -= 1
          stop()
        }
      },
    }
    session.useExchange(counted)
    const run = await started(session, 'wait price > 70000 timeout=1s')
    expect(listening).toBe(1)
    await session.advance(1000)
    expect(run.ended).toBe(true)
    expect(listening).toBe(0)
  })

  it.each([
    ['wait', /^error missing-argument/],
    ['wait price', /^error bad-condition/],
    ['wait price > ', /^error missing-argument|^error bad-price/],
    ['wait price NOPE > 1', /^error unknown-symbol/],
    ['wait price > $entry', /^error no-position/],
    ['wait pnl > 5', /^error no-position/],
    ['wait nonsense', /^error bad-condition/],
  ])('refuses `%s`', async (line, says) => {
    const session = await createSession()
    expect(await session.run(line)).toEqual([expect.stringMatching(says)])
  })
})

describe('wait pnl', () => {
  it('follows the position on the symbol', async () => {
    const session = await createSession()
    await session.run('buy 0.1')
    const run = await started(session, 'wait pnl < -50')
    await price(session, '64600')
    expect(run.ended).toBe(false)
    await price(session, '64400')
    expect(run.ended).toBe(true)
    expect(await run.done).toBe(true)
  })

  it('fails when the position goes', async () => {
    const session = await createSession()
    await session.run('buy 0.1')
    const run = await started(session, 'wait pnl > 1000')
    await session.run('close')
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual([expect.stringMatching(/^error no-position/)])
  })
})

describe('wait for positions', () => {
  it.each([
    ['wait position', 'buy 0.1 ETHUSDT', 'sell 0.01'],
    ['wait long', 'sell 0.01', 'buy 0.02 flip'],
    ['wait short ETHUSDT', 'sell 0.01', 'sell 0.1 ETHUSDT'],
    ['wait anyposition', 'echo nothing', 'sell 0.1 ETHUSDT'],
  ])('`%s`: not after `%s`, but after `%s`', async (line, notYet, enough) => {
    const session = await createSession()
    const run = await started(session, line)
    await session.run(notYet)
    await session.settle()
    expect(run.ended).toBe(false)
    await session.run(enough)
    await session.settle()
    expect(run.ended).toBe(true)
    expect(await run.done).toBe(true)
  })

  it('`wait flat` ends when the position is gone', async () => {
    const session = await createSession()
    await session.run('buy 0.02')
    const run = await started(session, 'wait flat')
    await session.run('close 50%')
    await session.settle()
    expect(run.ended).toBe(false)
    await session.run('close')
    expect(await run.done).toBe(true)
  })

  it('refuses a symbol that does not exist', async () => {
    const session = await createSession()
    expect(await session.run('wait flat NOPE')).toEqual([expect.stringMatching(/^error unknown-symbol/)])
  })
})

describe('wait fill', () => {
  it('any fill', async () => {
    const session = await createSession()
    const run = await started(session, 'wait fill')
    await session.run('sell 0.1 ETHUSDT at +1%')
    await session.settle()
    expect(run.ended).toBe(false)
    await session.run('buy 0.1 ETHUSDT')
    expect(await run.done).toBe(true)
  })

  it('a fill on a symbol', async () => {
    const session = await createSession()
    const run = await started(session, 'wait fill ethusdt')
    await session.run('buy 0.01 BTCUSDT')
    await session.settle()
    expect(run.ended).toBe(false)
    await session.run('buy 0.1 ETHUSDT')
    expect(await run.done).toBe(true)
  })

  it('all orders that are named', async () => {
    const session = await createSession()
    await session.run('buy 0.01 at -1%; buy 0.01 at -2%')
    const run = await started(session, 'wait fill p1,p2')
    await price(session, '64300')
    expect(run.ended).toBe(false)
    await price(session, '63600')
    expect(await run.done).toBe(true)
  })

  it('an order that has filled already', async () => {
    const session = await createSession()
    await session.run('buy 0.01')
    expect(await session.run('wait fill p1; echo done')).toEqual(['print done'])
  })

  it('fails when the order is canceled', async () => {
    const session = await createSession()
    await session.run('buy 0.01 at -1%')
    const run = await started(session, 'wait fill p1')
    await session.run('cancel p1')
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual(['error order-ended: order p1 is canceled and will not fill'])
  })

  it('refuses what is neither order nor symbol, and points at it', async () => {
    const session = await createSession()
    const run = session.start('wait fill p99')
    expect(await run.done).toBe(false)
    expect(run.columns).toEqual([11])
  })
})

describe('wait time', () => {
  // The scripted clock starts at midnight UTC.
  it.each([
    ['0001', 60_000],
    ['0000', 0],
  ])('%s is %i ms after midnight', async (time, ms) => {
    const session = await createSession()
    const run = await started(session, `wait time ${time}`)
    if (ms > 0) {
      await session.advance(ms - 1000)
      expect(run.ended).toBe(false)
    }
    await session.advance(1000)
    expect(await run.done).toBe(true)
  })

  it('means tomorrow when it has passed', async () => {
    const session = await createSession()
    await session.advance(120_000)
    const run = await started(session, 'wait time 0001 timeout=5m')
    await session.advance(299_000)
    expect(run.ended).toBe(false)
    await session.advance(1000)
    expect(run.lines).toEqual(['error timeout: timed out after 5m'])
  })
})

describe('wait for a condition as of `when`', () => {
  it.each([
    'wait last > 60000 and position == 0',
    'wait ETHUSDT bid < 3600 and ask > 1',
    'wait not last > 70000',
    'wait rsi(14, 1m) < 90 and close(1m) > 60000',
    'wait equity > 1 or mark < 60000',
  ])('continues at once if it is true: %s', async (line) => {
    const session = await createSession()
    expect(await session.run(`${line}; echo done`)).toEqual(['print done'])
  })

  it('continues when it becomes true, and not before', async () => {
    const session = await createSession()
    const run = await started(session, 'wait last > 66000 and bid > 1; echo done')
    await price(session, '65500')
    expect(run.ended).toBe(false)
    await price(session, '66500')
    expect(await run.done).toBe(true)
    expect(run.lines).toEqual(['print done'])
  })

  it('has to hold for its time without a break', async () => {
    const session = await createSession()
    const run = await started(session, 'wait last > 66000 and bid > 1 for 5s; echo done')
    await price(session, '66500')
    await session.advance(3_000)
    await price(session, '65000')
    await price(session, '66500')
    await session.advance(4_000)
    expect(run.ended).toBe(false)
    await session.advance(2_000)
    expect(await run.done).toBe(true)
  })

  it('ends at its timeout, and when it is interrupted', async () => {
    const session = await createSession()
    const run = await started(session, 'wait last > 70000 and bid > 1 timeout=5s; echo done')
    await session.advance(6_000)
    expect(await run.done).toBe(false)
    expect(run.lines).toContainEqual(expect.stringContaining('timed out after 5s'))
    const other = await started(session, 'wait last > 70000 and bid > 1')
    other.abort()
    expect(await other.done).toBe(false)
    expect(other.lines).toContainEqual(expect.stringContaining('interrupted'))
  })

  it.each([
    ['wait last > 1 and emma(50, 1h) > 3', 'is not a value of a condition'],
    ['wait last > 70000 and last < 60000', 'never'],
    ['wait each last > 1', '`wait` waits once'],
    ['wait last > 1 and bid > 1 timeout=1s timeout=2s', 'is given twice'],
    ['wait last > 1 and close(1m) > 1 for 5s', '`for` has no effect'],
  ])('is refused before it waits: %s', async (line, says) => {
    const session = await createSession()
    expect((await session.run(line)).join('\n')).toContain(says)
  })
})

/** What its check says: undefined, or the code, the text and the column. */
function refusalOf(line: string): unknown {
  try {
    const [call] = callsIn(parseChain(line))
    if (call === undefined) throw new Error('a command is expected')
    const { form, args } = lookup.resolve(call)
    form.check?.(args)
    return undefined
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    const { code, message, column, hint } = error
    return { code, message, column, hint }
  }
}

describe('a condition behind `wait`', () => {
  it.each([
    'BTCUSDT > 70000',
    'ETHUSDT crosses above 4000',
    '70000 < last',
    '"(last > 70000 or bid > 5) and ask > 4"',
    'last - bid > 5',
    'last > vwap(1h)',
    'volume(5m) > 2 * sma(volume, 20)',
    'close(1h) crosses above ema(50) and rsi(14) < 60',
    'live close(1m) > 70000 for 30s',
    'not position == 0',
    'mark > 70000 or funding > 0.01',
    'equity < 900',
    'macd.histogram(12, 26, 9, 1h) > 0',
    'BTCUSDT close(15m) < bb.lower(20, 2)',
    'price > 5 and bid > 4',
  ])('is taken as behind `when`: %s', (condition) => {
    expect(refusalOf(`when ${condition} (echo ok)`)).toBeUndefined()
    expect(refusalOf(`wait ${condition}`)).toBeUndefined()
    expect(refusalOf(`wait ${condition} timeout=1m`)).toBeUndefined()
  })

  it.each([
    'last > emma(50, 1h)',
    'close > 5',
    'close(7m) > 5',
    'last > 70000 and last < 60000',
    'last / 0 > 5',
    'rsi(14, 1h) = 50',
    'close(1h) > 5 for 30s',
    '(last > 70000)',
    'BTCUSDT,ETHUSDT last > 5 and bid > 4',
    'last >',
    'last 70000 bid',
    'position BTCUSDT long',
    'rsi(2000, 1h) > 5',
    'long and last > 5',
    'bb(20, 2, 1h) > close',
  ])('is refused as behind `when`, with the same column: %s', (condition) => {
    const behindWhen = refusalOf(`when ${condition} (echo ok)`)
    expect(behindWhen).toMatchObject({ column: expect.any(Number) })
    expect(refusalOf(`wait ${condition}`)).toEqual(behindWhen)
  })

  it.each([
    ['wait long and last > 5', 'type position > 0'],
    ['wait flat or pnl > 5', 'type position == 0'],
  ])('says how a form of `wait` alone is written there: %s', (line, hint) => {
    expect(refusalOf(line)).toMatchObject({ hint })
  })

  it('takes `for=` as `for`', async () => {
    expect(refusalOf('wait last > ema(50, 1h) and bid > 5 for=5s')).toMatchObject({ code: 'bad-condition', column: 37 })
    const session = await createSession()
    const run = await started(session, 'wait BTCUSDT > 66000 for=5s; echo done')
    await price(session, '66500')
    await session.advance(4_000)
    expect(run.ended).toBe(false)
    await session.advance(1_000)
    expect(await run.done).toBe(true)
  })
})

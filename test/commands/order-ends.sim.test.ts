// Commands wait for the end of what they send (behaviour 37), at venues that acknowledge an order by its id alone and list positions late.
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import type { RunOptions } from '../../harness/commands/started-run.ts'
import { type Distance, distantVenue } from '../../harness/venues/distant.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'

async function sessionAt(far: (near: Exchange, now: () => number) => Exchange): Promise<CommandSession> {
  let clock: (() => number) | undefined
  const session = await createSession({ exchange: (near) => far(near, () => clock?.() ?? 0) })
  clock = session.market.now
  return session
}

const distantSession = (distance: Omit<Distance, 'now'> = {}): Promise<CommandSession> =>
  sessionAt((near, now) => distantVenue(near, { now, fillMs: 300, ...distance }))

/** A line to its end, however long it waits. */
async function run(session: CommandSession, line: string, options?: RunOptions): Promise<readonly string[]> {
  const started = session.start(line, options)
  while (!started.ended) {
    await session.advance(1_000)
    // The audit log is a file, and takes as long as it takes.
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return started.lines
}

const held = async ({ market }: CommandSession) =>
  (await market.exchange.fetchPositions()).map(({ side, amount, symbol }) => `${side} ${amount} ${symbol}`)

describe('an ioc or fok entry', () => {
  it.each(['ioc', 'fok'])(
    '%s that fills after its acknowledgement has filled: what comes after `||` is not run',
    async (how) => {
      const session = await distantSession()
      const lines = await run(session, `buy 0.01 at +0.1% ${how} || buy 0.01`)
      expect(lines).toEqual([
        expect.stringMatching(/^success bought 0.01 BTCUSDT/),
        expect.stringMatching(/^info the BTCUSDT long of 0.01 BTC has no stop/),
      ])
      expect(await held(session)).toEqual(['long 0.01 BTCUSDT'])
    },
  )

  it.each([
    ['ioc', 'choose a price nearer to the market'],
    ['fok', '`ioc` takes what is available'],
  ])('%s of which nothing fills fails as not-filled, in one line, at every door', async (how, hint) => {
    for (const source of ['repl', 'exec', 'hook', 'web'] as const) {
      const session = await createSession()
      await session.run('sell 0.02')
      const lines = await run(session, `buy 0.01 at -1% ${how}`, { source })
      expect(lines).toEqual([`error not-filled: order p2 expired unfilled (${how.toUpperCase()}) | ${hint}`])
      expect(await held(session)).toEqual(['short 0.02 BTCUSDT'])
    }
  })

  it('po that the venue cancels for its price fails as not-filled, in one line', async () => {
    const session = await sessionAt((near) => ({
      ...near,
      async createOrder(request) {
        const outcome = await near.createOrder(request)
        return outcome.kind === 'placed' && request.postOnly === true
          ? { ...outcome, order: { ...(await near.cancelOrder(outcome.order)), status: 'canceled' } }
          : outcome
      },
    }))
    await session.run('sell 0.02')
    expect(await run(session, 'buy 0.01 at -1% po')).toEqual([
      'error not-filled: order p2 was canceled unfilled (post-only) | choose a price farther from the market',
    ])
  })

  it('whose end is not known in time is not not-filled, and keeps what comes after `||` from buying twice', async () => {
    const session = await distantSession({ fillMs: 60_000 })
    const lines = await run(session, 'buy 0.01 at +0.1% ioc || buy 0.01')
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([
      expect.stringMatching(/^error outcome-unknown: .* 0 of 0.01 BTCUSDT has filled so far/),
      expect.stringMatching(/^error unsettled-order: /),
    ])
    expect(await held(session)).toEqual(['long 0.01 BTCUSDT'])
  })
})

describe('an entry at the market', () => {
  it('that turns a position round says so, by what it filled in the end', async () => {
    const session = await distantSession()
    await run(session, 'buy 0.004')
    const lines = await run(session, 'sell 0.01 flip')
    expect(lines).toContain('warn the sell closes 0.004 BTC and opens a short of 0.006 BTC')
  })

  it('that only reduces says that it has no stop', async () => {
    const session = await distantSession()
    await run(session, 'buy 0.01')
    const lines = await run(session, 'sell 0.004 stop +2%', { source: 'hook' })
    expect(lines.join('\n')).toMatch(/the sell reduced a long: nothing to protect/)
  })

  it('with a stop has it, and the next step of the line runs after', async () => {
    const session = await distantSession()
    const lines = await run(session, 'buy 0.01 stop -2% && echo done')
    expect(lines.at(-1)).toMatch(/done$/)
    expect(lines.join('\n')).toMatch(/stop sell 0.01 BTCUSDT at .* is open, reduce-only/)
  })
})

describe('an exit that the venue takes only in parts, and does not say so before', () => {
  it('`close` halves it, and ends flat', async () => {
    const session = await distantSession({ most: '0.03' })
    for (let part = 0; part < 4; part += 1) await run(session, 'buy 0.025')
    const lines = await run(session, 'close')
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([])
    expect(await held(session)).toEqual([])
  })

  it('is refused as it was where no part is taken either: six halves are tried, and no more', async () => {
    const session = await createSession()
    await run(session, 'buy 0.1')
    let sent = 0
    session.useExchange({
      ...session.market.exchange,
      async createOrder({ amount }) {
        sent += 1
        return { kind: 'refused', error: new ExchangeError('invalid-order', `no order of ${amount}`) }
      },
    })
    const lines = await run(session, 'close')
    expect([lines.at(-1), sent]).toEqual([expect.stringMatching(/^error invalid-order: no order of 0.1/), 7])
  })

  it('and not for another reason: that is refused at once', async () => {
    const session = await createSession()
    await run(session, 'buy 0.1')
    let sent = 0
    session.useExchange({
      ...session.market.exchange,
      async createOrder() {
        sent += 1
        return { kind: 'refused', error: new ExchangeError('insufficient-funds', 'no margin') }
      },
    })
    await run(session, 'close')
    expect(sent).toBe(1)
  })

  it('an entry is never cut', async () => {
    const session = await distantSession({ most: '0.03' })
    const lines = await run(session, 'buy 0.1')
    expect([lines.at(-1), await held(session)]).toEqual([expect.stringMatching(/^error invalid-order/), []])
  })

  it.each(['nuke positions --yes', 'halt --flatten --yes'])(
    '`%s` closes all of it, where positions are listed 5 s late too',
    async (line) => {
      const session = await distantSession({ most: '0.03', lateMs: 5_000 })
      for (let part = 0; part < 4; part += 1) await run(session, 'buy 0.025')
      await session.advance(6_000)
      const lines = await run(session, line)
      expect(lines.filter((each) => /^error|still long/.test(each))).toEqual([])
      expect(await held(session)).toEqual([])
      expect(await session.market.exchange.fetchOpenOrders()).toEqual([])
    },
  )
})

describe('a swarm', () => {
  it('is told by what its orders filled in the end', async () => {
    const session = await distantSession()
    const lines = await run(session, 'swarm buy 0.01 into 2')
    expect(lines.at(-2)).toMatch(/^success swarm: bought 0.01 BTCUSDT in 2 orders/)
  })
})

describe('orders settle', () => {
  /** The first answer is lost, and for 70 s the venue does not say what became of it. */
  function losing(near: Exchange, now: () => number): Exchange {
    const far = distantVenue(near, { now, findableMs: 60_000, dropsNames: true })
    let lostAt: number | undefined
    const away = () => new ExchangeError('network', 'no answer')
    return {
      ...far,
      async createOrder(request) {
        const outcome = await far.createOrder(request)
        if (lostAt !== undefined) return outcome
        lostAt = now()
        return { kind: 'unknown', error: new ExchangeError('outcome-unknown', 'no answer') }
      },
      fetchOrder: (ref) => (now() - (lostAt ?? 0) < 70_000 ? Promise.reject(away()) : far.fetchOrder(ref)),
    }
  }

  async function unsettled() {
    const session = await sessionAt(losing)
    session.start('buy 0.01 stop -2%')
    for (let turn = 0; turn < 4; turn += 1) await session.advance(30_000)
    const lines = await session.run('orders')
    const id = /orders settle (\w+) never/.exec(lines.join('\n'))?.[1] ?? ''
    return { session, lines, id }
  }

  it('is named by `orders`, with what to look at', async () => {
    const { lines } = await unsettled()
    expect(lines[0]).toMatch(
      /^warn no answer to buy 0.01 BTCUSDT, sent .* UTC: its outcome is unknown; the fills of order p1 may be its own; `orders settle \w{32} never`/,
    )
  })

  it('placed: hookline goes on with that order', async () => {
    const { session, id } = await unsettled()
    expect(await session.run(`orders settle ${id.slice(0, 12)} placed p1`)).toEqual([
      expect.stringMatching(/^success the BTCUSDT order that got no answer is settled: it is order p1/),
    ])
    await session.advance(2_000)
    expect(await session.market.exchange.fetchOpenOrders()).toMatchObject([{ type: 'stop', amount: '0.01' }])
    expect(await session.run('buy 0.01')).toEqual([
      expect.stringMatching(/^success bought/),
      expect.stringMatching(/^warn 0\.01 BTC .* has no stop/),
    ])
  })

  it('never: entries go out again', async () => {
    const { session, id } = await unsettled()
    const lines = await session.run(`orders settle ${id} never`)
    expect(lines).toEqual(['success the BTCUSDT order that got no answer is settled: it never arrived'])
    expect((await session.run('buy 0.01'))[0]).toMatch(/^success bought/)
  })

  it.each([
    ['orders settle', /^error missing-argument/],
    ['orders settle f4b1527f never', /^error not-found: no unsettled order has this id/],
    ['orders settle f4b1527f perhaps', /^error bad-argument/],
    ['orders settle f4b1527f placed', /^error missing-argument/],
  ])('%s is refused', async (line, says) => {
    const { session } = await unsettled()
    expect(await session.run(line)).toEqual([expect.stringMatching(says)])
  })

  it.each(['hook', 'web'] as const)('is not for a %s', async (source) => {
    const { session, id } = await unsettled()
    expect(await session.run(`orders settle ${id} never`, { source })).toEqual([
      expect.stringMatching(/^error not-allowed-here: `orders settle` runs only in the terminal/),
    ])
    expect(await session.run('buy 0.01')).toEqual([expect.stringMatching(/^error unsettled-order/)])
  })
})

describe('a resting order of a run', () => {
  it('that is canceled on the venue’s page is told; one that `cancel` takes back is told once', async () => {
    const session = await createSession()
    const resting = session.start('buy 0.01 at -1%')
    const other = session.start('buy 0.02 at -1%')
    await Promise.all([resting.done, other.done])
    await session.market.exchange.cancelOrder({ symbol: 'BTCUSDT', id: 'p1' })
    const lines = await session.run('cancel p2')
    await session.settle()
    expect(resting.lines.at(-1)).toBe('warn order p1 (buy 0.01 BTCUSDT at 64,350) was canceled outside this hookline')
    expect(other.lines).toHaveLength(1)
    expect(lines).toEqual([expect.stringMatching(/^success canceled order p2/)])
  })

  it('that the venue ends for a cause of its own is told with the cause', async () => {
    const session = await sessionAt((near) => ({
      ...near,
      subscribe: (handler) =>
        near.subscribe((event) =>
          handler(event.type === 'order' ? { ...event, order: { ...event.order, cause: 'self-trade' } } : event),
        ),
    }))
    const resting = session.start('buy 0.01 at -1%')
    await resting.done
    await session.market.exchange.cancelOrder({ symbol: 'BTCUSDT', id: 'p1' })
    await session.settle()
    expect(resting.lines.at(-1)).toBe(
      'warn order p1 (buy 0.01 BTCUSDT at 64,350) canceled: it would have traded with an order of the same account',
    )
  })
})

import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'

const SCALE = 'scale buy $1000 into 5 from -1% to -3%'

/** The venue answers as always, but to this order, counted from 1. */
const answering =
  (number: number, answer: (sent: () => ReturnType<Exchange['createOrder']>) => ReturnType<Exchange['createOrder']>) =>
  (exchange: Exchange): Exchange => {
    let sent = 0
    return {
      ...exchange,
      createOrder(request) {
        sent += 1
        const send = () => exchange.createOrder(request)
        return sent === number ? answer(send) : send()
      },
    }
  }

const refusing = (number: number) =>
  answering(number, async () => ({
    kind: 'refused',
    error: new ExchangeError('insufficient-funds', 'too little is free'),
  }))

describe('scale', () => {
  it('places every order, and says the sum and the average', async () => {
    const session = await createSession()
    const run = session.start(SCALE)
    expect(await run.done).toBe(true)
    expect(run.data.at(-1)).toMatchObject({
      type: 'sliced',
      command: 'scale',
      account: 'paper',
      symbol: 'BTCUSDT',
      side: 'buy',
      slices: 5,
      amount: '0.015',
      average: '63700',
      value: '955.5',
      orders: ['p1', 'p2', 'p3', 'p4', 'p5'].map((id) => ({ id, status: 'open', amount: '0.003' })),
    })
    expect((await session.market.exchange.fetchOpenOrders()).map(({ price }) => price)).toEqual([
      '64350',
      '64025',
      '63700',
      '63375',
      '63050',
    ])
  })

  it.each([
    [
      'sell 0.05',
      SCALE,
      'once it fills, the buy closes 0.015 BTC of the short of 0.05 BTC; with `reduce` it never opens a long',
    ],
    [
      'buy 0.05',
      'sell 0.01 at +1%',
      'once it fills, the sell closes 0.01 BTC of the long of 0.05 BTC; with `reduce` it never opens a short',
    ],
  ])('after `%s`, `%s` says that it only reduces, as long as `reduce` was not typed', async (before, line, says) => {
    const session = await createSession()
    await session.run(before)
    expect((await session.run(line)).at(-1)).toBe(`info ${says}`)
    expect((await session.run(`${line} reduce`)).join('\n')).not.toContain('once it fills')
  })

  it('stops at the first that is refused, and says what rests and how to take it back', async () => {
    const session = await createSession({ exchange: refusing(4) })
    const run = session.start(`${SCALE}; echo next`)
    expect(await run.done).toBe(false)
    expect(run.lines.slice(3)).toEqual([
      'warn 3 of 5 orders were placed; `cancel p1,p2,p3` cancels them',
      'error partly-placed: order 4 of 5 was refused, and no more were sent: too little is free',
      'warn not run: echo next',
    ])
    expect(run.data.at(-2)).toMatchObject({
      type: 'sliced',
      slices: 5,
      orders: [{ id: 'p1' }, { id: 'p2' }, { id: 'p3' }],
    })
    expect(await session.run('cancel p1,p2,p3')).toHaveLength(3)
    expect(await session.market.exchange.fetchOpenOrders()).toEqual([])
  })

  it('names only what still rests: an order that has filled meanwhile cannot be taken back', async () => {
    const session = await createSession({
      exchange: (exchange) =>
        answering(4, async () => {
          session.market.setPrice('BTCUSDT', '64300')
          await session.market.advance(1000)
          return { kind: 'refused', error: new ExchangeError('insufficient-funds', 'too little is free') }
        })(exchange),
    })
    const lines = await session.run(SCALE)
    expect(lines).toContain('warn 3 of 5 orders were placed; `cancel p2,p3` cancels them')
  })

  it('is refused as itself where nothing was placed', async () => {
    const { run } = await createSession({ exchange: refusing(1) })
    expect(await run(SCALE)).toEqual(['error insufficient-funds: too little is free'])
  })

  it('stops at an order of which nothing is known, and does not send it again', async () => {
    let isSilent = false
    let sent = 0
    const session = await createSession({
      exchange: (paper) => ({
        ...paper,
        async createOrder(request) {
          sent += 1
          if (sent !== 3) return paper.createOrder(request)
          isSilent = true
          const error = new ExchangeError('outcome-unknown', 'no answer', { clientOrderId: request.clientOrderId })
          return { kind: 'unknown', error }
        },
        fetchOrder: (ref) =>
          isSilent ? Promise.reject(new ExchangeError('network', 'no answer')) : paper.fetchOrder(ref),
      }),
    })
    const run = session.start(SCALE)
    await session.advance(90_000)
    expect(await run.done).toBe(false)
    expect(sent).toBe(3)
    expect(run.lines.slice(-2)).toEqual([
      'warn 2 of 5 orders were placed; `cancel p1,p2` cancels them',
      expect.stringMatching(/^error partly-placed: order 3 of 5 has an unknown outcome, and no more were sent: /),
    ])
  })

  it('sends nothing with --dry or in simulation, and tells every order', async () => {
    const { run, market, journal } = await createSession()
    const dry = (await run(`${SCALE} --dry`)).filter((line) => !line.startsWith('print '))
    expect(dry.filter((line) => line.startsWith('info simulated: would place'))).toHaveLength(5)
    expect(dry.at(-2)).toBe('info simulated: buy 0.015 BTCUSDT in 5 orders, $955.50 at 63,700 on average if all fill')
    await run('sim on')
    expect(await run(SCALE)).toEqual(dry)
    expect(await market.exchange.fetchOpenOrders()).toEqual([])
    expect(journal.some((line) => line.includes('"placed"'))).toBe(false)
  })

  it('is refused over a limit where nobody can be asked, and works from hooks and pages otherwise', async () => {
    const session = await createSession()
    expect((await session.run(SCALE, { source: 'web' })).at(-2)).toMatch(/^success scaled: /)
    await session.run('guards set paper order $100; cancel all')
    expect(await session.run(SCALE, { source: 'hook' })).toEqual([expect.stringMatching(/^error guarded: /)])
  })

  it('reduces a position and says when an amount would turn it round', async () => {
    const { run } = await createSession()
    await run('buy 0.02')
    expect(await run('scale sell 0.03 into 3 from 66000 to 67000 flip')).toContain(
      'warn once it fills, the sell closes 0.02 BTC and opens a short of 0.01 BTC',
    )
    const reduced = await run('scale sell 100% into 3 from 66000 to 67000 reduce')
    expect(reduced[0]).toBe('success order p5: sell 0.006 BTCUSDT at 66,000 is open, reduce-only')
    expect(reduced.some((line) => line.startsWith('warn'))).toBe(false)
  })

  it('is checked when a hook is made', async () => {
    const { run } = await createSession()
    expect(await run('hook create dip "scale buy $1000 into 1 from -1% to -3%"')).toEqual([
      expect.stringMatching(/^error bad-argument: `1` is not a whole number from 2 to 100/),
    ])
    expect((await run('hook create dip "scale buy $1000 into 5 from -1% to -3%"'))[0]).toBe('success created hook dip')
  })
})

describe('swarm', () => {
  it('sends all of its orders before the first is answered', async () => {
    const waiting: (() => void)[] = []
    const session = await createSession({
      exchange: (paper) => ({
        ...paper,
        async createOrder(request) {
          await new Promise<void>((resolve) => waiting.push(resolve))
          return paper.createOrder(request)
        },
      }),
    })
    const run = session.start('swarm buy $1000 into 5')
    for (let turns = 0; turns < 5; turns += 1) await session.settle()
    expect(waiting).toHaveLength(5)
    for (const answer of waiting) answer()
    expect(await run.done).toBe(true)
    expect(run.data.at(-1)).toMatchObject({ type: 'sliced', command: 'swarm', amount: '0.015', average: '65000.1' })
    expect(await session.market.exchange.fetchPositions()).toMatchObject([{ amount: '0.015' }])
  })

  it('is in lots of different sizes, as its random numbers say', async () => {
    let next = 0
    const { run } = await createSession({ random: () => [0.1, 0.9, 0.4][next++] ?? 0 })
    const lines = (await run('swarm buy 0.06 into 3 irregular')).filter((line) => line.startsWith('success'))
    expect(lines.map((line) => / bought ([\d.]+) BTCUSDT/.exec(line)?.[1])).toEqual(['0.012', '0.029', '0.019', '0.06'])
  })

  it('tells each order that was not placed; the others stay', async () => {
    const session = await createSession({ exchange: refusing(2) })
    const lines = await session.run('swarm buy $1000 into 5')
    expect(lines.slice(-2)).toEqual([
      'warn 4 of 5 orders were placed',
      'error partly-placed: order 2 of 5 was refused: too little is free',
    ])
    expect(await session.market.exchange.fetchPositions()).toMatchObject([{ amount: '0.012' }])
  })

  it('is refused once, and not once for each order, where the account is halted', async () => {
    const { run } = await createSession()
    await run('halt')
    expect(await run('swarm buy $1000 into 5')).toEqual([
      expect.stringMatching(/^error halted: account paper was halted/),
    ])
  })

  it('waits for the end of orders that the venue acknowledges first', async () => {
    const session = await createSession({
      exchange: (paper) => ({
        ...paper,
        async createOrder(request) {
          const outcome = await paper.createOrder(request)
          if (outcome.kind !== 'placed') return outcome
          const { average: _, ...order } = outcome.order
          return { kind: 'placed', order: { ...order, status: 'open', filled: '0', remaining: order.amount } }
        },
      }),
    })
    const run = session.start('swarm buy 0.01 into 2')
    await session.advance(10_000)
    expect(await run.done).toBe(true)
    expect(run.lines).toContain('success swarm: bought 0.01 BTCUSDT in 2 orders, $650.00 at 65,000.1 on average')
  })

  it('ends a position and turns one round only by an amount that was typed', async () => {
    const { run, market } = await createSession()
    await run('buy 0.02')
    expect(await run('swarm sell 0.03 into 3 flip')).toContain(
      'warn the sell closes 0.02 BTC and opens a short of 0.01 BTC',
    )
    await run('swarm buy 100% into 2 reduce')
    expect(await market.exchange.fetchPositions()).toEqual([])
  })
})

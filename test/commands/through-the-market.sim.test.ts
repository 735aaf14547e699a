// A change of a resting order that goes through the market is a fill: previewed, worked out and told as one (behaviour 39).
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { defined } from '../../src/base/defined.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { preview as schema } from '../../src/protocol/preview.ts'

async function resting(line = 'buy 0.01 BTCUSDT at -2%', exchange?: (paper: Exchange) => Exchange) {
  const session = await createSession(defined({ exchange }))
  await session.run(line)
  return session
}

/** A venue that tells only by doing what becomes of an order. */
const untried = ({ trial: _, ...rest }: Exchange): Exchange => rest

async function look(session: CommandSession, command: string) {
  const preview = await session.ports.preview({ command, source: 'repl' })
  expect(schema.parse(preview)).toEqual(preview)
  return preview
}

const FILL = { fills: '0.01', unit: 'BTC', at: '65000.1', notional: '650.001', quote: 'USDT' }

describe.each([
  ['move', 'move BTCUSDT to +1% --far'],
  ['amend', 'amend BTCUSDT at +1% --far'],
])('%s through the market', (_, line) => {
  it.each([
    ['a paper account', undefined],
    ['a venue where nothing can be tried', untried],
  ])('previews as the fill that it is, on %s', async (_name, exchange) => {
    const session = await resting(undefined, exchange)
    const { changes, positions, ok } = await look(session, line)
    expect(ok).toBe(true)
    expect(changes).toMatchObject([
      {
        id: 'p1',
        price: '65650',
        ...FILL,
        fee: { amount: '0.35750055', currency: 'USDT', rate: '0.00055', as: 'taker' },
      },
    ])
    expect(positions).toEqual([{ account: 'paper', symbol: 'BTCUSDT', unit: 'BTC', before: '0', after: '0.01' }])
  })

  it('says with --dry what would fill, the fee and the position', async () => {
    const session = await resting()
    expect(await session.run(`${line} --dry`)).toEqual([
      'info simulated: would change order p1 to at 65,650.0',
      'info it goes through the market: fills 0.01 BTC at 65,000.1 ($650.00), fee $0.36',
      'info position on BTCUSDT: 0 BTC before, 0.01 BTC after',
    ])
    expect(await session.market.exchange.fetchPositions()).toEqual([])
  })

  it('is told as what it bought', async () => {
    const session = await resting()
    const run = session.start(line)
    await run.done
    expect(run.lines).toEqual([
      'success order p1 went through the market: bought 0.01 BTCUSDT at 65,000.1 ($650.00), fee $0.36',
    ])
    expect(run.data).toMatchObject([{ type: 'amended', order: { id: 'p1', filled: '0.01', status: 'closed' } }])
  })

  it('is told where the venue answers before it counts the fill', async () => {
    const session = await resting(undefined, (paper) => ({
      ...paper,
      async editOrder(ref, change) {
        const outcome = await paper.editOrder(ref, change)
        if (outcome.kind !== 'placed') return outcome
        const { amount } = outcome.order
        return { kind: 'placed', order: { ...outcome.order, filled: '0', remaining: amount, status: 'open' } }
      },
    }))
    expect(await session.run(line)).toEqual([
      'success order p1 went through the market: bought 0.01 BTCUSDT at 65,000.1 ($650.00), fee $0.36',
    ])
  })
})

describe('a change that rests', () => {
  it('has no fill in its preview, and is told as it is now', async () => {
    const session = await resting()
    const { changes, positions } = await look(session, 'move BTCUSDT to -1%')
    const margin = { currency: 'USDT', amount: '64.35', leverage: '10' }
    expect(changes).toEqual([{ account: 'paper', symbol: 'BTCUSDT', id: 'p1', price: '64350', margin }])
    expect(positions).toEqual([])
    expect(await session.run('move BTCUSDT to -1% --dry')).toEqual([
      'info simulated: would change order p1 to at 64,350.0',
    ])
    expect(await session.run('move BTCUSDT to -1%')).toEqual(['success order p1 is now: buy 0.01 BTCUSDT at 64,350.0'])
  })

  it('says what the book leaves of it', async () => {
    const session = await resting('buy 0.1 BTCUSDT at -2%')
    await session.market.exchange.paper.setFaults({ partialFills: 1 })
    const lines = await session.run('move BTCUSDT to +1% --far')
    expect(lines).toEqual([
      expect.stringMatching(/^success order p1 went through the market: bought 0\.0\d+ BTCUSDT at 65,00/),
      expect.stringMatching(/^success order p1 is now: buy 0\.0\d+ BTCUSDT at 65,650/),
    ])
  })
})

describe('the preview of a chain', () => {
  it.each([
    ['a paper account', undefined],
    ['a venue where nothing can be tried', untried],
  ])('knows the orders that it places itself, on %s', async (_, exchange) => {
    const session = await createSession(defined({ exchange }))
    const line = 'buy 0.1 ETHUSDT at -3%; amend ETHUSDT 0.2; move ETHUSDT to -2%; bump ETHUSDT +1; cancel ETHUSDT'
    const { ok, errors, changes, cancels } = await look(session, line)
    expect(errors).toEqual([])
    expect(ok).toBe(true)
    expect(changes).toMatchObject([{ amount: '0.2' }, { price: '2940' }, { price: '2941' }])
    expect(cancels).toMatchObject([{ symbol: 'ETHUSDT', amount: '0.2', price: '2941' }])
    expect((await session.run(line)).filter((said) => said.startsWith('error'))).toEqual([])
  })

  it('holds a change of its own order to the limits of the account', async () => {
    const session = await createSession()
    await session.run('guards set paper order $400')
    const line = 'buy 0.1 ETHUSDT at -3%; amend ETHUSDT 0.2'
    const { ok, errors, changes } = await look(session, line)
    expect(ok).toBe(false)
    expect(errors.map(({ code }) => code)).toEqual(['guarded'])
    expect(changes[0]?.refused?.code).toBe('guarded')
    expect((await session.run(line)).at(-1)).toMatch(/^error guarded: /)
  })

  it('counts what its change takes from the market in the position that later steps see', async () => {
    const session = await createSession()
    const { positions } = await look(session, 'buy 0.01 at -2%; move BTCUSDT to +1% --far; buy 0.02')
    expect(positions).toMatchObject([{ before: '0', after: '0.03' }])
  })

  it('shows a close of more than the book holds as what it is', async () => {
    const session = await createSession()
    await session.run('buy 0.1')
    await session.market.exchange.paper.setFaults({ partialFills: 1 })
    const { ok, errors, orders, positions } = await look(session, 'close; buy 0.01')
    expect(ok).toBe(false)
    expect(errors).toMatchObject([
      { code: 'partly-closed', text: expect.stringMatching(/^0\.0\d+ of 0\.1 BTCUSDT would be closed$/) },
    ])
    const [close] = orders
    expect(orders).toHaveLength(1)
    expect(close).toMatchObject({ amount: '0.1', fills: expect.stringMatching(/^0\.0\d+$/) })
    expect(Number(positions[0]?.after)).toBeCloseTo(0.1 - Number(close?.fills))
    expect((await session.run('close --dry')).join('\n')).toMatch(
      /partly-closed: 0\.0\d+ of 0\.1 BTCUSDT would be closed/,
    )
  })
})

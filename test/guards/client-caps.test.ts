// What the grant of a client lets its orders do (behaviour 145), at the one guard in front of the venue.
import { describe, expect, it } from 'vitest'
import type { OrderCap } from '../../src/exchange/exchange.ts'
import { orderOf, position, resultOf, stageGuard } from './guard-stage.ts'

const DAY_MS = 86_400_000
const agent: OrderCap = { client: 'agent', perOrder: '600', perDay: '1200' }
const under = (cap: OrderCap | undefined) => ({ cap: () => cap })

/** `0.01` BTC at 50,000 is $500. */
const entry = (cap: OrderCap | undefined, amount = '0.01') => ({ amount, context: under(cap) })

describe.each([
  { venue: 'paper', isOnDisk: false },
  { venue: 'binance', isOnDisk: false },
  { venue: 'paper', isOnDisk: true },
])('orders of a client with a grant on $venue, journal on disk: $isOnDisk', (options) => {
  it('are refused above the dollars of one order', async () => {
    const guard = stageGuard(options)
    expect(await resultOf(guard.send(entry(agent, '0.0121')))).toBe(
      'guarded: the order is worth $605.00, and the grant of the client allows $600.00 an order',
    )
    expect(await resultOf(guard.send(entry(agent, '0.012')))).toBe('placed')
    expect(guard.venue.sent).toHaveLength(1)
  })

  it('add up to no more than the dollars of its day, and what was refused takes nothing', async () => {
    const guard = stageGuard(options)
    expect(await resultOf(guard.send(entry(agent)))).toBe('placed')
    expect(await resultOf(guard.send(entry(agent, '0.0121')))).toMatch(/^guarded: /)
    expect(await resultOf(guard.send(entry(agent)))).toBe('placed')
    expect(await resultOf(guard.send(entry(agent)))).toBe(
      'guarded: the orders of the client would be worth $1,500.00 today (UTC), and its grant allows $1,200.00',
    )
    expect(await resultOf(guard.send(entry(agent, '0.004')))).toBe('placed')
    expect(guard.venue.sent).toHaveLength(3)
  })

  it('of 64 at once, on two processes, no more pass than the day has room for', async () => {
    const guard = stageGuard(options)
    const other = guard.open()
    const cap = { client: 'agent', perDay: '1200' }
    const all = Array.from({ length: 64 }, (_, index) => (index % 2 === 0 ? guard : other).send(entry(cap, '0.003')))
    const placed = (await Promise.all(all)).filter(({ kind }) => kind === 'placed')
    expect(placed.length).toBeGreaterThan(0)
    expect(placed.length).toBeLessThanOrEqual(8)
    expect(guard.venue.sent).toHaveLength(placed.length)
  })

  it('are counted on after a restart, and anew the next day', async () => {
    const guard = stageGuard(options)
    await guard.send(entry(agent))
    await guard.send(entry(agent))
    expect(await resultOf(guard.open().send(entry(agent)))).toMatch(/\$1,500.00 today/)
    guard.advance(DAY_MS)
    expect(await resultOf(guard.open().send(entry(agent)))).toBe('placed')
  })

  it('a clock that is set back gives nothing of the day back', async () => {
    const guard = stageGuard(options)
    await guard.send(entry(agent))
    await guard.send(entry(agent))
    guard.advance(-DAY_MS)
    expect(await resultOf(guard.send(entry(agent)))).toMatch(/\$1,500.00 today/)
    expect(await resultOf(guard.open().send(entry(agent)))).toMatch(/\$1,500.00 today/)
  })

  it('of one client take nothing from another, nor from the operator', async () => {
    const guard = stageGuard(options)
    await guard.send(entry(agent))
    await guard.send(entry(agent))
    expect(await resultOf(guard.send(entry({ ...agent, client: 'other' })))).toBe('placed')
    expect(await resultOf(guard.send({ amount: '0.015' }))).toBe('placed')
  })

  it('are refused beyond its accounts and symbols, and where it may order nothing', async () => {
    const guard = stageGuard(options)
    const results = [
      { client: 'agent', accounts: ['paper'] },
      { client: 'agent', symbols: ['ETHUSDT'] },
      { client: 'agent', refusal: 'the grant of the client has ended' },
    ].map((cap) => resultOf(guard.send(entry(cap))))
    expect(await Promise.all(results)).toEqual([
      'guarded: the grant of the client does not name account main',
      'guarded: the grant of the client does not name BTCUSDT',
      'guarded: the grant of the client has ended',
    ])
    expect(guard.venue.sent).toEqual([])
  })

  it('are refused where their value cannot be known', async () => {
    const guard = stageGuard(options)
    expect(await resultOf(guard.send({ ...entry(agent), symbol: 'XYZUSDT' }))).toMatch(/^guarded: .*not known$/)
    expect(guard.venue.sent).toEqual([])
  })

  it('that only reduce a position pass, whatever the grant has left', async () => {
    const guard = stageGuard(options)
    guard.venue.positions = [position('BTCUSDT', 'long', '1')]
    const none = { client: 'agent', perDay: '0', symbols: ['ETHUSDT'] }
    const exit = { side: 'sell', amount: '1', context: under(none) } as const
    expect(await resultOf(guard.send({ ...exit, reduceOnly: true }))).toBe('placed')
    expect(await resultOf(guard.send(exit))).toBe('placed')
    expect(await resultOf(guard.send({ ...exit, amount: '1.5' }))).toMatch(/^guarded: /)
  })

  it('are not sent when the grant is given, narrowed or ended while they are checked', async () => {
    const changes: (readonly [OrderCap | undefined, OrderCap | undefined])[] = [
      [undefined, { ...agent, perOrder: '10' }],
      [agent, { ...agent, perOrder: '10' }],
      [agent, { ...agent, refusal: 'the grant of the client has ended' }],
    ]
    for (const [before, after] of changes) {
      /** The grant is another one from the call on that comes after `calls`. */
      const sendChanging = async (calls: number) => {
        const guard = stageGuard(options)
        let asked = 0
        const cap = () => (asked++ < calls ? before : after)
        const result = await resultOf(guard.send({ amount: '0.01', context: { cap } }))
        return { asked, result, sent: guard.venue.sent.length }
      }
      const whole = await sendChanging(Number.POSITIVE_INFINITY)
      expect(whole).toMatchObject({ result: 'placed', sent: 1 })
      for (let calls = 0; calls < whole.asked; calls += 1)
        expect(await sendChanging(calls)).toMatchObject({ result: expect.stringMatching(/^guarded: /), sent: 0 })
    }
  })

  it('a change of an order counts, and one that was not made does not', async () => {
    const guard = stageGuard(options)
    const resting = orderOf({
      clientOrderId: 'a'.repeat(32),
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'limit',
      amount: '0.01',
      price: '50000',
    })
    guard.venue.resting = [resting]
    const edit = (amount: string) =>
      resultOf(guard.exchange.editOrder({ id: resting.id, symbol: 'BTCUSDT' }, { amount }, under(agent)))
    expect(await edit('0.0121')).toMatch(/\$605/)
    expect(await edit('0.012')).toBe('placed')
    expect(await resultOf(guard.send(entry(agent, '0.0121')))).toMatch(/\$605/)
    expect(await resultOf(guard.send(entry(agent, '0.012')))).toBe('placed')
    expect(await resultOf(guard.send(entry(agent, '0.001')))).toMatch(/\$1,250.00 today/)
  })

  it('neither leverage nor margin mode is changed', async () => {
    const guard = stageGuard(options)
    await expect(guard.exchange.setLeverage('BTCUSDT', '20', under(agent))).rejects.toThrow(
      /a client with a grant changes/,
    )
    await expect(guard.exchange.setMarginMode?.('BTCUSDT', 'cross', under(agent))).rejects.toThrow(
      /a client with a grant changes/,
    )
    expect(guard.venue.calls).toEqual([])
  })
})

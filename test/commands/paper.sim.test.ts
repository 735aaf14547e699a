import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { place } from '../../harness/venues/place.ts'
import { paper } from '../../src/commands/account/paper.ts'
import { createCommandLookup } from '../../src/commands/kit/resolve.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'

const open = () => createSession({ lookup: createCommandLookup(() => [paper]) })
const buy = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' } as const

describe('paper faults', () => {
  it('lists what can go wrong, all of it off', async () => {
    const session = await open()
    const [heading, ...rows] = await session.run('paper faults')
    expect(heading).toMatch(/^print fault +now +what happens$/)
    expect(rows.map((row) => row.split(/ +/).slice(1, 3).join(' '))).toEqual([
      'lost-answers off',
      'lost-orders off',
      'refusals off',
      'rate-limits off',
      'lost-questions off',
      'gap off',
      'partial-fills off',
      'latency off',
    ])
    expect(await session.run('paper')).toEqual([heading, ...rows])
    expect(await session.run('paper faults list')).toEqual([heading, ...rows])
  })

  it('loses the answer of every third order, for every process on the account', async () => {
    const session = await open()
    expect(await session.run('paper faults lost-answers 3')).toEqual([
      'success lost-answers: one in 3 (the order is placed, its answer never comes)',
    ])
    const other = session.market.openExchange()
    await place(session.market.exchange, buy)
    await place(other, buy)
    await expect(place(session.market.exchange, buy)).rejects.toMatchObject({ code: 'outcome-unknown' })
    expect(await other.fetchPositions()).toMatchObject([{ amount: '0.03' }])
  })

  it.each([
    ['refusals on', 'refusals: every one'],
    ['gap 10', 'gap: 10 s left'],
    ['gap on', 'gap: on'],
    ['PARTIAL-FILLS on', 'partial-fills: on'],
    ['latency on', 'latency: 500 ms'],
    ['latency 20', 'latency: 20 ms'],
    ['latency off', 'latency: off'],
  ])('takes `%s`', async (words, said) => {
    const session = await open()
    expect(await session.run(`paper faults ${words}`)).toEqual([expect.stringContaining(`success ${said} (`)])
  })

  it('keeps faults beside each other, and ends all at once', async () => {
    const session = await open()
    await session.run('paper faults refusals 2')
    await session.run('paper faults latency 20')
    expect(session.market.exchange.paper.faults()).toEqual({ refusals: 2, latencyMs: 20 })
    await session.run('paper faults refusals off')
    expect(session.market.exchange.paper.faults()).toEqual({ latencyMs: 20 })
    expect(await session.run('paper faults off')).toEqual(['success all faults are off'])
    expect(session.market.exchange.paper.faults()).toEqual({})
  })

  it.each([
    ['lost-orders', '`on`, `off` or a number is missing'],
    ['lost-orders 0', '`0` is not a whole number from 1 to 1000000'],
    ['partial-fills 3', '`partial-fills` takes on or off, not `3`'],
    ['lost-order on', 'no fault `lost-order` found | did you mean lost-orders?'],
    ['earthquakes on', 'no fault `earthquakes` found'],
    ['off now', 'unexpected argument'],
    ['gap 10 20', 'unexpected argument'],
  ])('refuses `%s`', async (words, said) => {
    const session = await open()
    const lines = await session.run(`paper faults ${words}`)
    expect(lines).toEqual([expect.stringContaining(said)])
    expect(session.market.exchange.paper.faults()).toEqual({})
  })

  it('is refused on a venue where money is real', async () => {
    const session = await open()
    const { paper: _, ...live } = session.market.exchange
    session.useExchange({ ...live, id: 'elsewhere' } as Exchange)
    expect(await session.run('paper faults')).toEqual([
      'error not-supported: account paper is on elsewhere, which cannot be made to fail | `account use paper` trades on the paper account',
    ])
  })

  it('is for the person at the terminal only', async () => {
    const session = await open()
    expect(await session.run('paper faults refusals on', { source: 'web' })).toEqual([expect.stringContaining('error')])
    expect(session.market.exchange.paper.faults()).toEqual({})
  })
})

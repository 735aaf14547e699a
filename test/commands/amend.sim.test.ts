import { describe, expect, it } from 'vitest'
import { deciding } from '../../harness/commands/answering.ts'
import { createSession } from '../../harness/commands/command-session.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'

/** An order p1 rests at 60,000, and the venue is as the test says. */
async function stage(more: (exchange: Exchange) => Partial<Exchange>) {
  const session = await createSession({ exchange: (paper) => ({ ...paper, ...more(paper) }) })
  await session.run('buy 0.01 at 60000')
  return session
}

const noEdit = ({ capabilities }: Exchange): Partial<Exchange> => ({
  capabilities: { ...capabilities, editOrder: false },
  editOrder: () => Promise.reject(new Error('it cannot')),
})
const unknown = () => new ExchangeError('outcome-unknown', 'no answer within 10 s')

describe('amend', () => {
  it('tells of an answer that does not come, and of what the venue says of it', async () => {
    const session = await stage((exchange) => ({
      async editOrder(ref, change) {
        await exchange.editOrder(ref, change)
        return { kind: 'unknown', error: unknown() }
      },
    }))
    const run = session.start('amend p1 at 61000')
    await session.settle()
    expect(run.lines).toEqual(['warn no answer to the change of order p1: its outcome is unknown; asking the venue'])
    await session.advance(1000)
    expect(await run.done).toBe(true)
    expect(run.lines.slice(1)).toEqual([
      'warn the change of order p1 that got no answer was made: buy 0.01 BTCUSDT at 61,000',
      'success order p1 is now: buy 0.01 BTCUSDT at 61,000',
    ])
    expect(run.data).toMatchObject([
      { type: 'order', event: 'change-unknown', orderId: 'p1', error: { code: 'outcome-unknown' } },
      { type: 'order', event: 'change-settled', orderId: 'p1', isChanged: true },
      { type: 'amended' },
    ])
  })

  it('fails its chain while nothing is known, and `orders` says that', async () => {
    let isSilent = false
    const session = await stage((exchange) => ({
      async editOrder() {
        isSilent = true
        return { kind: 'unknown', error: unknown() }
      },
      fetchOrder: (ref) =>
        isSilent ? Promise.reject(new ExchangeError('network', 'no answer')) : exchange.fetchOrder(ref),
    }))
    const run = session.start('amend p1 at 61000; echo next')
    await session.advance(90_000)
    expect(await run.done).toBe(false)
    expect(run.lines).not.toContain('print next')
    expect(run.lines).toContainEqual(
      expect.stringMatching(/^error outcome-unknown: the venue does not report whether order p1 /),
    )
    const orders = session.start('orders')
    await orders.done
    expect(orders.lines[0]).toMatch(/^warn no answer to the change of order p1, sent .* UTC: its outcome is unknown$/)
    expect(orders.data).toMatchObject([{ unsettledChanges: [{ orderId: 'p1', change: { price: '61000' } }] }])
    expect(await session.run('buy 0.01')).toEqual([expect.stringMatching(/^error unsettled-order: /)])
  })

  it('takes nothing back without being told to, where the venue changes no orders', async () => {
    const session = await stage(noEdit)
    expect(await session.run('amend p1 at 61000')).toEqual([
      'error not-supported: paper cannot change an order in its place | add `replace` to cancel it and place another, at the end of the queue',
    ])
    expect(await session.market.exchange.fetchOpenOrders()).toHaveLength(1)
  })

  it('replaces there: the old one ends first, and both are told', async () => {
    const session = await stage(noEdit)
    expect(await session.run('amend p1 at 61000 replace')).toEqual([
      'success order p2: buy 0.01 BTCUSDT at 61,000 is open',
      'info order p1 was canceled',
    ])
    expect(await session.market.exchange.fetchOpenOrders()).toMatchObject([{ id: 'p2', price: '61000' }])
  })

  it('changes in place what the venue can change, and replaces the rest where that was asked for', async () => {
    const session = await stage(({ capabilities }) => ({ capabilities: { ...capabilities, editTypes: ['limit'] } }))
    expect(await session.run('amend p1 at 61000 replace')).toEqual([
      'success order p1 is now: buy 0.01 BTCUSDT at 61,000',
    ])
    await session.run('buy 0.01 stop -5%')
    const [stop] = (await session.market.exchange.fetchOpenOrders()).filter(({ type }) => type === 'stop')
    expect(await session.run(`amend ${stop?.id} at 60000`)).toEqual([
      'error not-supported: paper cannot change a stop order in its place | add `replace` to cancel it and place another, at the end of the queue',
    ])
    const replaced = await session.run(`amend ${stop?.id} at 60000 replace`)
    expect(replaced.at(-1)).toBe(`info order ${stop?.id} was canceled`)
    const stops = (await session.market.exchange.fetchOpenOrders()).filter(({ type }) => type === 'stop')
    expect(stops).toMatchObject([{ triggerPrice: '60000', reduceOnly: true }])
  })

  it('places nothing where it is not certain that the old one has ended', async () => {
    const session = await stage((exchange) => ({
      ...noEdit(exchange),
      cancelOrder: () => Promise.reject(unknown()),
    }))
    expect(await session.run('amend p1 at 61000 replace')).toEqual([expect.stringMatching(/^error outcome-unknown: /)])
    expect(await session.market.exchange.fetchOpenOrders()).toMatchObject([{ id: 'p1', price: '60000' }])
  })
})

describe('a change by symbol', () => {
  const LONG = ['buy 0.016 BTCUSDT stop -8%']
  const STOP = { id: 'p2', amount: '0.016', triggerPrice: '59800' }

  async function held(before: readonly string[], answers?: boolean[]) {
    const { terminal, asked } = deciding(answers)
    const session = await createSession({ terminal })
    for (const line of before) await session.run(line)
    const open = () => session.market.exchange.fetchOpenOrders()
    return { session, asked, open }
  }

  it.each(
    ['amend BTCUSDT 0.01', 'move BTCUSDT to -3%', 'amend BTCUSDT at -3% 0.01'].flatMap((line) =>
      (['exec', 'hook', 'web', 'phone'] as const).map((source) => [line, source] as const),
    ),
  )('leaves a stop as it is: `%s` of %s', async (line, source) => {
    const { session, open } = await held(LONG)
    expect(await session.run(line, { source })).toEqual([
      `error ambiguous-order: no entry rests on BTCUSDT, only order p2: stop sell 0.016 BTCUSDT at 59,800, reduce-only | type \`${line.replace('BTCUSDT', 'p2')}\``,
    ])
    expect(await open()).toMatchObject([STOP])
  })

  it('asks at a terminal before a stop is changed', async () => {
    const { session, asked, open } = await held(LONG, [false, true])
    expect((await session.run('amend BTCUSDT 0.01')).join('\n')).toContain('ambiguous-order')
    expect(await open()).toMatchObject([STOP])
    expect((await session.run('amend BTCUSDT 0.01')).join('\n')).toContain('order p2 is now: stop sell 0.01')
    const question =
      'no entry rests on BTCUSDT, only order p2: stop sell 0.016 BTCUSDT at 59,800, reduce-only; change it? y or n >'
    expect(asked).toEqual([question, question])
  })

  it.each(['take at +4%', 'sell 0.01 BTCUSDT at +4% reduce'])('leaves a target as it is: `%s`', async (target) => {
    const { session, open } = await held(['buy 0.016 BTCUSDT', target])
    const before = await open()
    expect((await session.run('move BTCUSDT to +3%', { source: 'exec' })).join('\n')).toContain('ambiguous-order')
    expect(await open()).toEqual(before)
  })

  it('means the entry where a stop rests beside it', async () => {
    const { session, open } = await held([...LONG, 'buy 0.01 BTCUSDT at -2%'])
    expect((await session.run('amend BTCUSDT 0.02', { source: 'hook' })).join('\n')).toContain('order p3 is now')
    expect(await open()).toMatchObject([STOP, { id: 'p3', amount: '0.02' }])
  })

  it.each(['repl', 'exec', 'hook', 'web'] as const)(
    'never makes a stop larger than its position: %s',
    async (source) => {
      const { session, open } = await held(LONG)
      expect(await session.run('amend p2 0.05', { source })).toEqual([
        'success order p2 is now: stop sell 0.016 BTCUSDT at 59,800, reduce-only',
        'info 0.05 BTC is more than the long of 0.016 BTC, so the order is for all of it',
      ])
      expect(await open()).toMatchObject([STOP])
    },
  )
})

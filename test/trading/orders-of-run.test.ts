import { describe, expect, it } from 'vitest'
import { defined } from '../../src/base/defined.ts'
import { ordersOfRun } from '../../src/trading/history/journal-history.ts'

const RUN = '5a0e81c2-6f1d-4c0a-9a57-1d2f6c3b8e90'
const id = (step: string) => `5a0e81c26f1d4c0a9a571d2f${step}`
const order = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' }

const intent = (step: string, at: number, more: object = {}) => ({
  t: 'intent',
  id: id(step),
  at,
  account: 'paper',
  venue: 'paper',
  by: {},
  owner: { pid: 1 },
  order: { ...order, ...more },
})
const fill = (step: string, tradeId: string, amount: string, price: string) => ({
  t: 'fill',
  id: id(step),
  at: 5,
  account: 'paper',
  trade: { id: tradeId, amount, price },
})

async function read(lines: readonly object[]) {
  async function* backwards(): AsyncGenerator<readonly string[]> {
    yield lines.map((line) => JSON.stringify(line)).reverse()
  }
  return ordersOfRun(backwards(), RUN)
}

describe('the orders of a run', () => {
  it('have their fate and their fills, each trade counted once', async () => {
    const lines = [
      intent('00000000', 1),
      { t: 'outcome', id: id('00000000'), at: 2, outcome: 'placed', orderId: 'p1' },
      fill('00000000', 't1', '0.004', '100'),
      fill('00000000', 't2', '0.006', '200'),
      fill('00000000', 't1', '0.004', '100'),
      { t: 'end', id: id('00000000'), at: 6, status: 'closed', filled: '0.01' },
    ]
    expect(await read(lines)).toEqual([
      {
        clientOrderId: id('00000000'),
        orderId: 'p1',
        account: 'paper',
        at: 1,
        ...order,
        state: 'closed',
        filled: '0.01',
        average: '160',
      },
    ])
  })

  it.each([
    ['sent', [], undefined],
    ['placed', [{ outcome: 'placed', orderId: 'p1' }], undefined],
    ['unknown', [{ outcome: 'unknown', message: 'no answer' }], 'no answer'],
    ['refused', [{ outcome: 'refused', code: 'x', message: 'too small' }], 'too small'],
    [
      'placed',
      [
        { outcome: 'unknown', message: 'no answer' },
        { outcome: 'placed', orderId: 'p1' },
      ],
      undefined,
    ],
    ['expired', [{ outcome: 'placed', orderId: 'p1', end: { status: 'expired', filled: '0', reason: 'ioc' } }], 'ioc'],
  ])('are %s', async (state, outcomes, reason) => {
    const lines = [
      intent('00000000', 1),
      ...outcomes.map((each) => ({ t: 'outcome', id: id('00000000'), at: 2, ...each })),
    ]
    expect(await read(lines)).toMatchObject([{ state, ...defined({ reason }) }])
  })

  it('are as they were amended last, by whichever process', async () => {
    const changed = (at: number, ref: object, change: unknown, account = 'paper') => ({
      t: 'changed',
      at,
      account,
      ref,
      change,
    })
    const both = { symbol: 'BTCUSDT', id: 'p1', clientOrderId: id('00000000') }
    const lines = [
      changed(0, { symbol: 'BTCUSDT', id: 'p1' }, { amount: '9' }),
      intent('00000000', 1, { type: 'stop', triggerPrice: '90' }),
      { t: 'outcome', id: id('00000000'), at: 2, outcome: 'placed', orderId: 'p1' },
      changed(3, both, { amount: '0.02', triggerPrice: '91' }),
      changed(4, { symbol: 'BTCUSDT', id: 'p1' }, { triggerPrice: '92' }),
      changed(5, { symbol: 'BTCUSDT', id: 'p1' }, { triggerPrice: '80' }, 'other'),
      changed(6, both, 'canceled'),
    ]
    expect(await read(lines)).toMatchObject([{ orderId: 'p1', amount: '0.02', triggerPrice: '92', state: 'placed' }])
  })

  it('are those of the run alone, its stops too, oldest first', async () => {
    const other = { ...intent('00000000', 1), id: `ffff81c26f1d4c0a9a571d2f00000000` }
    const lines = [other, intent('80000000', 3, { type: 'stop', triggerPrice: '90' }), intent('00000000', 2)]
    expect((await read(lines)).map(({ clientOrderId }) => clientOrderId)).toEqual([id('00000000'), id('80000000')])
  })

  it('leave out what a crash tore or a person wrote', async () => {
    const lines = [
      { t: 'outcome', id: id('00000000'), outcome: 'placed' },
      { t: 'intent', id: id('00000001') },
    ]
    expect(await read(lines)).toEqual([])
  })
})

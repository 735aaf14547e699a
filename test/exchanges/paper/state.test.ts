import { describe, expect, it } from 'vitest'
import { place } from '../../../harness/venues/place.ts'
import { createScriptedMarket } from '../../../harness/venues/scripted-market.ts'
import { findOrder, initialState } from '../../../src/exchanges/paper/state.ts'
import { encodePaperState, PAPER_FORMAT, parsePaperState } from '../../../src/exchanges/paper/state-file.ts'
import { decodeFile } from '../../../src/stores/json-decode.ts'

const fresh = initialState({ seed: 's', balance: '10000' })

const bid = {
  id: 'p1',
  symbol: 'BTCUSDT',
  side: 'buy',
  type: 'limit',
  amount: '0.01',
  filled: '0',
  remaining: '0.01',
  price: '60000',
  reduceOnly: false,
  postOnly: false,
  status: 'open',
  timestamp: 1,
}
const stop = { ...bid, id: 'p2', type: 'stop', price: undefined, triggerPrice: '90000' }
/** As the first release wrote it. */
const old = JSON.parse(
  JSON.stringify({
    note: 'mine',
    version: 1,
    seed: 's',
    deposited: '10000',
    realizedPnl: '5',
    fees: '0.3',
    covered: '0',
    positions: [{ symbol: 'BTCUSDT', amount: '0.01', cost: '650', realizedPnl: '0', colour: 'red' }],
    openOrders: [{ order: bid }, { order: stop, firesWhenLast: 'at-or-above' }],
    trades: [
      {
        id: 't1',
        orderId: 'p0',
        symbol: 'BTCUSDT',
        side: 'buy',
        amount: '0.01',
        price: '65000',
        fee: '0.3',
        takerOrMaker: 'taker',
        realizedPnl: '0',
        timestamp: 1,
      },
    ],
    changes: [
      { seq: 1, order: bid },
      { seq: 2, order: { ...bid, id: 'p3' } },
      { seq: 3, order: { ...bid, id: 'p3', status: 'canceled' }, reason: 'why' },
    ],
    nextOrderId: 4,
    nextTradeId: 2,
    nextChangeSeq: 4,
  }),
)

describe('the stored paper account', () => {
  it('reads back what it wrote', async () => {
    const { exchange, store } = createScriptedMarket()
    await place(exchange, { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' })
    await place(exchange, {
      symbol: 'BTCUSDT',
      side: 'sell',
      type: 'stop',
      amount: '0.01',
      triggerPrice: '64000',
      reduceOnly: true,
    })
    expect(parsePaperState(JSON.parse(JSON.stringify(store.read())))).toEqual(store.read())
  })

  it('keeps fields it does not know, at every depth', () => {
    const raw = {
      ...fresh,
      note: 'mine',
      positions: [{ symbol: 'BTCUSDT', amount: '1', cost: '65000', realizedPnl: '0', colour: 'red' }],
    }
    expect(parsePaperState(raw)).toEqual(raw)
  })

  it.each([
    ['another version', { ...fresh, version: 0 }],
    ['money as a number', { ...fresh, deposited: 10000 }],
    ['money with an exponent', { ...fresh, deposited: '1e4' }],
    ['a counter below one', { ...fresh, nextOrderId: 0 }],
    ['a missing list', { ...fresh, trades: undefined }],
    ['an unknown side', { ...fresh, openOrders: [{ seq: 1, order: { id: 'p1', side: 'hold' } }] }],
    ['a leverage of nothing', { ...fresh, leverage: { BTCUSDT: '0' } }],
    ['every zeroth', { ...fresh, faults: { lostAnswers: 0 } }],
    ['an old file without its lists', { ...old, changes: undefined }],
    ['a list', []],
    ['null', null],
  ])('refuses %s', (_what, raw) => {
    expect(() => parsePaperState(raw)).toThrow(expect.objectContaining({ name: '$ZodError' }))
  })

  it('refuses what a newer hookline wrote, and says so', () => {
    expect(() => parsePaperState({ ...fresh, version: 5 })).toThrow(
      'is of version 5, written by a newer hookline; this one reads up to version 4',
    )
  })

  it('is written one line per order and trade, and never what could not be read back', async () => {
    const { exchange, store } = createScriptedMarket()
    await place(exchange, { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' })
    const text = encodePaperState({ ...store.read(), ['note' as never]: 'mine' as never })
    expect(parsePaperState(JSON.parse(text))).toEqual({ ...store.read(), note: 'mine' })
    expect(text.split('\n').filter((line) => line.startsWith('    {'))).toHaveLength(2)
    const [trade] = store.read().trades
    const broken = { ...store.read(), trades: trade === undefined ? [] : [{ ...trade, price: 'NaN' }] }
    expect(() => encodePaperState(broken)).toThrow(expect.objectContaining({ name: '$ZodError' }))
    expect(() => encodePaperState({ ...fresh, fees: 'NaN' })).toThrow(expect.objectContaining({ name: '$ZodError' }))
  })
})

describe('an account of version 2', () => {
  const { walk: _, ...second } = { ...fresh, version: 2, seed: 'hookline', note: 'mine' }

  it('keeps its prices: its coins move each for itself, by its seed', () => {
    expect(parsePaperState(second)).toEqual({ ...second, version: 4, walk: 'independent' })
  })

  it('is read the same by the file', () => {
    const bytes = new TextEncoder().encode(JSON.stringify(second))
    expect(decodeFile(bytes, PAPER_FORMAT)).toMatchObject({ value: { version: 4, walk: 'independent' } })
  })
})

describe('an account of version 1', () => {
  const read = parsePaperState(old)

  it('keeps its money, positions, orders, trades and whatever else is in it', () => {
    const { changes: _, ...kept } = old
    expect(read).toMatchObject({ ...kept, version: 4, walk: 'independent' })
    expect(parsePaperState(JSON.parse(encodePaperState(read)))).toEqual(read)
  })

  it('can be asked for the orders that ended last', () => {
    expect(read.endedOrders).toMatchObject([{ seq: 3, order: { id: 'p3', status: 'canceled' }, reason: 'why' }])
    expect(findOrder(read, { symbol: 'BTCUSDT', id: 'p3' })).toMatchObject({ status: 'canceled' })
  })

  it('trades on: resting orders fill, and numbers go on', async () => {
    const market = createScriptedMarket()
    await market.store.update(() => parsePaperState(old))
    market.setPrice('BTCUSDT', '59000')
    await market.advance()
    await market.advance()
    expect(await market.exchange.fetchOpenOrders()).toMatchObject([{ id: 'p2' }])
    expect(await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([{ id: 't1' }, { id: 't2' }])
    expect(await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 1 })).toMatchObject([{ orderId: 'p1' }])
  })
})

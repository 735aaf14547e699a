// Trigger orders that fire, as the venues' streams tell it through their unmodified classes of ccxt: the trigger order goes on as another, and what it
// has filled is what that one has filled, never the whole because it has fired.
import { describe, expect, it } from 'vitest'
import type { Order } from '../../../../src/exchange/order.ts'
import { type Message, orderOf, startSockets, tradeOf } from './venue-sockets.ts'

const OURS = '0123456789abcdef0123456789abcdef'
const NOW = Date.now()

/** Binance, `ALGO_UPDATE`: a captured stop of nautilus_trader (`X` TRIGGERED, `aq` 0, `ai` of the order that it became). */
function algo(fields: object): Message {
  return {
    e: 'ALGO_UPDATE',
    T: NOW,
    E: NOW,
    o: {
      caid: OURS,
      aid: 2_148_719,
      at: 'CONDITIONAL',
      o: 'STOP',
      s: 'BTCUSDT',
      S: 'SELL',
      ps: 'BOTH',
      f: 'GTC',

      q: '1',
      X: 'NEW',
      ai: '',
      ap: '0',
      aq: '0',
      act: 'LIMIT',
      tp: '60000',
      p: '59990',
      R: true,
      tt: 1,
      ...fields,
    },
  }
}

/** Binance, `ORDER_TRADE_UPDATE` of the order that it became: 0.4 of 1 have filled. Captures have `si` 0 and our id in `c`. */
const CHILD_FILL: Message = {
  e: 'ORDER_TRADE_UPDATE',
  T: NOW,
  E: NOW,
  o: {
    s: 'BTCUSDT',
    c: OURS,
    S: 'SELL',
    o: 'LIMIT',
    f: 'GTC',
    q: '1',
    p: '59990',
    ap: '59990',
    sp: '0',
    x: 'TRADE',
    X: 'PARTIALLY_FILLED',
    i: 555,
    l: '0.4',
    z: '0.4',
    L: '59990',
    N: 'USDT',
    n: '1',
    T: NOW,
    t: 7,
    b: '0',
    a: '0',
    m: true,
    R: true,
    wt: 'CONTRACT_PRICE',
    ot: 'LIMIT',
    ps: 'BOTH',
    cp: false,
    rp: '0',
    si: 0,
    ss: 0,
  },
}

const STOP: Partial<Order> & { readonly id: string } = {
  id: '2148719',
  clientOrderId: OURS,
  side: 'sell',
  type: 'stop-limit',
  price: '59990',
  triggerPrice: '60000',
  reduceOnly: true,
}

async function startBinance() {
  const started = await startSockets({
    venue: 'binance',
    kind: 'linear',
    answer: () => [],
    rest: [['POST fapi/v1/listenKey', { listenKey: 'the-listen-key' }]],
  })
  await expect.poll(() => started.addresses().length).toBe(1)
  started.hold(orderOf(STOP))
  started.say(algo({}))
  await expect.poll(() => started.told(), { interval: 5 }).toEqual(['order 2148719 open 0'])
  return started
}

describe('a stop-limit on Binance that triggers', () => {
  it('rests on, and is told with what it has filled', async () => {
    const started = await startBinance()
    started.asked.length = 0
    for (const fields of [{ X: 'TRIGGERING' }, { X: 'TRIGGERED', ai: '555' }, { X: 'FINISHED', ai: '555' }]) {
      started.say(algo(fields))
    }
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(started.told()).toEqual(['order 2148719 open 0'])
    // The order, and not the fills that it would have if it had filled.
    expect(started.asked[0]).toBe('order 2148719')
    started.hold(orderOf({ ...STOP, filled: '0.4' }), tradeOf({ id: '7', orderId: STOP.id, amount: '0.4' }))
    started.say(CHILD_FILL)
    await expect
      .poll(() => started.told(), { interval: 5 })
      .toEqual(['order 2148719 open 0', 'trade 7 0.4', 'order 2148719 open 0.4'])
    const fills = started.events.flatMap((event) => (event.type === 'trade' ? [event.trade] : []))
    expect(fills).toMatchObject([{ orderId: '2148719', clientOrderId: OURS }])
  })

  it('is known by our id in the order that it became, where nothing else names it', async () => {
    const started = await startBinance()
    started.hold(orderOf({ ...STOP, filled: '0.4' }), tradeOf({ id: '7', orderId: STOP.id, amount: '0.4' }))
    started.say(CHILD_FILL)
    await expect
      .poll(() => started.told(), { interval: 5 })
      .toEqual(['order 2148719 open 0', 'trade 7 0.4', 'order 2148719 open 0.4'])
    expect(started.events.at(-1)).toMatchObject({
      order: { clientOrderId: OURS, type: 'stop-limit', triggerPrice: '60000', remaining: '0.6' },
    })
  })
})

/** OKX, `orders-algo` of its document. */
const OKX_ALGO = {
  instType: 'SWAP',
  instId: 'BTC-USDT-SWAP',
  algoId: 'a1',
  algoClOrdId: '',
  ordType: 'conditional',
  side: 'sell',
  posSide: 'net',
  tdMode: 'cross',
  sz: '100',
  state: 'effective',
  slTriggerPx: '60000',
  slOrdPx: '-1',
  ordId: 'o9',
  ordIdList: ['o9'],
  cTime: `${NOW}`,
  uTime: `${NOW}`,
  actualSz: '100',
  actualPx: '59990',
}

/** Gate, `futures.autoorders` of its document: it goes on as the order in `trade_id`. */
const GATE_AUTO = {
  user: 1,
  id: 77,
  trade_id: 999,
  is_stop_order: false,
  status: 'finished',
  finish_as: 'succeeded',
  reason: '',
  trigger: { strategy_type: 0, price_type: 0, price: '60000', rule: 2, expiration: 0 },
  initial: { contract: 'BTC_USDT', size: -10_000, price: '0', tif: 'ioc', text: 'web', is_reduce_only: true },
  create_time: NOW / 1000,
  finish_time: NOW / 1000,
  name: 'price_autoorders',
  me_order_id: 0,
}

describe.each([
  {
    venue: 'okx',
    id: 'a1',
    sockets: 2,
    frame: { arg: { channel: 'orders-algo', instType: 'ANY', uid: '1' }, data: [OKX_ALGO] },
    answer: ({ op }: Message) => (op === 'login' ? [{ event: 'login', code: '0', msg: '' }] : []),
  },
  {
    venue: 'gate',
    id: '77',
    sockets: 1,
    answer: () => [],
    frame: { time: NOW, channel: 'futures.autoorders', event: 'update', result: [GATE_AUTO] },
  },
])('a stop on $venue that fires', ({ venue, id, sockets, frame, answer }) => {
  it('is asked for, and told as it is', async () => {
    const started = await startSockets({ venue, kind: 'linear', answer })
    await expect.poll(() => started.heard.length).toBeGreaterThan(2)
    await expect.poll(() => started.addresses().length).toBe(sockets)
    const stop = { id, side: 'sell', type: 'stop', triggerPrice: '60000', reduceOnly: true } as const
    started.hold(orderOf({ ...stop, filled: '0.4' }), tradeOf({ id: 'f1', orderId: id, amount: '0.4' }))
    started.asked.length = 0
    started.say(frame)
    await expect.poll(() => started.told(), { interval: 5 }).toEqual(['trade f1 0.4', `order ${id} open 0.4`])
    expect(started.problems).toEqual([])
  })
})

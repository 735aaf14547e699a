// The stand-in of Binance is what ccxt takes for Binance: every answer is parsed, every refusal is the error that the venue's code stands for.
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { type BareCcxt, bareBinance } from '../../../harness/venues/bare-ccxt.ts'
import type { Fault } from '../../../harness/venues/binance/faults.ts'
import { KEYS, stageBinance } from '../../../harness/venues/binance/staged.ts'
import type { Binance } from '../../../harness/venues/binance/start-binance.ts'

const BTC = 'BTC/USDT:USDT'
const PLACE = 'POST /fapi/v1/order'

interface Desk {
  readonly venue: Binance
  readonly ccxt: BareCcxt
}

async function open(context: TestContext, options: Parameters<typeof stageBinance>[1] = {}): Promise<Desk> {
  const venue = await stageBinance(context, options)
  const ccxt = await bareBinance(KEYS)
  onTestFinished(async () => {
    await ccxt.close()
    expect(venue.unexpected).toEqual([])
  })
  return { venue, ccxt }
}

const buy = ({ ccxt }: Desk, amount = 0.002, params = {}) =>
  ccxt.createOrder(BTC, 'market', 'buy', amount, undefined, params)
const rest = ({ ccxt }: Desk, price = 49_000, params = {}) =>
  ccxt.createOrder(BTC, 'limit', 'buy', 0.002, price, params)

/** The name of the class that it is rejected with. */
async function classOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'nothing',
    (error: unknown) => (error as Error).constructor.name,
  )
}

describe('bare ccxt on the stand-in', () => {
  it('lists markets with their steps, and says which are not traded', async (context) => {
    const { ccxt } = await open(context)
    const markets = (await ccxt.loadMarkets()) as Record<
      string,
      { active: boolean; contractSize: number; precision: object }
    >
    expect(markets[BTC]).toMatchObject({ active: true, contractSize: 1, precision: { amount: 0.001, price: 0.1 } })
    expect(markets['LUNA/USDT:USDT']).toMatchObject({ active: false })
    expect(Object.keys(markets)).toContain('BTC/USDT:USDT-270326')
  })

  it('reads tickers, the book, the balance, the position mode and what the keys may do', async (context) => {
    const { ccxt } = await open(context, { account: { mayWithdraw: true } })
    expect(await ccxt.fetchTicker(BTC)).toMatchObject({ last: 50_000 })
    expect(await ccxt.fetchOrderBook(BTC, 20)).toMatchObject({
      bids: { 0: [49_999.9, 0.05] },
      asks: { 0: [50_000.1, 0.049] },
    })
    expect(await ccxt.fetchBalance()).toMatchObject({ USDT: { free: 10_000, used: 0, total: 10_000 } })
    expect(await ccxt.fetchPositionMode()).toMatchObject({ hedged: false })
    expect(await ccxt.sapiGetAccountApiRestrictions({})).toMatchObject({ enableWithdrawals: true, ipRestrict: true })
  })

  it('buys, holds a position, sells, and has paid the fees', async (context) => {
    const desk = await open(context)
    const bought = await buy(desk, 0.1)
    expect(bought).toMatchObject({ status: 'closed', filled: 0.1, side: 'buy', type: 'market' })
    const [position] = await desk.ccxt.fetchPositions([BTC])
    expect(position).toMatchObject({ symbol: BTC, side: 'long', contracts: 0.1 })
    const trades = await desk.ccxt.fetchMyTrades(BTC)
    expect(trades.length).toBeGreaterThan(1)
    expect(trades[0]).toMatchObject({ order: bought.id, takerOrMaker: 'taker', fee: { currency: 'USDT' } })
    await desk.ccxt.createOrder(BTC, 'market', 'sell', 0.1, undefined, { reduceOnly: true })
    expect(await desk.ccxt.fetchPositions([BTC])).toEqual([])
    expect((await desk.ccxt.fetchBalance()).USDT).toMatchObject({ used: 0 })
    expect(desk.venue.account().wallet.lt('9996')).toBe(true)
  })

  it('rests a limit, changes it, finds it by its own name, and cancels it', async (context) => {
    const desk = await open(context)
    const { ccxt } = desk
    const order = await rest(desk, 49_000, { clientOrderId: 'mine-1' })
    expect(order).toMatchObject({ status: 'open', clientOrderId: 'mine-1', price: 49_000 })
    await ccxt.editOrder(order.id, BTC, 'limit', 'buy', 0.003, 48_900)
    const found = await ccxt.fetchOrder(undefined, BTC, { origClientOrderId: 'mine-1' })
    expect(found).toMatchObject({ id: order.id, amount: 0.003, price: 48_900 })
    expect(await ccxt.fetchOpenOrders(BTC)).toMatchObject([{ id: order.id }])
    expect(await ccxt.cancelOrder(order.id, BTC)).toMatchObject({ status: 'canceled' })
    expect(await ccxt.fetchOpenOrders(BTC)).toEqual([])
  })

  it('keeps stops elsewhere, and fires them when the price comes', async (context) => {
    const desk = await open(context)
    const { ccxt, venue } = desk
    await buy(desk)
    const stop = await ccxt.createOrder(BTC, 'market', 'sell', 0.002, undefined, {
      stopLossPrice: 49_000,
      reduceOnly: true,
    })
    expect(await ccxt.fetchOpenOrders(BTC)).toEqual([])
    expect(await ccxt.fetchOpenOrders(BTC, undefined, undefined, { trigger: true })).toMatchObject([
      { id: stop.id, triggerPrice: 49_000 },
    ])
    venue.engine.movePrice('BTCUSDT', '48900')
    expect(await ccxt.fetchOrder(stop.id, BTC, { trigger: true })).toMatchObject({ status: 'closed' })
    expect(await ccxt.fetchPositions([BTC])).toEqual([])
  })

  it('loses a position that it cannot carry', async (context) => {
    const desk = await open(context, { account: { wallet: '100' } })
    await desk.ccxt.setLeverage(100, BTC)
    await buy(desk, 0.1)
    desk.venue.engine.movePrice('BTCUSDT', '48500')
    expect(await desk.ccxt.fetchPositions([BTC])).toEqual([])
    const orders = [...desk.venue.account().orders.values()]
    expect(orders.at(-1)).toMatchObject({
      type: 'LIQUIDATION',
      status: 'FILLED',
      clientId: expect.stringMatching(/^autoclose-/),
    })
  })
})

describe('a refusal of the stand-in is', () => {
  const REFUSALS: readonly (readonly [what: string, wanted: string, call: (desk: Desk) => Promise<unknown>])[] = [
    ['beyond the funds', 'InsufficientFunds', (desk) => buy(desk, 100)],
    ['below the least notional', 'InvalidOrder', (desk) => rest(desk, 20_000)],
    [
      'under a name that rests',
      'InvalidOrder',
      async (desk) => {
        await rest(desk, 49_000, { clientOrderId: 'same' })
        return rest(desk, 49_000, { clientOrderId: 'same' })
      },
    ],
    ['post-only that would take', 'OrderNotFillable', (desk) => rest(desk, 50_100, { postOnly: true })],
    ['fok that cannot be filled', 'OrderNotFillable', (desk) => rest(desk, 49_000, { timeInForce: 'FOK' })],
    ['reduce-only with nothing to reduce', 'InvalidOrder', (desk) => buy(desk, 0.002, { reduceOnly: true })],
    [
      'a stop that is reached already',
      'OrderImmediatelyFillable',
      (desk) => buy(desk, 0.002, { stopLossPrice: 49_000 }),
    ],
    ['an order that nobody placed', 'OrderNotFound', ({ ccxt }) => ccxt.fetchOrder('77', BTC)],
    ['a cancel of what is not open', 'OrderNotFound', ({ ccxt }) => ccxt.cancelOrder('77', BTC)],
  ]
  for (const [what, wanted, call] of REFUSALS) {
    it(`${wanted} for ${what}`, async (context) => expect(await classOf(call(await open(context)))).toBe(wanted))
  }

  it('AuthenticationError for a wrong secret, and for keys that nobody has', async (context) => {
    const { venue } = await open(context)
    const wrong = await bareBinance({ ...KEYS, secret: 'wrong' })
    expect(await classOf(wrong.fetchBalance())).toBe('AuthenticationError')
    venue.account().isRevoked = true
    expect(await classOf((await bareBinance(KEYS)).fetchBalance())).toBe('AuthenticationError')
  })

  it('InvalidNonce for a clock that is off, and none once the difference is known', async (context) => {
    const { venue, ccxt } = await open(context)
    venue.clockOffsetMs = 60_000
    expect(await classOf(ccxt.fetchBalance())).toBe('InvalidNonce')
    await ccxt.loadTimeDifference()
    expect(await classOf(ccxt.fetchBalance())).toBe('nothing')
  })

  it('OperationRejected for an account in hedge mode', async (context) => {
    const desk = await open(context, { account: { isHedged: true } })
    expect(await classOf(buy(desk))).toBe('OperationRejected')
  })
})

describe('a fault of the stand-in', () => {
  const FAULTS: readonly (readonly [Fault['kind'], wanted: string])[] = [
    ['hang', 'RequestTimeout'],
    ['reset', 'NetworkError'],
    ['cut-json', 'TypeError'],
    ['html', 'TypeError'],
    ['rate-limited', 'DDoSProtection'],
    ['banned', 'DDoSProtection'],
    ['unknown', 'OperationFailed'],
    ['timed-out', 'RequestTimeout'],
    ['busy', 'OperationFailed'],
  ]
  for (const [kind, wanted] of FAULTS) {
    for (const isDone of [false, true]) {
      it(`${kind} is ${wanted}, and the order ${isDone ? 'is there' : 'never came'}`, async (context) => {
        const desk = await open(context)
        await desk.ccxt.loadMarkets()
        desk.venue.fail({ kind, isDone, route: PLACE })
        expect(await classOf(rest(desk))).toBe(wanted)
        expect(desk.venue.account().openOrders()).toHaveLength(isDone ? 1 : 0)
        expect(desk.venue.asked(PLACE)).toHaveLength(1)
      })
    }
  }
})

describe('streams of the stand-in', () => {
  it('tell each fill and each state of an order', async (context) => {
    const desk = await open(context)
    const { ccxt, venue } = desk
    const orders = ccxt.watchOrders(BTC)
    const trades = ccxt.watchMyTrades(BTC)
    await expect.poll(() => venue.streams.listeners).toBe(1)
    const { id } = await buy(desk, 0.1)
    expect((await orders).at(-1)).toMatchObject({ id })
    expect(await trades).toMatchObject([{ order: id }, { order: id }])
  })

  it('tell the ticker and the book', async (context) => {
    const { ccxt, venue } = await open(context)
    expect(await ccxt.watchTicker(BTC)).toMatchObject({ last: 50_000 })
    expect(await ccxt.watchOrderBook(BTC)).toMatchObject({ bids: { 0: [49_999.9, 0.05] } })
    const next = ccxt.watchTicker(BTC)
    venue.engine.movePrice('BTCUSDT', '51000')
    expect(await next).toMatchObject({ last: 51_000 })
  })

  it('lose what was told while a socket was gone', async (context) => {
    const desk = await open(context)
    const { ccxt, venue } = desk
    const first = ccxt.watchMyTrades(BTC)
    await expect.poll(() => venue.streams.listeners).toBe(1)
    venue.streams.drop()
    expect(await classOf(first)).toBe('NetworkError')
    await buy(desk)
    const next = ccxt.watchMyTrades(BTC)
    await expect.poll(() => venue.streams.listeners).toBe(1)
    const { id } = await buy(desk)
    expect(await next).toMatchObject([{ order: id }])
    expect(venue.account().fills).toHaveLength(2)
  })
})

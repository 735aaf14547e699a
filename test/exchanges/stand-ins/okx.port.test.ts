// The stand-in of OKX is what ccxt takes for OKX: every answer is parsed, every refusal is the error that the venue's code stands for.
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { type BareCcxt, bareOkx } from '../../../harness/venues/bare-ccxt.ts'
import type { Fault } from '../../../harness/venues/okx/faults.ts'
import { KEYS, stageOkx } from '../../../harness/venues/okx/staged.ts'
import type { Okx } from '../../../harness/venues/okx/start-okx.ts'

const BTC = 'BTC/USDT:USDT'
const SWAP = 'BTC-USDT-SWAP'
const PLACE = 'POST /api/v5/trade/order'

interface Desk {
  readonly venue: Okx
  readonly ccxt: BareCcxt
}

async function open(context: TestContext, options: Parameters<typeof stageOkx>[1] = {}): Promise<Desk> {
  const venue = await stageOkx(context, options)
  const ccxt = await bareOkx(KEYS)
  onTestFinished(async () => {
    await ccxt.close()
    expect(venue.unexpected).toEqual([])
  })
  return { venue, ccxt }
}

/** In contracts of 0.01 BTC. */
const buy = ({ ccxt }: Desk, size = 2, params = {}) => ccxt.createOrder(BTC, 'market', 'buy', size, undefined, params)
const rest = ({ ccxt }: Desk, price = 59_000, params = {}) => ccxt.createOrder(BTC, 'limit', 'buy', 2, price, params)

/** The name of the class that it is rejected with. */
async function classOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'nothing',
    (error: unknown) => (error as Error).constructor.name,
  )
}

describe('bare ccxt on the stand-in', () => {
  it('lists markets in contracts', async (context) => {
    const { ccxt } = await open(context)
    const markets = (await ccxt.loadMarkets()) as Record<string, object>
    expect(markets[BTC]).toMatchObject({
      active: true,
      linear: true,
      contractSize: 0.01,
      precision: { amount: 0.01, price: 0.1 },
    })
  })

  it('reads tickers, the book, the balance, the position mode and what the keys may do', async (context) => {
    const { ccxt } = await open(context, { account: { perm: 'read_only,withdraw,trade' } })
    expect(await ccxt.fetchTicker(BTC)).toMatchObject({ last: 60_000 })
    const { bids, asks } = (await ccxt.fetchOrderBook(BTC, 20)) as Record<string, readonly number[][]>
    expect([bids?.[0]?.slice(0, 2), asks?.[0]?.slice(0, 2)]).toEqual([
      [59_999.9, 4.16],
      [60_000.1, 4.16],
    ])
    expect(await ccxt.fetchBalance()).toMatchObject({ USDT: { free: 10_000, used: 0, total: 10_000 } })
    expect(await ccxt.fetchPositionMode()).toMatchObject({ hedged: false })
    expect(await ccxt.privateGetAccountConfig({})).toMatchObject({ data: [{ perm: 'read_only,withdraw,trade' }] })
  })

  it('buys, holds a position, sells, and has paid the fees', async (context) => {
    const desk = await open(context)
    const { id } = await buy(desk, 10)
    const bought = await desk.ccxt.fetchOrder(id, BTC)
    expect(bought).toMatchObject({ status: 'closed', filled: 10, side: 'buy', type: 'market' })
    const [position] = await desk.ccxt.fetchPositions([BTC])
    expect(position).toMatchObject({ symbol: BTC, side: 'long', contracts: 10, marginMode: 'cross' })
    const trades = await desk.ccxt.fetchMyTrades(BTC)
    expect(trades.length).toBeGreaterThan(1)
    expect(trades[0]).toMatchObject({ order: id, takerOrMaker: 'taker', fee: { currency: 'USDT' } })
    await desk.ccxt.createOrder(BTC, 'market', 'sell', 10, undefined, { reduceOnly: true })
    expect(await desk.ccxt.fetchPositions([BTC])).toEqual([])
    expect((await desk.ccxt.fetchBalance()).USDT).toMatchObject({ used: 0 })
    expect(desk.venue.account().wallet.lt('9994.5')).toBe(true)
  })

  it('rests a limit, changes it, finds it by its own name, and cancels it', async (context) => {
    const desk = await open(context)
    const { ccxt } = desk
    const { id } = await rest(desk, 59_000, { clientOrderId: 'mine1' })
    await ccxt.editOrder(id, BTC, 'limit', 'buy', 3, 58_900)
    const found = await ccxt.fetchOrder('', BTC, { clientOrderId: 'mine1' })
    expect(found).toMatchObject({ id, amount: 3, price: 58_900, status: 'open' })
    expect(await ccxt.fetchOpenOrders(BTC)).toMatchObject([{ id }])
    await ccxt.cancelOrder(id, BTC)
    expect(await ccxt.fetchOrder(id, BTC)).toMatchObject({ status: 'canceled' })
    expect(await ccxt.fetchOpenOrders(BTC)).toEqual([])
  })

  it('keeps trigger orders elsewhere, and makes an order of one when the price comes', async (context) => {
    const desk = await open(context)
    const { ccxt, venue } = desk
    await buy(desk)
    const stop = await ccxt.createOrder(BTC, 'market', 'sell', 2, undefined, { triggerPrice: 59_000, reduceOnly: true })
    expect(await ccxt.fetchOpenOrders(BTC)).toEqual([])
    expect(await ccxt.fetchOpenOrders(BTC, undefined, undefined, { trigger: true })).toMatchObject([
      { id: stop.id, triggerPrice: 59_000 },
    ])
    venue.engine.movePrice(SWAP, '58900')
    const { info, ...fired } = (await ccxt.fetchOrder(stop.id, BTC, { trigger: true })) as { info: { ordId: string } }
    expect(fired).toMatchObject({ status: 'closed' })
    expect(venue.account().orders.get(info.ordId)).toMatchObject({ state: 'filled', reduceOnly: true })
    expect(await ccxt.fetchPositions([BTC])).toEqual([])
  })

  it('hangs a stop and a take-profit on an order that filled, and one ends the other', async (context) => {
    const desk = await open(context)
    const { ccxt, venue } = desk
    await buy(desk, 2, { stopLoss: { triggerPrice: 59_000 }, takeProfit: { triggerPrice: 62_000 } })
    const [pair, ...more] = venue.account().openAlgos()
    expect([pair?.kind, more]).toEqual(['oco', []])
    venue.engine.movePrice(SWAP, '62100')
    expect(pair).toMatchObject({ state: 'effective', firedBy: 'tp' })
    expect(await ccxt.fetchPositions([BTC])).toEqual([])
    venue.engine.movePrice(SWAP, '58000')
    expect(venue.account().orders.size).toBe(2)
  })
})

describe('a refusal of the stand-in is', () => {
  const REFUSALS: readonly (readonly [what: string, wanted: string, call: (desk: Desk) => Promise<unknown>])[] = [
    ['beyond the funds', 'InsufficientFunds', (desk) => buy(desk, 10_000)],
    [
      'under a name that rests',
      'InvalidOrder',
      async (desk) => {
        await rest(desk, 59_000, { clientOrderId: 'same' })
        return rest(desk, 59_000, { clientOrderId: 'same' })
      },
    ],
    [
      'reduce-only with nothing to reduce',
      'ExchangeError',
      ({ ccxt }) => ccxt.createOrder(BTC, 'market', 'sell', 1, undefined, { reduceOnly: true }),
    ],
    [
      'a stop-loss that is reached already',
      'InvalidOrder',
      ({ ccxt }) => ccxt.createOrder(BTC, 'market', 'sell', 1, undefined, { stopLossPrice: 61_000 }),
    ],
    ['an order that nobody placed', 'OrderNotFound', ({ ccxt }) => ccxt.fetchOrder('77', BTC)],
    ['a cancel of what is not open', 'OrderNotFound', ({ ccxt }) => ccxt.cancelOrder('77', BTC)],
  ]
  for (const [what, wanted, call] of REFUSALS) {
    it(`${wanted} for ${what}`, async (context) => expect(await classOf(call(await open(context)))).toBe(wanted))
  }

  it('none for a post-only order that would take: it is acknowledged and then canceled', async (context) => {
    const desk = await open(context)
    const { id } = await rest(desk, 60_100, { postOnly: true })
    expect(await desk.ccxt.fetchOrder(id, BTC)).toMatchObject({
      status: 'canceled',
      filled: 0,
      info: { cancelSource: '31' },
    })
  })

  it('AuthenticationError for a wrong secret, a wrong passphrase, and for keys that nobody has', async (context) => {
    await open(context)
    for (const wrong of [{ secret: 'wrong' }, { passphrase: 'wrong' }, { key: 'nobody' }]) {
      const other = await bareOkx({ ...KEYS, ...wrong })
      expect([Object.keys(wrong), await classOf(other.fetchBalance())]).toEqual([
        Object.keys(wrong),
        'AuthenticationError',
      ])
    }
  })

  it('a plain ExchangeError for keys that were taken back', async (context) => {
    const { venue, ccxt } = await open(context)
    venue.account().isRevoked = true
    expect(await classOf(ccxt.fetchBalance())).toBe('ExchangeError')
  })

  it('PermissionDenied for an address that is not on the list', async (context) => {
    const { venue, ccxt } = await open(context)
    venue.account().isFromElsewhere = true
    expect(await classOf(ccxt.fetchBalance())).toBe('PermissionDenied')
  })

  it('InvalidNonce for a clock that is off, and none once the difference is known', async (context) => {
    const { venue, ccxt } = await open(context)
    venue.clockOffsetMs = 60_000
    expect(await classOf(ccxt.fetchBalance())).toBe('InvalidNonce')
    ccxt.options.adjustForTimeDifference = true
    await ccxt.loadTimeDifference()
    expect(await classOf(ccxt.fetchBalance())).toBe('nothing')
  })

  it('BadRequest for an account in hedge mode', async (context) => {
    const desk = await open(context, { account: { isHedged: true } })
    expect(await classOf(buy(desk))).toBe('BadRequest')
  })
})

describe('a fault of the stand-in', () => {
  const FAULTS: readonly (readonly [Fault['kind'], wanted: string])[] = [
    ['hang', 'RequestTimeout'],
    ['reset', 'NetworkError'],
    ['cut-json', 'nothing'],
    ['html', 'nothing'],
    ['rate-limited', 'RateLimitExceeded'],
    ['orders-limited', 'ExchangeError'],
    ['system-error', 'ExchangeNotAvailable'],
    ['timed-out', 'RequestTimeout'],
    ['busy', 'ExchangeNotAvailable'],
    ['maintenance', 'OnMaintenance'],
    ['paused', 'ExchangeError'],
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
  it('tell each fill and each state of an order; ccxt gives the fees of streamed fills their other sign', async (context) => {
    const desk = await open(context)
    const { ccxt, venue } = desk
    const orders = ccxt.watchOrders()
    const trades = ccxt.watchMyTrades()
    await expect.poll(() => venue.streams.listenersOf('orders')).toBe(1)
    const { id } = await buy(desk, 10)
    expect((await orders).at(-1)).toMatchObject({ id })
    const told = (await trades) as readonly { readonly id: string; readonly fee: { readonly cost: number } }[]
    expect(told).toMatchObject([{ order: id }, { order: id }])
    const listed = (await ccxt.fetchMyTrades(BTC)) as typeof told
    expect(told.map((trade) => trade.id)).toEqual(listed.map((trade) => trade.id))
    expect(told.map(({ fee }) => -fee.cost)).toEqual(listed.map(({ fee }) => fee.cost))
  })

  it('tell trigger orders on a channel of their own', async (context) => {
    const desk = await open(context)
    const { ccxt, venue } = desk
    const told = ccxt.watchOrders(undefined, undefined, undefined, { trigger: true, instType: 'SWAP' })
    await expect.poll(() => venue.streams.listenersOf('orders-algo')).toBe(1)
    const { id } = await ccxt.createOrder(BTC, 'market', 'buy', 2, undefined, { triggerPrice: 61_000 })
    expect(await told).toMatchObject([{ id, status: 'open', triggerPrice: 61_000 }])
  })

  it('tell positions and the balance, first as they stand', async (context) => {
    const desk = await open(context)
    const { ccxt } = desk
    expect(await ccxt.watchBalance()).toMatchObject({ USDT: { total: 10_000 } })
    await buy(desk)
    expect(await ccxt.watchPositions()).toMatchObject([{ symbol: BTC, contracts: 2 }])
  })

  it('tell the ticker and the book', async (context) => {
    const { ccxt, venue } = await open(context)
    await ccxt.loadMarkets()
    expect(await ccxt.watchTicker(BTC)).toMatchObject({ last: 60_000 })
    const { bids } = (await ccxt.watchOrderBook(BTC, 5)) as { bids: readonly number[][] }
    expect(bids[0]?.slice(0, 2)).toEqual([59_999.9, 4.16])
    const next = ccxt.watchTicker(BTC)
    venue.engine.movePrice(SWAP, '61000')
    expect(await next).toMatchObject({ last: 61_000 })
  })

  it('are heard by nobody whose signature is wrong, or whose clock is off', async (context) => {
    const { venue } = await open(context)
    const wrong = await bareOkx({ ...KEYS, secret: 'wrong' })
    expect(await classOf(wrong.watchOrders())).toBe('AuthenticationError')
    await wrong.close()
    venue.clockOffsetMs = 60_000
    const late = await bareOkx(KEYS)
    expect(await classOf(late.watchOrders())).toBe('InvalidNonce')
    await late.close()
    expect(venue.streams.logins).toBe(0)
  })

  it('lose what was told while a socket was gone', async (context) => {
    const desk = await open(context)
    const { ccxt, venue } = desk
    const first = ccxt.watchMyTrades()
    await expect.poll(() => venue.streams.listenersOf('orders')).toBe(1)
    venue.streams.drop()
    expect(await classOf(first)).toBe('NetworkError')
    await buy(desk)
    const next = ccxt.watchMyTrades()
    await expect.poll(() => venue.streams.listenersOf('orders')).toBe(1)
    const { id } = await buy(desk)
    expect(await next).toMatchObject([{ order: id }])
    expect(venue.account().fills).toHaveLength(2)
  })
})

// Each word that a venue documents for the state of an order, on the order of a case: what is made of it, by a table written from the documents and
// not from the code. A word that ends an order is never `open`; one that nobody documents makes the row unreadable.
import { beforeAll, describe, expect, it } from 'vitest'
import type { Order, OrderStatus } from '../../../src/exchange/order.ts'
import { ORDER_CAUSES } from './venue-causes.ts'
import { openReading, type ReadRow, type Row, rowOf, withFields } from './venue-rows.ts'

interface Words {
  /** Where they are listed. */
  readonly source: string
  /** The fields that a word is put in; `*` stands for it. */
  readonly fields: Row
  /** Of an order of which nothing has filled: one that is over was canceled, whatever ended it. */
  readonly words: Readonly<Record<string, OrderStatus>>
}

/** Each twice: as rows of orders have them, and as those of trigger orders have them where these are another kind of row. */
const WORDS: Readonly<Record<string, readonly Words[]>> = {
  binance: [
    {
      source:
        'USDⓈ-M Futures, Public Endpoints Info, "Order status"; spot ENUM "Order status"; Event: Order Update, "Execution Type"',
      fields: { status: '*' },
      words: {
        NEW: 'open',
        PENDING_NEW: 'open',
        PARTIALLY_FILLED: 'open',
        NEW_INSURANCE: 'open',
        NEW_ADL: 'open',
        FILLED: 'canceled',
        CANCELED: 'canceled',
        REJECTED: 'rejected',
        EXPIRED: 'expired',
        EXPIRED_IN_MATCH: 'expired',
      },
    },
    {
      source: 'USDⓈ-M Futures, Event: Algo Order Update, "Algo Status"',
      fields: { algoId: 2146760, algoStatus: '*', status: undefined, quantity: '0.5', executedQty: undefined },
      words: {
        NEW: 'open',
        TRIGGERING: 'open',
        CANCELED: 'canceled',
        REJECTED: 'rejected',
        EXPIRED: 'expired',
        // The order has become another, of which this row says nothing.
        TRIGGERED: 'canceled',
        FINISHED: 'canceled',
      },
    },
  ],
  bitget: [
    {
      source: 'Contract, Get Order Detail, `state`',
      fields: { state: '*' },
      words: { live: 'open', partially_filled: 'open', filled: 'canceled', canceled: 'canceled' },
    },
    {
      source: 'Contract, Get History Trigger Order, `planStatus`; Get Pending Trigger Order',
      fields: {
        state: undefined,
        planStatus: '*',
        planType: 'normal_plan',
        triggerPrice: '58000',
        baseVolume: undefined,
      },
      words: {
        live: 'open',
        not_trigger: 'open',
        executing: 'open',
        executed: 'canceled',
        triggered: 'canceled',
        fail_trigger: 'rejected',
        fail_execute: 'rejected',
        cancelled: 'canceled',
      },
    },
  ],
  bybit: [
    {
      source: 'v5, Enums Definitions, "orderStatus"',
      fields: { orderStatus: '*' },
      words: {
        New: 'open',
        PartiallyFilled: 'open',
        Untriggered: 'open',
        Triggered: 'open',
        Filled: 'canceled',
        Rejected: 'rejected',
        Cancelled: 'canceled',
        PartiallyFilledCanceled: 'canceled',
        Deactivated: 'canceled',
      },
    },
  ],
  coinbase: [
    {
      source: 'Advanced Trade API, Get Order, `status`',
      fields: { status: '*', filled_size: '0' },
      words: {
        PENDING: 'open',
        OPEN: 'open',
        QUEUED: 'open',
        CANCEL_QUEUED: 'open',
        EDIT_QUEUED: 'open',
        FILLED: 'canceled',
        CANCELLED: 'canceled',
        EXPIRED: 'expired',
        FAILED: 'rejected',
      },
    },
  ],
  deribit: [
    {
      source: 'API v2.1.1, private/get_order_state, `order_state`',
      fields: { order_state: '*' },
      words: {
        open: 'open',
        untriggered: 'open',
        triggered: 'canceled',
        filled: 'canceled',
        rejected: 'rejected',
        cancelled: 'canceled',
      },
    },
  ],
  gate: [
    {
      source: 'API v4, FuturesOrder, `status` and `finish_as`; the websocket channel adds mmp_cancelled',
      fields: { status: 'finished', finish_as: '*', left: 5000 },
      words: {
        cancelled: 'canceled',
        liquidated: 'canceled',
        ioc: 'expired',
        auto_deleveraged: 'canceled',
        reduce_only: 'canceled',
        position_closed: 'canceled',
        reduce_out: 'canceled',
        stp: 'canceled',
        mmp_cancelled: 'canceled',
        // Over, whatever a later version of the venue calls it.
        something_new: 'canceled',
      },
    },
    {
      source: 'API v4, FuturesPriceTriggeredOrder, `status`',
      fields: { status: '*', finish_as: '', left: 5000 },
      words: { open: 'open', inactive: 'open', invalid: 'canceled', finished: 'canceled' },
    },
    {
      source: 'API v4, FuturesPriceTriggeredOrder, `finish_as`',
      fields: { status: 'finished', finish_as: '*', left: 5000 },
      words: { cancelled: 'canceled', succeeded: 'canceled', failed: 'rejected', expired: 'expired' },
    },
  ],
  hyperliquid: [
    {
      source: 'Info endpoint, "Query order status by oid or cloid", the table of `status`',
      fields: { status: '*', 'order.sz': '0.5' },
      words: {
        open: 'open',
        triggered: 'open',
        filled: 'canceled',
        canceled: 'canceled',
        rejected: 'rejected',
        marginCanceled: 'canceled',
        vaultWithdrawalCanceled: 'canceled',
        openInterestCapCanceled: 'canceled',
        selfTradeCanceled: 'canceled',
        reduceOnlyCanceled: 'canceled',
        siblingFilledCanceled: 'canceled',
        delistedCanceled: 'canceled',
        liquidatedCanceled: 'canceled',
        scheduledCancel: 'canceled',
        tickRejected: 'rejected',
        minTradeNtlRejected: 'rejected',
        perpMarginRejected: 'rejected',
        reduceOnlyRejected: 'rejected',
        badAloPxRejected: 'rejected',
        iocCancelRejected: 'rejected',
        badTriggerPxRejected: 'rejected',
        marketOrderNoLiquidityRejected: 'rejected',
        positionIncreaseAtOpenInterestCapRejected: 'rejected',
        oracleRejected: 'rejected',
        positionFlipAtOpenInterestCapRejected: 'rejected',
        perpMaxPositionRejected: 'rejected',
        tooAggressiveAtOpenInterestCapRejected: 'rejected',
        openInterestIncreaseRejected: 'rejected',
        insufficientSpotBalanceRejected: 'rejected',
      },
    },
  ],
  kraken: [
    {
      source: 'REST, Get Open Orders, `status`; WebSocket v2, executions, `order_status`',
      fields: { status: '*' },
      words: {
        pending: 'open',
        open: 'open',
        pending_new: 'open',
        new: 'open',
        partially_filled: 'open',
        filled: 'canceled',
        closed: 'canceled',
        canceled: 'canceled',
        expired: 'expired',
      },
    },
  ],
  krakenfutures: [
    {
      source: 'Futures REST, Get open orders, `status`; Get the current status for specific orders, `status`',
      fields: { status: '*', filledSize: 0, unfilledSize: 0.5 },
      words: {
        untouched: 'open',
        partiallyFilled: 'open',
        ENTERED_BOOK: 'open',
        TRIGGER_PLACED: 'open',
        FULLY_EXECUTED: 'canceled',
        CANCELLED: 'canceled',
        cancelled: 'canceled',
        REJECTED: 'rejected',
        TRIGGER_ACTIVATION_FAILURE: 'rejected',
      },
    },
  ],
  kucoin: [
    {
      source: 'Futures, Get Order List, `status`; Spot, Get Stop Orders List, `status`',
      fields: { active: undefined, dealSize: '0', status: '*' },
      words: { NEW: 'open', TRIGGERED: 'canceled', open: 'open', active: 'open', done: 'canceled' },
    },
  ],
  mexc: [
    {
      source:
        'Spot V3, Public API Definitions, "Order Status"; REJECTED and EXPIRED are assumed: the enum is of the same family as Binance\'s',
      fields: { status: '*', executedQty: '0' },
      words: {
        NEW: 'open',
        PARTIALLY_FILLED: 'open',
        FILLED: 'canceled',
        CANCELED: 'canceled',
        PARTIALLY_CANCELED: 'canceled',
        REJECTED: 'rejected',
        EXPIRED: 'expired',
      },
    },
  ],
  okx: [
    {
      source: 'v5, GET / Order details, `state`',
      fields: { state: '*' },
      words: {
        live: 'open',
        partially_filled: 'open',
        filled: 'canceled',
        canceled: 'canceled',
        mmp_canceled: 'canceled',
      },
    },
    {
      source: 'v5, GET / Algo order details, `state`',
      fields: { state: '*', algoId: '1836487817828872192', accFillSz: undefined, slTriggerPx: '58000', slOrdPx: '-1' },
      words: {
        live: 'open',
        pause: 'open',
        partially_effective: 'open',
        effective: 'canceled',
        canceled: 'canceled',
        order_failed: 'rejected',
        partially_failed: 'rejected',
      },
    },
  ],
}

describe.each(Object.entries(WORDS))('the words of %s', (venue, tables) => {
  let read: ReadRow
  beforeAll(async () => {
    read = await openReading(venue)
  })

  for (const { source, fields, words } of tables) {
    for (const [word, status] of Object.entries(words)) {
      it(`${word} is ${status} of an order of which nothing has filled (${source})`, () => {
        expect(read(withWord(venue, fields, word))).toMatchObject({ status, filled: '0' })
      })
    }

    it.skipIf(fields.status === 'finished')(
      `a word that is not among them makes the row unreadable (${source})`,
      () => {
        expect(read(withWord(venue, fields, 'a_word_of_tomorrow'))).toEqual({ unread: 'its status is not known' })
      },
    )
  }
})

function withWord(venue: string, fields: Row, word: string): Row {
  const filled = Object.entries(fields).map(([path, value]) => [path, value === '*' ? word : value])
  return withFields(withFields(rowOf(venue), UNFILLED[venue] ?? {}), Object.fromEntries(filled))
}

/** Orders of cases that have filled in part. */
const UNFILLED: Readonly<Record<string, Row>> = {
  bitget: { baseVolume: '0' },
  kucoin: { dealSize: '0' },
  mexc: { executedQty: '0' },
  coinbase: { filled_size: '0' },
}

/** What ends with a part filled keeps the part. */
const PARTS: Readonly<Record<string, readonly [fields: Row, filled: string]>> = {
  binance: [{ status: 'EXPIRED', executedQty: '0.125' }, '0.125'],
  bitget: [{ state: 'canceled', baseVolume: '0.125' }, '0.125'],
  bybit: [{ orderStatus: 'Rejected', cumExecQty: '0.125', leavesQty: '0' }, '0.125'],
  coinbase: [{ status: 'CANCELLED' }, '0.125'],
  deribit: [{ order_state: 'cancelled', filled_amount: 250 }, '250'],
  gate: [{ status: 'finished', finish_as: 'position_closed' }, '0.125'],
  hyperliquid: [{ status: 'liquidatedCanceled' }, '0.125'],
  kraken: [{ status: 'canceled', vol_exec: '0.12500000' }, '0.125'],
  kucoin: [{ active: false, cancelExist: true }, '0.125'],
  mexc: [{ status: 'PARTIALLY_CANCELED' }, '0.125'],
  okx: [{ state: 'canceled', accFillSz: '12.5' }, '0.125'],
}

describe('of an order that ended with a part filled', () => {
  it.each(Object.entries(PARTS))('that part stays: %s', async (venue, [fields, filled]) => {
    const order = (await openReading(venue))(withFields(rowOf(venue), fields)) as Order
    expect(order.filled).toBe(filled)
    expect(order.status).not.toBe('open')
  })

  // v5, Enums Definitions, "orderStatus": Deactivated is of a conditional order that was canceled before it was triggered.
  it.each([
    ['Deactivated', 'canceled'],
    ['Cancelled', 'expired'],
  ])('a stop of Bybit at the market that is %s without a fill is %s', async (orderStatus, status) => {
    const fields = {
      orderStatus,
      timeInForce: 'IOC',
      orderType: 'Market',
      triggerPrice: '58000',
      stopOrderType: 'Stop',
    }
    const row = withFields(rowOf('bybit'), { ...fields, price: '0', cumExecQty: '0', leavesQty: '0' })
    expect((await openReading('bybit'))(row)).toMatchObject({ status, filled: '0' })
  })

  it('a resting KuCoin order that was canceled in part rests', async () => {
    const row = withFields(rowOf('kucoin'), { active: true, cancelExist: true })
    expect((await openReading('kucoin'))(row)).toMatchObject({ status: 'open', filled: '0.125' })
  })
})

describe.each(Object.entries(ORDER_CAUSES))('what %s does by itself', (venue, rows) => {
  it.each(rows)('%j is by cause: %s', async (fields, cause) => {
    const order = (await openReading(venue))(withFields(rowOf(venue), fields)) as Order
    expect(order.id).toBeDefined()
    expect(order.cause).toBe(cause)
  })
})

/** Stops that close whatever is held: they have no amount. */
const WHOLE: Readonly<Record<string, readonly [fields: Row, terms: Partial<Order>]>> = {
  // Get Algo Order: closePosition true goes with quantity 0.
  binance: [
    {
      stopPrice: undefined,
      algoId: 5,
      orderId: undefined,
      algoStatus: 'NEW',
      status: undefined,
      orderType: 'STOP_MARKET',
      side: 'SELL',
      quantity: '0',
      origQty: '0',
      triggerPrice: '58000.00',
      price: '0',
      closePosition: true,
    },
    { id: '5', type: 'stop', side: 'sell', triggerPrice: '58000' },
  ],
  bitget: [
    {
      state: undefined,
      planStatus: 'live',
      planType: 'pos_loss',
      triggerPrice: '58000',
      size: '',
      price: '',
      side: 'sell',
      baseVolume: undefined,
      orderType: 'market',
    },
    { type: 'stop', side: 'sell', triggerPrice: '58000' },
  ],
  // v5, trading-stop with tpslMode Full.
  bybit: [
    {
      orderStatus: 'Untriggered',
      orderType: 'Market',
      stopOrderType: 'StopLoss',
      tpslMode: 'Full',
      triggerPrice: '58000',
      triggerDirection: 2,
      side: 'Sell',
      qty: '0',
      price: '0',
      leavesQty: '0',
      leavesValue: '0',
      reduceOnly: true,
      closeOnTrigger: true,
    },
    { type: 'stop', side: 'sell', triggerPrice: '58000' },
  ],
  // order_configuration.trigger_bracket_gtc; attached ones have no base_size of their own.
  coinbase: [
    {
      order_type: 'BRACKET',
      side: 'SELL',
      order_configuration: { trigger_bracket_gtc: { limit_price: '66000', stop_trigger_price: '58000' } },
      filled_size: '0',
    },
    { type: 'stop', side: 'sell', triggerPrice: '58000', takeProfitPrice: '66000' },
  ],
  gate: [
    {
      id: 7,
      contract: undefined,
      size: undefined,
      left: undefined,
      price: undefined,
      tif: undefined,
      text: undefined,
      fill_price: undefined,
      trigger: { strategy_type: 0, price_type: 0, price: '58000', rule: 2, expiration: 0 },
      initial: {
        contract: 'BTC_USDT',
        size: 0,
        price: '0',
        tif: 'ioc',
        text: 'web',
        is_close: true,
        is_reduce_only: true,
      },
      order_type: 'close-long-position',
    },
    { id: '7', type: 'stop', side: 'sell', triggerPrice: '58000' },
  ],
  hyperliquid: [
    {
      'order.side': 'A',
      'order.sz': '0.0',
      'order.origSz': '0.0',
      'order.isTrigger': true,
      'order.triggerPx': '58000.0',
      'order.isPositionTpsl': true,
      'order.reduceOnly': true,
      'order.orderType': 'Stop Market',
      'order.tif': null,
    },
    { type: 'stop', side: 'sell', triggerPrice: '58000' },
  ],
  // v5, GET / Algo order list: sz is empty where closeFraction is 1.
  okx: [
    {
      ordId: '',
      algoId: '9',
      ordType: 'conditional',
      state: 'live',
      side: 'sell',
      sz: '',
      px: undefined,
      accFillSz: undefined,
      slTriggerPx: '58000',
      slOrdPx: '-1',
      closeFraction: '1',
      reduceOnly: 'true',
    },
    { id: '9', type: 'stop', side: 'sell', triggerPrice: '58000' },
  ],
}

describe('a stop that closes the whole position', () => {
  it.each(Object.entries(WHOLE))(
    'is an order that closes it, without an amount: %s',
    async (venue, [fields, terms]) => {
      expect((await openReading(venue))(withFields(rowOf(venue), fields))).toMatchObject({
        amount: '0',
        filled: '0',
        remaining: '0',
        status: 'open',
        closesPosition: true,
        reduceOnly: true,
        ...terms,
      })
    },
  )

  it('is unreadable at Gate where nothing says which side it closes', async () => {
    const [fields] = WHOLE.gate ?? [{}]
    const row = withFields(rowOf('gate'), { ...fields, order_type: '' })
    expect((await openReading('gate'))(row)).toEqual({ unread: 'it does not name the side that it closes' })
  })

  it('is one of KuCoin contracts with closeOrder', async () => {
    const read = await openReading('kucoin', 'linear')
    const row = {
      id: '1',
      symbol: 'XBTUSDTM',
      type: 'market',
      side: 'sell',
      size: null,
      stop: 'down',
      stopPrice: '58000',
    }
    const terms = { stopPriceType: 'TP', closeOrder: true, status: 'open', isActive: true, createdAt: NOW_MS }
    expect(read({ ...row, ...terms })).toMatchObject({
      type: 'stop',
      closesPosition: true,
      amount: '0',
      status: 'open',
    })
  })

  it('a bracket of Coinbase with an amount is a stop with a take-profit of that amount', async () => {
    const order_configuration = {
      trigger_bracket_gtc: { base_size: '0.25', limit_price: '66000', stop_trigger_price: '58000' },
    }
    const fields = { order_type: 'BRACKET', side: 'SELL', order_configuration, filled_size: '0' }
    const order = (await openReading('coinbase'))(withFields(rowOf('coinbase'), fields))
    expect(order).toMatchObject({ type: 'stop', amount: '0.25', triggerPrice: '58000', takeProfitPrice: '66000' })
    expect(order).not.toHaveProperty('closesPosition')
  })
})

const NOW_MS = 1_700_000_000_000

describe('a limit order with a stop or a take-profit to come', () => {
  it.each([
    ['bybit', { takeProfit: '66000', stopLoss: '58000', triggerPrice: '0.00' }],
    ['bybit', { takeProfit: '66000', stopLoss: '', triggerPrice: '' }],
    ['bitget', { presetStopSurplusPrice: '66000', presetStopLossPrice: '58000' }],
    ['bitget', { presetStopSurplusPrice: '', presetStopLossPrice: '58000' }],
    ['okx', { slTriggerPx: '58000', slOrdPx: '-1', tpTriggerPx: '66000', tpOrdPx: '-1' }],
  ] as const)('is a limit order at its price: %s %j', async (venue, fields) => {
    const order = (await openReading(venue))(withFields(rowOf(venue), fields))
    expect(order).toMatchObject({ type: 'limit', price: '60000' })
    expect(order).not.toHaveProperty('triggerPrice')
  })
})

describe('which way a trigger waits', () => {
  const gate = (size: number, rule: number) => ({
    id: 7,
    status: 'open',
    create_time: 1_700_000_000,
    trigger: { strategy_type: 0, price_type: 0, price: '66000', rule, expiration: 0 },
    initial: { contract: 'BTC_USDT', size, price: '0', tif: 'ioc', text: 'api', is_reduce_only: true },
  })
  const spotStop = (side: string, stop: string) => ({
    id: 'vs8',
    symbol: 'BTC-USDT',
    status: 'NEW',
    type: 'market',
    side,
    stop,
    stopPrice: '66000',
    size: '0.5',
    createdAt: NOW_MS,
  })
  const contractStop = (side: string, stop: string) => ({
    id: '1',
    symbol: 'XBTUSDTM',
    status: 'open',
    type: 'market',
    side,
    stop,
    stopPrice: '66000',
    size: 10,
    isActive: true,
    createdAt: NOW_MS,
  })

  it.each([
    ['gate', 'linear', gate(-10, 1), 'take-profit'],
    ['gate', 'linear', gate(-10, 2), 'stop'],
    ['gate', 'linear', gate(10, 2), 'take-profit'],
    ['gate', 'linear', gate(10, 1), 'stop'],
    ['kucoin', 'spot', spotStop('sell', 'entry'), 'take-profit'],
    ['kucoin', 'spot', spotStop('sell', 'loss'), 'stop'],
    ['kucoin', 'spot', spotStop('buy', 'loss'), 'take-profit'],
    ['kucoin', 'spot', spotStop('buy', 'entry'), 'stop'],
    ['kucoin', 'linear', contractStop('sell', 'up'), 'take-profit'],
    ['kucoin', 'linear', contractStop('sell', 'down'), 'stop'],
    ['kucoin', 'linear', contractStop('buy', 'down'), 'take-profit'],
    ['kucoin', 'linear', contractStop('buy', 'up'), 'stop'],
  ] as const)('says what it is: %s %s %j', async (venue, kind, row, type) => {
    expect((await openReading(venue, kind))(row)).toMatchObject({ type, triggerPrice: '66000' })
  })

  it.each([
    ['profit_plan', 'take-profit'],
    ['pos_profit', 'take-profit'],
    ['loss_plan', 'stop'],
    ['normal_plan', 'stop'],
  ])('a %s of Bitget is a %s', async (planType, type) => {
    const plan = {
      state: undefined,
      planStatus: 'live',
      planType,
      triggerPrice: '66000',
      orderType: 'market',
      price: '',
    }
    expect((await openReading('bitget'))(withFields(rowOf('bitget'), plan))).toMatchObject({ type })
  })
})

describe('our id', () => {
  it('stays with what an OKX trigger order became, which has one of its own', async () => {
    const ours = '0123456789abcdef0123456789abcdef'
    const fired = { algoId: '9', algoClOrdId: ours, clOrdId: 'O9876', state: 'live', accFillSz: '0' }
    expect((await openReading('okx'))(withFields(rowOf('okx'), fired))).toMatchObject({ clientOrderId: ours })
  })
})

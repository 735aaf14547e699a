// What venues write where they end an order or change a position by themselves, by hand from their documents: of rows of orders, of rows of fills,
// and what no document says.
import type { MarketKind } from '../../../src/exchange/market.ts'
import type { VenueCause } from '../../../src/exchange/order.ts'
import { KEYS } from './scripted-venue.ts'
import type { Row } from './venue-rows.ts'

/** Of orders. */
export const ORDER_CAUSES: Readonly<
  Record<string, readonly (readonly [fields: Row, cause: VenueCause | undefined])[]>
> = {
  // Event: Order Update: special client order ids; nautilus_trader's captured order_update_{calculated,insurance,adl,settlement,delivery}.json.
  binance: [
    [{ status: 'FILLED', clientOrderId: 'autoclose-1234567890' }, 'liquidation'],
    [{ status: 'NEW_INSURANCE', clientOrderId: 'autoclose-insurance-5678' }, 'liquidation'],
    [{ status: 'NEW_ADL', clientOrderId: 'adl_autoclose_12345' }, 'deleveraging'],
    [{ status: 'FILLED', clientOrderId: 'settlement_autoclose-9999' }, 'settlement'],
    [{ status: 'FILLED', clientOrderId: 'delivery_autoclose-12345' }, 'settlement'],
    [{ status: undefined, X: 'FILLED', x: 'CALCULATED', clientOrderId: undefined, c: 'web_1' }, 'liquidation'],
    [{ status: 'EXPIRED_IN_MATCH' }, 'self-trade'],
    [{ status: undefined, algoId: 1, algoStatus: 'REJECTED' }, 'trigger-failed'],
    [{ status: 'REJECTED' }, undefined],
    [{ status: 'FILLED', clientOrderId: 'my-autoclose-1' }, undefined],
  ],
  // Contract, Get Order Detail, `tradeSide`.
  bitget: [
    [{ state: 'filled', tradeSide: 'burst_close_long' }, 'liquidation'],
    [{ state: 'filled', tradeSide: 'burst_sell_single' }, 'liquidation'],
    [{ state: 'filled', tradeSide: 'reduce_buy_single' }, 'liquidation'],
    [{ state: 'filled', tradeSide: 'dte_sys_adl_close_short' }, 'deleveraging'],
    [{ state: 'filled', tradeSide: 'delivery_close_long' }, 'settlement'],
    [{ state: undefined, planStatus: 'fail_execute' }, 'trigger-failed'],
    [{ state: 'filled', tradeSide: 'buy_single' }, undefined],
  ],
  // v5, Enums Definitions, "createType" and "cancelType".
  bybit: [
    [{ orderStatus: 'Filled', createType: 'CreateByLiq' }, 'liquidation'],
    [{ orderStatus: 'Filled', createType: 'CreateByTakeOver_PassThrough' }, 'liquidation'],
    [{ orderStatus: 'Filled', createType: 'CreateByAdl_PassThrough' }, 'deleveraging'],
    [{ orderStatus: 'Filled', createType: 'CreateBySettle' }, 'settlement'],
    [{ orderStatus: 'Cancelled', cancelType: 'CancelAllBeforeLiq' }, 'liquidation'],
    [{ orderStatus: 'Cancelled', cancelType: 'CancelByPrepareAdl' }, 'deleveraging'],
    [{ orderStatus: 'Cancelled', cancelType: 'CancelByReduceOnly' }, 'reduce-only'],
    [{ orderStatus: 'Cancelled', cancelType: 'CancelByTpSlTsClear' }, 'position-closed'],
    [{ orderStatus: 'Cancelled', cancelType: 'CancelBySmp' }, 'self-trade'],
    [{ orderStatus: 'Rejected', stopOrderType: 'Stop' }, 'trigger-failed'],
    [{ orderStatus: 'Rejected' }, undefined],
    [{ orderStatus: 'Cancelled', cancelType: 'CancelByUser' }, undefined],
    [{ orderStatus: 'Filled', createType: 'CreateByStopLoss' }, undefined],
  ],
  coinbase: [[{ status: 'FILLED', is_liquidation: true }, 'liquidation']],
  // private/get_order_state, `is_liquidation`, `cancel_reason`.
  deribit: [
    [{ order_state: 'filled', is_liquidation: true }, 'liquidation'],
    [{ order_state: 'cancelled', cancel_reason: 'autoliquidation' }, 'liquidation'],
    [{ order_state: 'cancelled', cancel_reason: 'settlement' }, 'settlement'],
    [{ order_state: 'cancelled', cancel_reason: 'user_request' }, undefined],
    // A trigger order that is refused as it is placed is an error and no order.
    [{ order_state: 'rejected', order_type: 'stop_market', trigger_price: 58000 }, 'trigger-failed'],
    [{ order_state: 'rejected' }, undefined],
  ],
  // API v4, FuturesOrder, `is_liq`, `finish_as`, and the reserved texts of `text`.
  gate: [
    [{ status: 'finished', finish_as: 'filled', is_liq: true }, 'liquidation'],
    [{ status: 'finished', finish_as: 'filled', text: 'liq-1234' }, 'liquidation'],
    [{ status: 'finished', finish_as: 'filled', text: 'pm_liquidate' }, 'liquidation'],
    [{ status: 'finished', finish_as: 'filled', text: 'auto_deleveraging' }, 'deleveraging'],
    [{ status: 'finished', finish_as: 'liquidated' }, 'liquidation'],
    [{ status: 'finished', finish_as: 'auto_deleveraged' }, 'deleveraging'],
    [{ status: 'finished', finish_as: 'reduce_only' }, 'reduce-only'],
    [{ status: 'finished', finish_as: 'reduce_out' }, 'reduce-only'],
    [{ status: 'finished', finish_as: 'position_closed' }, 'position-closed'],
    [{ status: 'finished', finish_as: 'stp' }, 'self-trade'],
    [{ status: 'finished', finish_as: 'failed' }, 'trigger-failed'],
    [{ status: 'finished', finish_as: 'filled', text: 't-liq-1234' }, undefined],
    [{ status: 'finished', finish_as: 'cancelled' }, undefined],
  ],
  hyperliquid: [
    [{ status: 'liquidatedCanceled' }, 'liquidation'],
    [{ status: 'delistedCanceled' }, 'settlement'],
    [{ status: 'selfTradeCanceled' }, 'self-trade'],
    [{ status: 'reduceOnlyCanceled' }, 'reduce-only'],
    [{ status: 'perpMarginRejected', 'order.isTrigger': true, 'order.triggerPx': '58000.0' }, 'trigger-failed'],
    [{ status: 'perpMarginRejected' }, undefined],
    [{ status: 'marginCanceled' }, undefined],
    [
      { status: 'marginCanceled', 'order.isTrigger': true, 'order.sz': '0.125', 'order.origSz': '0.125' },
      'trigger-failed',
    ],
    [{ status: 'marginCanceled', 'order.isTrigger': true, 'order.sz': '0.1', 'order.origSz': '0.125' }, undefined],
    // A fill of ours against somebody who is liquidated names that one.
    [{ status: 'filled', liquidation: { liquidatedUser: '0x9999999999999999999999999999999999999999' } }, undefined],
  ],
  // Futures WebSocket, open orders, `reason`.
  krakenfutures: [
    [{ status: 'cancelled', reason: 'liquidation' }, 'liquidation'],
    [{ status: 'cancelled', reason: 'contract_expired' }, 'settlement'],
    [{ status: 'cancelled', reason: 'would_execute_self' }, 'self-trade'],
    [{ status: 'TRIGGER_ACTIVATION_FAILURE' }, 'trigger-failed'],
    [{ status: 'cancelled', reason: 'cancelled_by_user' }, undefined],
  ],
  // v5, GET / Order details, `category`, `cancelSource`; algo orders, `state`.
  okx: [
    [{ state: 'filled', category: 'full_liquidation' }, 'liquidation'],
    [{ state: 'filled', category: 'partial_liquidation' }, 'liquidation'],
    [{ state: 'filled', category: 'adl' }, 'deleveraging'],
    [{ state: 'filled', category: 'delivery' }, 'settlement'],
    [{ state: 'canceled', cancelSource: '2' }, 'reduce-only'],
    [{ state: 'canceled', cancelSource: '3' }, 'liquidation'],
    [{ state: 'canceled', cancelSource: '6' }, 'deleveraging'],
    [{ state: 'canceled', cancelSource: '7' }, 'settlement'],
    [{ state: 'canceled', cancelSource: '17' }, 'position-closed'],
    [{ state: 'canceled', cancelSource: '21' }, 'position-closed'],
    [{ state: 'canceled', cancelSource: '1' }, undefined],
    [{ state: 'order_failed' }, 'trigger-failed'],
    [{ state: 'partially_failed' }, 'trigger-failed'],
    [{ state: 'filled', category: 'ddh' }, undefined],
  ],
}

type FillCause = readonly [venue: string, kind: MarketKind, fields: Row, cause: VenueCause | undefined]

/** Of fills: each word as the venue's document has it, or as a recording does. */
export const FILL_CAUSES: readonly FillCause[] = [
  ['bybit', 'linear', { execType: 'BustTrade', execPnl: '-275' }, 'liquidation'],
  ['bybit', 'linear', { execType: 'AdlTrade' }, 'deleveraging'],
  ['bybit', 'linear', { execType: 'Delivery' }, 'settlement'],
  ['okx', 'linear', { subType: '104' }, 'liquidation'],
  ['okx', 'linear', { subType: '100' }, 'liquidation'],
  ['okx', 'linear', { subType: '125' }, 'deleveraging'],
  ['okx', 'linear', { subType: '112' }, 'settlement'],
  ['bitget', 'linear', { tradeSide: 'burst_sell_single' }, 'liquidation'],
  ['bitget', 'linear', { tradeSide: 'reduce_close_long' }, 'liquidation'],
  ['bitget', 'linear', { tradeSide: 'dte_sys_adl_close_long' }, 'deleveraging'],
  ['bitget', 'linear', { tradeSide: 'delivery_close_short' }, 'settlement'],
  ['gate', 'linear', { text: 'liq-1203981' }, 'liquidation'],
  ['gate', 'linear', { text: 'liquidation' }, 'liquidation'],
  ['gate', 'linear', { text: 'insurance' }, 'liquidation'],
  ['gate', 'linear', { text: 'auto_deleveraging' }, 'deleveraging'],
  // Get Trade History of futures, `tradeType`; `adl` and `settlement` as ccxt's own samples of such rows have them.
  ['kucoin', 'linear', { tradeType: 'liquidation' }, 'liquidation'],
  ['kucoin', 'linear', { tradeType: 'ADL' }, 'deleveraging'],
  ['kucoin', 'linear', { tradeType: 'settlement' }, 'settlement'],
  ['kucoin', 'linear', { tradeType: 'trade' }, undefined],
  ['krakenfutures', 'linear', { fillType: 'liquidation' }, 'liquidation'],
  ['krakenfutures', 'linear', { fillType: 'partialLiquidation' }, 'liquidation'],
  ['krakenfutures', 'linear', { fillType: 'assignor' }, 'liquidation'],
  ['krakenfutures', 'linear', { fillType: 'unwindBankrupt' }, 'liquidation'],
  ['krakenfutures', 'linear', { fillType: 'unwindCounterparty' }, 'deleveraging'],
  // A position that an assignee has agreed to take over.
  ['krakenfutures', 'linear', { fillType: 'assignee' }, undefined],
  ['deribit', 'inverse', { liquidation: 'T', liquidity: 'T' }, 'liquidation'],
  ['deribit', 'inverse', { liquidation: 'MT', liquidity: 'M' }, 'liquidation'],
  ['deribit', 'inverse', { liquidation: 'M', liquidity: 'T' }, undefined],
  [
    'hyperliquid',
    'linear',
    { liquidation: { liquidatedUser: KEYS.walletAddress, markPx: '1', method: 'market' } },
    'liquidation',
  ],
  [
    'hyperliquid',
    'linear',
    { liquidation: { liquidatedUser: `0x${'9'.repeat(40)}`, markPx: '1', method: 'market' } },
    undefined,
  ],
  // nautilus_hyperliquid, HyperliquidFillDirection: AutoDeleveraging, Settlement.
  ['hyperliquid', 'linear', { dir: 'Auto-Deleveraging' }, 'deleveraging'],
  ['hyperliquid', 'linear', { dir: 'Settlement' }, 'settlement'],
]

/** Of entries of Deribit's transaction log, where a position went without a trade: Liquidity Support Program API Guide, Transaction Log Entries. */
export const LOG_CAUSES: readonly (readonly [fields: Row, cause: VenueCause | undefined])[] = [
  [{ type: 'ADL transfer' }, 'deleveraging'],
  [{ type: 'ADL transfer', role: 'destination', side: 'close buy' }, 'deleveraging'],
  [{ type: 'LSP transfer' }, 'liquidation'],
  [{ type: 'LSP transfer', role: 'destination', side: 'open buy' }, undefined],
]

type Told = 'liquidation' | 'deleveraging' | 'settlement' | 'trigger-failed'

const SPOT = 'no contracts there'
/** By venue: what has no marker in any row, and why. */
export const WITHOUT_MARKER: Readonly<Record<string, Readonly<Partial<Record<Told, string>>>>> = {
  coinbase: {
    deleveraging: SPOT,
    settlement: SPOT,
    'trigger-failed': 'Get Order has one word, FAILED, for every order that failed',
  },
  gate: { settlement: 'FuturesOrder and my_trades document no text for it' },
  kraken: {
    liquidation: SPOT,
    deleveraging: SPOT,
    settlement: SPOT,
    'trigger-failed': 'QueryOrders: canceled, with a text',
  },
  kucoin: { 'trigger-failed': 'its rows of stops that failed are documented without a reason' },
  mexc: { liquidation: SPOT, deleveraging: SPOT, settlement: SPOT, 'trigger-failed': 'no trigger orders there' },
}

// What the codes of each venue mean, each in an answer of the form that the venue documents. Sources stand beside the rows.
import { describe, expect, it } from 'vitest'
import type { ExchangeErrorCode } from '../../../src/exchange/exchange-error.ts'
import { type ErrorContext, toOrderError } from '../../../src/exchanges/ccxt/errors.ts'
import type { VenueProfile } from '../../../src/exchanges/ccxt/profile.ts'
import { profileOf } from '../../../src/exchanges/ccxt/profiles.ts'

type Answer = readonly [json: object, status?: number]
type Codes = readonly (readonly [venue: string, answer: Answer])[]

const bitget = (code: string): Answer => [{ code, msg: '…', requestTime: 1, data: null }, 400]
const bybit = (retCode: number): Answer => [{ retCode, retMsg: '…', result: {}, retExtInfo: {} }]
const deribit = (code: number, message: string): Answer => [{ jsonrpc: '2.0', error: { code, message } }, 400]
const gate = (label: string): Answer => [{ label, message: '…' }, 400]
const coinbase = (reasons: object): object => ({ success: false, error_response: { message: '…', ...reasons } })
const okx = (sCode: string): Answer => [{ code: '1', msg: '', data: [{ sCode, sMsg: '…', algoId: '' }] }]

/** The trigger of the order is on the side of the price where it would fire at once. */
const WOULD_TRIGGER: Codes = [
  // USDⓈ-M and COIN-M, Error Codes: ORDER_WOULD_IMMEDIATELY_TRIGGER; TRIGGERED_IMMEDIATELY of stops that were tested when they were placed.
  ['binance', [{ code: -2021, msg: 'Order would immediately trigger.' }, 400]],
  ['binance', [{ code: -4142, msg: '…' }, 400]],
  // v5, Error Code, Trade class 5: TP and SL trigger price against last.
  ['okx', okx('51277')],
  ['okx', okx('51278')],
  ['okx', okx('51279')],
  ['okx', okx('51280')],
  // v5, Error Codes: "expect Rising, but trigger_price <= current", "expect Falling, but trigger_price >= current".
  ['bybit', bybit(110092)],
  ['bybit', bybit(110093)],
  // Messages as ccxt quotes them: "Stop price for long positions please < mark price", "Short position stop loss price please > mark price".
  ['bitget', bitget('40917')],
  ['bitget', bitget('45122')],
  // "Trigger.Price must < last_price", "… > last_price"; with MARK where the mark price is watched.
  ['gate', gate('AUTO_TRIGGER_PRICE_LESS_LAST')],
  ['gate', gate('AUTO_TRIGGER_PRICE_GREATE_LAST')],
  ['gate', gate('AUTO_TRIGGER_PRICE_LESS_MARK')],
  ['gate', gate('AUTO_TRIGGER_PRICE_GREATE_MARK')],
  // RPC Error Codes.
  ['deribit', deribit(10034, 'stop_price_too_high')],
  ['deribit', deribit(10035, 'stop_price_too_low')],
  ['deribit', deribit(11036, 'invalid_stoppx_for_index_or_last')],
  // Error responses: BadTriggerPxRejected.
  [
    'hyperliquid',
    [
      {
        status: 'ok',
        response: { type: 'order', data: { statuses: [{ error: 'Invalid TP/SL price. asset=0' }] } },
      },
    ],
  ],
  // Create Order, error_response.preview_failure_reason.
  ...(['ABOVE', 'BELOW'] as const).map((side): Codes[number] => [
    'coinbase',
    [
      {
        success: false,
        error_response: {
          error: 'UNKNOWN_FAILURE_REASON',
          message: '',
          error_details: '',
          preview_failure_reason: `PREVIEW_STOP_PRICE_${side}_LAST_TRADE_PRICE`,
        },
      },
    ],
  ]),
]

/** The order to cancel is not open any more. */
const GONE: Codes = [
  ...['22001', '25204', '31007', '40707', '40768', '40819', '43001', '43020', '43025', '43033', '45057', '80011'].map(
    (code): Codes[number] => ['bitget', bitget(code)],
  ),
  ['kucoin', [{ code: '400100', msg: 'order_not_exist_or_not_allow_to_cancel' }]],
  ['kucoin', [{ code: '400100', msg: 'order_not_exist' }]],
  ['kucoin', [{ code: '100004', msg: 'The order cannot be canceled.' }]],
  // Futures, as ccxt and other programs quote it.
  ['kucoin', [{ code: '100001', msg: 'error.getOrder.orderNotExist' }]],
  ['binance', [{ code: -2011, msg: 'Unknown order sent.' }, 400]],
  ['bybit', bybit(110001)],
  ['bybit', bybit(170213)],
  ['okx', okx('51400')],
  ['gate', gate('ORDER_NOT_FOUND')],
  ['gate', gate('AUTO_ORDER_NOT_FOUND')],
  ['mexc', [{ code: -2011, msg: 'Unknown order sent' }, 400]],
  ['deribit', deribit(11044, 'not_open_order')],
  ['krakenfutures', [{ result: 'success', cancelStatus: { status: 'notFound' } }]],
  ['coinbase', [{ results: [{ success: false, failure_reason: 'UNKNOWN_CANCEL_ORDER', order_id: '1' }] }]],
  [
    'hyperliquid',
    [
      {
        status: 'ok',
        response: {
          type: 'cancel',
          data: { statuses: [{ error: 'Order was never placed, already canceled, or filled.' }] },
        },
      },
    ],
  ],
]

const OTHERS: readonly (readonly [venue: string, answer: Answer, code: ExchangeErrorCode])[] = [
  // v5, Error Codes: "Order notional value below the lower limit".
  ['bybit', bybit(110094), 'invalid-order'],
  // The same code with a sentence in it says nothing more.
  ['kucoin', [{ code: '400100', msg: 'Order size below the minimum requirement.' }], 'invalid-order'],
  ['kucoin', [{ code: '100001', msg: 'Invalid parameters.' }], 'invalid-order'],
  ['krakenfutures', [{ result: 'success', sendStatus: { status: 'wouldCauseLiquidation' } }], 'insufficient-funds'],
  ['kraken', [{ error: ['EService:Deadline elapsed'] }], 'unavailable'],
  [
    'coinbase',
    [
      {
        success: false,
        error_response: { error: 'INSUFFICIENT_FUND', preview_failure_reason: 'UNKNOWN_PREVIEW_FAILURE_REASON' },
      },
    ],
    'insufficient-funds',
  ],
  // Create Order: `error` is deprecated, and `new_order_failure_reason` has the reason in its place.
  ['coinbase', [coinbase({ new_order_failure_reason: 'INSUFFICIENT_FUND' })], 'insufficient-funds'],
  [
    'coinbase',
    [coinbase({ error: 'UNKNOWN_FAILURE_REASON', new_order_failure_reason: 'INVALID_LIMIT_PRICE_POST_ONLY' })],
    'order-immediately-fillable',
  ],
  ['coinbase', [coinbase({ new_order_failure_reason: 'COMMANDER_REJECTED_NEW_ORDER' })], 'invalid-order'],
]

/** The order may live. */
const UNKNOWN: Codes = [
  ['coinbase', [coinbase({ new_order_failure_reason: 'UNKNOWN_FAILURE_REASON' })]],
  // The enumeration of the documentation has none of these words; they say nothing about the order.
  ['coinbase', [coinbase({ error: 'SERVICE_OVERLOADED' })]],
  ['coinbase', [coinbase({ new_order_failure_reason: 'ORDER_ROUTING_TIMEOUT' })]],
  // The venue has an order of this id: perhaps this one.
  ['coinbase', [coinbase({ new_order_failure_reason: 'DUPLICATE_CLIENT_ORDER_ID' })]],
  // API v4, Error labels, Server errors: "Server is too busy at the moment", beside the internal errors.
  ['gate', gate('TOO_BUSY')],
  ['gate', gate('SERVER_ERROR')],
  ['gate', gate('INTERNAL')],
]

describe('a code is a refusal', () => {
  it.each(WOULD_TRIGGER)('of a trigger that the price has passed: %s %j', (venue, answer) => {
    expect(read(venue, answer)).toEqual(['refused', 'would-trigger'])
  })

  it.each(GONE)('of a cancel of what is not open any more: %s %j', (venue, answer) => {
    expect(read(venue, answer)).toEqual(['refused', 'order-not-found'])
  })

  it.each(OTHERS)('of what it says: %s %j', (venue, answer, code) => {
    expect(read(venue, answer)).toEqual(['refused', code])
  })

  it.each(UNKNOWN)('only on evidence: %s %j leaves the order unknown', (venue, answer) => {
    expect(read(venue, answer)).toEqual(['unknown', 'outcome-unknown'])
  })

  it('is none where Coinbase does not say why', () => {
    const error_response = {
      error: 'UNKNOWN_FAILURE_REASON',
      preview_failure_reason: 'UNKNOWN_PREVIEW_FAILURE_REASON',
    }
    expect(read('coinbase', [{ success: false, error_response }])).toEqual(['unknown', 'outcome-unknown'])
  })
})

/** What an order or a cancel that was answered so has come to. */
function read(venue: string, [json, status = 200]: Answer): readonly [string, string] {
  const profile = profileOf(venue)
  if (profile === undefined) throw new Error(`there is no ${venue}`)
  const request = { method: 'POST', url: 'https://venue.example/exchange', headers: {} }
  const exchanges = [{ request, response: { status, headers: {}, text: JSON.stringify(json) } }]
  // ccxt's own word for a code that it does not know.
  const ccxtError = Object.assign(new Error('…'), { name: 'ExchangeError' })
  const { fate, error } = toOrderError(ccxtError, { isUrgent: true, exchanges }, contextOf(profile))
  return [fate, error.code]
}

function contextOf({ name, unknownCodes, ...profile }: VenueProfile): ErrorContext {
  const { codeOf, codes, hints, isRefusalCode, statuses } = profile
  return {
    venueName: name,
    secrets: [],
    codeOf,
    codes,
    hints,
    isRefusalCode,
    statuses,
    unknownCodes: new Set(unknownCodes),
    isQuestion: () => false,
  }
}

// What an answer makes of an order: placed, refused or unknown (behaviour 37), whatever class ccxt throws. It leaves once.
import { describe, expect, it } from 'vitest'
import type { OrderRequest } from '../../../src/exchange/order.ts'
import { TransportError } from '../../../src/exchanges/ccxt/transport-error.ts'
import { BINANCE_LINEAR, RESTING } from './binance-linear.ts'
import { type Answer, KEYS, openScripted, type Script } from './scripted-venue.ts'

const ID = '0123456789abcdef0123456789abcdef'
const ORDER: OrderRequest = {
  clientOrderId: ID,
  symbol: 'BTCUSDT',
  side: 'buy',
  type: 'limit',
  amount: '0.01',
  price: '49000',
}
const POST = 'POST /fapi/v1/order'

const refusal = (status: number, code: number, headers = {}): Answer => ({ status, headers, json: { code, msg: 'no' } })
const place = (answer: Answer, more: Script = []) =>
  openScripted('binance', 'linear', [...more, [POST, answer], ...BINANCE_LINEAR])

describe('an order is unknown', () => {
  it.each<[string, Answer]>([
    ['when the connection broke', new TransportError('connection', 'ECONNRESET')],
    ['when no answer came in time', new TransportError('timeout')],
    ['when the answer leads elsewhere', new TransportError('redirect')],
    ['when the answer was cut off', { text: '{"orderId":40' }],
    ['when a page came in the place of an answer', { text: '<html>502</html>' }],
    ['when the answer names no order', { json: {} }],
    ['when a gate on the way failed', { status: 502, text: '<html>502</html>' }],
    ['when the venue failed and does not say where', { status: 503, json: { msg: 'Unknown error' } }],
    ['when the venue timed out inside: -1007', refusal(408, -1007)],
    ['when the venue met an unexpected answer inside: -1006', refusal(500, -1006)],
    ['when something on the way gave up waiting', { status: 408, text: '' }],
  ])('%s', async (_why, answer) => {
    const venue = await place(answer)
    const outcome = await venue.exchange.createOrder(ORDER)
    expect(outcome).toMatchObject({ kind: 'unknown', error: { code: 'outcome-unknown', clientOrderId: ID } })
    expect(venue.sent(POST)).toHaveLength(1)
    expect(written(outcome)).not.toMatch(SECRET)
  })
})

describe('an order is refused', () => {
  it.each<[string, Answer, object]>([
    ['for want of money', refusal(400, -2019), { code: 'insufficient-funds' }],
    ['for its price', refusal(400, -4164), { code: 'invalid-order' }],
    ['for what it would take', refusal(400, -5022), { code: 'order-immediately-fillable' }],
    ['for what it would add', refusal(400, -2022), { code: 'reduce-only-rejected' }],
    ['for its id', refusal(400, -4116), { code: 'duplicate-id' }],
    ['for the clock', refusal(400, -1021), { code: 'clock' }],
    ['for its signature', refusal(400, -1022), { code: 'authentication' }],
    ['for the key, its rights or the address', refusal(401, -2015), { code: 'permission' }],
    ['for the mode of the account', refusal(400, -4061), { code: 'wrong-account-mode' }],
    [
      'for too many requests',
      refusal(429, -1003, { 'retry-after': '7' }),
      { code: 'rate-limited', retryAfterMs: 7000 },
    ],
    ['while the address is banned', refusal(418, -1003, { 'retry-after': '90' }), { retryAfterMs: 90_000 }],
    ['by an overloaded venue', refusal(503, -1008), { code: 'unavailable' }],
    ['when nobody could be reached', new TransportError('connection', 'ECONNREFUSED', true), { code: 'unavailable' }],
  ])('%s', async (_why, answer, error) => {
    const venue = await place(answer)
    const outcome = await venue.exchange.createOrder(ORDER)
    expect(outcome).toMatchObject({ kind: 'refused', error })
    expect(venue.sent(POST)).toHaveLength(1)
    expect(written(outcome)).not.toMatch(SECRET)
  })

  it('before it leaves, on an account in hedge mode', async () => {
    const venue = await place(RESTING, [['GET /fapi/v1/positionSide/dual', { dualSidePosition: true }]])
    const outcome = await venue.exchange.createOrder(ORDER)
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'wrong-account-mode' } })
    expect(venue.sent(POST)).toEqual([])
  })

  it('before it leaves, when the mode of the account cannot be asked', async () => {
    const venue = await place(RESTING, [['GET /fapi/v1/positionSide/dual', new TransportError('timeout')]])
    expect(await venue.exchange.createOrder(ORDER)).toMatchObject({ kind: 'refused', error: { code: 'unavailable' } })
    expect(venue.sent(POST)).toEqual([])
  })

  it('before it leaves, when its id was sent before and the venue has it', async () => {
    const venue = await place(new TransportError('timeout'), [
      ['GET /fapi/v1/order', { ...RESTING, clientOrderId: ID }],
    ])
    expect(await venue.exchange.createOrder(ORDER)).toMatchObject({ kind: 'unknown' })
    expect(await venue.exchange.createOrder(ORDER)).toMatchObject({ kind: 'refused', error: { code: 'duplicate-id' } })
    expect(venue.sent(POST)).toHaveLength(1)
  })
})

describe('an order that the venue rejects', () => {
  const rejected = (executedQty: string): Answer => ({
    json: { ...RESTING, clientOrderId: ID, status: 'REJECTED', executedQty, cumQuote: '196', avgPrice: '49000' },
  })

  it('with a part filled was placed, and keeps what it filled', async () => {
    const venue = await place(rejected('0.004'))
    const outcome = await venue.exchange.createOrder(ORDER)
    expect(outcome).toMatchObject({ kind: 'placed', order: { status: 'rejected', filled: '0.004' } })
  })

  it('with nothing filled is refused', async () => {
    const venue = await place(rejected('0'))
    const outcome = await venue.exchange.createOrder(ORDER)
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'invalid-order' } })
  })
})

describe('what keys are good for', () => {
  const restrictions = {
    ipRestrict: true,
    enableReading: true,
    enableWithdrawals: false,
    enableFutures: true,
    enableSpotAndMarginTrading: true,
  }
  const open = (answer: Answer, dualSidePosition = false) =>
    openScripted('binance', 'linear', [
      ['GET /sapi/v1/account/apiRestrictions', answer],
      ['GET /fapi/v1/positionSide/dual', { dualSidePosition }],
      ...BINANCE_LINEAR,
    ])

  it.each<[string, object, boolean, object]>([
    ['trading', {}, false, { mayTrade: true, mayWithdraw: false, positionMode: 'one-way' }],
    ['withdrawing too', { enableWithdrawals: true }, false, { mayWithdraw: true }],
    ['reading only', { enableFutures: false }, false, { mayTrade: false }],
    ['an account in hedge mode', {}, true, { positionMode: 'hedge' }],
  ])('%s', async (_what, more, isHedged, report) => {
    const venue = await open({ ...restrictions, ...more }, isHedged)
    expect(await venue.exchange.checkAccess?.()).toMatchObject(report)
  })

  it.each<[string, number, string]>([
    ['nobody knows the key', -2014, 'authentication'],
    ['the secret is another', -1022, 'authentication'],
    ['the address may not use it', -2015, 'permission'],
  ])('nothing, when %s', async (_why, code, expected) => {
    const venue = await open(refusal(401, code))
    const error = await venue.exchange.checkAccess?.().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: expected, hint: expect.stringMatching(/^check the key/) })
    expect(written(error)).not.toMatch(SECRET)
  })
})

const SECRET = new RegExp(`${KEYS.secret}|${KEYS.apiKey}|signature=`)

/** Everything that an error carries. */
function written(value: unknown): string {
  return JSON.stringify(value, (_key, each) =>
    each instanceof Error ? { ...each, message: each.message, stack: each.stack, cause: each.cause } : each,
  )
}

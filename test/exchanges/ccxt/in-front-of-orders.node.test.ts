// What leaves before an order: nothing in front of a later one, and nothing that can keep an exit.
import { describe, expect, it } from 'vitest'
import type { MarketKind } from '../../../src/exchange/market.ts'
import type { OrderRequest } from '../../../src/exchange/order.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import type { Transport, WireRequest } from '../../../src/exchanges/ccxt/transport.ts'
import { findVenue } from '../../../src/exchanges/venues.ts'
import { createCaseWire } from './case-wire.ts'
import { keysOf, readVenueCases, stepsOf, type VenueCases } from './venue-cases.ts'

const NOW = 1_700_000_000_000
const ORDER =
  /(?:\/order(?:s)?(?:$|\?)|place-order|order\/create|AddOrder|sendorder|private\/(?:buy|sell)|\/exchange$|hf\/orders|trade\/order$|brokerage\/orders)/
/** What cases of orders answer by steps of their own. */
const SETTINGS: readonly (readonly [words: string, answer: object | string])[] = [
  ['v2/mix/account/account', { code: '00000', data: { posMode: 'one_way_mode', marginMode: 'crossed' } }],
  ['getMarginMode', { code: '200000', data: { marginMode: 'CROSS' } }],
  ['getCrossUserLeverage', { code: '200000', data: { leverage: '3' } }],
  ['"userAbstraction"', '"default"'],
  [
    'spot/market/tickers',
    { code: '00000', data: [{ symbol: 'BTCUSDT', lastPr: '50000', bidPr: '49999', askPr: '50001' }] },
  ],
  ['v4/spot/tickers', [{ currency_pair: 'BTC_USDT', last: '50000', highest_bid: '49999', lowest_ask: '50001' }]],
  ['v3/ticker/24hr', { symbol: 'BTCUSDT', lastPrice: '50000', bidPrice: '49999', askPrice: '50001', closeTime: NOW }],
  [
    'products/BTC-USD/ticker',
    {
      trades: [{ product_id: 'BTC-USD', price: '50000', size: '1', side: 'BUY' }],
      best_bid: '49999',
      best_ask: '50001',
    },
  ],
]

function stage(cases: VenueCases, kind: MarketKind, clock = { now: NOW }) {
  const questions = Object.values(cases.methods)
    .flat()
    .flatMap(stepsOf)
    .filter(({ method }) => method === 'GET')
    .map((step) => ({ ...step, url: step.url.split('?')[0] ?? '' }))
  const { transport } = createCaseWire({ ...cases, background: [...cases.background, ...questions] }, [])
  const log: WireRequest[] = []
  let isDown = false
  const wire: Transport = async (request) => {
    log.push(request)
    const row = SETTINGS.find(([words]) => `${request.url} ${request.body ?? ''}`.includes(words))
    // The venue's markets are known; it answers nothing else.
    if (isDown) throw new TypeError('fetch failed')
    if (row !== undefined)
      return { status: 200, headers: {}, text: typeof row[1] === 'string' ? row[1] : JSON.stringify(row[1]) }
    return transport(request)
  }
  const opened = openCcxtExchange({
    venue: cases.venue,
    kind,
    environment: 'live',
    keys: keysOf(cases),
    transport: wire,
    now: () => clock.now,
    onProblem: () => undefined,
  })
  return { opened, log, clock, goDown: () => (isDown = true) }
}

const isOrder = ({ method, url }: WireRequest) =>
  (method === 'POST' || /private\/(?:buy|sell)/.test(url)) && ORDER.test(url)
const named = ({ method, url }: WireRequest) => `${method} ${new URL(url).pathname}`

/** Needs no price of now. */
const LIMIT = { type: 'limit', price: '50000' } as const

let count = 0
const nextId = () => (++count).toString(16).padStart(32, '0')

async function place(staged: ReturnType<typeof stage>, terms: Partial<OrderRequest> = {}) {
  const exchange = await staged.opened
  const markets = await exchange.loadMarkets()
  const market = markets.find(({ base }) => base === 'BTC') ?? markets[0]
  if (market === undefined) throw new Error('no markets')
  const amount = market.amountUnit === 'quote' ? '100' : market.minAmount.length > 8 ? market.lotSize : market.minAmount
  const from = staged.log.length
  const outcome = await exchange.createOrder({
    clientOrderId: nextId(),
    symbol: market.symbol,
    side: 'buy',
    type: 'market',
    amount,
    ...terms,
  })
  const sent = staged.log.slice(from)
  const at = sent.findIndex(isOrder)
  return { outcome, hasLeft: at >= 0, before: sent.slice(0, at < 0 ? sent.length : at).map(named) }
}

const ALL = readVenueCases().flatMap((cases) =>
  (findVenue(cases.venue)?.kinds ?? []).map((kind) => [cases.venue, kind, cases] as const),
)

describe.each(ALL)('%s %s', (_venue, kind, cases) => {
  it('is asked nothing in front of a later order', async () => {
    const staged = stage(cases, kind)
    await place(staged)
    const later = await place(staged)
    expect(later).toMatchObject({ hasLeft: true, before: [] })
  })

  it('is asked nothing in front of an order after minutes of quiet, and what is old behind it', async () => {
    const staged = stage(cases, kind)
    await place(staged, LIMIT)
    for (let minute = 0; minute < 3; minute += 1) {
      staged.clock.now += 61_000
      expect(await place(staged, LIMIT)).toMatchObject({ hasLeft: true, before: [] })
    }
  })

  it('gets an exit whatever else it does not answer', async () => {
    const staged = stage(cases, kind)
    const exchange = await staged.opened
    await exchange.loadMarkets()
    staged.goDown()
    const exit = await place(staged, { side: 'sell', ...(kind === 'spot' ? {} : { reduceOnly: true }), ...LIMIT })
    expect(exit.hasLeft).toBe(true)
  })
})

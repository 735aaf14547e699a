// Each model under its venue's own names, over HTTPS: the adapter trades with it as it would with the venue, and hears without a stream.
import { describe, expect, it, onTestFinished } from 'vitest'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import { MODELS } from '../../../harness/venues/models/all-models.ts'
import { ServedModel } from '../../../harness/venues/models/serve-model.ts'
import { newOrderId, place } from '../../../harness/venues/place.ts'
import type { ExchangeEvent } from '../../../src/exchange/exchange.ts'
import { refOf } from '../../../src/exchange/order.ts'
import { priceOnGrid } from '../../../src/exchange/price-grid.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'

const HTTPS = 443
const certificate = venueCertificate()

describe('a model that is served', () => {
  for (const spec of MODELS) {
    const { venue, kind, keys } = spec
    it(`takes an order and a cancel of ${venue}, ${kind}, and tells of both`, async ({ skip }) => {
      if ('missing' in certificate) return skip(`no hosts of the venues' names: ${certificate.missing}`)
      const served = await ServedModel.start(spec, { port: HTTPS, tls: certificate })
      onTestFinished(() => served.cut())
      const exchange = await openCcxtExchange({
        venue,
        kind,
        environment: 'live',
        keys,
        now: Date.now,
        onProblem: () => undefined,
      })
      onTestFinished(() => exchange.close())
      const events: ExchangeEvent[] = []
      exchange.subscribe((event) => events.push(event))
      const symbol = spec.markets[0]?.symbol ?? ''
      const market = (await exchange.loadMarkets()).find((each) => each.symbol === symbol)
      if (market === undefined) throw new Error(`${symbol} is not listed`)
      const { last } = await exchange.fetchTicker(symbol)
      const price = priceOnGrid(Number(last) * 0.95, market, 'nearest')
      const wish = { symbol, side: 'buy', type: 'limit', amount: '0.01', price } as const
      const order = await place(exchange, { ...wish, clientOrderId: newOrderId() })
      expect(await exchange.cancelOrder(refOf(order))).toMatchObject({ id: order.id, status: 'canceled' })
      const told = () => events.flatMap((event) => (event.type === 'order' ? [event.order.status] : []))
      await expect.poll(told).toEqual(['open', 'canceled'])
      expect(served.model.unexpected).toEqual([])
    })
  }
})

import type { ExchangeErrorCode } from '../../exchange/exchange-error.ts'
import type { OrderRequest } from '../../exchange/order.ts'
import { type AboutFacts, type Desk, expect, expectSame, newOrderId } from './desk.ts'

type Refusal = readonly [what: string, code: ExchangeErrorCode, request: (desk: Desk) => Promise<Partial<OrderRequest>>]

const REFUSALS: readonly Refusal[] = [
  ['for a symbol that is not listed', 'bad-symbol', async () => ({ symbol: 'NONESUCH' })],
  ['off the lot', 'invalid-order', async ({ market }) => ({ amount: `${Number(market.lotSize) * 1.5}` })],
  ['for nothing', 'invalid-order', async () => ({ amount: '0' })],
  ['for what is not a number', 'invalid-order', async () => ({ amount: 'much' })],
  ['as a limit without a price', 'invalid-order', async () => ({ type: 'limit' })],
  [
    'as a stop without a trigger price',
    'invalid-order',
    async (desk) => {
      desk.needs('stop')
      return { type: 'stop' }
    },
  ],
  ['off the price grid', 'invalid-order', async (desk) => ({ type: 'limit', price: await desk.priceOffGrid() })],
  ['beyond the funds', 'insufficient-funds', async (desk) => ({ amount: await desk.amountWorth(5_000_000) })],
]

export function outcomeFacts(about: AboutFacts): void {
  const fact = about('an order is refused, and nothing is placed,')
  for (const [what, code, wanted] of REFUSALS) {
    fact(`${what}: ${code}`, async (desk) => {
      const request = await desk.request(await wanted(desk))
      expect(await desk.exchange.createOrder(request)).toMatchObject({ kind: 'refused', error: { code } })
      await expectNothing(desk, request)
    })
  }

  fact('as post-only where it would trade at once: order-immediately-fillable', async (desk) => {
    desk.needs('postOnly')
    const request = await desk.request({ type: 'limit', price: await desk.priceAway(1), postOnly: true })
    const outcome = await desk.exchange.createOrder(request)
    // Some venues acknowledge it first and then cancel it.
    if (outcome.kind === 'placed') expect(await desk.ended(outcome.order)).toMatchObject({ filled: '0' })
    else expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'order-immediately-fillable' } })
    expect(await desk.open()).toEqual([])
  })

  fact('as reduce-only without a position: reduce-only-rejected', async (desk) => {
    desk.needs('reduceOnly')
    const request = await desk.request({ side: 'sell', reduceOnly: true })
    const code = 'reduce-only-rejected'
    expect(await desk.exchange.createOrder(request)).toMatchObject({ kind: 'refused', error: { code } })
    await expectNothing(desk, request)
  })

  fact('with an id that arrived before: duplicate-id, also once that order has ended', async (desk) => {
    const [resting, filled] = [await desk.rest(), await desk.place()]
    for (const { clientOrderId } of [resting, await desk.ended(filled)]) {
      const outcome = await desk.exchange.createOrder(await desk.request({ clientOrderId: clientOrderId ?? '' }))
      expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'duplicate-id' } })
    }
    expect(await desk.open()).toHaveLength(1)
  })

  for (const code of ['unavailable', 'rate-limited'] as const) {
    fact(`by a venue that is ${code}`, ['refuseNext'], async (desk) => {
      const request = await desk.request()
      await desk.venue.control.refuseNext?.(code)
      expect(await desk.exchange.createOrder(request)).toMatchObject({ kind: 'refused', error: { code } })
      await expectNothing(desk, request)
      await desk.place()
    })
  }

  unknownFacts(about)
}

function unknownFacts(about: AboutFacts): void {
  let fact = about('an order that gets no answer')
  fact('is unknown, and found by its id where it arrived', ['loseNext'], async (desk) => {
    const request = await desk.request()
    await desk.venue.control.loseNext?.(true)
    const { clientOrderId } = request
    const outcome = await desk.exchange.createOrder(request)
    expect(outcome).toMatchObject({ kind: 'unknown', error: { code: 'outcome-unknown', clientOrderId } })
    const found = await desk.until(() =>
      desk.exchange.fetchOrder({ symbol: desk.symbol, clientOrderId }).catch(() => undefined),
    )
    expect(found).toMatchObject({ clientOrderId, amount: request.amount })
    const again = await desk.exchange.createOrder(request)
    expect(again).toMatchObject({ kind: 'refused', error: { code: 'duplicate-id' } })
  })

  fact('is unknown, and not found where it never arrived; then its id is still free', ['loseNext'], async (desk) => {
    const request = await desk.request()
    await desk.venue.control.loseNext?.(false)
    expect(await desk.exchange.createOrder(request)).toMatchObject({ kind: 'unknown' })
    await expectNothing(desk, request)
    expect(await desk.exchange.createOrder(request)).toMatchObject({ kind: 'placed' })
  })

  fact = about('an order')
  fact('that was placed is what was asked for', async (desk) => {
    const price = await desk.priceAway(-5)
    const request = await desk.request({ type: 'limit', price })
    const outcome = await desk.exchange.createOrder(request)
    const { amount, clientOrderId } = request
    expect(outcome).toMatchObject({
      kind: 'placed',
      order: {
        clientOrderId,
        symbol: desk.symbol,
        side: 'buy',
        type: 'limit',
        amount,
        filled: '0',
        remaining: amount,
        price,
        reduceOnly: false,
        postOnly: false,
        status: 'open',
      },
    })
  })

  fact('can be asked for by either id, and only under its own symbol', async (desk) => {
    const order = await desk.rest()
    const { symbol } = desk
    expectSame([await desk.exchange.fetchOrder({ symbol, id: order.id })], [order])
    const { clientOrderId } = order
    expectSame([await desk.exchange.fetchOrder({ symbol, ...(clientOrderId && { clientOrderId }) })], [order])
  })

  fact('that nobody placed is order-not-found', async ({ exchange, symbol }) => {
    const refusal = { code: 'order-not-found' }
    const unknown = { symbol, clientOrderId: newOrderId() }
    await expect(exchange.fetchOrder(unknown)).rejects.toMatchObject(refusal)
    await expect(exchange.cancelOrder(unknown)).rejects.toMatchObject(refusal)
  })
}

async function expectNothing(desk: Desk, { clientOrderId }: OrderRequest): Promise<void> {
  await expect(desk.exchange.fetchOrder({ symbol: desk.symbol, clientOrderId })).rejects.toMatchObject({
    code: 'order-not-found',
  })
  expect(await desk.open()).toEqual([])
  expect(await desk.exchange.fetchPositions()).toEqual([])
  expect(desk.trades()).toEqual([])
}

import { refOf, type Trade } from '../../exchange/order.ts'
import { type AboutFacts, type Desk, expect, expectSame } from './desk.ts'

export function eventFacts(about: AboutFacts): void {
  const fact = about('events')
  fact('tell of a placed and of a canceled order, with its state', async (desk) => {
    const order = await desk.rest()
    await desk.until(() => desk.ordersTold(order).length > 0)
    await desk.exchange.cancelOrder(refOf(order))
    await desk.until(() => desk.ordersTold(order).at(-1)?.status === 'canceled')
    expect(desk.ordersTold(order)[0]).toMatchObject({ status: 'open', clientOrderId: order.clientOrderId })
    expect(desk.trades()).toEqual([])
  })

  fact('tell each fill once, and the order as it ended', async (desk) => {
    const orders = [await desk.place(), await desk.place({ side: 'sell' }), await desk.place()]
    for (const order of orders) await desk.until(() => desk.ordersTold(order).at(-1)?.status === 'closed')
    await expectAllTold(desk)
    for (const order of orders) expectSame(desk.ordersTold(order).slice(-1), [await desk.now(order)])
  })

  fact('tell every part of an order that fills in parts, once', ['thinBook'], async (desk) => {
    await desk.venue.control.thinBook?.()
    const order = await desk.place({
      type: 'limit',
      price: await desk.priceAway(1),
      amount: await desk.amountWorth(4000),
    })
    await desk.until(() => desk.ordersTold(order).at(-1)?.status === 'closed')
    expect(desk.trades().length).toBeGreaterThan(2)
    await expectAllTold(desk)
    const filled = desk.ordersTold(order).map((told) => Number(told.filled))
    expect(filled).toEqual([...filled].sort((left, right) => left - right))
  })

  fact('tell what another process does on the account, once', ['openAnother', 'listAll'], async (desk) => {
    const other = await desk.venue.openAnother?.()
    if (other === undefined) return
    const [mine, theirs] = [await desk.place(), await other.createOrder(await desk.request())]
    if (theirs.kind !== 'placed') throw theirs.error
    for (const order of [mine, theirs.order]) await desk.until(() => desk.ordersTold(order).at(-1)?.status === 'closed')
    await expectAllTold(desk)
    await other.close()
  })

  fact('stop when asked, and nothing of what was before is told', async (desk) => {
    await desk.place()
    const heard: unknown[] = []
    const stop = desk.exchange.subscribe((event) => heard.push(event))
    expect(heard).toEqual([])
    stop()
    const order = await desk.place()
    await desk.until(() => desk.ordersTold(order).at(-1)?.status === 'closed')
    expect(heard).toEqual([])
  })

  fact('go on after a restart without repeating what was told', ['movePrice', 'listAll'], async (desk) => {
    const [filled, resting] = [await desk.place(), await desk.rest({ price: await desk.priceAway(-1) })]
    await desk.until(() => desk.ordersTold(filled).at(-1)?.status === 'closed')
    await desk.restart()
    // What fills before the account has been read is not news.
    await desk.advance(300)
    await desk.moveTo(-2)
    await desk.until(() => desk.ordersTold(resting).at(-1)?.status === 'closed')
    await expectAllTold(desk)
  })
  gapsFacts(about)
}

function gapsFacts(about: AboutFacts): void {
  const fact = about('a gap in the stream')
  fact(
    'makes it stale; what was missed is told once each when it ends, and then it is live again',
    ['openGap'],
    async (desk) => {
      const before = await desk.place()
      await desk.until(() => desk.ordersTold(before).at(-1)?.status === 'closed')
      expect(desk.exchange.stream).toBe('live')
      const end = await desk.venue.control.openGap?.()
      const resting = await desk.rest()
      const missed = [await desk.place(), await desk.place({ side: 'sell' })]
      await desk.until(() => desk.exchange.stream === 'stale')
      expect([desk.streamStates(), desk.trades().length]).toEqual([['stale'], 1])
      await end?.()
      await desk.until(() => desk.streamStates().includes('resynced'))
      expect(desk.exchange.stream).toBe('live')
      await expectAllTold(desk)
      for (const order of missed) expect(desk.ordersTold(order).at(-1)).toMatchObject({ status: 'closed' })
      expect(desk.ordersTold(resting).at(-1)).toMatchObject({ status: 'open' })
      const resynced = desk.events.findIndex((event) => event.type === 'stream' && event.state === 'resynced')
      expect(desk.events.findLastIndex(({ type }) => type === 'trade')).toBeLessThan(resynced)
      const after = await desk.place()
      await desk.until(() => desk.ordersTold(after).at(-1)?.status === 'closed')
      await expectAllTold(desk)
    },
  )

  fact('does not hide a stop that fires in it', ['openGap', 'movePrice'], async (desk) => {
    const stop = await desk.place({ type: 'stop', triggerPrice: await desk.priceAway(2) })
    const end = await desk.venue.control.openGap?.()
    await desk.moveTo(3)
    expect(await desk.ended(stop)).toMatchObject({ status: 'closed' })
    await end?.()
    await desk.until(() => desk.streamStates().includes('resynced'))
    await expectAllTold(desk)
    expect(desk.ordersTold(stop).at(-1)).toMatchObject({ status: 'closed' })
  })
}

/** The fills that were told are the fills there are: each once, in order within its order. */
async function expectAllTold(desk: Desk): Promise<void> {
  const all = await desk.fills()
  expect(byOrder([...desk.trades()].sort(byTime))).toEqual(byOrder([...all].sort(byTime)))
}

/** A fill that a stream has swallowed is told once the gap is read again, which may be after a newer one. */
function byTime(left: Trade, right: Trade): number {
  return left.timestamp - right.timestamp || Number(left.id) - Number(right.id) || left.id.localeCompare(right.id)
}

/** Without our own ids: of orders from before a restart, some venues' lists of fills do not say them. */
function byOrder(trades: readonly Trade[]): Record<string, Omit<Trade, 'clientOrderId'>[]> {
  const orders: Record<string, Omit<Trade, 'clientOrderId'>[]> = {}
  for (const { clientOrderId: _, ...trade } of trades) orders[trade.orderId] = [...(orders[trade.orderId] ?? []), trade]
  return orders
}

import { describe, expect, it } from 'vitest'
import { describeCause, type VenueCause } from '../../../../src/exchange/order.ts'
import { startAccount } from './scripted-account.ts'

const CAUSES: readonly VenueCause[] = [
  ...(['liquidation', 'deleveraging', 'settlement', 'trigger-failed'] as const),
  ...(['reduce-only', 'position-closed', 'self-trade'] as const),
]

describe('what a venue does by itself', () => {
  it.each(CAUSES)('is told with the order, in words: %s', async (cause) => {
    const { account, clock, events, order, trade, listen, orderStream, tradeStream } = startAccount()
    account.subscribe((event) => events.push(event))
    await listen()
    tradeStream.say(trade())
    orderStream.say(order({ filled: '1', status: 'closed', cause }))
    await clock.advance(10)
    expect(events).toContainEqual({
      type: 'order',
      order: expect.objectContaining({ id: 'o1', cause }),
      reason: describeCause(cause),
    })
  })

  it('has words of its own for each cause', () => {
    expect(new Set(CAUSES.map(describeCause)).size).toBe(CAUSES.length)
  })

  it('is no reason of an order that somebody placed and that filled', async () => {
    const { account, clock, events, order, trade, listen, orderStream, tradeStream } = startAccount()
    account.subscribe((event) => events.push(event))
    await listen()
    tradeStream.say(trade())
    orderStream.say(order({ filled: '1', status: 'closed' }))
    await clock.advance(10)
    const told = events.filter(({ type }) => type === 'order')
    expect(told.length).toBeGreaterThan(0)
    expect(told.filter((event) => 'reason' in event)).toEqual([])
  })
})

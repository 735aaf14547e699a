// What rests is known without asking once the streams have been heard and everything was read twice since they were made.
import { describe, expect, it } from 'vitest'
import { startAccount } from './scripted-account.ts'

async function startKnown() {
  const staged = startAccount()
  const { account, clock, hold, order, orderStream, tradeStream, trade } = staged
  hold(order({ id: 'o1' }))
  await staged.listen()
  expect(account.knownOpenOrders('BTCUSDT')).toBeUndefined()
  const filled = order({ id: 'o0', status: 'closed', filled: '1' })
  const fill = trade({ id: 't0', orderId: 'o0' })
  hold(filled, fill)
  tradeStream.say(fill)
  orderStream.say(filled)
  await clock.advance(25_000)
  const ids = () => account.knownOpenOrders('BTCUSDT')?.map(({ id }) => id)
  expect(ids()).toEqual(['o1'])
  return { ...staged, ids, say: (...rows: Parameters<typeof order>) => orderStream.say(order(...rows)) }
}

describe('what rests', () => {
  it('is known by what was read and what streams tell', async () => {
    const { ids, say, clock, hold, order, account } = await startKnown()
    hold(order({ id: 'o2' }))
    say({ id: 'o2' })
    await clock.advance(1)
    expect(ids()).toEqual(['o1', 'o2'])
    say({ id: 'o1', status: 'canceled' })
    await clock.advance(1)
    expect(ids()).toEqual(['o2'])
    expect(account.knownOpenOrders('ETHUSDT')).toEqual([])
  })

  it('is not known after a gap, until all was read twice', async () => {
    const { ids, clock, dropAll, account } = await startKnown()
    dropAll()
    await clock.advance(1)
    expect([account.state, ids()]).toEqual(['stale', undefined])
    await clock.advance(10_000)
    expect([account.state, ids()]).toEqual(['live', undefined])
  })

  it('is not known while the account does not answer', async () => {
    const { ids, clock, rest } = await startKnown()
    rest.failure = new Error('no answer')
    await clock.advance(31_000)
    expect(ids()).toBeUndefined()
  })

  it('is not known where trigger orders are on no stream', async () => {
    const { account, clock, tradeStream, trade, orderStream, order, listen } = startAccount({
      own: { orders: [{}], fills: [{}], triggers: 'asked', isProven: true },
    })
    await listen()
    tradeStream.say(trade())
    orderStream.say(order({ status: 'closed', filled: '1' }))
    await clock.advance(40_000)
    expect(account.knownOpenOrders('BTCUSDT')).toBeUndefined()
  })
})

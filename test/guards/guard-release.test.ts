// An order that is prepared while it is counted leaves only when the count of all processes, and the state of the account, still let it.
import { describe, expect, it } from 'vitest'
import type { Exchange, OrderContext } from '../../src/exchange/exchange.ts'
import type { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { OrderRequest } from '../../src/exchange/order.ts'
import { newId, resultOf, stageGuard } from './guard-stage.ts'

/** On a venue that holds orders: each is prepared, and then released or refused. */
async function stage(meanwhile: (staged: ReturnType<typeof stageGuard>) => Promise<unknown> = async () => undefined) {
  const staged = stageGuard()
  const { raw, open } = staged
  const prepared: OrderRequest[] = []
  const protecting: (boolean | undefined)[] = []
  const create = raw.createOrder.bind(raw)
  let work = async (): Promise<unknown> => undefined
  Object.assign(raw, {
    holdsOrders: true,
    async createOrder(request: OrderRequest, context?: OrderContext) {
      prepared.push(request)
      protecting.push(context?.protects)
      await work()
      try {
        await context?.release?.()
      } catch (error) {
        return { kind: 'refused', error: error as ExchangeError }
      }
      return create(request)
    },
  } satisfies Partial<Exchange>)
  await staged.store.setLimits('main', { order: 'off', day: '1000' })
  const us = open()
  // It knows the day from its first order on.
  await us.exchange.createOrder(order('0.001'), held())
  prepared.length = 0
  protecting.length = 0
  work = () => meanwhile(staged)
  return { ...staged, us, prepared, protecting, again: () => (work = async () => undefined) }
}

const held = (release: () => Promise<void> = async () => undefined): OrderContext => ({ release })
const order = (amount: string): OrderRequest => ({
  clientOrderId: newId(),
  symbol: 'BTCUSDT',
  side: 'buy',
  type: 'market',
  amount,
})

describe('an order that is prepared', () => {
  it('leaves where nothing has changed', async () => {
    const { us, venue, prepared } = await stage()
    expect((await us.exchange.createOrder(order('0.015'), held())).kind).toBe('placed')
    expect([prepared.length, venue.sent.length]).toEqual([1, 2])
  })

  it('is known to its venue as one that protects, where it is', async () => {
    const { us, protecting } = await stage()
    await us.exchange.createOrder(order('0.001'), { ...held(), protects: true })
    await us.exchange.createOrder(order('0.001'), held())
    expect(protecting).toEqual([true, undefined])
  })

  it('does not leave after a halt that is said meanwhile', async () => {
    const { us, venue, prepared } = await stage(({ store }) => store.restrict('main', 'halted', 'the terminal'))
    const outcome = await us.exchange.createOrder(order('0.001'), held())
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'halted' } })
    expect([prepared.length, venue.sent.length]).toEqual([1, 1])
  })

  it('does not leave where another process has counted before it what the day still had', async () => {
    const staged = await stage()
    // Written by the other one, and not read by this one yet.
    const other = staged.open()
    expect(await resultOf(other.send({ amount: '0.018' }))).toBe('placed')
    const outcome = await staged.us.exchange.createOrder(order('0.015'), held())
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'guarded' } })
    expect([staged.prepared.length, staged.venue.sent.length]).toEqual([2, 2])
  })

  it('does not leave where its intent could not be written', async () => {
    const { us, venue } = await stage()
    const outcome = await us.exchange.createOrder(
      order('0.001'),
      held(() => Promise.reject(new Error('the disk is full'))),
    )
    expect(outcome.kind).toBe('refused')
    expect(venue.sent).toHaveLength(1)
  })
})

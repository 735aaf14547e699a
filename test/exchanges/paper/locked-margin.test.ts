// What orders lock is carried over from one state to the next, by what differs. It is what a sum over all orders gives.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Order } from '../../../src/exchange/order.ts'
import { lockedMargin, missingFunds } from '../../../src/exchanges/paper/account.ts'
import { OFFLINE_LISTING, START_PRICES } from '../../../src/exchanges/paper/markets.ts'
import { quotesAt } from '../../../src/exchanges/paper/quotes.ts'
import { endOrder, initialState, keepOpen, type PaperState } from '../../../src/exchanges/paper/state.ts'

const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT']

const step = fc.record({
  act: fc.constantFrom('place', 'change', 'end', 'price'),
  at: fc.nat(20),
  symbol: fc.constantFrom(...SYMBOLS),
  side: fc.constantFrom('buy', 'sell'),
  amount: fc.integer({ min: 1, max: 500 }),
  price: fc.integer({ min: 1, max: 90_000 }),
  reduceOnly: fc.boolean(),
})

it('what is locked after any orders, changes and ends is what a sum over all orders gives', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const prices = new Map(Object.entries(START_PRICES))
      let state: PaperState = initialState({ seed: 's', balance: '10000' })
      for (const [index, { act, at, symbol, side, amount, price, reduceOnly }] of steps.entries()) {
        const figures = { amount: `${amount / 1000}`, remaining: `${amount / 1000}`, price: `${price}` }
        const open = state.openOrders[at % Math.max(1, state.openOrders.length)]
        const before = state
        if (act === 'price') prices.set(symbol, `${price}`)
        else if (act === 'place')
          state = keepOpen(state, {
            order: {
              id: `p${index}`,
              symbol,
              side,
              type: 'limit',
              filled: '0',
              reduceOnly,
              postOnly: false,
              status: 'open',
              timestamp: 0,
              ...figures,
            } satisfies Order,
          })
        else if (open !== undefined && act === 'end') state = endOrder(state, open.order, 'canceled')
        else if (open !== undefined) state = keepOpen(state, { order: { ...open.order, ...figures } })
        const pricing = {
          listing: OFFLINE_LISTING,
          quotes: quotesAt({ lastPrice: (name) => prices.get(name) ?? '1' }, 0),
        }
        missingFunds(before, state, open?.order.symbol ?? symbol, pricing)
        const anew = lockedMargin(structuredClone(state), pricing)
        expect(lockedMargin(state, pricing).toFixed()).toBe(anew.toFixed())
      }
    }),
  )
})

// A copy of a paper account on which orders are tried: it fills, locks and refuses as the account would, and nothing of it is kept or told.
import type { Trial } from '../../exchange/exchange.ts'
import type { Order } from '../../exchange/order.ts'
import type { Would } from '../../exchange/simulated.ts'
import { describeBalance, describePosition } from './account.ts'
import { cancelOrder, cancelOrders, editOrder, openOrdersOf, placeOrder, setLeverage } from './book.ts'
import type { Settled } from './live-account.ts'
import type { Moment, Outcome } from './matching.ts'
import type { PaperState } from './state.ts'

/** @param settle brings the account up to now, once the symbol has a price */
export async function createTrial(settle: (symbol?: string) => Promise<Settled>): Promise<Trial> {
  return trialFrom(await settle(), 0, settle)
}

function trialFrom(begin: Settled, before: number, settle: (symbol?: string) => Promise<Settled>): Trial {
  let { state, moment } = begin
  let taken = before
  const keep = <Result>({ state: next, result }: Outcome<Result>): Result => {
    state = next
    return result
  }
  return {
    async take(would) {
      const symbol = symbolOf(would)
      if (symbol !== undefined) moment = (await settle(symbol)).moment
      taken += 1
      return keep(attempt(state, would, moment, taken.toString(16).padStart(32, '0')))
    },
    positions: () => state.positions.map((position) => describePosition(state, position, moment)),
    openOrders: (symbol) => openOrdersOf(state, symbol, moment.listing),
    balances: () => [describeBalance(state, moment)],
    fork: () => trialFrom({ state, moment }, taken, settle),
  }
}

function symbolOf(would: Would): string | undefined {
  switch (would.kind) {
    case 'place':
      return would.order.symbol
    case 'change':
    case 'cancel':
      return would.ref.symbol
    case 'cancel-all':
    case 'set':
      return would.symbol
  }
}

function attempt(state: PaperState, would: Would, moment: Moment, clientOrderId: string): Outcome<Order | undefined> {
  switch (would.kind) {
    case 'place':
      return placeOrder(state, { ...would.order, clientOrderId }, moment)
    case 'change':
      return editOrder(state, would.ref, would.change, moment)
    case 'cancel':
      return cancelOrder(state, would.ref, moment)
    case 'cancel-all':
      return { ...cancelOrders(state, would.symbol, moment), result: undefined }
    case 'set':
      if (would.what !== 'leverage') return { state, result: undefined }
      return { ...setLeverage(state, would.symbol, would.value, moment), result: undefined }
  }
}

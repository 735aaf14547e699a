// A paper account as it was on its first day: no orders, no positions, a balance, nothing that goes wrong on purpose. What happened stays in
// its history, and ids go on counting, so that every order that was ever placed can still be asked for.
import type { Order } from '../../exchange/order.ts'
import { Decimal, decimalText } from './decimal.ts'
import type { Outcome } from './matching.ts'
import { endOf, type Replay } from './replay.ts'
import { endOrder, type PaperState } from './state.ts'

/** Resets the account, whose prices are those candles from then on. @param balance in USDT @returns what was open, as it is now */
export function beginReplay(state: PaperState, replay: Replay, balance: string): Outcome<readonly Order[]> {
  const { state: bare, result } = resetAccount(state, balance)
  return { state: { ...bare, replay, settledAt: replay.startedAt }, result }
}

/** Its prices stand still from `now` on, where they have not come to their end. */
export function stopReplay(state: PaperState, now: number): Outcome<Replay | undefined> {
  const { replay } = state
  if (replay === undefined || replay.stoppedAt !== undefined || endOf(replay) <= now) return { state, result: replay }
  const stopped = { ...replay, stoppedAt: now }
  return { state: { ...state, replay: stopped, nextChangeSeq: state.nextChangeSeq + 1 }, result: stopped }
}

/** @param balance in USDT @returns what was open, as it is now */
export function resetAccount(state: PaperState, balance: string): Outcome<readonly Order[]> {
  const open = state.openOrders.map(({ order }) => order)
  const ended = open.reduce(
    (current, order) => endOrder(current, order, 'canceled', 'the paper account was reset'),
    state,
  )
  return {
    state: {
      ...ended,
      deposited: decimalText(new Decimal(balance)),
      realizedPnl: '0',
      fees: '0',
      covered: '0',
      leverage: {},
      positions: [],
      taken: [],
      faults: {},
      faultCount: 0,
      nextChangeSeq: ended.nextChangeSeq + 1,
    },
    result: open.map((order): Order => ({ ...order, status: 'canceled' })),
  }
}

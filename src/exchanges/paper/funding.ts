// Funding: what longs pay shorts from time to time, where the venue publishes it. It is booked as realised on the position, once for each time
// at which it is due, to positions that were open then. What fell due long before prices were heard again is not: nothing is made up for a gap.
import { decimal, decimalText, toMoney } from './decimal.ts'
import type { MarketView } from './market-source.ts'
import type { PaperState, Payment, StoredPosition } from './state.ts'

/** How late a payment may be booked. */
const MAX_LATE_MS = 5 * 60_000
const PAYMENTS_KEPT = 200

type Moment = MarketView & { readonly now: number }

/** Books what has fallen due. Without a payment it returns the very state it was given. */
export function payFunding(state: PaperState, moment: Moment): PaperState {
  return state.positions
    .filter(({ symbol }) => moment.isCurrent(symbol))
    .flatMap((position) => duePayments(position, moment))
    .reduce(book, state)
}

function duePayments(position: StoredPosition, { funding, quotes, now }: Moment): readonly Payment[] {
  const { symbol, amount, openedAt = 0, fundedUntil = 0 } = position
  return funding(symbol)
    .filter(({ at }) => at <= now && now - at <= MAX_LATE_MS && at >= openedAt && at > fundedUntil)
    .toSorted((left, right) => left.at - right.at)
    .map(({ at, rate }) => {
      const markPrice = quotes(symbol).last
      const received = toMoney(decimal(amount).times(decimal(markPrice)).times(decimal(rate))).neg()
      return { symbol, at, rate, amount, markPrice, received: decimalText(received) }
    })
}

function book(state: PaperState, payment: Payment): PaperState {
  const plus = (money: string): string => decimalText(decimal(money).plus(decimal(payment.received)))
  return {
    ...state,
    realizedPnl: plus(state.realizedPnl),
    positions: state.positions.map((position) =>
      position.symbol === payment.symbol
        ? { ...position, realizedPnl: plus(position.realizedPnl), fundedUntil: payment.at }
        : position,
    ),
    payments: [...(state.payments ?? []), payment].slice(-PAYMENTS_KEPT),
    nextChangeSeq: state.nextChangeSeq + 1,
  }
}

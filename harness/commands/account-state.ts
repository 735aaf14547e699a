// What an account has at one moment, as lines that a test compares, and a market that moves.
import type { CommandSession } from './command-session.ts'

/** `sell stop 0.02 @ 63700, 67600 profit`; `, opens` for an order that may open. */
export async function restingOrders({ market }: CommandSession): Promise<string[]> {
  return (await market.exchange.fetchOpenOrders()).map(
    ({ side, type, amount, triggerPrice, takeProfitPrice = 'no', reduceOnly }) =>
      `${side} ${type} ${amount} @ ${triggerPrice}, ${takeProfitPrice} profit${reduceOnly ? '' : ', opens'}`,
  )
}

/** `long 0.02`. */
export async function positionsOf({ market }: CommandSession): Promise<string[]> {
  return (await market.exchange.fetchPositions()).map(({ side, amount }) => `${side} ${amount}`)
}

/** BTCUSDT, and time for what that sets off. */
export async function movePrice(session: CommandSession, price: string): Promise<void> {
  session.market.setPrice('BTCUSDT', price)
  await session.advance(3_000)
}

// The stage of one example: what it needs around it, and what it must print there.
import type { CommandSession, SessionOptions } from '../../harness/commands/command-session.ts'
import type { RunOptions, StartedRun } from '../../harness/commands/started-run.ts'
import { place } from '../../harness/venues/place.ts'

export interface ExampleStage {
  /** Every line of output together matches each of these. */
  readonly prints: readonly RegExp[]
  /** Lines typed before. */
  readonly before?: readonly string[]
  readonly options?: SessionOptions
  readonly run?: RunOptions
  readonly prepare?: (session: CommandSession) => unknown
  /** What happens while it runs. */
  readonly meanwhile?: (session: CommandSession, run: StartedRun) => unknown
  /** Lines typed after it, whose output is read too. */
  readonly after?: readonly string[]
  /** What it does besides printing. */
  readonly does?: () => boolean
  /** Why it does not succeed here. */
  readonly fails?: string
}

/** Orders `p1` to `p<count>` far below the market. */
export const restingOrders = (count: number) => async (session: CommandSession) => {
  for (let placed = 0; placed < count; placed += 1) {
    const order = { symbol: 'BTCUSDT', side: 'buy', type: 'limit', price: '61750', amount: '0.001' } as const
    await place(session.market.exchange, order)
  }
}

export const priceGoes =
  (price: string, ms = 1000) =>
  async (session: CommandSession) => {
    session.market.setPrice('BTCUSDT', price)
    await session.advance(ms)
  }

/** What stands in README's table for any command. */
export const PLACEHOLDERS: readonly string[] = ['a; b', 'a && b', 'a || b', 'a & b; c']

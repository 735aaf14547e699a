// An account as it would be after what was looked at so far, where its venue lets that be tried; else as it is.
import type { Trial, VenueView } from '../../exchange/exchange.ts'
import type { Order } from '../../exchange/order.ts'
import type { Would } from '../../exchange/simulated.ts'

export interface TrialAccount {
  /** What it holds and has open, as it would be by now; all else is asked of the venue. */
  readonly venue: VenueView
  /** @returns the order as it would be then; undefined where the venue tells only by doing. @throws {ExchangeError} the venue's refusal */
  take(would: Would): Promise<Order | undefined>
  /** Of the position on the symbol, as it would be by now. */
  liquidationPrice(symbol: string): string | undefined
}

export async function createTrialAccount(venue: VenueView): Promise<TrialAccount> {
  const trial = await venue.trial?.()
  if (trial === undefined) return { venue, take: async () => undefined, liquidationPrice: () => undefined }
  return {
    venue: asTried(venue, trial),
    take: (would) => trial.take(would),
    liquidationPrice: (symbol) => trial.positions().find((position) => position.symbol === symbol)?.liquidationPrice,
  }
}

function asTried(venue: VenueView, trial: Trial): VenueView {
  const own: Partial<VenueView> = {
    fetchPositions: async () => trial.positions(),
    knownPositions: () => trial.positions(),
    fetchOpenOrders: async (symbol) => trial.openOrders(symbol),
    fetchBalances: async () => trial.balances(),
    trial: async () => trial.fork(),
  }
  return new Proxy(venue, {
    get: (target, name) =>
      Object.hasOwn(own, name) ? own[name as keyof VenueView] : Reflect.get(target, name, target),
  })
}

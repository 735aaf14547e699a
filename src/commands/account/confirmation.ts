// Commands that give up what an account holds ask first: without `--yes` they say what would be lost and do nothing. The same in a terminal
// and in a script.
import type { VenueView } from '../../exchange/exchange.ts'
import type { Argument } from '../../language/chain.ts'
import { CommandError } from '../kit/errors.ts'

/** Takes `--yes` out of the arguments, wherever it is. */
export function takeYes(args: readonly Argument[]): { readonly rest: readonly Argument[]; readonly isSure: boolean } {
  const rest = args.filter((argument) => argument.kind !== 'word' || argument.text !== '--yes')
  return { rest, isSure: rest.length < args.length }
}

interface Holdings {
  readonly positions: number
  readonly orders: number
}

/** @throws {ExchangeError} */
export async function holdingsOf(venue: VenueView): Promise<Holdings> {
  const [positions, orders] = await Promise.all([venue.fetchPositions(), venue.fetchOpenOrders()])
  return { positions: positions.length, orders: orders.length }
}

/** `1 position and 2 resting orders`; `nothing open`. */
export function describeHoldings({ positions, orders }: Holdings): string {
  const parts = [
    ...(positions > 0 ? [count(positions, 'position')] : []),
    ...(orders > 0 ? [count(orders, 'resting order')] : []),
  ]
  return parts.length === 0 ? 'nothing open' : parts.join(' and ')
}

/** @param line what to type instead */
export function needsYes(message: string, line: string): CommandError {
  return new CommandError('needs-yes', message, { hint: `\`${line}\` does it` })
}

/** `1 order`, `2 orders`. */
export function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`
}

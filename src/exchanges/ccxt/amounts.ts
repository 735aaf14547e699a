// Between our amounts, in base or quote, and what the venue counts. Exact both ways; an amount that is not a whole number of lots never gets here.
import { Decimal } from './decimals.ts'
import type { VenueMarket } from './markets.ts'

/** Contracts, as the venue wants them. */
export function toContracts(amount: string, { contractSize }: Pick<VenueMarket, 'contractSize'>): string {
  return new Decimal(amount).div(contractSize).toFixed()
}

/** In the market's `amountUnit`. */
export function fromContracts(contracts: string, { contractSize }: Pick<VenueMarket, 'contractSize'>): string {
  return new Decimal(contracts).times(contractSize).toFixed()
}

/** What so much of a market is worth at a price, in quote. */
export function notionalOf(amount: string, price: string, { market }: Pick<VenueMarket, 'market'>): string {
  return market.amountUnit === 'quote' ? amount : new Decimal(amount).times(price).toFixed()
}

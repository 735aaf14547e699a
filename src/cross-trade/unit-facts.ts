// What a copier has to know before it orders, asked for only where it is needed.

import type { AccountLink } from './account-link.ts'
import type { Decimal } from './decimal.ts'
import { Decimal as DecimalOf, ZERO } from './decimal.ts'
import { byNotional, inconvertible, isSameMeasure } from './plan.ts'
import type { UnitState } from './state-lines.ts'

/** What it is to hold, of all symbols of the master; undefined: a part of it was not converted yet. */
export function desiredOf({ parts }: Pick<UnitState, 'parts'>): Decimal | undefined {
  let sum = ZERO
  for (const { amount } of Object.values(parts)) {
    if (amount === undefined) return undefined
    sum = sum.plus(amount)
  }
  return sum
}

interface Conversion {
  readonly master: AccountLink
  readonly copier: AccountLink
  /** Of the copier. */
  readonly symbol: string
}

/**
 * What a share of the master's position is in the copier's unit, at the prices of now.
 * @returns text where nothing could convert it @throws {ExchangeError}
 */
export async function convert(
  raw: string,
  masterSymbol: string,
  { master, copier, symbol }: Conversion,
): Promise<Decimal | string> {
  const from = master.knownMarket(masterSymbol) ?? (await master.market(masterSymbol))
  const to = copier.knownMarket(symbol) ?? (await copier.market(symbol))
  if (to === undefined) return `${copier.name} has no market ${symbol}`
  if (from === undefined) return `${master.name} has no market ${masterSymbol}`
  const share = new DecimalOf(raw)
  if (isSameMeasure(from, to)) return share
  const why = inconvertible(from, to)
  if (why !== undefined) return why
  const [fromLast, toLast] = await Promise.all([master.last(masterSymbol), copier.last(symbol)])
  return byNotional(share, { market: from, price: fromLast }, { market: to, price: toLast })
}

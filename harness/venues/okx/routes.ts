// What each address of the REST interface answers. A handler gets what was asked and by whom; it returns the rows of `data`.
import type { Account } from './account.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import type { Engine } from './engine.ts'
import { MARKET_ROUTES } from './market-routes.ts'
import { ORDER_ROUTES } from './order-routes.ts'
import type { Row } from './rows.ts'
import type { Fields } from './wishes.ts'

export interface Asked {
  readonly fields: Fields
  /** A body that is a list: one for each. */
  readonly list: readonly Fields[]
  readonly engine: Engine
  /** The venue's clock, which may be off. */
  readonly now: number
}

export interface AskedByAccount extends Asked {
  readonly account: Account
}

export type Route =
  | { readonly security: 'none'; run(asked: Asked): readonly Row[] }
  /** `trade`: with a key that may. */
  | { readonly security: 'read' | 'trade'; run(asked: AskedByAccount): readonly Row[] }

/** By method and path: `POST /api/v5/trade/order`. */
export const ROUTES: ReadonlyMap<string, Route> = new Map(
  Object.entries({ ...MARKET_ROUTES, ...ORDER_ROUTES, ...ACCOUNT_ROUTES }),
)

// What each address of the REST interface answers. A handler gets what was asked and by whom; it returns what becomes JSON.
import type { Account } from './account.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import type { Engine } from './engine.ts'
import { MARKET_ROUTES } from './market-routes.ts'
import { ORDER_ROUTES } from './order-routes.ts'
import type { Streams } from './streams.ts'
import type { Params } from './wishes.ts'

export interface Asked {
  readonly params: Params
  readonly engine: Engine
  readonly streams: Streams
  /** The venue's clock, which may be off. */
  readonly now: number
}

export interface AskedByAccount extends Asked {
  readonly account: Account
}

export type Route =
  | { readonly security: 'none'; run(asked: Asked): unknown }
  /** `key`: the header alone. */
  | { readonly security: 'key' | 'signed'; run(asked: AskedByAccount): unknown }

/** By method and path: `POST /fapi/v1/order`. */
export const ROUTES: ReadonlyMap<string, Route> = new Map(
  Object.entries({ ...MARKET_ROUTES, ...ORDER_ROUTES, ...ACCOUNT_ROUTES }),
)

// The names that this page has seen, for completion.
import type { Console } from '../console.ts'
import { scopeOf } from '../console-state.ts'
import type { SeenNames } from './completion.ts'

export function seenNames(console: Console): SeenNames {
  const state = console.getState()
  const { portfolio, accounts, hooks, tasks } = state
  const scope = scopeOf(state)
  const rows = [...(portfolio?.positions ?? []), ...(portfolio?.orders ?? []), ...(tasks ?? [])]
  return {
    symbols: [...(scope ? [scope.symbol] : []), ...rows.map(({ symbol }) => symbol)],
    accounts: accounts?.map(({ name }) => name) ?? [],
    hookIds: hooks?.map(({ id }) => id) ?? [],
    orderIds: portfolio?.orders.map(({ id }) => id) ?? [],
  }
}

// What this tab shows and runs on: the account and symbol that a person chose in it, or the operator's focus; and the figures that belong to them.
import type { Frame, Portfolio } from '../protocol/frames.ts'

export type Focus = Omit<Frame<'state:focus'>, 't'>

/** What commands of this tab run on, where a person chose it in this tab; otherwise what the operator has in focus. */
export interface Chosen {
  readonly account?: string | undefined
  readonly symbol?: string | undefined
}
export type Market = Pick<
  Frame<'state:market'>,
  'account' | 'symbol' | 'market' | 'ticker' | 'day' | 'staleSince' | 'problem'
>

/** What hookline was asked to tell besides its focus. */
export interface ScopeNews {
  readonly tabPortfolio?: Portfolio | undefined
  readonly market?: Frame<'state:market'> | undefined
}

export interface ScopeFacts {
  readonly focus: Focus | undefined
  readonly portfolio: Portfolio | undefined
  readonly chosen: Chosen
  readonly tabPortfolio: Portfolio | undefined
  readonly market: Market | undefined
}

/** The focus as hookline says it; an older hookline says it with its portfolio only. */
export function focusOf({ focus, portfolio }: Pick<ScopeFacts, 'focus' | 'portfolio'>): Focus | undefined {
  return focus ?? portfolio
}

/** The account and symbol that commands of this tab run on; undefined: hookline has not said what is in focus. */
export function scopeOf(
  state: Pick<ScopeFacts, 'focus' | 'portfolio' | 'chosen'>,
): { readonly account: string; readonly symbol: string } | undefined {
  const focus = focusOf(state)
  const account = state.chosen.account ?? focus?.account
  const symbol = state.chosen.symbol ?? focus?.symbol
  return account && symbol ? { account, symbol } : undefined
}

/** The figures of the account that commands of this tab run on; undefined: hookline tells none, or those of another. */
export function shownPortfolio(
  state: Pick<ScopeFacts, 'focus' | 'portfolio' | 'chosen' | 'tabPortfolio'>,
): Portfolio | undefined {
  const account = scopeOf(state)?.account
  const known = [state.portfolio, state.tabPortfolio].filter((each) => each !== undefined)
  return known.find((each) => account === undefined || each.account === account)
}

/** What the symbol of this tab was last traded at; undefined: hookline does not say. */
export function shownPrice(
  state: Pick<ScopeFacts, 'focus' | 'portfolio' | 'chosen' | 'tabPortfolio' | 'market'>,
): { readonly last: string; readonly isStale: boolean } | undefined {
  const scope = scopeOf(state)
  const { market } = state
  if (market?.ticker && market.symbol === scope?.symbol && market.account === scope.account)
    return { last: market.ticker.last, isStale: market.staleSince !== undefined }
  const portfolio = shownPortfolio(state)
  return portfolio && portfolio.symbol === scope?.symbol ? { last: portfolio.last, isStale: false } : undefined
}

export function withScopeNews<S extends Pick<ScopeFacts, 'market' | 'tabPortfolio'>>(state: S, news: ScopeNews): S {
  const { market, ...others } = news
  if (!('market' in news)) return { ...state, ...others }
  const known = market && state.market?.symbol === market.symbol && state.market.account === market.account
  const { account, symbol, ticker, day, staleSince, problem, market: steps } = market ?? {}
  if (account === undefined || symbol === undefined) return { ...state, market: undefined }
  const kept = known ? state.market : undefined
  return {
    ...state,
    market: {
      account,
      symbol,
      ...defined({
        ticker: ticker ?? kept?.ticker,
        day: day ?? kept?.day,
        market: steps ?? kept?.market,
        staleSince,
        problem,
      }),
    },
  }
}

/** Without what is undefined. */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

export type Flags = Omit<Frame<'state:flags'>, 't'>

/** What holds up the orders of the account that this tab shows; of another than the one in focus only newer hooklines say it. */
export function heldUp(
  state: Pick<ScopeFacts, 'focus' | 'portfolio' | 'chosen'> & { readonly flags: Flags | undefined },
): Pick<Flags, 'guard' | 'simulated'> {
  const { flags, focus } = state
  const account = scopeOf(state)?.account
  if (flags === undefined) return {}
  return account === undefined || focus === undefined || account === focus.account
    ? flags
    : (flags.accounts?.find((each) => each.account === account) ?? {})
}

// The market of this tab's account and symbol, as long as something shows it.
import { createContext, useContext, useEffect, useState } from 'react'
import { useSearch } from 'wouter'
import { INTERVALS, type Interval } from '../../../protocol/desk-requests.ts'
import type { Frame, Portfolio } from '../../../protocol/frames.ts'
import { isFresh, isLive, scopeOf, shownPortfolio } from '../../console-state.ts'
import { useConsole, useDesk, useDeskParts } from '../../use-console.ts'
import { type MarketView, withMarketFrame } from './market-view.ts'

export interface Market {
  readonly view: MarketView | undefined
  /** Prices may be old. */
  readonly isStale: boolean
  /** Why there is no market to be seen. */
  readonly refusal: string | undefined
}

export const MarketContext = createContext<Market>({ view: undefined, isStale: true, refusal: undefined })

export function useMarket(): Market {
  return useContext(MarketContext)
}

/** Kept in the address. */
export function useInterval(): Interval {
  const asked = new URLSearchParams(useSearch()).get('interval')
  return INTERVALS.find((interval) => interval === asked) ?? '1h'
}

export function useTabScope(): { readonly account: string; readonly symbol: string } | undefined {
  const account = useDesk((state) => scopeOf(state)?.account)
  const symbol = useDesk((state) => scopeOf(state)?.symbol)
  return account === undefined || symbol === undefined ? undefined : { account, symbol }
}

/** For the page; its parts take it by {@link useMarket}. */
export function useWatchedMarket(): Market {
  const { looks } = useConsole()
  const interval = useInterval()
  const { account, symbol } = useTabScope() ?? {}
  const isNow = useDesk((state) => isFresh(state))
  const [view, setView] = useState<MarketView>()
  const [refusal, setRefusal] = useState<string>()
  useEffect(() => {
    if (account === undefined || symbol === undefined) return undefined
    setRefusal(undefined)
    const take = (frame: Frame<'state:market'>) => {
      setRefusal(undefined)
      setView((known) => withMarketFrame(known, frame))
    }
    return looks.watch.market({ account, symbol, interval }, take, setRefusal)
  }, [looks, account, symbol, interval])
  const isOlder = useDesk((state) => isLive(state) && state.refusals.length > 0)
  const isOfTab = view !== undefined && view.account === account && view.symbol === symbol
  return {
    view: isOfTab ? view : undefined,
    isStale: !isNow || !isOfTab || refusal !== undefined || view?.staleSince !== undefined,
    refusal: refusal ?? (isOlder && !isOfTab ? TOO_OLD : undefined),
  }
}

const TOO_OLD =
  'This hookline is older than this page and sends it no prices. The terminal works; update hookline to see them.'

/** What the account of this tab holds. */
export function useTabPortfolio(): Portfolio | undefined {
  return shownPortfolio(useDeskParts('focus', 'portfolio', 'chosen', 'tabPortfolio'))
}

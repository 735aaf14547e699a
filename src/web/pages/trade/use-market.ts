// The market of this tab's account and symbol, as long as something shows it.
import { createContext, useContext, useEffect, useRef, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { INTERVALS, type Interval } from '../../../base/candle-intervals.ts'
import type { CandleRow, Frame, Portfolio } from '../../../protocol/frames.ts'
import { withCandles } from '../../market-watches.ts'
import { useGoToSymbol } from '../../shell/account-symbol-picker.tsx'
import {
  ACCOUNTS_HIDDEN,
  type ConsoleState,
  guardOf,
  isFresh,
  isLive,
  scopeOf,
  shownPortfolio,
  whyNoCommands,
} from '../../state/console-state.ts'
import { useConsole, useDesk, useDeskParts, useMedia } from '../../state/use-console.ts'

interface Market {
  readonly view: MarketView | undefined
  /** Prices are stale. */
  readonly isStale: boolean
  /** Why there is no market to be seen. */
  readonly refusal: string | undefined
  /** The symbol of this tab, where the account's exchange has no such market. */
  readonly unlisted?: string | undefined
}

export const MarketContext = createContext<Market>({ view: undefined, isStale: true, refusal: undefined })

export function useMarket(): Market {
  return useContext(MarketContext)
}

/** Otherwise the book is a tab beside the positions. */
export function useBookBeside(): boolean {
  return !useMedia('(max-width: 1099px)')
}

/** Beside the chart; the others of the exchange are in a list. */
export const USUAL_INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const satisfies readonly Interval[]

export function useInterval(): readonly [interval: Interval, show: (next: string) => void] {
  return useAddressChoice('interval', INTERVALS, '1h')
}

const BOOK_VIEWS = ['levels', 'tape'] as const
type BookView = (typeof BOOK_VIEWS)[number]

export function useBookView(): readonly [view: BookView, show: (next: BookView) => void] {
  return useAddressChoice('beside', BOOK_VIEWS, 'levels')
}

/** Rows on each side of the book. */
export const DEPTHS = ['5', '10', '20'] as const

export function useDepth(): readonly [rows: (typeof DEPTHS)[number], show: (next: string) => void] {
  return useAddressChoice('depth', DEPTHS, '10')
}

/** One of some words, kept in the address. */
function useAddressChoice<Word extends string>(
  name: string,
  words: readonly Word[],
  usual: Word,
): readonly [chosen: Word, show: (next: string) => void] {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const asked = new URLSearchParams(search).get(name)
  const show = (next: string) => {
    const query = new URLSearchParams(search)
    query.set(name, next)
    navigate(`${path}?${query}`, { replace: true })
  }
  return [words.find((word) => word === asked) ?? usual, show]
}

export function useTabScope(): { readonly account: string; readonly symbol: string } | undefined {
  const account = useDesk((state) => scopeOf(state)?.account)
  const symbol = useDesk((state) => scopeOf(state)?.symbol)
  return account === undefined || symbol === undefined ? undefined : { account, symbol }
}

/** For the page; its parts take it by {@link useMarket}. */
export function useWatchedMarket(): Market {
  const { looks } = useConsole()
  const [interval] = useInterval()
  const hasTape = useBookView()[0] === 'tape'
  const { account, symbol } = useTabScope() ?? {}
  const isNow = useDesk((state) => isFresh(state))
  const [view, setView] = useState<MarketView>()
  const [refusal, setRefusal] = useState<string>()
  const goTo = useGoToSymbol()
  const go = useRef(goTo)
  go.current = goTo
  useEffect(() => {
    if (account === undefined || symbol === undefined) return undefined
    setRefusal(undefined)
    const take = (frame: Frame<'state:market'>) => {
      setRefusal(undefined)
      // `/trade/ETH` means the one market of that coin.
      if (frame.symbol !== symbol) go.current(frame.symbol, { replace: true })
      setView((known) => withMarketFrame(known, frame))
    }
    return looks.watch.market({ account, symbol, interval, ...(hasTape && { tape: true }) }, take, setRefusal)
  }, [looks, account, symbol, interval, hasTape])
  const isOlder = useDesk((state) => isLive(state) && state.refusals.length > 0)
  const isHidden = useDesk(({ flags }) => flags?.accountSync === false)
  const isOfTab = view !== undefined && view.account === account && view.symbol === symbol
  return {
    view: isOfTab ? view : undefined,
    isStale: !isNow || !isOfTab || refusal !== undefined || view?.staleSince !== undefined,
    refusal:
      (isHidden && refusal !== undefined ? ACCOUNTS_HIDDEN : refusal) ?? (isOlder && !isOfTab ? TOO_OLD : undefined),
    unlisted: isOfTab && view.isUnlisted ? symbol : undefined,
  }
}

const TOO_OLD =
  'This hookline is older than this page and sends it no prices. The terminal works; update hookline to see them.'

/** The portfolio of the account of this tab. */
export function useTabPortfolio(): Portfolio | undefined {
  return shownPortfolio(useDeskParts('focus', 'portfolio', 'chosen', 'tabPortfolio'))
}

// One watched symbol, merged from its frames: (view, frame) → view. Fields that a frame omits have not changed.

type MarketFrame = Frame<'state:market'>

export interface MarketView {
  readonly account: string
  readonly symbol: string
  readonly interval: string
  readonly market: MarketFrame['market']
  /** Of its exchange; undefined: an older hookline, which has {@link USUAL_INTERVALS}. */
  readonly intervals: readonly string[] | undefined
  /** Oldest first; the last one is still forming. */
  readonly candles: readonly CandleRow[] | undefined
  /** Counts the histories that came whole: with another number, what was drawn is drawn anew. */
  readonly history: number
  readonly ticker: MarketFrame['ticker']
  readonly book: MarketFrame['book']
  /** Oldest first; undefined: they were not asked for, or there are none to be had. */
  readonly tape: MarketFrame['tape']
  /** When the account's replay began; undefined: its prices are of no replay. */
  readonly replayedSince: number | undefined
  readonly staleSince: number | undefined
  readonly problem: string | undefined
  readonly isUnlisted: boolean
}

/** @param view undefined, or of another symbol: the frame begins a new one */
export function withMarketFrame(view: MarketView | undefined, frame: MarketFrame): MarketView {
  const { account, symbol, interval, replayedSince, staleSince, problem } = frame
  const isSame = view?.account === account && view.symbol === symbol && view.interval === interval
  const known = isSame ? view : undefined
  return {
    account,
    symbol,
    interval,
    replayedSince,
    staleSince,
    problem,
    isUnlisted: frame.unlisted === true,
    market: frame.market ?? known?.market,
    intervals: frame.intervals ?? known?.intervals,
    candles: withCandles(known?.candles, frame),
    history: (view?.history ?? 0) + (frame.whole && frame.candles ? 1 : 0),
    ticker: frame.ticker ?? known?.ticker,
    book: frame.book ?? known?.book,
    tape: frame.tape ?? known?.tape,
  }
}

// Why a tab sends no orders now, in a sentence; undefined: it does.

export function whyNoTrade(state: ConsoleState, account: string | undefined, isStale: boolean): string | undefined {
  const noCommands = whyNoCommands(state)
  if (noCommands !== undefined) return noCommands
  if (guardOf(state, account) === 'halted')
    return 'Halted. Only cancels, `close` and reduce-only orders are sent. Type `resume` in the hookline terminal to trade again.'
  const { market } = state
  if (market?.unlisted && market.account === account) return `${account} has no symbol ${market.symbol}.`
  if (isStale && state.flags?.accountSync === false)
    return 'Accounts are off: this page gets no prices and sends no orders. The terminal still trades.'
  if (isStale && state.silentSince !== undefined)
    return 'hookline does not answer. The ticket sends nothing until it does.'
  return isStale ? 'Prices are stale. No order is sent until they return.' : undefined
}

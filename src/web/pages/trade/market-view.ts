// One watched symbol as its frames told it: (view, frame) → view. What a frame leaves out has not changed.
import type { CandleRow, Frame } from '../../../protocol/frames.ts'

type MarketFrame = Frame<'state:market'>

export interface MarketView {
  readonly account: string
  readonly symbol: string
  readonly interval: string
  readonly market: MarketFrame['market']
  /** Oldest first; the last one is still forming. */
  readonly candles: readonly CandleRow[] | undefined
  /** Counts the histories that came whole: with another number, what was drawn is drawn anew. */
  readonly history: number
  readonly ticker: MarketFrame['ticker']
  readonly book: MarketFrame['book']
  readonly staleSince: number | undefined
  readonly problem: string | undefined
}

/** @param view undefined, or of another symbol: the frame begins a new one */
export function withMarketFrame(view: MarketView | undefined, frame: MarketFrame): MarketView {
  const { account, symbol, interval, staleSince, problem } = frame
  const isSame = view?.account === account && view.symbol === symbol && view.interval === interval
  const known = isSame ? view : undefined
  return {
    account,
    symbol,
    interval,
    staleSince,
    problem,
    market: frame.market ?? known?.market,
    candles: withCandles(known?.candles, frame),
    history: (view?.history ?? 0) + (frame.whole && frame.candles ? 1 : 0),
    ticker: frame.ticker ?? known?.ticker,
    book: frame.book ?? known?.book,
  }
}

/** Those that are known, and in their place those that the frame tells anew. */
export function withCandles(known: MarketView['candles'], { candles, whole }: MarketFrame): MarketView['candles'] {
  if (candles === undefined) return known
  if (whole || known === undefined) return candles
  const first = candles[0]
  return first === undefined ? known : [...known.filter(([time]) => time < first[0]), ...candles]
}

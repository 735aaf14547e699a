// The chart's pane: intervals, the newest candle in figures, the chart once it is there.
import { lazy, Suspense, useEffect, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { INTERVALS } from '../../../protocol/desk-requests.ts'
import { Empty } from '../../components/empty.tsx'
import { MaybeStale } from '../../components/figure.tsx'
import { Skeleton } from '../../components/pane.tsx'
import { showPrice } from '../../figures.ts'
import { useDesk } from '../../use-console.ts'
import { linesOf } from './chart/chart-lines.ts'
import { marksOf } from './chart/fill-marks.ts'
import type { MarketView } from './market-view.ts'
import { useFills } from './use-fills.ts'
import { useInterval, useMarket, useTabPortfolio } from './use-market.ts'
import { whyNoTrade } from './why-no-trade.ts'

const loadChart = () => import('./chart/candle-chart.tsx')
const CandleChart = lazy(loadChart)

export function ChartPane() {
  const { view, isStale, refusal } = useMarket()
  const problem = refusal ?? view?.problem
  // It is there when the candles come.
  useEffect(() => void loadChart(), [])
  return (
    <section className="pane chart-pane" aria-label="Chart" data-region="Chart" tabIndex={-1} data-stale={isStale}>
      <header className="pane-head">
        <Intervals />
        {view && <LastCandle view={view} isStale={isStale} />}
      </header>
      <div className="chart-body">
        {problem !== undefined && <Empty>{problem}</Empty>}
        {view?.candles && view.candles.length > 0 ? (
          <Suspense fallback={<Skeleton rows={6} />}>
            <Chart view={view} isStale={isStale} />
          </Suspense>
        ) : (
          problem === undefined && <Skeleton rows={6} />
        )}
      </div>
    </section>
  )
}

const NO_LINES = { positions: [], orders: [] }

function Chart({ view, isStale }: { readonly view: MarketView; readonly isStale: boolean }) {
  const portfolio = useTabPortfolio()
  const fills = useFills()
  const { symbol, interval, candles } = view
  const { positions, orders } = portfolio ?? NO_LINES
  const lines = useMemo(() => linesOf({ positions, orders }, symbol), [positions, orders, symbol])
  const marks = useMemo(
    () =>
      marksOf(
        fills ?? [],
        symbol,
        (candles ?? []).map(([time]) => time),
      ),
    [fills, symbol, candles],
  )
  const spoken = [...lines.map(({ label, price }) => `${label} at ${price}`), `${marks.length} marks of fills`]
  const description = `Candles of ${symbol}, ${interval}; ${spoken.join('; ')}`
  const whyNot = useDesk((state) => whyNoTrade(state, view.account, isStale))
  return (
    <CandleChart view={view} isStale={isStale} whyNot={whyNot} lines={lines} marks={marks} description={description} />
  )
}

function Intervals() {
  const shown = useInterval()
  const [path, navigate] = useLocation()
  const search = useSearch()
  const show = (interval: string) => {
    const query = new URLSearchParams(search)
    query.set('interval', interval)
    navigate(`${path}?${query}`, { replace: true })
  }
  return (
    <fieldset className="segments" aria-label="Interval">
      {INTERVALS.map((interval) => (
        <button key={interval} type="button" aria-pressed={interval === shown} onClick={() => show(interval)}>
          {interval}
        </button>
      ))}
    </fieldset>
  )
}

function LastCandle({ view: { candles, market }, isStale }: { readonly view: MarketView; readonly isStale: boolean }) {
  const [, open, high, low, close] = candles?.at(-1) ?? []
  if (open === undefined || high === undefined || low === undefined || close === undefined) return null
  const like = market?.tick ?? open
  return (
    <dl className="ohlc">
      {[
        ['O', open],
        ['H', high],
        ['L', low],
        ['C', close],
      ].map(([name = '', price = '']) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <MaybeStale isStale={isStale}>{showPrice(price, like)}</MaybeStale>
          </dd>
        </div>
      ))}
    </dl>
  )
}

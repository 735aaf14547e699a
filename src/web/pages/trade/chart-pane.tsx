// The chart's pane: intervals, lines, the newest candle in figures, the chart once it is there.
import { lazy, Suspense, useEffect, useState } from 'react'
import { MaybeStale } from '../../components/figure.tsx'
import { Empty, Skeleton } from '../../components/pane.tsx'
import { showPrice, showTime } from '../../figures.ts'
import { NARROW, useDesk, useMedia } from '../../state/use-console.ts'
import type { Draft } from './chart/candle-chart.tsx'
import type { ChartLine } from './chart/chart-model.ts'
import { Choice, type Choices } from './line-button.tsx'
import { type MarketView, USUAL_INTERVALS, useInterval, useMarket, whyNoTrade } from './use-market.ts'
import './chart/chart.css'

const loadChart = () => import('./chart/candle-chart.tsx')
const Chart = lazy(loadChart)
const UnlistedSymbol = lazy(() => import('./unlisted-symbol.tsx'))
const ChartTools = lazy(() => import('./chart/chart-tools.tsx'))

export function ChartPane() {
  const { view, isStale, refusal, unlisted } = useMarket()
  const [draft, setDraft] = useState<Draft>()
  const problem = refusal ?? (unlisted === undefined ? view?.problem : undefined)
  const whyNot = useDesk((state) => whyNoTrade(state, view?.account, isStale))
  const take = (line: ChartLine) => setDraft({ line, price: line.price, isReleased: true, isByKeys: true })
  // The chart is loaded before the candles arrive.
  useEffect(() => void loadChart(), [])
  return (
    <section
      className="clips boxed round surface stack pane chart-pane"
      aria-label="Chart"
      data-region="Chart"
      tabIndex={-1}
      data-stale={isStale}
    >
      <header className="ruled rigid cluster pane-head">
        <Intervals />
        {view && (
          <Suspense fallback={null}>
            <ChartTools view={view} whyNot={whyNot} onMove={take} />
          </Suspense>
        )}
        {view && <LastCandle view={view} isStale={isStale} />}
      </header>
      {view?.replayedSince !== undefined && (
        <p className="inset muted">
          Replay since {showTime(view.replayedSince, Date.now())}. The chart begins there, and its times are those of
          this clock, not of the recording.
        </p>
      )}
      <div className="relative fill">
        {problem !== undefined && <Empty>{problem}</Empty>}
        {view && unlisted !== undefined && (
          <Suspense>
            <UnlistedSymbol symbol={unlisted} account={view.account} />
          </Suspense>
        )}
        {view?.candles && view.candles.length > 0 ? (
          <Suspense fallback={<Skeleton rows={6} />}>
            <Chart view={view} isStale={isStale} whyNot={whyNot} draft={draft} onDraft={setDraft} />
          </Suspense>
        ) : (
          (problem ?? unlisted) === undefined && <Skeleton rows={6} />
        )}
      </div>
    </section>
  )
}

const CHOICES: Choices<string> = USUAL_INTERVALS.map((interval) => [interval, interval] as const)

function Intervals() {
  const [shown, show] = useInterval()
  const isNarrow = useMedia(NARROW)
  // The list of the others is behind a button there.
  const isOther = isNarrow && CHOICES.every(([interval]) => interval !== shown)
  const choices = isOther ? [...CHOICES, [shown, shown] as const] : CHOICES
  return <Choice label="Interval" className="gap-1 rigid row segments" value={shown} of={choices} onChoose={show} />
}

function LastCandle({ view: { candles, market }, isStale }: { readonly view: MarketView; readonly isStale: boolean }) {
  const [, open, high, low, close] = candles?.at(-1) ?? []
  if (open === undefined || high === undefined || low === undefined || close === undefined) return null
  const like = market?.tick ?? open
  return (
    <dl className="clips fill text-2 row wide-only last-candle">
      {[
        ['O', open],
        ['H', high],
        ['L', low],
        ['C', close],
      ].map(([name = '', price = '']) => (
        <div key={name} className="gap-2 rigid row">
          <dt>{name}</dt>
          <dd>
            <MaybeStale isStale={isStale}>{showPrice(price, like)}</MaybeStale>
          </dd>
        </div>
      ))}
    </dl>
  )
}

// The chart's pane: intervals, lines, the newest candle in figures, the chart once it is there.
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { INTERVALS } from '../../../protocol/desk-frames.ts'
import { useRoving } from '../../components/arrow-keys.ts'
import { MaybeStale } from '../../components/figure.tsx'
import { Empty, Skeleton } from '../../components/pane.tsx'
import { Card, usePopover } from '../../components/popover.tsx'
import { showAverage, showPrice } from '../../figures.ts'
import { useDesk } from '../../state/use-console.ts'
import type { Draft } from './chart/candle-chart.tsx'
import { type ChartLine, draftLines, linesOf, marksOf, washesOf } from './chart/chart-model.ts'
import { useFills } from './fills.ts'
import { Choice } from './line-button.tsx'
import { useTicket } from './ticket/ticket.ts'
import { type MarketView, useInterval, useMarket, useTabPortfolio, whyNoTrade } from './use-market.ts'
import './chart/chart.css'

const loadChart = () => import('./chart/candle-chart.tsx')
const CandleChart = lazy(loadChart)

export function ChartPane() {
  const { view, isStale, refusal } = useMarket()
  const [draft, setDraft] = useState<Draft>()
  const problem = refusal ?? view?.problem
  const lines = useHeldLines(view?.symbol)
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
      <header className="ruled rigid row pane-head">
        <Intervals />
        <LinesMenu lines={lines} tick={view?.market?.tick} whyNot={whyNot} onMove={take} />
        {view && <LastCandle view={view} isStale={isStale} />}
      </header>
      <div className="relative fill">
        {problem !== undefined && <Empty>{problem}</Empty>}
        {view?.candles && view.candles.length > 0 ? (
          <Suspense fallback={<Skeleton rows={6} />}>
            <Chart view={view} isStale={isStale} whyNot={whyNot} lines={lines} draft={draft} onDraft={setDraft} />
          </Suspense>
        ) : (
          problem === undefined && <Skeleton rows={6} />
        )}
      </div>
    </section>
  )
}

const NO_LINES = { positions: [], orders: [] }

function useHeldLines(symbol = ''): readonly ChartLine[] {
  const { positions, orders } = useTabPortfolio() ?? NO_LINES
  return useMemo(() => linesOf({ positions, orders }, symbol), [positions, orders, symbol])
}

interface ChartProps {
  readonly view: MarketView
  readonly isStale: boolean
  readonly whyNot: string | undefined
  /** Of positions and resting orders. */
  readonly lines: readonly ChartLine[]
  readonly draft: Draft | undefined
  readonly onDraft: (draft: Draft | undefined) => void
}

function Chart({ lines, ...props }: ChartProps) {
  const { symbol, interval, candles, market } = props.view
  const tick = market?.tick ?? '0.1'
  const { positions, orders } = useTabPortfolio() ?? NO_LINES
  const fills = useFills()
  const preview = useTicket((state) => state.preview)
  const isEditable = useTicket((state) => state.isFollowed)
  const all = useMemo(
    () => [...lines, ...draftLines(preview, symbol, isEditable)],
    [lines, preview, symbol, isEditable],
  )
  const washes = useMemo(() => washesOf({ positions, orders }, preview, symbol), [positions, orders, preview, symbol])
  const times = useMemo(() => (candles ?? []).map(([time]) => time), [candles])
  const marks = useMemo(() => marksOf(fills ?? [], symbol, times), [fills, symbol, times])
  const spoken = [
    ...lines.map(({ label, price }) => `${label} at ${showAverage(price, tick)}`),
    `${marks.length} marks of fills`,
  ]
  const [, , high, low, close] = candles?.at(-1) ?? []
  const newest = close === undefined ? [] : [`the newest from ${low} to ${high}, now ${close}`]
  const description = `Candles of ${symbol}, ${interval}; ${[...spoken, ...newest].join('; ')}`
  return <CandleChart {...props} lines={all} washes={washes} marks={marks} description={description} />
}

const CHOICES = INTERVALS.map((interval) => [interval, interval] as const)

function Intervals() {
  const shown = useInterval()
  const [path, navigate] = useLocation()
  const search = useSearch()
  const show = (interval: string) => {
    const query = new URLSearchParams(search)
    query.set('interval', interval)
    navigate(`${path}?${query}`, { replace: true })
  }
  return <Choice label="Interval" className="gap-1 rigid row segments" value={shown} of={CHOICES} onChoose={show} />
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

// The lines of the chart as a list: what it shows in words, and the way to move one without a mouse.

interface LinesMenuProps {
  readonly lines: readonly ChartLine[]
  readonly tick: string | undefined
  /** Why none can be moved now. */
  readonly whyNot: string | undefined
  readonly onMove: (line: ChartLine) => void
}

function LinesMenu({ lines, tick, whyNot, onMove }: LinesMenuProps) {
  const popover = usePopover()
  const list = useRef<HTMLUListElement>(null)
  const roving = useRoving(list, 'button')
  if (lines.length === 0) return null
  const move = (line: ChartLine) => {
    popover.close()
    onMove(line)
  }
  return (
    <>
      <button type="button" className="rigid nowrap button small" {...popover.button}>
        Lines {lines.length}
      </button>
      <Card popover={popover} label="Lines of the chart" className="card">
        <ul ref={list} {...roving}>
          {lines.map((line) => {
            const { id, label, price } = line
            const text = `${label} at ${showPrice(price, tick ?? price)}`
            return (
              <li key={id}>
                {line.moves === undefined || whyNot !== undefined ? (
                  <span className="soft numeric muted full row line-row" title={whyNot}>
                    {text}
                  </span>
                ) : (
                  <button
                    type="button"
                    className="soft numeric full at-start line-row"
                    title="Move it"
                    onClick={() => move(line)}
                  >
                    {text}
                  </button>
                )}
              </li>
            )
          })}
        </ul>
      </Card>
    </>
  )
}

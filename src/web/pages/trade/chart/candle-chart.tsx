// The chart as a component; a chunk of its own, loaded when it is to be seen.
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { usePreferences } from '../../../shell/preferences.ts'
import type { MarketView } from '../market-view.ts'
import { editTicket } from '../ticket/ticket-store.ts'
import { BeyondChips } from './beyond-chips.tsx'
import { type ChartColours, useChartColours } from './chart-colours.ts'
import { ChartDrawing } from './chart-drawing.ts'
import { useChartKeys } from './chart-keys.ts'
import type { ChartLine, Wash } from './chart-lines.ts'
import { type FillMark, groupMarks } from './fill-marks.ts'
import { type Draft, useLineDrag } from './line-drag.ts'
import { MoveCard } from './move-card.tsx'
import type { Beyond } from './washes.ts'

export interface CandleChartProps {
  readonly view: MarketView
  readonly isStale: boolean
  /** Why orders cannot be moved now. */
  readonly whyNot: string | undefined
  readonly lines: readonly ChartLine[]
  readonly washes: readonly Wash[]
  readonly marks: readonly FillMark[]
  /** In words, for those who do not see it. */
  readonly description: string
  /** The line that is being moved. */
  readonly draft: Draft | undefined
  readonly onDraft: (draft: Draft | undefined) => void
}

export default function CandleChart(props: CandleChartProps) {
  const { view, whyNot, lines, washes, marks, description, draft, onDraft } = props
  const colours = useChartColours()
  const element = useRef<HTMLDivElement>(null)
  const [beyond, setBeyond] = useState<readonly Beyond[]>([])
  const drawing = useDrawing(element, setBeyond)
  useCandles(drawing, props, colours)
  const [isWhole, setWhole] = useState(false)
  useEffect(() => drawing.current?.drawLines(lines, colours), [drawing, lines, colours])
  useEffect(
    () => drawing.current?.drawWashes(washes, lines, colours, isWhole),
    [drawing, washes, lines, colours, isWhole],
  )
  useMarks(drawing, { marks, view, colours })
  const tick = view.market?.tick
  // The same one at each drawing: a line that is held is let go where another takes over.
  const take = useCallback(
    (next: Draft | undefined) => {
      const field = next?.line.edits
      if (next === undefined || field === undefined || !next.isReleased) return onDraft(next)
      editTicket({ [field]: next.price })
      onDraft(undefined)
    },
    [onDraft],
  )
  useLineDrag({ element, drawing, tick: whyNot === undefined ? tick : undefined, onDraft: take })
  // What was canceled or filled meanwhile cannot be moved any more.
  const isThere = draft !== undefined && lines.some(({ id }) => id === draft.line.id)
  const shifted = isThere ? draft : undefined
  useEffect(() => drawing.current?.shift(shifted && { id: shifted.line.id, price: shifted.price }), [drawing, shifted])
  const { press, said } = useChartKeys(drawing)
  const { account, symbol, candles } = view
  return (
    <>
      {shifted && (
        <MoveCard draft={shifted} scope={{ account, symbol }} tick={tick} whyNot={whyNot} onDraft={onDraft} />
      )}
      <BeyondChips beyond={beyond} lines={lines} tick={tick} onShow={() => setWhole(true)} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys move what is in sight */}
      <fieldset className="chart-keys" tabIndex={0} aria-label={KEYS} onKeyDown={press}>
        <div
          className="chart-canvas"
          ref={element}
          role="img"
          aria-label={description}
          data-candles={candles?.length}
        />
      </fieldset>
      <p className="visually-hidden" role="status">
        {said}
      </p>
      <a className="chart-source" href="https://www.tradingview.com/" rel="noreferrer" target="_blank">
        Charts by TradingView
      </a>
    </>
  )
}

const KEYS = 'Candles: arrows move, plus and minus zoom, Home and End go to the edges'

type Drawing = RefObject<ChartDrawing | undefined>

function useDrawing(element: RefObject<HTMLElement | null>, onBeyond: (beyond: readonly Beyond[]) => void): Drawing {
  const drawing = useRef<ChartDrawing>(undefined)
  useEffect(() => {
    if (element.current === null) return undefined
    const made = new ChartDrawing(element.current, (beyond) => {
      if (drawing.current === made) onBeyond(beyond)
    })
    drawing.current = made
    return () => {
      // What is cleaned up after it must not reach it.
      drawing.current = undefined
      made.remove()
    }
  }, [element, onBeyond])
  return drawing
}

function useCandles(drawing: Drawing, { view, isStale }: CandleChartProps, colours: ChartColours): void {
  const { candles, history, market } = view
  const tick = market?.tick
  const zone = usePreferences(({ timeZone }) => timeZone)
  useEffect(() => drawing.current?.paint(colours, isStale), [drawing, colours, isStale])
  useEffect(() => drawing.current?.format(tick), [drawing, tick])
  useEffect(() => drawing.current?.tellTimesIn(zone), [drawing, zone])
  useEffect(() => {
    if (candles !== undefined) drawing.current?.feed(candles, history)
  }, [drawing, candles, history])
}

interface Marked extends Pick<CandleChartProps, 'marks' | 'view'> {
  readonly colours: ChartColours
}

function useMarks(drawing: Drawing, { marks, view: { candles }, colours }: Marked): void {
  const [perMark, setPerMark] = useState(1)
  useEffect(() => drawing.current?.watchZoom(setPerMark), [drawing])
  const times = useMemo(() => (candles ?? []).map(([time]) => time), [candles])
  const grouped = useMemo(() => groupMarks(marks, times, perMark), [marks, times, perMark])
  useEffect(() => drawing.current?.drawMarks(grouped, colours), [drawing, grouped, colours])
}

// The chart as a component; a chunk of its own, loaded when it is to be seen.
import { useEffect, useRef, useState } from 'react'
import type { MarketView } from '../market-view.ts'
import { useChartColours } from './chart-colours.ts'
import { ChartDrawing } from './chart-drawing.ts'
import type { ChartLine } from './chart-lines.ts'
import type { FillMark } from './fill-marks.ts'
import { type Draft, useLineDrag } from './line-drag.ts'
import { MoveCard } from './move-card.tsx'

export interface CandleChartProps {
  readonly view: MarketView
  readonly isStale: boolean
  /** Why orders cannot be moved now. */
  readonly whyNot: string | undefined
  readonly lines: readonly ChartLine[]
  readonly marks: readonly FillMark[]
  /** In words, for those who do not see it. */
  readonly description: string
}

export default function CandleChart({ view, isStale, whyNot, lines, marks, description }: CandleChartProps) {
  const colours = useChartColours()
  const element = useRef<HTMLDivElement>(null)
  const drawing = useRef<ChartDrawing>(undefined)
  useEffect(() => {
    if (element.current === null) return undefined
    const made = new ChartDrawing(element.current)
    drawing.current = made
    return () => {
      // What is cleaned up after it must not reach it.
      drawing.current = undefined
      made.remove()
    }
  }, [])
  useEffect(() => drawing.current?.paint(colours, isStale), [colours, isStale])
  const { candles, history, market } = view
  const tick = market?.tick
  useEffect(() => {
    if (candles !== undefined) drawing.current?.feed(candles, history, tick)
  }, [candles, history, tick])
  useEffect(() => drawing.current?.drawLines(lines, colours), [lines, colours])
  useEffect(() => drawing.current?.drawMarks(marks, colours), [marks, colours])
  const [draft, setDraft] = useState<Draft>()
  useLineDrag({ element, drawing, tick: whyNot === undefined ? tick : undefined, onDraft: setDraft })
  // What was canceled or filled meanwhile cannot be moved any more.
  const isThere = draft !== undefined && lines.some(({ id }) => id === draft.line.id)
  const shifted = isThere ? draft : undefined
  useEffect(() => drawing.current?.shift(shifted && { id: shifted.line.id, price: shifted.price }), [shifted])
  const { account, symbol } = view
  return (
    <>
      {shifted && (
        <MoveCard draft={shifted} scope={{ account, symbol }} whyNot={whyNot} onDone={() => setDraft(undefined)} />
      )}
      <div className="chart-canvas" ref={element} role="img" aria-label={description} data-candles={candles?.length} />
      <a className="chart-source" href="https://www.tradingview.com/" rel="noreferrer" target="_blank">
        Charts by TradingView
      </a>
    </>
  )
}

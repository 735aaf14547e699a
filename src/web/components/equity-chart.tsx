// The curve of what an account was worth, and under it how far below its last high it was. Broken where nothing was written down.
import './equity-chart.css'
import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { showFigure, showMoney, showTime } from '../figures.ts'
import { timeTicks } from '../zoned-days.ts'
import { type CurvePoint, curveOf, type EquityPoints, piecesOf, ticksBetween, tickText } from './equity-curve.ts'

const RIGHT_PX = 76
const TOP_PX = 14
const DAYS_PX = 20
/** Of the height, for the fall below the last high. */
const FALL_PART = 0.24

interface EquityChartProps {
  readonly points: EquityPoints
  readonly account: string
  readonly currency: string
  /** Of the times under it. */
  readonly zone: string
  /** The deepest fall in it, in percent: `-3.92`. */
  readonly deepest: string | undefined
}

interface Size {
  readonly width: number
  readonly height: number
}

export function EquityChart({ points, account, currency, zone, deepest }: EquityChartProps) {
  const frame = useRef<HTMLDivElement>(null)
  const size = useSize(frame)
  const [near, setNear] = useState<number>()
  const last = points.at(-1)
  const first = points[0]
  const label = `${account}: ${showMoney(first?.[1] ?? '')} ${currency} at first, ${showMoney(last?.[1] ?? '')} ${currency} at last`
  const shown = near === undefined ? undefined : points[near]
  const follow = (event: PointerEvent) => {
    const { left } = event.currentTarget.getBoundingClientRect()
    setNear(nearest(points, (event.clientX - left) / Math.max(1, size.width - RIGHT_PX)))
  }
  return (
    <div
      className="clips relative fill equity-chart"
      ref={frame}
      onPointerMove={follow}
      onPointerLeave={() => setNear(undefined)}
    >
      {size.width > 0 && points.length > 1 && (
        <Curve points={points} size={size} near={near} label={label} zone={zone} deepest={deepest} />
      )}
      {shown && (
        <p className="soft surface text-2 equity-at figure">
          {`${showTime(shown[0], Date.now())}: ${showMoney(shown[1])} ${currency}`}
          {shown[2] !== undefined && `, ${showMoney(shown[2])} without open profit`}
        </p>
      )}
    </div>
  )
}

function useSize(element: React.RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useEffect(() => {
    if (element.current === null) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: Math.round(entry.contentRect.width), height: Math.round(entry.contentRect.height) })
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return size
}

/** @param part of the way from the first point to the last */
function nearest(points: EquityPoints, part: number): number | undefined {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const at = first[0] + part * (last[0] - first[0])
  let best = 0
  points.forEach(([time], index) => {
    if (Math.abs(time - at) < Math.abs((points[best]?.[0] ?? 0) - at)) best = index
  })
  return best
}

interface CurveProps extends Pick<EquityChartProps, 'points' | 'zone' | 'deepest'> {
  readonly size: Size
  readonly near: number | undefined
  readonly label: string
}

interface Scales {
  readonly x: (at: number) => number
  readonly worth: (total: number) => number
  readonly fall: (fall: number) => number
  readonly low: number
  readonly high: number
  readonly deepest: number
  /** Where the worth ends and the fall begins. */
  readonly middle: number
}

function scalesOf(curve: readonly CurvePoint[], { width, height }: Size): Scales {
  const [start, end] = [curve[0]?.at ?? 0, curve.at(-1)?.at ?? 1]
  const totals = curve.map(({ total }) => total)
  const [least, most] = [Math.min(...totals), Math.max(...totals)]
  // A flat curve is in the middle.
  const margin = (most - least || Math.abs(most) / 100 || 1) * 0.08
  const [low, high] = [least - margin, most + margin]
  const deepest = Math.max(0.001, ...curve.map(({ fall }) => fall))
  const bottom = height - DAYS_PX
  const middle = TOP_PX + (bottom - TOP_PX) * (1 - FALL_PART)
  return {
    x: (at) => ((at - start) / Math.max(1, end - start)) * (width - RIGHT_PX),
    worth: (total) => middle - 12 - ((total - low) / (high - low)) * (middle - 12 - TOP_PX),
    fall: (fall) => middle + 18 + (fall / deepest) * (bottom - middle - 22),
    low,
    high,
    deepest,
    middle,
  }
}

function Curve({ points, size, near, label, zone, deepest }: CurveProps) {
  const curve = curveOf(points)
  const scales = scalesOf(curve, size)
  const pieces = piecesOf(curve, Date.now())
  const ticks = ticksBetween(scales.low, scales.high, 5)
  const right = size.width - RIGHT_PX
  const at = near === undefined ? undefined : curve[near]
  return (
    <svg width={size.width} height={size.height} role="img" aria-label={label}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line className="grid-line" x1={0} x2={right} y1={scales.worth(tick)} y2={scales.worth(tick)} />
          <text x={right + 8} y={scales.worth(tick) + 4}>
            {showFigure(tickText(tick, ticks))}
          </text>
        </g>
      ))}
      {pieces.map((piece) => (
        <Piece key={piece[0]?.at} piece={piece} scales={scales} />
      ))}
      <text x={12} y={scales.middle + 10}>
        Drawdown
      </text>
      <line className="grid-line" x1={0} x2={right} y1={scales.fall(0)} y2={scales.fall(0)} />
      {deepest !== undefined && (
        <text x={right + 8} y={scales.fall(scales.deepest)}>
          {`${showFigure(deepest)} %`}
        </text>
      )}
      <Times curve={curve} scales={scales} size={size} zone={zone} />
      {at && <line className="near" x1={scales.x(at.at)} x2={scales.x(at.at)} y1={0} y2={size.height - DAYS_PX} />}
      {at && <circle className="near" cx={scales.x(at.at)} cy={scales.worth(at.total)} r={3.5} />}
    </svg>
  )
}

function Piece({ piece, scales }: { readonly piece: readonly CurvePoint[]; readonly scales: Scales }) {
  const { x, worth, fall, middle } = scales
  const [first, last] = [piece[0], piece.at(-1)]
  if (first === undefined || last === undefined) return null
  if (piece.length === 1) return <circle className="worth-dot" cx={x(first.at)} cy={worth(first.total)} r={1.5} />
  const line = piece.map((point) => `${x(point.at).toFixed(1)} ${worth(point.total).toFixed(1)}`).join(' L')
  const falls = piece.map((point) => `${x(point.at).toFixed(1)} ${fall(point.fall).toFixed(1)}`).join(' L')
  const [from, to] = [x(first.at).toFixed(1), x(last.at).toFixed(1)]
  return (
    <>
      <path className="worth-area" d={`M${from} ${middle - 12} L${line} L${to} ${middle - 12}Z`} />
      <path className="worth" d={`M${line}`} />
      <path className="fall-area" d={`M${from} ${fall(0)} L${falls} L${to} ${fall(0)}Z`} />
      <path className="fall" d={`M${falls}`} />
    </>
  )
}

/** So much room has a time under the curve. */
const TIME_PX = 110

function Times({
  curve,
  scales,
  size,
  zone,
}: Pick<CurveProps, 'size' | 'zone'> & { readonly curve: readonly CurvePoint[]; readonly scales: Scales }) {
  const [start, end] = [curve[0]?.at ?? 0, curve.at(-1)?.at ?? 0]
  const right = size.width - RIGHT_PX
  const wanted = Math.max(2, Math.min(8, Math.floor(right / TIME_PX)))
  return timeTicks(start, end, wanted, zone).map(({ at, text }) => {
    const x = scales.x(at)
    return (
      <g key={at}>
        <line className="grid-line" x1={x} x2={x} y1={0} y2={size.height - DAYS_PX} />
        <text x={Math.max(28, Math.min(right - 28, x))} y={size.height - 5} textAnchor="middle">
          {text}
        </text>
      </g>
    )
  })
}

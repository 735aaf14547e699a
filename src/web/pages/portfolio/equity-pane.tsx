// Equity: the curve of one account over a span, both chosen here, and its fills as a file.
import { type PointerEvent, useEffect, useRef, useState } from 'react'
import type { Answer } from '../../../client/questions.ts'
import { Empty, Pane, Skeleton } from '../../components/pane.tsx'
import { Menu, type MenuItem, usePopover } from '../../components/popover.tsx'
import { toast } from '../../components/toasts.tsx'
import { describeFailure } from '../../console.ts'
import { showFigure, showMoney, showTime } from '../../figures.ts'
import { isLive } from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'
import type { QueryState } from '../../state/use-query.ts'
import { timeTicks } from './calendar.ts'
import { type CsvFile, csvName, equityFile, fillsFile, pnlFile } from './csv-files.ts'
import { type CurvePoint, curveOf, type EquityPoints, gapsOf, piecesOf, ticksBetween, tickText } from './equity.ts'
import { hasOlder, SPANS, startOf, type View } from './use-view.ts'

interface EquityPaneProps {
  readonly view: View
  readonly query: QueryState<Answer<'equity:query'>>
  /** The deepest fall, in percent: `-3.92`. */
  readonly deepest: string | undefined
}

export function EquityPane({ view, query, deepest }: EquityPaneProps) {
  const { answer } = query
  const points = answer?.points ?? []
  return (
    <Pane id="equity" title="Equity" aside={<ChooseAccount view={view} />} actions={<Actions view={view} />}>
      <div className="stack high equity">
        {query.problem !== undefined && (
          <p className="soft warning" role="note">{`hookline reports: ${query.problem}`}</p>
        )}
        {answer === undefined && query.problem === undefined && <Waiting />}
        {answer && points.length < 2 && <TooFew answer={answer} view={view} />}
        {answer && points.length > 1 && (
          <>
            <EquityChart
              points={points}
              account={answer.account}
              currency={answer.currency ?? ''}
              zone={view.zone}
              deepest={deepest}
            />
            <GapsNote answer={answer} />
          </>
        )}
      </div>
    </Pane>
  )
}

function Waiting() {
  const isConnected = useDesk(isLive)
  return isConnected ? <Skeleton rows={6} /> : <Empty>The curve appears once this page is connected to hookline.</Empty>
}

function TooFew({ answer, view }: { readonly answer: Answer<'equity:query'>; readonly view: View }) {
  const { account, since } = answer
  if (hasOlder(view.span, since, Date.now()))
    return (
      <Empty title="Nothing in this span">
        {`The equity of ${account} is older than this span. Choose a longer one.`}
      </Empty>
    )
  return (
    <Empty title="No curve yet">
      {`hookline writes the equity of ${account} down once a minute while it is in use. Two points make a curve.`}
    </Empty>
  )
}

function GapsNote({ answer }: { readonly answer: Answer<'equity:query'> }) {
  const now = Date.now()
  const gaps = gapsOf(
    answer.points.map(([at]) => ({ at })),
    now,
  )
  const longest = gaps.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a), gaps[0] ?? { from: 0, to: 0 })
  const since = answer.since === undefined ? '' : `Known since ${showTime(answer.since, now)}. `
  const words = `${gaps.length === 1 ? '1 gap' : `${gaps.length} gaps`}, where hookline did not run or the account was not in use; the longest from ${showTime(longest.from, now)} to ${showTime(longest.to, now)}.`
  return <p className="hint">{`${since}Deposits and withdrawals are in it. ${gaps.length > 0 ? words : ''}`}</p>
}

function ChooseAccount({ view }: { readonly view: View }) {
  const accounts = useDesk((state) => state.accounts)
  const names = [
    ...new Set([...(view.account === undefined ? [] : [view.account]), ...(accounts ?? []).map(({ name }) => name)]),
  ]
  return (
    <select
      className="soft raised select"
      aria-label="Account whose money is shown"
      value={view.account ?? ''}
      disabled={names.length === 0}
      onChange={(event) => view.show({ account: event.target.value })}
    >
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}

function Actions({ view }: { readonly view: View }) {
  return (
    <>
      <fieldset className="boxed round raised gap-1 row segments">
        <legend className="visually-hidden">Span</legend>
        {SPANS.map((span) => (
          <button
            key={span.id}
            type="button"
            aria-pressed={span.id === view.span.id}
            title={span.title}
            onClick={() => view.show({ span: span.id })}
          >
            {span.label}
          </button>
        ))}
      </fieldset>
      <CsvMenu view={view} />
    </>
  )
}

// Makes files of what is shown: the fills of the account in the span, what was made, and the points of the curve.

/** The most that hookline gives. */
const MOST_POINTS = 2000

function CsvMenu({ view }: { readonly view: View }) {
  const { ask } = useConsole()
  const popover = usePopover()
  const isConnected = useDesk(isLive)
  const [isAsking, setAsking] = useState(false)
  const { account, span, by, zone } = view
  if (account === undefined) return null
  const make = async (what: string, file: () => Promise<CsvFile>) => {
    popover.close()
    setAsking(true)
    try {
      const { text, rows, gaps } = await file()
      save(csvName(what, account, span.id), text)
      const missing = gaps.length === 0 ? '' : `; something may be missing: ${gaps.join('; ')}`
      toast({
        tone: gaps.length === 0 ? 'success' : 'warn',
        text: `${rows} lines of ${what} of ${account} in a file${missing}`,
      })
    } catch (error) {
      toast({ tone: 'error', text: `No file of ${what}: ${describeFailure(error)}` })
    } finally {
      setAsking(false)
    }
  }
  const range = () => startOf(span, Date.now())
  const scope = () => (by === 'account' ? range() : { account, ...range() })
  const files: readonly (readonly [id: string, title: string, note: string, file: () => Promise<CsvFile>])[] = [
    ['fills', 'Fills', 'each one', () => fillsFile((question) => ask.fills(question), { account, filters: range() })],
    ['pnl', 'Profit and loss', `by ${by}`, async () => pnlFile(await ask.pnl({ by, zone, ...scope() }))],
    [
      ...(['equity', 'Equity', 'point by point'] as const),
      async () => equityFile(await ask.equity({ account, points: MOST_POINTS, ...range() })),
    ],
  ]
  const items: MenuItem[] = files.map(([id, title, note, file]) => ({
    id,
    title,
    note: <span className="muted">{note}</span>,
    onChoose: () => void make(id, file),
  }))
  return (
    <>
      <button
        type="button"
        className="button small"
        disabled={!isConnected || isAsking}
        aria-label={`Files of ${account} as CSV`}
        title={`What ${account} did in this span, as files for spreadsheets`}
        {...popover.button}
      >
        CSV
      </button>
      <Menu popover={popover} label="Files as CSV" items={items} />
    </>
  )
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

// --- The curve of what an account was worth, and under it how far below its last high it was. Broken where nothing was written down.

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

function EquityChart({ points, account, currency, zone, deepest }: EquityChartProps) {
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
          {`${showTime(shown[0], Date.now())}: ${showMoney(shown[1])} ${currency}, ${showMoney(shown[2])} without open profit`}
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
        Below the last high
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

// The chart as a component; a chunk of its own, loaded when it is to be seen.
import {
  type Dispatch,
  type KeyboardEvent,
  type RefObject,
  type SetStateAction,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useShallow } from 'zustand/react/shallow'
import { INTERVAL_MS } from '../../../../base/candle-intervals.ts'
import { digitsOf, showAverage, showPrice } from '../../../figures.ts'
import { Consequences, UNTYPABLE, usePreview } from '../../../preview/preview.tsx'
import { outcomeOf } from '../../../runs/use-runs.ts'
import { usePreferences } from '../../../state/preferences.ts'
import { useReplays } from '../../../state/replays.ts'
import { useConsole, useDesk } from '../../../state/use-console.ts'
import { useQuery } from '../../../state/use-query.ts'
import { useFills } from '../fills.ts'
import { usePriceMenu } from '../price-menu.tsx'
import { onTick, stepFigure } from '../price-steps.ts'
import { editTicket, useTicket } from '../ticket/ticket.ts'
import { type MarketView, useTabPortfolio } from '../use-market.ts'
import { type Beyond, type ChartColours, ChartDrawing, type Spot, useChartColours } from './chart-drawing.ts'
import {
  asTyped,
  type ChartLine,
  type ChartMark,
  cancelationOf,
  draftLines,
  drawnLines,
  fireMarksOf,
  groupMarks,
  isElsewhere,
  linesOf,
  marksOf,
  momentText,
  movedText,
  moveLine,
  type RulerPoint,
  rankOf,
  replayMarksOf,
  sendMove,
  taskLines,
  type Wash,
  washesOf,
} from './chart-model.ts'
import {
  chosenStudies,
  type DrawnStudy,
  drawLine,
  hookStudies,
  hooksToDraw,
  setChart,
  useChartSettings,
  useDrawnLines,
  valuesOf,
} from './chart-settings.ts'

export interface ChartProps {
  readonly view: MarketView
  /** Prices are stale. */
  readonly isStale: boolean
  /** Why orders cannot be moved now. */
  readonly whyNot: string | undefined
  /** The line that is being moved. */
  readonly draft: Draft | undefined
  readonly onDraft: Dispatch<SetStateAction<Draft | undefined>>
}

/** The candles with what the account and the ticket have on them. */
export default function Chart(props: ChartProps) {
  const { symbol, interval, candles, market } = props.view
  const tick = market?.tick ?? '0.1'
  const { positions, orders } = useTabPortfolio() ?? NO_LINES
  const lines = useLines(props.view)
  const fills = useFills()
  const preview = useDrawnPreview()
  const isEditable = useTicket((state) => state.isFollowed)
  const all = useMemo(
    () => [...lines, ...draftLines(preview, symbol, isEditable)],
    [lines, preview, symbol, isEditable],
  )
  const washes = useMemo(() => washesOf({ positions, orders }, preview, symbol), [positions, orders, preview, symbol])
  const times = useMemo(() => (candles ?? []).map(([time]) => time), [candles])
  const filled = useMemo(() => marksOf(fills ?? [], symbol, times), [fills, symbol, times])
  const hook = useDrawnHook(symbol)
  const fired = useFires(hook?.id, times)
  const replayed = useReplayed(symbol, times)
  const marks = useMemo(
    () => [...filled, ...fired, ...replayed].sort((a, b) => a.time - b.time),
    [filled, fired, replayed],
  )
  const spoken = [
    ...lines.map(({ label, price }) => `${label} at ${showAverage(price, tick)}`),
    `${filled.length} marks of fills`,
    ...(hook === undefined ? [] : [`${fired.length} marks of fires of ${hook.name}`]),
    ...(replayed.length === 0 ? [] : [`${replayed.length} marks of fills of a replay`]),
  ]
  const [, , high, low, close] = candles?.at(-1) ?? []
  const newest = close === undefined ? [] : [`the newest from ${low} to ${high}, now ${close}`]
  const description = `Candles of ${symbol}, ${interval}; ${[...spoken, ...newest].join('; ')}`
  const studies = useMemo(() => hookStudies(hook, interval), [hook, interval])
  const drawn = { lines: all, washes, marks, studies, description }
  return <CandleChart {...props} {...drawn} />
}

/** What the ticket would place, with its prices as they are typed or dragged by now. */
function useDrawnPreview() {
  const drawn = useTicket((state) => state.drawn)
  const typed = useTicket(
    useShallow(({ kind, price, trigger, stop, target, isFollowed }) => {
      return { kind, price, trigger, stop, target, isFollowed }
    }),
  )
  return useMemo(() => asTyped(drawn, typed), [drawn, typed])
}

/** The hook whose indicators and fires a person has chosen, where it is of the symbol. */
function useDrawnHook(symbol: string) {
  const chosen = useChartSettings(({ hook }) => hook)
  const hooks = useDesk((state) => state.hooks)
  return useMemo(
    () =>
      hooksToDraw(
        (hooks ?? []).filter(({ id }) => id === chosen),
        symbol,
      )[0]?.hook,
    [hooks, chosen, symbol],
  )
}

/** Of the last replay of the chosen hook, where it was of the symbol. */
function useReplayed(symbol: string, times: readonly number[]): readonly ChartMark[] {
  const chosen = useChartSettings(({ hook = '' }) => hook)
  const wanted = useReplays(({ onChart }) => onChart)
  useEffect(() => {
    if (wanted === undefined) return
    setChart({ hook: wanted })
    useReplays.setState({ onChart: undefined })
  }, [wanted])
  const replay = useReplays(({ ofHook }) => ofHook[chosen])
  return useMemo(
    () => (replay?.symbol === symbol ? replayMarksOf(replay.fills, times) : NO_FIRES),
    [replay, symbol, times],
  )
}

const MOST_FIRES = 100
const NO_FIRES: readonly ChartMark[] = []

function useFires(hookId: string | undefined, times: readonly number[]): readonly ChartMark[] {
  const { looks } = useConsole()
  // A fire ends as a run does; each run is news.
  const news = useDesk(({ lastOutcome }) => lastOutcome?.at)
  const { answer } = useQuery(hookId && `fires ${hookId}`, news, () =>
    looks.ask.runs({ limit: MOST_FIRES, filters: { hookId: hookId ?? '' } }),
  )
  return useMemo(() => {
    if (answer === undefined) return NO_FIRES
    return fireMarksOf(
      answer.runs.map((run) => ({ at: run.startedAt, outcome: outcomeOf(run) })),
      times,
    )
  }, [answer, times])
}

const NO_LINES = { positions: [], orders: [] }

/** Of positions, resting orders, alerts and conditions, and those that a person has drawn. */
export function useLines(view: MarketView): readonly ChartLine[] {
  const { positions, orders } = useTabPortfolio() ?? NO_LINES
  const drawn = useDrawnLines(view)
  const tasks = useDesk((state) => state.tasks)
  const { account, symbol } = view
  return useMemo(
    () => [
      ...linesOf({ positions, orders }, symbol),
      ...taskLines(tasks ?? [], { account, symbol }),
      ...drawnLines(drawn),
    ],
    [positions, orders, tasks, account, symbol, drawn],
  )
}

interface CandleChartProps extends ChartProps {
  readonly lines: readonly ChartLine[]
  readonly washes: readonly Wash[]
  readonly marks: readonly ChartMark[]
  /** Of the chosen hook. */
  readonly studies: readonly DrawnStudy[]
  /** In words, for those who do not see it. */
  readonly description: string
}

function CandleChart(props: CandleChartProps) {
  const { view, whyNot, lines, washes, marks, description, draft, onDraft } = props
  const place = useMemo(() => ({ account: view.account, symbol: view.symbol }), [view.account, view.symbol])
  const colours = useChartColours()
  const element = useRef<HTMLDivElement>(null)
  const [beyond, setBeyond] = useState<readonly Beyond[]>([])
  const keys = useRef<HTMLFieldSetElement>(null)
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
      const { edits, drawn } = next?.line ?? {}
      if (next === undefined || !next.isReleased || (edits ?? drawn) === undefined) return onDraft(next)
      if (edits !== undefined) editTicket({ [edits]: next.price })
      if (drawn !== undefined) drawLine(place, next.price, drawn)
      onDraft(undefined)
    },
    [onDraft, place],
  )
  useLineDrag({ element, drawing, tick, whyNot, onDraft: take })
  useRuler({ element, drawing, tick, interval: view.interval })
  const studies = useStudies(drawing, props, colours)
  const priceAt = useCallback(
    (y: number) => {
      const price = drawing.current?.priceAt(y)
      return price === undefined || tick === undefined ? undefined : onTick(price, tick)
    },
    [drawing, tick],
  )
  const actionsAt = useCallback(
    (left: number, top: number) => drawing.current?.linesAt({ left, top }).flatMap((line) => cancelationOf(line) ?? []),
    [drawing],
  )
  const menu = usePriceMenu({ element: keys, priceAt, actionsAt, view, onLine: (price) => drawLine(place, price) })
  // An order canceled or filled in the meantime cannot be moved any more.
  const shifted = draft !== undefined && isElsewhere(draft, lines) ? draft : undefined
  useEffect(() => drawing.current?.shift(shifted && { id: shifted.line.id, price: shifted.price }), [drawing, shifted])
  const { press, spoken } = useChartKeys(drawing)
  const { account, symbol, candles } = view
  return (
    <>
      {shifted && shifted.isSent !== true && (
        <MoveCard draft={shifted} scope={{ account, symbol }} tick={tick} whyNot={whyNot} onDraft={onDraft} />
      )}
      <BeyondChips beyond={beyond} lines={lines} tick={tick} onShow={() => setWhole(true)} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys move the visible range */}
      <fieldset className="chart-keys" ref={keys} tabIndex={0} aria-label={KEYS} onKeyDown={press}>
        <div
          className="chart-canvas"
          ref={element}
          role="img"
          aria-label={description}
          data-candles={candles?.length}
        />
      </fieldset>
      <StudyLegend view={view} studies={studies} />
      {menu}
      <p className="visually-hidden" role="status">
        {spoken}
      </p>
      <a className="text-1 muted chart-source" href="https://www.tradingview.com/" rel="noreferrer" target="_blank">
        Charts by TradingView
      </a>
    </>
  )
}

const KEYS =
  'Candles: arrows move, plus and minus zoom, Home and End go to the edges, Shift F10 opens what a price is for'

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
      // Later clean-ups must not use a removed chart.
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
  useEffect(() => drawing.current?.showTimesIn(zone), [drawing, zone])
  useEffect(() => {
    if (candles !== undefined) drawing.current?.feed(candles, history)
  }, [drawing, candles, history])
}

/** Computed anew with each candle: a thousand of them cost less than a drawn frame. */
function useStudies(
  drawing: Drawing,
  { view: { candles }, studies: ofHook }: CandleChartProps,
  colours: ChartColours,
): readonly DrawnStudy[] {
  const settings = useChartSettings()
  const studies = useMemo(() => [...chosenStudies(settings), ...ofHook], [settings, ofHook])
  useEffect(() => {
    if (candles !== undefined) drawing.current?.drawStudies(settings, studies, candles, colours)
  }, [drawing, settings, studies, candles, colours])
  return studies
}

/** The newest values of what is drawn, in figures. */
function StudyLegend({ view: { candles, market }, studies }: Pick<CandleChartProps, 'view' | 'studies'>) {
  if (studies.length === 0 || candles === undefined) return null
  const tick = market?.tick ?? '0.01'
  return (
    <p className="text-1 numeric cut chart-legend">
      {studies.map((study) => {
        const value = valuesOf(study, candles).at(-1)
        const isPercent = study.of === 'rsi'
        const digits = isPercent ? 1 : digitsOf(tick)
        const text = value === undefined ? '–' : showPrice(value.toFixed(digits), isPercent ? '0.1' : tick)
        return (
          <span key={study.id} data-study={study.id}>
            {`${study.title} ${text}`}{' '}
          </span>
        )
      })}
    </p>
  )
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

// Lines outside the visible range, each named at the edge with its price. One click brings them all in.

interface BeyondChipsProps {
  readonly beyond: readonly Beyond[]
  readonly lines: readonly ChartLine[]
  readonly tick: string | undefined
  readonly onShow: () => void
}

/** At each edge; the rest is counted. */
const MAX_CHIPS = 3

export function BeyondChips({ beyond, lines, tick, onShow }: BeyondChipsProps) {
  return (['above', 'below'] as const).map((where) => {
    const there = beyond.filter((each) => each.where === where)
    const known = there
      .flatMap(({ id }) => lines.filter((line) => line.id === id))
      .sort((a, b) => rankOf(b) - rankOf(a))
    if (known.length === 0) return null
    const left = known.length - MAX_CHIPS
    return (
      <div key={where} className="gap-1 text-1 grid beyond" data-where={where}>
        {known.slice(0, MAX_CHIPS).map(({ id, label, price }) => (
          <button
            key={id}
            type="button"
            className="soft text-1 numeric cut"
            title={`${where === 'above' ? 'Above' : 'Below'} the visible range: show it`}
            aria-label={`${label} at ${showPrice(price, tick ?? price)}, ${where} the visible range: show it`}
            onClick={onShow}
          >
            {`${label} at ${showPrice(price, tick ?? price)}`}
          </button>
        ))}
        {left > 0 && <span className="muted">and {left} more</span>}
      </div>
    )
  })
}

// The keys of the chart while it has the focus, and what they brought into sight, in words.

const STEP = 0.1
const ZOOM = 1.25

const ACTS: ReadonlyMap<string, (drawing: ChartDrawing) => void> = new Map([
  ['ArrowLeft', (drawing) => drawing.pan(-STEP)],
  ['ArrowRight', (drawing) => drawing.pan(STEP)],
  ['PageUp', (drawing) => drawing.pan(-1)],
  ['PageDown', (drawing) => drawing.pan(1)],
  ['Home', (drawing) => drawing.toEdge('oldest')],
  ['End', (drawing) => drawing.toEdge('newest')],
  ['+', (drawing) => drawing.zoom(1 / ZOOM)],
  ['=', (drawing) => drawing.zoom(1 / ZOOM)],
  ['-', (drawing) => drawing.zoom(ZOOM)],
])

interface ChartKeys {
  readonly press: (event: KeyboardEvent) => void
  /** Empty until a key was pressed. */
  readonly spoken: string
}

export function useChartKeys(drawing: RefObject<ChartDrawing | undefined>): ChartKeys {
  const zone = usePreferences(({ timeZone }) => timeZone)
  const [spoken, setSpoken] = useState('')
  const press = (event: KeyboardEvent) => {
    const act = ACTS.get(event.key)
    if (act === undefined || drawing.current === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const shown = drawing.current
    shown.onceMoved(() => {
      const range = shown.visibleRange()
      setSpoken(range ? `${momentText(range.from, zone)} to ${momentText(range.to, zone)}` : 'No candles visible')
    })
    act(shown)
  }
  return { press, spoken }
}

// Taking a line of the chart by the mouse or a finger, and letting it go elsewhere.

/** A line that is elsewhere on the chart than at the exchange. */
export interface Draft {
  readonly line: ChartLine
  readonly price: string
  /** Dropped, and waits for a yes. */
  readonly isReleased: boolean
  readonly isSent?: true
  /** Chosen from the list: its price is typed, or stepped by the arrows. */
  readonly isByKeys?: true
  /** Where the pointer is. */
  readonly at?: Spot
}

export interface LineDragging {
  readonly element: React.RefObject<HTMLElement | null>
  readonly drawing: React.RefObject<ChartDrawing | undefined>
  readonly tick: string | undefined
  /** Why orders cannot be moved: lines that were drawn still can. */
  readonly whyNot: string | undefined
  readonly onDraft: (draft: Draft | undefined) => void
}

export function useLineDrag({ element, drawing, tick, whyNot, onDraft }: LineDragging): void {
  const canOrder = whyNot === undefined
  useEffect(() => {
    const target = element.current
    if (target === null || tick === undefined) return undefined
    let held: ChartLine | undefined
    const heightOf = (event: PointerEvent) => event.clientY - target.getBoundingClientRect().top
    const placeOf = (event: PointerEvent) => ({
      left: event.clientX - target.getBoundingClientRect().left,
      top: heightOf(event),
    })
    const priceAt = (event: PointerEvent) => {
      const price = drawing.current?.priceAt(heightOf(event))
      return price === undefined ? undefined : onTick(price, tick)
    }
    const lineAt = (event: PointerEvent) => {
      const line = isRuling(event) ? undefined : drawing.current?.lineAt(heightOf(event))
      return canOrder || line?.drawn !== undefined ? line : undefined
    }
    const take = (event: PointerEvent) => {
      drawing.current?.point(placeOf(event))
      if (event.button !== 0) return
      held = lineAt(event)
      if (held === undefined) return
      target.setPointerCapture(event.pointerId)
      drawing.current?.hold(true)
    }
    const move = (event: PointerEvent) => {
      if (held === undefined) {
        target.dataset.grip = lineAt(event)?.id ?? ''
        drawing.current?.point(placeOf(event))
        return
      }
      const price = priceAt(event)
      if (price !== undefined) onDraft({ line: held, price, isReleased: false, at: placeOf(event) })
    }
    const letGo = (event: PointerEvent) => {
      if (held === undefined) return
      const price = priceAt(event)
      const hasMoved = event.type === 'pointerup' && price !== undefined && Number(price) !== Number(held.price)
      onDraft(hasMoved ? { line: held, price, isReleased: true, at: placeOf(event) } : undefined)
      held = undefined
      drawing.current?.hold(false)
    }
    // Escape while it is held: whatever comes of the pointer later is of no line.
    const leave = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || held === undefined) return
      held = undefined
      drawing.current?.hold(false)
      onDraft(undefined)
    }
    const stop = new AbortController()
    const { signal } = stop
    target.addEventListener('pointerdown', take, { signal, capture: true })
    target.addEventListener('pointermove', move, { signal })
    target.addEventListener('pointerup', letGo, { signal })
    target.addEventListener('pointercancel', letGo, { signal })
    // A finger leaves where it is lifted: what it has opened stays.
    const away = ({ pointerType }: PointerEvent) => pointerType !== 'touch' && drawing.current?.point(undefined)
    target.addEventListener('pointerleave', away, { signal })
    addEventListener('keydown', leave, { signal })
    return () => {
      stop.abort()
      delete target.dataset.grip
      if (held !== undefined) onDraft(undefined)
      drawing.current?.hold(false)
    }
  }, [element, drawing, tick, canOrder, onDraft])
}

// The ruler: a drag measures while it is on, or while Shift is held. What was measured stays until the next press.

function isRuling({ shiftKey }: PointerEvent): boolean {
  return shiftKey || useChartSettings.getState().isMeasuring
}

interface Ruling extends Pick<LineDragging, 'element' | 'drawing' | 'tick'> {
  readonly interval: string
}

function useRuler({ element, drawing, tick, interval }: Ruling): void {
  const isOn = useChartSettings(({ isMeasuring }) => isMeasuring)
  useEffect(() => {
    if (element.current) element.current.dataset.ruler = String(isOn)
  }, [element, isOn])
  useEffect(() => {
    const target = element.current
    if (target === null || tick === undefined) return undefined
    let from: RulerPoint | undefined
    const pointAt = (event: PointerEvent): RulerPoint | undefined => {
      const { left, top } = target.getBoundingClientRect()
      const price = drawing.current?.priceAt(event.clientY - top)
      const candle = drawing.current?.candleAt(event.clientX - left)
      return price === undefined || candle === undefined ? undefined : { price: onTick(price, tick), candle }
    }
    const begin = (event: PointerEvent) => {
      drawing.current?.measure(undefined, 0)
      from = event.button === 0 && isRuling(event) ? pointAt(event) : undefined
      if (from === undefined) return
      target.setPointerCapture(event.pointerId)
      drawing.current?.hold(true)
    }
    const go = (event: PointerEvent) => {
      const to = from && pointAt(event)
      if (from && to) drawing.current?.measure({ from, to }, LENGTHS[interval] ?? 0)
    }
    const end = () => {
      if (from !== undefined) drawing.current?.hold(false)
      from = undefined
    }
    const leave = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape') return
      end()
      drawing.current?.measure(undefined, 0)
    }
    const stop = new AbortController()
    const { signal } = stop
    target.addEventListener('pointerdown', begin, { signal, capture: true })
    target.addEventListener('pointermove', go, { signal })
    for (const name of ['pointerup', 'pointercancel'] as const) target.addEventListener(name, end, { signal })
    addEventListener('keydown', leave, { signal })
    return () => {
      stop.abort()
      end()
    }
  }, [element, drawing, tick, interval])
}

/** By the word of a frame. */
const LENGTHS: Readonly<Record<string, number>> = INTERVAL_MS

// Where a moved line would go: its price, the command, what it would bring, and a yes.

export interface MoveCardProps {
  readonly draft: Draft
  readonly scope: { readonly account: string; readonly symbol: string }
  readonly tick: string | undefined
  /** The reason why no order can be sent now. */
  readonly whyNot: string | undefined
  readonly onDraft: ChartProps['onDraft']
}

export function MoveCard({ draft, scope, tick, whyNot, onDraft }: MoveCardProps) {
  const { line, price, isReleased } = draft
  const console = useConsole()
  const card = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => placeBeside(card.current, draft.at))
  const command = line.moves && moveLine(line.moves, price)
  const hasMoved = price !== line.price
  const previewed = usePreview(isReleased && hasMoved ? command : undefined, scope.account, scope.symbol)
  const canSend = isReleased && whyNot === undefined && previewed.preview?.ok === true
  const isByKeys = isReleased && draft.isByKeys === true
  useEffect(() => {
    if (isReleased) (isByKeys ? card.current?.querySelector('input') : card.current)?.focus()
  }, [isReleased, isByKeys])
  const send = () => {
    if (!canSend || command === undefined) return
    void sendMove(draft, () => console.runFromPanel(command, scope), onDraft)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onDraft(undefined)
    else if (event.key === 'Enter' && !(event.target instanceof HTMLButtonElement)) send()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const written = <code>{command ?? (line.moves ? UNTYPABLE : `${line.label} to ${price}`)}</code>
  return (
    <div
      className="inset grid move-card"
      role="dialog"
      aria-label="Move the line"
      tabIndex={-1}
      ref={card}
      onKeyDown={press}
    >
      <p className="text-2 muted numeric">{movedText(draft, tick)}</p>
      {!isReleased && written}
      {isReleased && (
        <>
          <MovedPrice draft={draft} tick={tick} onDraft={onDraft} />
          <Consequences {...previewed} isFixed />
          {written}
          {whyNot !== undefined && <p className="refusal">{whyNot}</p>}
          <div className="to-end row">
            <button type="button" className="button small" onClick={() => onDraft(undefined)}>
              Leave it <kbd>Esc</kbd>
            </button>
            <button type="button" className="button small primary" disabled={!canSend} onClick={send}>
              Move <kbd>Enter</kbd>
            </button>
          </div>
        </>
      )}
    </div>
  )
}

const BESIDE_PX = 12

/** Beside the pointer, and inside the chart. */
function placeBeside(card: HTMLElement | null, at: Draft['at']): void {
  const chart = card?.offsetParent
  if (card === null || at === undefined || !(chart instanceof HTMLElement)) return
  const beside = (from: number, size: number, room: number) => {
    const ahead = from + BESIDE_PX
    const to = ahead + size <= room ? ahead : from - BESIDE_PX - size
    return `${Math.max(0, Math.min(to, room - size))}px`
  }
  card.style.left = beside(at.left, card.offsetWidth, chart.clientWidth)
  card.style.top = beside(at.top, card.offsetHeight, chart.clientHeight)
}

const MANY = 10

function MovedPrice({ draft, tick = '1', onDraft }: Pick<MoveCardProps, 'draft' | 'tick' | 'onDraft'>) {
  const step = (event: KeyboardEvent) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    onDraft({ ...draft, price: stepFigure(draft.price, tick, event.shiftKey ? by * MANY : by) })
  }
  return (
    <label className="gap-1 text-2 grid muted moved-price">
      <span>Price</span>
      <input
        type="text"
        inputMode="decimal"
        autoComplete="off"
        value={draft.price}
        onKeyDown={step}
        onChange={({ target }) => onDraft({ ...draft, price: target.value.trim() })}
      />
    </label>
  )
}

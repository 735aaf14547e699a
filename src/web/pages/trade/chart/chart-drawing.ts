// The chart itself: candles, volume, lines, marks. Numbers are drawn here and nowhere computed with.
import {
  type AutoscaleInfo,
  CandlestickSeries,
  CrosshairMode,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  type ISeriesPrimitive,
  LineSeries,
  LineStyle,
  type Logical,
  PriceScaleMode,
  type SeriesAttachedParameter,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts'
import { useEffect, useState } from 'react'
import type { CandleRow } from '../../../../protocol/frames.ts'
import { digitsOf, showAverage, showPrice } from '../../../figures.ts'
import {
  axisPrices,
  type ChartLine,
  type ChartMark,
  crowdedLabel,
  LABEL_PX,
  markText,
  type PlacedLabel,
  placeLabels,
  type RulerPoint,
  rankOf,
  rulerText,
  runsOf,
  shiftedWash,
  type TimeZone,
  type Wash,
  withLines,
  zoneOptions,
} from './chart-model.ts'
import { type ChartSettings, type DrawnStudy, valuesOf } from './chart-settings.ts'

/** Room for washes at the right edge, and what is visible at first, in candles; by the width of the chart. */
const ROOMS = { wide: { right: 16, visible: 120 }, narrow: { right: 8, visible: 60 } } as const
const NARROW_PX = 500
/** Height of a pane below the candles, as a share of all. */
const BELOW_SHARE = 0.2
const NOTHING = () => {}

export class ChartDrawing {
  readonly chart: IChartApi
  readonly candles: ISeriesApi<'Candlestick'>
  readonly #volume: ISeriesApi<'Histogram'>
  readonly #marks: ReturnType<typeof createSeriesMarkers<UTCTimestamp>>
  #lines = new Map<string, { readonly line: IPriceLine; readonly of: ChartLine }>()
  /** Where a person is dragging one of them to. */
  #shifted: { readonly id: string; readonly price: string } | undefined
  #drawnHistory: number | undefined
  #newest = 0

  #reach: { readonly lines: readonly ChartLine[]; readonly isWhole: boolean } = { lines: [], isWhole: false }
  readonly #washes: Washes
  readonly #studies = new Map<
    string,
    { readonly series: ISeriesApi<'Line'>; readonly pane: number; readonly of: string }
  >()
  readonly #room: { readonly right: number; readonly visible: number }
  #onMoved = NOTHING
  /** The range that is set and not drawn yet: the next key starts from it. */
  #wanted: { readonly from: number; readonly to: number } | undefined

  constructor(element: HTMLElement, onBeyond: (beyond: readonly Beyond[]) => void) {
    this.#room = element.clientWidth < NARROW_PX ? ROOMS.narrow : ROOMS.wide
    this.chart = createChart(element, {
      autoSize: true,
      // The logo would put a style element into the page; the link below the chart says the same.
      layout: {
        attributionLogo: false,
        background: { color: 'transparent' },
        fontFamily: getComputedStyle(document.body).fontFamily,
        fontSize: 11,
      },
      rightPriceScale: { borderVisible: false },
      timeScale: { borderVisible: false, timeVisible: true, rightOffset: this.#room.right },
    })
    this.candles = this.chart.addSeries(CandlestickSeries, {
      autoscaleInfoProvider: (original: () => AutoscaleInfo | null) => withLines(original(), this.#reach),
    })
    this.#washes = new Washes(onBeyond, (ids) => {
      for (const [id, { line }] of this.#lines) line.applyOptions({ axisLabelVisible: ids.has(id) })
    })
    this.candles.attachPrimitive(this.#washes)
    this.chart.timeScale().subscribeVisibleLogicalRangeChange(() => {
      this.#wanted = undefined
      this.#onMoved()
      this.#onMoved = NOTHING
    })
    this.#volume = this.chart.addSeries(HistogramSeries, {
      priceScaleId: 'volume',
      priceFormat: { type: 'volume' },
      lastValueVisible: false,
      priceLineVisible: false,
    })
    this.chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.85, bottom: 0 } })
    this.candles.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.2 } })
    this.#marks = createSeriesMarkers<UTCTimestamp>(this.candles as ISeriesApi<'Candlestick', UTCTimestamp>, [])
  }

  paint(colours: ChartColours, isStale: boolean): void {
    const [up, down] = isStale ? [colours.stale, colours.stale] : [colours.long, colours.short]
    this.chart.applyOptions({
      layout: {
        textColor: colours.muted,
        panes: { separatorColor: colours.line, separatorHoverColor: colours.edge },
      },
      grid: { vertLines: { color: colours['line-soft'] }, horzLines: { color: colours['line-soft'] } },
      // Its price is that of the pointer, as in the menu of a right click; a magnet shows a candle's.
      crosshair: {
        mode: CrosshairMode.Normal,
        vertLine: { color: colours.faint },
        horzLine: { color: colours.faint },
      },
    })
    // Hollow up, filled down: read without colour too.
    this.candles.applyOptions({
      upColor: colours.surface,
      borderUpColor: up,
      wickUpColor: up,
      downColor: down,
      borderDownColor: down,
      wickDownColor: down,
      priceLineColor: colours.muted,
    })
    this.#volume.applyOptions({ color: colours.line })
  }

  /** Prices as the symbol has them. */
  format(tick: string | undefined): void {
    const precision = tick === undefined ? 2 : digitsOf(tick)
    const minMove = tick === undefined ? 0.01 : Number(tick)
    const formatter = (price: number) => showPrice(price.toFixed(precision), tick ?? '0.01')
    this.candles.applyOptions({ priceFormat: { type: 'custom', minMove, formatter } })
  }

  showTimesIn(zone: TimeZone): void {
    this.chart.applyOptions(zoneOptions(zone))
  }

  /** How many candles a mark with its words takes, now and after each zoom. @returns ends it */
  watchZoom(onZoom: (candles: number) => void): () => void {
    const scale = this.chart.timeScale()
    const report = () => {
      const range = scale.getVisibleLogicalRange()
      const candles = range === null ? 0 : range.to - range.from
      if (candles > 0 && scale.width() > 0) onZoom(Math.max(1, Math.ceil((MARK_PX * candles) / scale.width())))
    }
    scale.subscribeVisibleLogicalRangeChange(report)
    report()
    return () => scale.unsubscribeVisibleLogicalRangeChange(report)
  }

  /** By keys. @param by share of the visible range */
  pan(by: number): void {
    this.#see(({ from, to }) => ({ from: from + (to - from) * by, to: to + (to - from) * by }))
  }

  /** The newest candle stays where it is. @param times more candles, or fewer below 1 */
  zoom(times: number): void {
    this.#see(({ from, to }) => {
      const width = Math.min(MAX_CANDLES, Math.max(MIN_CANDLES, (to - from) * times))
      return { from: to - width, to }
    })
  }

  toEdge(edge: 'oldest' | 'newest'): void {
    const newest = this.candles.data().length + this.#room.right
    this.#see(({ from, to }) =>
      edge === 'oldest' ? { from: 0, to: to - from } : { from: newest - (to - from), to: newest },
    )
  }

  /** Calls once, when the visible range has changed. */
  onceMoved(moved: () => void): void {
    this.#onMoved = moved
  }

  /** The oldest and the newest visible candle, in seconds; undefined: none is. */
  visibleRange(): { readonly from: number; readonly to: number } | undefined {
    const range = this.chart.timeScale().getVisibleLogicalRange()
    const all = this.candles.data()
    if (range === null) return undefined
    const [from, to] = [all[Math.max(0, Math.ceil(range.from))], all[Math.min(all.length - 1, Math.floor(range.to))]]
    return from === undefined || to === undefined ? undefined : { from: Number(from.time), to: Number(to.time) }
  }

  #see(next: (range: { readonly from: number; readonly to: number }) => { from: number; to: number }): void {
    const range = this.#wanted ?? this.chart.timeScale().getVisibleLogicalRange()
    if (range === null) return
    this.#wanted = next(range)
    this.chart.timeScale().setVisibleLogicalRange(this.#wanted)
  }

  /** Under the candles, and how far prices reach. @param isWhole the range includes all lines, however far they are */
  drawWashes(washes: readonly Wash[], lines: readonly ChartLine[], colours: ChartColours, isWhole: boolean): void {
    // The scale may have been dragged since.
    if (isWhole && !this.#reach.isWhole) this.candles.priceScale().applyOptions({ autoScale: true })
    this.#reach = { lines, isWhole }
    this.#washes.show(washes, lines, colours)
  }

  /** @param history another number than before: all are new */
  feed(candles: readonly CandleRow[], history: number): void {
    const isNew = history !== this.#drawnHistory
    const changed = isNew ? candles : candles.filter(([time]) => time >= this.#newest)
    if (isNew) {
      this.candles.setData(candles.map(barOf))
      this.#volume.setData(candles.map(volumeOf))
      const to = candles.length + this.#room.right
      this.chart.timeScale().setVisibleLogicalRange({ from: Math.max(0, to - this.#room.visible), to })
    } else
      for (const candle of changed) {
        this.candles.update(barOf(candle))
        this.#volume.update(volumeOf(candle))
      }
    this.#drawnHistory = history
    const [newest = 0, , , , close] = candles.at(-1) ?? []
    this.#newest = newest
    this.#washes.follow(close)
  }

  drawLines(lines: readonly ChartLine[], colours: ChartColours): void {
    const before = this.#lines
    this.#lines = new Map(lines.map((each) => [each.id, this.#drawLine(each, before.get(each.id)?.line, colours)]))
    for (const [id, { line }] of before) if (!this.#lines.has(id)) this.candles.removePriceLine(line)
    this.shift(this.#shifted)
  }

  #drawLine(of: ChartLine, known: IPriceLine | undefined, colours: ChartColours) {
    const { color, lineStyle } = styleOf(of, colours)
    // White on a tone has too little contrast in the dark theme: the label has the tone as its text. Of the system's colours the chart takes
    // one and its contrast.
    const isForced = matchMedia(FORCED).matches
    const labelled = isForced
      ? { axisLabelColor: '', axisLabelTextColor: '' }
      : { axisLabelColor: colours.surface, axisLabelTextColor: color }
    // The label is drawn apart, at the left.
    const options = { price: Number(of.price), title: '', color, lineStyle, lineWidth: 1 as const, ...labelled }
    known?.applyOptions(options)
    const axisLabelVisible = this.#washes.priced.has(of.id)
    return { line: known ?? this.candles.createPriceLine({ ...options, axisLabelVisible }), of }
  }

  drawMarks(marks: readonly ChartMark[], colours: ChartColours): void {
    this.#marks.setMarkers(
      marks.map((mark) => ({
        id: mark.id,
        time: secondsOf(mark.time),
        text: markText(mark),
        position: mark.side === 'buy' ? 'belowBar' : 'aboveBar',
        shape: mark.side === 'fire' ? 'circle' : mark.side === 'buy' ? 'arrowUp' : 'arrowDown',
        color: colours[MARK_COLOURS.get(mark.who) ?? 'muted'],
      })),
    )
  }

  /** The line within a few pixels of a height. */
  lineAt(y: number): ChartLine | undefined {
    if (!this.isOverCandles(y)) return undefined
    const near = [...this.#lines.values()].flatMap(({ of }) => {
      const at = this.candles.priceToCoordinate(Number(of.price))
      return at === null || (of.moves ?? of.edits ?? of.drawn) === undefined || Math.abs(at - y) > GRIP_PX
        ? []
        : [{ of, off: Math.abs(at - y) }]
    })
    return near.sort((a, b) => a.off - b.off)[0]?.of
  }

  /** Draws a line elsewhere, for as long as it is dragged. @param shifted undefined: all are where they belong */
  shift(shifted: { readonly id: string; readonly price: string } | undefined): void {
    const before = this.#shifted && this.#lines.get(this.#shifted.id)
    before?.line.applyOptions({ price: Number(before.of.price) })
    this.#shifted = shifted
    const now = shifted && this.#lines.get(shifted.id)
    now?.line.applyOptions({ price: Number(shifted?.price) })
    this.#washes.shift(shifted)
  }

  /** Those of the label at a point; where there is none, those within a few pixels. */
  linesAt(at: Spot): readonly ChartLine[] {
    const ids = this.#washes.linesAt(at)
    return [...this.#lines.values()].flatMap(({ of }) => {
      if (ids !== undefined) return ids.includes(of.id) ? [of] : []
      const y = this.isOverCandles(at.top) ? this.candles.priceToCoordinate(Number(of.price)) : null
      return y === null || Math.abs(y - at.top) > GRIP_PX ? [] : [of]
    })
  }

  /** A label that several lines share, or that is cut to a letter, opens under the pointer. @param at px; undefined: it has left */
  point(at: Spot | undefined): void {
    this.#washes.point(at)
  }

  /** Below the candles are the panes of indicators, and the times. */
  isOverCandles(y: number): boolean {
    return y <= (this.chart.panes()[0]?.getHeight() ?? 0)
  }

  /** The price at a height, as it is drawn: never of an order until it is put on the tick. */
  priceAt(y: number): number | undefined {
    const price = this.isOverCandles(y) ? this.candles.coordinateToPrice(y) : null
    return price === null || price <= 0 ? undefined : price
  }

  /** undefined: left of all candles, or right of the last one by more than there is room for. */
  candleAt(x: number): number | undefined {
    return this.chart.timeScale().coordinateToLogical(x) ?? undefined
  }

  /** @param ruler undefined: none @param candleMs the length of a candle */
  measure(ruler: { readonly from: RulerPoint; readonly to: RulerPoint } | undefined, candleMs: number): void {
    this.#washes.measure(ruler, candleMs)
  }

  /** Volume, and indicators. @param isLog of the prices */
  drawStudies(
    { isLog, hasVolume }: ChartSettings,
    studies: readonly DrawnStudy[],
    candles: readonly CandleRow[],
    colours: ChartColours,
  ): void {
    const mode = isLog ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal
    if (this.candles.priceScale().options().mode !== mode) this.candles.priceScale().applyOptions({ mode })
    this.#volume.applyOptions({ visible: hasVolume })
    // Panes are numbered anew when one goes.
    const below = studies.filter(({ isBelow }) => isBelow).map(({ id }) => id)
    for (const [id, { series, pane, of }] of this.#studies) {
      if (studies.some((study) => study.id === id && study.of === of) && pane === below.indexOf(id) + 1) continue
      this.chart.removeSeries(series)
      this.#studies.delete(id)
    }
    for (const study of studies) {
      const { series } = this.#studies.get(study.id) ?? this.#addStudy(study, below.indexOf(study.id) + 1)
      series.applyOptions({ color: colours[study.colour] })
      const values = valuesOf(study, candles)
      series.setData(
        candles.map(([time], index) => {
          const value = values[index]
          return { time: secondsOf(time), ...(value === undefined ? {} : { value }) }
        }),
      )
    }
  }

  #addStudy({ id, of }: DrawnStudy, pane: number) {
    const isBelow = pane > 0
    const series = this.chart.addSeries(
      LineSeries,
      {
        lineWidth: 1,
        priceLineVisible: false,
        lastValueVisible: isBelow,
        crosshairMarkerVisible: false,
        ...(of === 'rsi' && { autoscaleInfoProvider: () => ({ priceRange: { minValue: 0, maxValue: 100 } }) }),
        // Of the candles' own scale, which lines of prices alone may widen.
        ...(!isBelow && { autoscaleInfoProvider: () => null }),
      },
      pane,
    )
    const study = { series, pane, of }
    this.#studies.set(id, study)
    if (isBelow) this.chart.panes()[pane]?.setStretchFactor(BELOW_SHARE)
    this.chart.panes()[0]?.setStretchFactor(1)
    return study
  }

  /** While a line is dragged, the chart itself does not move. */
  hold(isHeld: boolean): void {
    this.chart.applyOptions({ handleScroll: !isHeld, handleScale: !isHeld })
  }

  remove(): void {
    this.chart.remove()
  }
}

export const MARK_COLOURS: ReadonlyMap<string, 'accent' | 'text' | 'stale' | 'muted' | 'faint' | 'short'> = new Map([
  ['you', 'accent'],
  ['page', 'accent'],
  ['hook', 'text'],
  ['copier', 'stale'],
  ['replay', 'accent'],
  ['elsewhere', 'faint'],
  ['ok', 'text'],
  ['warning', 'stale'],
  ['failed', 'short'],
  ['refused', 'short'],
  ['interrupted', 'short'],
])
const GRIP_PX = 6
/** The widest mark: `elsewhere ×12`. */
const MARK_PX = 56
const MIN_CANDLES = 10
const MAX_CANDLES = 2_000

function secondsOf(time: number): UTCTimestamp {
  return Math.floor(time / 1000) as UTCTimestamp
}

function barOf([time, open, high, low, close]: CandleRow) {
  return { time: secondsOf(time), open: Number(open), high: Number(high), low: Number(low), close: Number(close) }
}

function volumeOf([time, , , , , volume]: CandleRow) {
  return { time: secondsOf(time), ...(volume === null ? {} : { value: Number(volume) }) } as {
    time: UTCTimestamp
    value: number
  }
}

export function styleOf({ look }: Pick<ChartLine, 'look'>, colours: ChartColours) {
  if (look === 'limit') return { color: colours.accent, lineStyle: LineStyle.Dotted }
  if (look === 'waiting') return { color: colours.faint, lineStyle: LineStyle.SparseDotted }
  if (look === 'liquidation') return { color: colours.danger, lineStyle: LineStyle.Dashed }
  if (look === 'alert') return { color: colours.warn, lineStyle: LineStyle.LargeDashed }
  if (look === 'own') return { color: colours.text, lineStyle: LineStyle.Solid }
  if (look === 'draft') return { color: colours.muted, lineStyle: LineStyle.LargeDashed }
  if (look === 'stop') return { color: colours.short, lineStyle: LineStyle.Dashed }
  return { color: colours[look], lineStyle: LineStyle.Solid }
}

// Washes under the candles, between an entry and its stop or target, at the right of the newest candle. The drawing also reports the
// lines beyond the visible range, which only it knows.

export interface Beyond {
  /** Of the line. */
  readonly id: string
  readonly where: 'above' | 'below'
}

type Target = Parameters<
  NonNullable<
    ReturnType<NonNullable<ReturnType<NonNullable<ISeriesPrimitive['paneViews']>>[number]['renderer']>>
  >['draw']
>[0]

/** px from the edges of the chart. */
export interface Spot {
  readonly left: number
  readonly top: number
}

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

function outlined(context: CanvasRenderingContext2D, { x, y, width, height }: Box, fill: string, edge: string): void {
  context.beginPath()
  context.roundRect(Math.round(x) + 0.5, Math.round(y) + 0.5, width, height, 3)
  context.fillStyle = fill
  context.fill()
  context.strokeStyle = edge
  context.stroke()
}

/** From the edge of a label to a dot on a line. */
function lead(
  context: CanvasRenderingContext2D,
  { from, turn, y, at }: { readonly from: number; readonly turn: number; readonly y: number; readonly at: number },
  color: string,
): void {
  context.strokeStyle = color
  context.fillStyle = color
  context.beginPath()
  context.moveTo(from, y)
  context.lineTo(turn, y)
  context.lineTo(turn + LEAD_PX, at)
  context.stroke()
  context.beginPath()
  context.arc(turn + LEAD_PX, at, DOT_PX, 0, 2 * Math.PI)
  context.fill()
}

function isIn({ x, y, width, height }: Box, { left, top }: Spot): boolean {
  return left >= x && left <= x + width && top >= y && top <= y + height
}

const LABEL_LEFT_PX = 6
/** From a label to the dots on its lines. */
const LEAD_PX = 18
const TURN_PX = 4
const DOT_PX = 2.5
const LABEL_PAD_PX = 5
/** Of more lines than these, most labels are a letter: they would cover half of the candles. */
const CROWDED_LINES = 6
/** Above the labels: the values of indicators. */
const LEGEND_PX = 20
const HELD_ALPHA = 0.14
const DRAFT_ALPHA = 0.2
/** Of the room at the right, what a draft takes. */
const DRAFT_SHARE = 0.5

class Washes implements ISeriesPrimitive<Time> {
  #washes: readonly Wash[] = []
  #lines: readonly ChartLine[] = []
  #colours: ChartColours | undefined
  #attached: SeriesAttachedParameter<Time> | undefined
  #reported = ''
  readonly #font = `11px ${getComputedStyle(document.body).fontFamily}`
  #shifted: { readonly id: string; readonly price: string } | undefined
  #ruler: { readonly from: RulerPoint; readonly to: RulerPoint; readonly candleMs: number } | undefined
  readonly #onBeyond: (beyond: readonly Beyond[]) => void
  readonly #onAxis: (ids: ReadonlySet<string>) => void
  /** The lines whose prices the axis shows. */
  priced: ReadonlySet<string> = new Set()
  #last: string | undefined
  #labels: readonly (Box & Pick<PlacedLabel, 'ids'>)[] = []
  #opened: ReadonlySet<string> = new Set()
  readonly #views = [
    { zOrder: () => 'bottom' as const, renderer: () => ({ draw: (target: Target) => this.#draw(target) }) },
    { zOrder: () => 'top' as const, renderer: () => ({ draw: (target: Target) => this.#drawOver(target) }) },
  ]

  /** Neither is called while it is drawn. @param onAxis the lines whose prices the axis has room for */
  constructor(onBeyond: (beyond: readonly Beyond[]) => void, onAxis: (ids: ReadonlySet<string>) => void) {
    this.#onBeyond = onBeyond
    this.#onAxis = onAxis
  }

  /** The price of now has its place at the axis. */
  follow(last: string | undefined): void {
    this.#last = last
  }

  /** @returns undefined: no label is there */
  linesAt(at: Spot): readonly string[] | undefined {
    return this.#labels.find((label) => isIn(label, at))?.ids
  }

  point(at: Spot | undefined): void {
    const under = at && this.#labels.find((label) => isIn(label, at))
    if (under?.ids.some((id) => this.#opened.has(id))) return
    const opened = under?.ids ?? []
    if (opened.length === 0 && this.#opened.size === 0) return
    this.#opened = new Set(opened)
    this.#attached?.requestUpdate()
  }

  attached(attached: SeriesAttachedParameter<Time>): void {
    this.#attached = attached
  }

  detached(): void {
    this.#attached = undefined
  }

  paneViews() {
    return this.#views
  }

  show(washes: readonly Wash[], lines: readonly ChartLine[], colours: ChartColours): void {
    this.#washes = washes
    this.#lines = lines
    this.#colours = colours
    this.#attached?.requestUpdate()
  }

  /** A line that is dragged has its name where it is. */
  shift(shifted: { readonly id: string; readonly price: string } | undefined): void {
    this.#shifted = shifted
    this.#attached?.requestUpdate()
  }

  measure(ruler: { readonly from: RulerPoint; readonly to: RulerPoint } | undefined, candleMs: number): void {
    this.#ruler = ruler && { ...ruler, candleMs }
    this.#attached?.requestUpdate()
  }

  #drawOver(target: Target): void {
    // biome-ignore lint/correctness/useHookAtTopLevel: a way of drawing, and no hook
    target.useMediaCoordinateSpace(({ context, mediaSize: { height } }) => {
      const colours = this.#colours
      if (colours === undefined) return
      context.save()
      context.font = this.#font
      context.textBaseline = 'middle'
      this.#drawLabels(context, height, colours)
      this.#drawRuler(context, colours)
      context.restore()
    })
  }

  /** Outlined, at the left. Where the axis has no room for a price, the label has it. */
  #drawLabels(context: CanvasRenderingContext2D, height: number, colours: ChartColours): void {
    const lines = new Map(this.#lines.map((line) => [line.id, line]))
    const places = this.#lines.flatMap((line) => {
      const { id, price: own, name, alike } = line
      const shifted = this.#shifted?.id === id ? this.#shifted : undefined
      const price = shifted?.price ?? own
      const y = this.#heightOf(price)
      const rank = shifted ? Number.POSITIVE_INFINITY : rankOf(line)
      const shared = shifted === undefined && alike !== undefined ? { alike } : {}
      return y === null || y < 0 || y > height
        ? []
        : [{ id, y, rank, price, line, name, isShifted: shifted !== undefined, ...shared }]
    })
    const last = this.#last === undefined ? null : this.#heightOf(this.#last)
    const priced = axisPrices(places, last === null ? [] : [last])
    this.#reportAxis(priced)
    const isCrowded = places.length > CROWDED_LINES
    const named = places.map(({ line, isShifted, ...place }) => {
      const { id, name, price } = place
      const whole = isCrowded ? crowdedLabel(line, this.#opened.has(id)) : line.label
      const text = isShifted ? name : whole
      return priced.has(id) ? { ...place, text } : { ...place, text: `${text} at ${showAverage(price, undefined)}` }
    })
    const labels = placeLabels(named, { top: LEGEND_PX, height, opened: this.#opened })
    const drawn = labels.map((label) => {
      const width = Math.ceil(context.measureText(label.text).width) + 2 * LABEL_PAD_PX
      const line = lines.get(label.ids[0] ?? '')
      const color = line === undefined ? colours.text : styleOf(line, colours).color
      return { ...label, color, box: { x: LABEL_LEFT_PX, y: label.y - LABEL_PX / 2 + 1, width, height: LABEL_PX - 2 } }
    })
    // Those that touch lead from beside the widest: none passes behind another label, or crosses another lead.
    for (const stack of runsOf(drawn, (above, { y }) => y - above.y < 1.5 * LABEL_PX)) {
      const turn = Math.max(...stack.map(({ box }) => box.x + box.width)) + TURN_PX
      for (const { y, leads, color, box } of stack)
        for (const at of leads) lead(context, { from: box.x + box.width, turn, y, at }, color)
    }
    for (const { text, y, color, box } of drawn) {
      outlined(context, box, colours.surface, color)
      context.fillStyle = colours.text
      context.fillText(text, LABEL_LEFT_PX + LABEL_PAD_PX, y + 0.5)
    }
    // Up to its neighbours: the pointer goes from one to the next.
    this.#labels = drawn.map(({ ids, box }) => ({ ...box, y: box.y - 1, height: LABEL_PX, ids }))
  }

  #reportAxis(priced: ReadonlySet<string>): void {
    if (priced.size === this.priced.size && [...priced].every((id) => this.priced.has(id))) return
    this.priced = priced
    queueMicrotask(() => this.#onAxis(priced))
  }

  #drawRuler(context: CanvasRenderingContext2D, colours: ChartColours): void {
    const scale = this.#attached?.chart.timeScale()
    if (this.#ruler === undefined || scale === undefined) return
    const { from, to, candleMs } = this.#ruler
    const [x0, x1] = [from, to].map(({ candle }) => scale.logicalToCoordinate(candle as Logical))
    const [y0, y1] = [this.#heightOf(from.price), this.#heightOf(to.price)]
    if (x0 == null || x1 == null || y0 === null || y1 === null) return
    context.globalAlpha = DRAFT_ALPHA
    context.fillStyle = colours.accent
    context.fillRect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0))
    context.globalAlpha = 1
    const text = rulerText(from, to, candleMs)
    const width = Math.ceil(context.measureText(text).width) + 2 * LABEL_PAD_PX
    const x = Math.max(LABEL_LEFT_PX, Math.min(x0, x1))
    const y = Math.max(0, Math.min(y0, y1) - LABEL_PX - 2)
    outlined(context, { x, y, width, height: LABEL_PX }, colours.surface, colours.accent)
    context.fillStyle = colours.text
    context.fillText(text, x + LABEL_PAD_PX, y + LABEL_PX / 2 + 0.5)
  }

  #draw(target: Target): void {
    // biome-ignore lint/correctness/useHookAtTopLevel: a way of drawing, and no hook
    target.useMediaCoordinateSpace(({ context, mediaSize: { width, height } }) => {
      for (const wash of this.#washes) this.#drawOne(context, shiftedWash(wash, this.#shifted), width)
      this.#reportOffscreen(height)
    })
  }

  #drawOne(context: CanvasRenderingContext2D, { from, to, tone, isDraft }: Wash, width: number): void {
    const [start, end] = [this.#heightOf(from), this.#heightOf(to)]
    const colours = this.#colours
    if (start === null || end === null || colours === undefined) return
    const newest = this.#newestAt() ?? width
    const left = isDraft ? width - (width - newest) * DRAFT_SHARE : newest
    context.save()
    context.globalAlpha = isDraft ? DRAFT_ALPHA : HELD_ALPHA
    context.fillStyle = colours[tone === 'gain' ? 'long' : 'short']
    context.fillRect(left, Math.min(start, end), Math.max(0, width - left), Math.abs(end - start))
    if (isDraft) {
      context.globalAlpha = 1
      context.strokeStyle = context.fillStyle
      context.setLineDash([3, 3])
      context.strokeRect(left + 0.5, Math.min(start, end), Math.max(0, width - left), Math.abs(end - start))
    }
    context.restore()
  }

  /** Where the newest candle is. */
  #newestAt(): number | undefined {
    const { chart, series } = this.#attached ?? {}
    const last = series?.data().at(-1)
    const at = last === undefined ? null : chart?.timeScale().timeToCoordinate(last.time)
    return at === null || at === undefined ? undefined : at
  }

  #heightOf(price: string): number | null {
    return this.#attached?.series.priceToCoordinate(Number(price)) ?? null
  }

  #reportOffscreen(height: number): void {
    const beyond = this.#lines.flatMap((line): Beyond[] => {
      const at = this.#heightOf(line.price)
      if (at === null || (at >= 0 && at <= height)) return []
      return [{ id: line.id, where: at < 0 ? 'above' : 'below' }]
    })
    const text = beyond.map(({ id, where }) => `${id} ${where}`).join('\n')
    if (text === this.#reported) return
    this.#reported = text
    queueMicrotask(() => this.#onBeyond(beyond))
  }
}

// The theme's tokens as a canvas can draw them.

export const TOKENS = [
  'surface',
  'line-soft',
  'line',
  'text',
  'muted',
  'faint',
  'accent',
  'long',
  'short',
  'stale',
  'edge',
  'warn',
  'danger',
] as const

export type ChartColours = Readonly<Record<(typeof TOKENS)[number], string>>

/** New after each change of the theme. */
export function useChartColours(): ChartColours {
  const [colours, setColours] = useState(readColours)
  useEffect(() => {
    const read = () => setColours(readColours())
    const observer = new MutationObserver(read)
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'data-contrast'] })
    const stop = new AbortController()
    for (const query of ['(prefers-color-scheme: dark)', FORCED])
      matchMedia(query).addEventListener('change', read, { signal: stop.signal })
    return () => {
      observer.disconnect()
      stop.abort()
    }
  }, [])
  return colours
}

const FORCED = '(forced-colors: active)'

/** By way of a real colour: a custom property gives back `light-dark(…)` as it was written. */
function readColours(): ChartColours {
  const probe = document.body.appendChild(document.createElement('span'))
  // Every colour of text is the system's one then: a fill must not be that too.
  const isForced = matchMedia(FORCED).matches
  const read = (token: string) => {
    probe.style.color = isForced && token === 'surface' ? 'Canvas' : `var(--${token})`
    return getComputedStyle(probe).color
  }
  const colours = Object.fromEntries(TOKENS.map((token) => [token, read(token)]))
  probe.remove()
  return colours as ChartColours
}

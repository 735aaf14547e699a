// The chart itself: candles, volume, lines, marks. Numbers are drawn here and nowhere computed with.
import {
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineStyle,
  type UTCTimestamp,
} from 'lightweight-charts'
import type { CandleRow } from '../../../../protocol/frames.ts'
import { showPrice } from '../../../figures.ts'
import { decimalsOf } from '../tick.ts'
import type { ChartColours } from './chart-colours.ts'
import type { ChartLine } from './chart-lines.ts'
import type { FillMark } from './fill-marks.ts'

/** What the right edge leaves free for labels, in candles. */
const RIGHT_CANDLES = 20
const VISIBLE_CANDLES = 120

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

  constructor(element: HTMLElement) {
    this.chart = createChart(element, {
      autoSize: true,
      // The logo would put a style element into the page; the link below the chart says the same.
      layout: { attributionLogo: false, background: { color: 'transparent' }, fontSize: 11 },
      rightPriceScale: { borderVisible: false },
      timeScale: { borderVisible: false, timeVisible: true, rightOffset: RIGHT_CANDLES, tickMarkFormatter: tickText },
      localization: { timeFormatter: (time: UTCTimestamp) => new Date(time * 1000).toLocaleString('en-GB') },
    })
    this.candles = this.chart.addSeries(CandlestickSeries, {})
    this.#volume = this.chart.addSeries(HistogramSeries, {
      ...{ priceScaleId: 'volume', priceFormat: { type: 'volume' }, lastValueVisible: false, priceLineVisible: false },
    })
    this.chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.85, bottom: 0 } })
    this.candles.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.2 } })
    this.#marks = createSeriesMarkers<UTCTimestamp>(this.candles as ISeriesApi<'Candlestick', UTCTimestamp>, [])
  }

  paint(colours: ChartColours, isStale: boolean): void {
    const [up, down] = isStale ? [colours.stale, colours.stale] : [colours.long, colours.short]
    this.chart.applyOptions({
      layout: { textColor: colours.muted },
      grid: { vertLines: { color: colours['line-soft'] }, horzLines: { color: colours['line-soft'] } },
      crosshair: { vertLine: { color: colours.faint }, horzLine: { color: colours.faint } },
    })
    // Hollow up, filled down: read without colour too.
    this.candles.applyOptions({
      ...{ upColor: colours.surface, borderUpColor: up, wickUpColor: up },
      ...{ downColor: down, borderDownColor: down, wickDownColor: down },
      priceLineColor: colours.muted,
    })
    this.#volume.applyOptions({ color: colours.line })
  }

  /** @param history another number than before: all are new */
  feed(candles: readonly CandleRow[], history: number, tick: string | undefined): void {
    const isNew = history !== this.#drawnHistory
    const changed = isNew ? candles : candles.filter(([time]) => time >= this.#newest)
    if (isNew) {
      const precision = tick === undefined ? 2 : decimalsOf(tick)
      const minMove = tick === undefined ? 0.01 : Number(tick)
      const formatter = (price: number) => showPrice(price.toFixed(precision), tick ?? '0.01')
      this.candles.applyOptions({ priceFormat: { type: 'custom', minMove, formatter } })
      this.candles.setData(candles.map(barOf))
      this.#volume.setData(candles.map(volumeOf))
      const to = candles.length + RIGHT_CANDLES
      this.chart.timeScale().setVisibleLogicalRange({ from: Math.max(0, to - VISIBLE_CANDLES), to })
    } else
      for (const candle of changed) {
        this.candles.update(barOf(candle))
        this.#volume.update(volumeOf(candle))
      }
    this.#drawnHistory = history
    this.#newest = candles.at(-1)?.[0] ?? 0
  }

  drawLines(lines: readonly ChartLine[], colours: ChartColours): void {
    for (const { line } of this.#lines.values()) this.candles.removePriceLine(line)
    this.#lines = new Map(
      lines.map((each) => {
        const { color, lineStyle } = styleOf(each, colours)
        const options = { price: Number(each.price), title: each.label, color, lineStyle, lineWidth: 1 as const }
        return [each.id, { line: this.candles.createPriceLine({ ...options, axisLabelVisible: true }), of: each }]
      }),
    )
    this.shift(this.#shifted)
  }

  drawMarks(marks: readonly FillMark[], colours: ChartColours): void {
    this.#marks.setMarkers(
      marks.map(({ id, time, side, who, count }) => ({
        ...{ id, time: secondsOf(time), text: count === 1 ? who : `${who} ×${count}` },
        position: side === 'buy' ? 'belowBar' : 'aboveBar',
        shape: side === 'buy' ? 'arrowUp' : 'arrowDown',
        color: {
          you: colours.accent,
          hook: colours.text,
          copier: colours.stale,
          task: colours.muted,
          elsewhere: colours.faint,
        }[who],
      })),
    )
  }

  /** The line within a few pixels of a height. */
  lineAt(y: number): ChartLine | undefined {
    const near = [...this.#lines.values()].flatMap(({ of }) => {
      const at = this.candles.priceToCoordinate(Number(of.price))
      return at === null || of.moves === undefined || Math.abs(at - y) > GRIP_PX ? [] : [{ of, off: Math.abs(at - y) }]
    })
    return near.sort((a, b) => a.off - b.off)[0]?.of
  }

  /** Draws a line elsewhere, for as long as it is dragged. @param shifted undefined: all are where they belong */
  shift(shifted: { readonly id: string; readonly price: string } | undefined): void {
    const before = this.#shifted && this.#lines.get(this.#shifted.id)
    before?.line.applyOptions({ price: Number(before.of.price) })
    this.#shifted = shifted
    if (shifted) this.#lines.get(shifted.id)?.line.applyOptions({ price: Number(shifted.price) })
  }

  /** While a line is dragged, the chart itself does not move. */
  hold(isHeld: boolean): void {
    this.chart.applyOptions({ handleScroll: !isHeld, handleScale: !isHeld })
  }

  remove(): void {
    this.chart.remove()
  }
}

const GRIP_PX = 6

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

function styleOf({ look }: ChartLine, colours: ChartColours) {
  if (look === 'limit') return { color: colours.accent, lineStyle: LineStyle.Dotted }
  if (look === 'stop') return { color: colours.short, lineStyle: LineStyle.Dashed }
  return { color: colours[look], lineStyle: LineStyle.Solid }
}

/** Local time, as everywhere on the page. */
function tickText(time: unknown): string {
  const date = new Date(Number(time) * 1000)
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
  return isMidnight
    ? date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
    : date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}

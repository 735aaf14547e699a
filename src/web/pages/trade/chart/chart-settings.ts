// What a person has chosen and drawn on charts, kept in this browser: indicators and the scale of all charts, lines of one account and symbol.
import { create } from 'zustand'
import { readJson, writeJson } from '../../../../client/text-storage.ts'
import { LanguageError } from '../../../../language/language-error.ts'
import type { CandleRow, HookRow } from '../../../../protocol/frames.ts'
import type { Condition } from '../../../../triggers/condition.ts'
import { type Bar, INDICATORS, type Indicator } from '../../../../triggers/indicators.ts'
import { parseTrigger } from '../../../../triggers/trigger.ts'

/** What can be added: `ema` lies over the candles, `rsi` has a pane of its own. */
export const STUDIES = [
  { id: 'ema', title: 'EMA', of: 'ema', bars: 20 },
  { id: 'ema2', title: 'EMA', of: 'ema', bars: 50 },
  { id: 'vwap', title: 'VWAP', of: 'vwap' },
  { id: 'rsi', title: 'RSI', of: 'rsi', bars: 14, isBelow: true },
  { id: 'atr', title: 'ATR', of: 'atr', bars: 14, isBelow: true },
] as const satisfies readonly Study[]

interface Study {
  readonly id: string
  readonly title: string
  /** Its name in a condition. */
  readonly of: string
  /** Default. */
  readonly bars?: number
  readonly isBelow?: boolean
}

type StudyId = (typeof STUDIES)[number]['id']
export const MAX_BARS = 300

export interface ChartSettings {
  readonly isLog: boolean
  readonly hasVolume: boolean
  readonly shown: readonly StudyId[]
  readonly bars: Readonly<Partial<Record<StudyId, number>>>
  /** The id of the hook whose indicators and fires are drawn. */
  readonly hook?: string | undefined
}

const KEY = 'hookline.chart'
const DEFAULTS: ChartSettings = { isLog: false, hasVolume: true, shown: [], bars: {} }

/** Drops all but valid settings. */
export function settingsIn(kept: unknown): ChartSettings {
  const { isLog, hasVolume, shown, bars, hook } = recordOf(kept)
  return {
    isLog: isLog === true,
    hasVolume: hasVolume !== false,
    shown: Array.isArray(shown) ? STUDIES.flatMap(({ id }) => (shown.includes(id) ? [id] : [])) : DEFAULTS.shown,
    bars: Object.fromEntries(
      STUDIES.flatMap(({ id }) => (isBars(recordOf(bars)[id]) ? [[id, recordOf(bars)[id]]] : [])),
    ),
    ...(typeof hook === 'string' && { hook }),
  }
}

export function isBars(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_BARS
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** `isMeasuring`: a drag measures. It ends with the page. */
export const useChartSettings = create<ChartSettings & { readonly isMeasuring: boolean }>(() => ({
  ...settingsIn(readJson(KEY)),
  isMeasuring: false,
}))

export function setChart(change: Partial<ChartSettings>): void {
  useChartSettings.setState(change)
  const { isMeasuring: _, ...kept } = useChartSettings.getState()
  writeJson(KEY, kept)
}

// The values of an indicator: the code by which triggers judge, so that a line on the chart and a condition never differ.

/** @returns one for each candle, undefined until there are enough */
export function valuesOf(
  { of, params, field = 'close' }: Pick<DrawnStudy, 'of' | 'params' | 'field'>,
  candles: readonly CandleRow[],
): readonly (number | undefined)[] {
  const indicator = INDICATORS.get(of) as Indicator
  const memory = indicator.initial(params)
  return candles.map((candle) => {
    const bar = barOf(candle)
    const value = indicator.next(memory, params, bar[field], bar)
    return Number.isFinite(value) ? value : undefined
  })
}

function barOf([at, open, high, low, close, volume]: CandleRow): Bar {
  const [o, h, l, c] = [open, high, low, close].map(Number) as [number, number, number, number]
  return { at, open: o, high: h, low: l, close: c, volume: volume === null ? Number.NaN : Number(volume) }
}

/** One line over the candles or below them. */
export interface DrawnStudy {
  /** Unique. */
  readonly id: string
  /** `EMA 20`; of a hook as in its condition: `rsi(14)`. */
  readonly title: string
  readonly of: string
  readonly params: readonly number[]
  /** Of each candle; absent: its close. */
  readonly field?: Condition['series'][number]['field']
  readonly colour: 'accent' | 'warn' | 'text' | 'muted'
  readonly isBelow: boolean
}

const COLOURS = { ema: 'accent', ema2: 'warn', vwap: 'text', rsi: 'accent', atr: 'muted' } as const

/** Those that a person has chosen. */
export function chosenStudies({ shown, bars }: Pick<ChartSettings, 'shown' | 'bars'>): readonly DrawnStudy[] {
  return STUDIES.filter(({ id }) => shown.includes(id)).map((study) => {
    const { id, title, of } = study
    const length = bars[id] ?? ('bars' in study ? study.bars : undefined)
    return {
      id,
      of,
      title: length === undefined ? title : `${title} ${length}`,
      params: length === undefined ? [] : [length],
      colour: COLOURS[id],
      isBelow: 'isBelow' in study,
    }
  })
}

// What a hook's own condition looks at.

type HookOfChart = Pick<HookRow, 'id' | 'name' | 'when'>

/** Of the symbol, with an indicator in its condition: those that the chart can draw. @returns each with the frames of its indicators */
export function hooksToDraw<Hook extends HookOfChart>(
  hooks: readonly Hook[],
  symbol: string,
): readonly { readonly hook: Hook; readonly frames: readonly string[] }[] {
  return hooks.flatMap((hook) => {
    const series = hook.when?.symbol === symbol ? indicatorsOf(hook) : []
    return series.length === 0 ? [] : [{ hook, frames: [...new Set(series.map(({ frame }) => frame))] }]
  })
}

/** In the scale of prices, unless they are of volume. */
const OVER_CANDLES = /^(?:sma|ema|rma|vwap|bb\..+|highest|lowest)$/
const HOOK_COLOURS = ['accent', 'warn', 'text', 'muted'] as const

/** Its indicators of the frame that the chart shows. */
export function hookStudies(hook: HookOfChart | undefined, interval: string): readonly DrawnStudy[] {
  if (hook === undefined) return []
  return indicatorsOf(hook)
    .filter(({ frame }) => frame === interval)
    .map(({ field, indicator: { name, params } }, index) => {
      const source = field === 'close' ? [] : [field]
      return {
        id: `hook ${index}`,
        title: `${name}(${[...source, ...params].join(', ')})`,
        of: name,
        params,
        field,
        colour: HOOK_COLOURS[index % HOOK_COLOURS.length] ?? 'text',
        isBelow: field === 'volume' || !OVER_CANDLES.test(name),
      }
    })
}

function indicatorsOf({ when }: HookOfChart) {
  const condition = when && conditionOf(when.text)
  return (condition?.series ?? []).flatMap((series) =>
    series.indicator === undefined ? [] : [{ ...series, indicator: series.indicator }],
  )
}

/** @returns undefined for times, and for a condition of a later hookline, which this page cannot read */
function conditionOf(text: string): Condition | undefined {
  try {
    const trigger = parseTrigger(text)
    return trigger.kind === 'condition' ? trigger.condition : undefined
  } catch (error) {
    if (error instanceof LanguageError) return undefined
    throw error
  }
}

// Lines that a person has drawn: by account and symbol.

interface DrawnLine {
  readonly id: string
  readonly price: string
}

const LINES_KEY = 'hookline.lines'
const MOST_LINES = 50
const NO_LINES: readonly DrawnLine[] = []

const useDrawn = create<Readonly<Record<string, readonly DrawnLine[]>>>(() => drawnIn(readJson(LINES_KEY)))

/** Drops all but valid lines. */
export function drawnIn(kept: unknown): Record<string, readonly DrawnLine[]> {
  return Object.fromEntries(
    Object.entries(recordOf(kept)).map(([key, lines]) => [
      key,
      (Array.isArray(lines) ? lines : []).map(recordOf).flatMap(({ id, price }) => {
        const isLine = typeof id === 'string' && typeof price === 'string' && /^\d+(?:\.\d+)?$/.test(price)
        return isLine ? [{ id, price }] : []
      }),
    ]),
  )
}

interface Place {
  readonly account: string
  readonly symbol: string
}

const keyOf = ({ account, symbol }: Place) => JSON.stringify([account, symbol])

export function useDrawnLines(place: Place | undefined): readonly DrawnLine[] {
  return useDrawn((all) => (place && all[keyOf(place)]) ?? NO_LINES)
}

/** @param id of a line that is moved; absent: a new one */
export function drawLine(place: Place, price: string, id: string = crypto.randomUUID()): void {
  keep(place, (lines) => [...lines.filter((line) => line.id !== id), { id, price }].slice(-MOST_LINES))
}

export function removeLine(place: Place, id: string): void {
  keep(place, (lines) => lines.filter((line) => line.id !== id))
}

function keep(place: Place, change: (lines: readonly DrawnLine[]) => readonly DrawnLine[]): void {
  const key = keyOf(place)
  // Another tab may have drawn some since.
  const all = { ...useDrawn.getState(), ...drawnIn(readJson(LINES_KEY)) }
  useDrawn.setState({ ...all, [key]: change(all[key] ?? []) })
  writeJson(LINES_KEY, useDrawn.getState())
}

// Above the chart: its lines as a list, and what is drawn beside the candles. A chunk of its own.
import { useRef } from 'react'
import { useRoving } from '../../../components/arrow-keys.ts'
import { Card, usePopover } from '../../../components/popover.tsx'
import { showPrice } from '../../../figures.ts'
import { whyNoCommands } from '../../../state/console-state.ts'
import { useReplays } from '../../../state/replays.ts'
import { NARROW, useDesk, useMedia } from '../../../state/use-console.ts'
import { useLineQuestion } from '../line-button.tsx'
import { type MarketView, USUAL_INTERVALS, useInterval } from '../use-market.ts'
import { useLines } from './candle-chart.tsx'
import { type ChartLine, cancelationOf, hasNoVolume } from './chart-model.ts'
import {
  drawLine,
  hooksToDraw,
  isBars,
  MAX_BARS,
  removeLine,
  STUDIES,
  setChart,
  useChartSettings,
} from './chart-settings.ts'

interface ChartToolsProps {
  readonly view: MarketView
  /** Why none can be moved now. */
  readonly whyNot: string | undefined
  readonly onMove: (line: ChartLine) => void
}

export default function ChartTools(props: ChartToolsProps) {
  const isNarrow = useMedia(NARROW)
  return (
    <>
      {!isNarrow && <OtherIntervals view={props.view} />}
      <LinesMenu {...props} />
      <Studies view={props.view} isNarrow={isNarrow} />
    </>
  )
}

// Lengths of candles that are not beside the chart; of an exchange that has none, no list.

function OtherIntervals({ view }: { readonly view: MarketView }) {
  const [shown, show] = useInterval()
  const usual: readonly string[] = USUAL_INTERVALS
  const others = (view.intervals ?? []).filter((interval) => !usual.includes(interval))
  if (others.length === 0) return null
  return (
    <select
      className="boxed soft raised text-2 rigid numeric select-small"
      aria-label="Other intervals"
      value={others.includes(shown) ? shown : ''}
      onChange={({ target }) => show(target.value)}
    >
      <option value="" disabled hidden>
        other
      </option>
      {others.map((interval) => (
        <option key={interval}>{interval}</option>
      ))}
    </select>
  )
}

// The lines of the chart as a list: what it shows in words, and the way to move one without a mouse.

function LinesMenu({ view, whyNot, onMove }: ChartToolsProps) {
  const lines = useLines(view)
  const popover = usePopover()
  const list = useRef<HTMLUListElement>(null)
  const roving = useRoving(list, 'button')
  const tick = view.market?.tick
  const ask = useLineQuestion()
  const noCommands = useDesk(whyNoCommands)
  if (lines.length === 0) return null
  /** @returns undefined: a line without one, or none is sent now */
  const actionOf = (line: ChartLine) => {
    const { drawn, task, moves } = line
    if (drawn !== undefined) return { title: 'Remove it', word: 'remove', act: () => removeLine(view, drawn) }
    const cancelation = task && cancelationOf(line)
    if (cancelation !== undefined) {
      const act = () => {
        popover.close()
        void ask({ ...cancelation, scope: view })
      }
      return noCommands === undefined ? { title: 'Cancel it', word: 'cancel', act } : undefined
    }
    if (moves === undefined || whyNot !== undefined) return undefined
    const act = () => {
      popover.close()
      onMove(line)
    }
    return { title: 'Move it', word: undefined, act }
  }
  return (
    <>
      <button type="button" className="rigid nowrap button small" {...popover.button}>
        Lines {lines.length}
      </button>
      <Card popover={popover} label="Lines of the chart" className="card">
        <ul ref={list} {...roving}>
          {lines.map((line) => {
            const { id, label, price, task } = line
            const text = `${label} at ${showPrice(price, tick ?? price)}`
            const action = actionOf(line)
            return (
              <li key={id}>
                {action !== undefined ? (
                  <button
                    type="button"
                    className="soft numeric full at-start line-row"
                    title={action.title}
                    onClick={action.act}
                  >
                    {text}
                    {action.word !== undefined && <span className="muted"> {action.word}</span>}
                  </button>
                ) : (
                  <span
                    className="soft numeric muted full row line-row"
                    title={task === undefined ? whyNot : noCommands}
                  >
                    {text}
                  </span>
                )}
              </li>
            )
          })}
        </ul>
      </Card>
    </>
  )
}

// What is drawn beside the candles, for all charts of this browser.

function Studies({ view, isNarrow }: { readonly view: MarketView; readonly isNarrow: boolean }) {
  const popover = usePopover()
  const { shown, bars, hasVolume, isLog, isMeasuring } = useChartSettings()
  const last = view.ticker?.last
  const hasNone = hasNoVolume(view.candles)
  return (
    <>
      <button type="button" className="rigid nowrap button small" {...popover.button}>
        Draw
      </button>
      <Card popover={popover} label="What the chart draws" className="card">
        {isNarrow && <OtherIntervals view={view} />}
        <fieldset className="gap-1 grid column-choice">
          <legend className="text-2 muted">For all charts in this browser</legend>
          <Tick
            label={hasNone ? 'Volume (none)' : 'Volume'}
            isOn={hasVolume}
            onChange={(isOn) => setChart({ hasVolume: isOn })}
          />
          <Tick label="Log scale" isOn={isLog} onChange={(isOn) => setChart({ isLog: isOn })} />
          {STUDIES.map((study) => {
            const { id, title } = study
            const isOn = shown.includes(id)
            const change = (next: boolean) =>
              setChart({ shown: next ? [...shown, id] : shown.filter((each) => each !== id) })
            return (
              <span key={id} className="row">
                <Tick label={title} isOn={isOn} onChange={change} />
                {'bars' in study && (
                  <input
                    type="number"
                    style={{ width: 64, margin: 0 }}
                    aria-label={`Bars of ${id === 'ema2' ? 'the second EMA' : title}`}
                    min={1}
                    max={MAX_BARS}
                    value={bars[id] ?? study.bars}
                    onChange={({ target: { valueAsNumber: value } }) =>
                      isBars(value) && setChart({ bars: { ...bars, [id]: value } })
                    }
                  />
                )}
              </span>
            )
          })}
          <Tick
            label="Ruler, or Shift"
            isOn={isMeasuring}
            onChange={(isOn) => useChartSettings.setState({ isMeasuring: isOn })}
          />
        </fieldset>
        <HookChoice symbol={view.symbol} />
        <button
          type="button"
          className="button small"
          disabled={last === undefined}
          onClick={() => last !== undefined && drawLine(view, last)}
        >
          Line at the last price
        </button>
      </Card>
    </>
  )
}

/** The hook whose indicators and fires are drawn; of those whose condition has any in this symbol. */
function HookChoice({ symbol }: { readonly symbol: string }) {
  const hooks = useDesk((state) => state.hooks)
  const chosen = useChartSettings(({ hook }) => hook)
  const replays = useReplays(({ ofHook }) => ofHook)
  const drawn = hooksToDraw(hooks ?? [], symbol)
  const others = (hooks ?? []).filter(
    ({ id }) => replays[id]?.symbol === symbol && !drawn.some(({ hook }) => hook.id === id),
  )
  const known = [...drawn, ...others.map((hook) => ({ hook, frames: ['replay'] }))]
  if (known.length === 0) return null
  return (
    <label className="gap-1 text-2 grid muted">
      Indicators and fires of
      <select
        className="select"
        value={known.some(({ hook }) => hook.id === chosen) ? chosen : ''}
        onChange={({ target }) => setChart({ hook: target.value === '' ? undefined : target.value })}
      >
        <option value="">no hook</option>
        {known.map(({ hook: { id, name }, frames }) => (
          <option key={id} value={id}>
            {`${name} (${frames.join(', ')})`}
          </option>
        ))}
      </select>
    </label>
  )
}

interface TickProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

function Tick({ label, isOn, onChange }: TickProps) {
  return (
    <label className="row nowrap">
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      {label}
    </label>
  )
}

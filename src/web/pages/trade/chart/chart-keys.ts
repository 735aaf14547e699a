// The keys of the chart while it has the focus, and what they brought into sight, in words.
import { type KeyboardEvent, type RefObject, useState } from 'react'
import { usePreferences } from '../../../shell/preferences.ts'
import type { ChartDrawing } from './chart-drawing.ts'
import { momentText } from './chart-times.ts'

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
  readonly said: string
}

export function useChartKeys(drawing: RefObject<ChartDrawing | undefined>): ChartKeys {
  const zone = usePreferences(({ timeZone }) => timeZone)
  const [said, setSaid] = useState('')
  const press = (event: KeyboardEvent) => {
    const act = ACTS.get(event.key)
    if (act === undefined || drawing.current === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const shown = drawing.current
    shown.onceMoved(() => {
      const sight = shown.inSight()
      setSaid(sight ? `${momentText(sight.from, zone)} to ${momentText(sight.to, zone)}` : 'No candles in sight')
    })
    act(shown)
  }
  return { press, said }
}

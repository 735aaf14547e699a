// Taking a line of the chart by the mouse or a finger, and letting it go elsewhere.
import { useEffect } from 'react'
import { onTick } from '../tick.ts'
import type { ChartDrawing } from './chart-drawing.ts'
import type { ChartLine } from './chart-lines.ts'

/** A line that is elsewhere on the chart than at the exchange. */
export interface Draft {
  readonly line: ChartLine
  readonly price: string
  /** It has been let go there, and waits for a yes. */
  readonly isReleased: boolean
  /** It was taken from the list: its price is typed, or stepped by the arrows. */
  readonly isByKeys?: true
}

export interface LineDragging {
  readonly element: React.RefObject<HTMLElement | null>
  readonly drawing: React.RefObject<ChartDrawing | undefined>
  /** undefined: nothing can be moved. */
  readonly tick: string | undefined
  readonly onDraft: (draft: Draft | undefined) => void
}

export function useLineDrag({ element, drawing, tick, onDraft }: LineDragging): void {
  useEffect(() => {
    const target = element.current
    if (target === null || tick === undefined) return undefined
    let held: ChartLine | undefined
    const heightOf = (event: PointerEvent) => event.clientY - target.getBoundingClientRect().top
    const priceAt = (event: PointerEvent) => {
      const price = drawing.current?.candles.coordinateToPrice(heightOf(event))
      return price === null || price === undefined || price <= 0 ? undefined : onTick(price, tick)
    }
    const take = (event: PointerEvent) => {
      held = drawing.current?.lineAt(heightOf(event))
      if (held === undefined) return
      target.setPointerCapture(event.pointerId)
      drawing.current?.hold(true)
    }
    const move = (event: PointerEvent) => {
      if (held === undefined) {
        target.dataset.grip = drawing.current?.lineAt(heightOf(event))?.id ?? ''
        return
      }
      const price = priceAt(event)
      if (price !== undefined) onDraft({ line: held, price, isReleased: false })
    }
    const letGo = (event: PointerEvent) => {
      if (held === undefined) return
      const price = priceAt(event)
      const hasMoved = event.type === 'pointerup' && price !== undefined && Number(price) !== Number(held.price)
      onDraft(hasMoved ? { line: held, price, isReleased: true } : undefined)
      held = undefined
      drawing.current?.hold(false)
    }
    // Escape while it is held: whatever comes of the pointer later is of no line.
    const leave = (event: KeyboardEvent) => {
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
    addEventListener('keydown', leave, { signal })
    return () => {
      stop.abort()
      delete target.dataset.grip
      if (held !== undefined) onDraft(undefined)
      drawing.current?.hold(false)
    }
  }, [element, drawing, tick, onDraft])
}

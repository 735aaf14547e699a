// One tab stop for a whole list or table: Tab comes to the row that was last there, the arrows go from row to row, and left and right to the
// controls inside a row.
import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react'

const CONTROLS = 'button, a[href], input, select, textarea, summary'

export interface Roving {
  onKeyDown(event: KeyboardEvent): void
  onFocus(event: FocusEvent): void
}

/** @param selector of the rows inside `list`, which must be able to take the focus (`tabIndex={-1}`) */
export function useRoving(list: RefObject<HTMLElement | null>, selector: string): Roving {
  const current = useRef<Element>(undefined)
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>(selector) ?? [])]
  // After each drawing: rows come and go.
  useLayoutEffect(() => {
    const all = rows()
    const stop = all.find((row) => row === current.current) ?? all[0]
    for (const row of all) {
      row.tabIndex = row === stop ? 0 : -1
      for (const control of row.querySelectorAll<HTMLElement>(CONTROLS)) control.tabIndex = -1
    }
  })
  return {
    onFocus(event) {
      const row = event.target.closest<HTMLElement>(selector)
      if (row === null) return
      for (const each of rows()) each.tabIndex = each === row ? 0 : -1
      current.current = row
    },
    onKeyDown(event) {
      const target = event.target as HTMLElement
      const row = target.closest<HTMLElement>(selector)
      if (row === null || target.matches('input, select, textarea') || event.altKey || event.ctrlKey || event.metaKey)
        return
      const next = nextRow(rows(), row, event.key) ?? nextControl(row, target, event.key)
      if (next === undefined) return
      event.preventDefault()
      next.focus()
    },
  }
}

function nextRow(all: readonly HTMLElement[], row: HTMLElement, key: string): HTMLElement | undefined {
  const index = all.indexOf(row)
  const to = { ArrowDown: index + 1, j: index + 1, ArrowUp: index - 1, k: index - 1, Home: 0, End: all.length - 1 }[key]
  return to === undefined ? undefined : all[Math.max(0, Math.min(to, all.length - 1))]
}

function nextControl(row: HTMLElement, target: HTMLElement, key: string): HTMLElement | undefined {
  if (key !== 'ArrowRight' && key !== 'ArrowLeft') return undefined
  const places = [row, ...row.querySelectorAll<HTMLElement>(CONTROLS)].filter((place) => !place.matches(':disabled'))
  const index = places.indexOf(target) + (key === 'ArrowRight' ? 1 : -1)
  return places[index]
}

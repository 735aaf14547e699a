// Arrow keys in the desk: where a key leads, one tab stop for a whole list or table, and the heads of a table. Tab comes to the row that last had
// the focus, the arrows go from row to row, left and right to the controls inside a row.
import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react'

interface Axis {
  readonly next: readonly string[]
  readonly previous: readonly string[]
}

const VERTICAL: Axis = { next: ['ArrowDown'], previous: ['ArrowUp'] }
const HORIZONTAL: Axis = { next: ['ArrowRight'], previous: ['ArrowLeft'] }
const ROWS_AXIS: Axis = { next: ['ArrowDown', 'j'], previous: ['ArrowUp', 'k'] }
const AXES = { menu: VERTICAL, tabs: HORIZONTAL, heads: HORIZONTAL, rows: ROWS_AXIS } as const

/** Of a menu and of tabs the last is followed by the first. */
const WRAPPING: ReadonlySet<keyof typeof AXES> = new Set(['menu', 'tabs'])

/** Where a key leads among `count` places. @param index of the one with the focus, below 0: none @returns undefined: nowhere */
export function indexAfter(
  of: keyof typeof AXES,
  { key, altKey, ctrlKey, metaKey }: KeyboardEvent,
  index: number,
  count: number,
): number | undefined {
  if (count === 0 || altKey || ctrlKey || metaKey) return undefined
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  const { next, previous } = AXES[of]
  const to = next.includes(key) ? index + 1 : previous.includes(key) ? Math.max(index, 0) - 1 : undefined
  if (to === undefined) return undefined
  return WRAPPING.has(of) ? (to + count) % count : Math.max(0, Math.min(to, count - 1))
}

const CONTROLS = 'button, a[href], input, select, textarea, summary'

interface Roving {
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
      const all = rows()
      const next =
        all[indexAfter('rows', event, all.indexOf(row), all.length) ?? -1] ?? nextControl(row, target, event.key)
      if (next === undefined) return
      event.preventDefault()
      next.focus()
    },
  }
}

function nextControl(row: HTMLElement, target: HTMLElement, key: string): HTMLElement | undefined {
  if (key !== 'ArrowRight' && key !== 'ArrowLeft') return undefined
  const places = [row, ...row.querySelectorAll<HTMLElement>(CONTROLS)].filter((place) => !place.matches(':disabled'))
  const index = places.indexOf(target) + (key === 'ArrowRight' ? 1 : -1)
  return places[index]
}

// --- the heads of a table, without a mouse: up from its first row, then left and right; Enter sorts. Tab passes them by.

const HEADS = 'thead button'
const ROWS = 'tbody tr[data-key]'

/** @returns whether the key was one of the heads' */
export function moveInHeads(event: KeyboardEvent, table: RefObject<HTMLElement | null>): boolean {
  if (event.altKey || event.ctrlKey || event.metaKey) return false
  const next = headAfter(event, table.current)
  if (next === undefined) return false
  event.preventDefault()
  next.focus()
  return true
}

function headAfter(event: KeyboardEvent, table: HTMLElement | null): HTMLElement | undefined {
  const heads = [...(table?.querySelectorAll<HTMLElement>(HEADS) ?? [])]
  const firstRow = table?.querySelector<HTMLElement>(ROWS) ?? undefined
  const index = heads.indexOf(event.target as HTMLElement)
  if (index < 0) {
    if (event.key !== 'ArrowUp' || event.target !== firstRow) return undefined
    return heads.find((head) => head.closest('th')?.hasAttribute('aria-sort')) ?? heads[0]
  }
  return event.key === 'ArrowDown' ? firstRow : heads[indexAfter('heads', event, index, heads.length) ?? -1]
}

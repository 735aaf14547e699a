// The heads of a table without a mouse: up from its first row, then left and right; Enter sorts. Tab passes them by.
import type { KeyboardEvent, RefObject } from 'react'

const HEADS = 'thead button'
const ROWS = 'tbody tr[data-key]'

/** @returns whether the key was one of the heads' */
export function moveInHeads(event: KeyboardEvent, table: RefObject<HTMLElement | null>): boolean {
  if (event.altKey || event.ctrlKey || event.metaKey) return false
  const heads = [...(table.current?.querySelectorAll<HTMLElement>(HEADS) ?? [])]
  const next = nextPlace(event, heads, table.current)
  if (next === undefined) return false
  event.preventDefault()
  next.focus()
  return true
}

function nextPlace(event: KeyboardEvent, heads: readonly HTMLElement[], table: HTMLElement | null) {
  const target = event.target as HTMLElement
  const index = heads.indexOf(target)
  const rows = () => [...(table?.querySelectorAll<HTMLElement>(ROWS) ?? [])]
  if (index < 0) {
    if (event.key !== 'ArrowUp' || target !== rows()[0]) return undefined
    return heads.find((head) => head.closest('th')?.hasAttribute('aria-sort')) ?? heads[0]
  }
  if (event.key === 'ArrowDown') return rows()[0]
  const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: heads.length - 1 }[event.key]
  return to === undefined ? undefined : heads[Math.max(0, Math.min(to, heads.length - 1))]
}

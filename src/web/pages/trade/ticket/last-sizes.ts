// The sizes that were used last, for one click. In this browser only.
import { create } from 'zustand'
import type { SizeUnit, Ticket } from './ticket.ts'

type SizeUsed = Pick<Ticket, 'size' | 'unit'>

const KEY = 'hookline.sizes'
const KEPT = 3
const UNITS: readonly SizeUnit[] = ['quote', 'base', 'percent']
/** These have buttons of their own. */
export const QUICK_SHARES: readonly string[] = ['25', '50', '100']

export const useLastSizes = create<{ readonly sizes: readonly SizeUsed[] }>(() => ({ sizes: stored() }))

export function noteSize(used: SizeUsed): void {
  const sizes = withSize(useLastSizes.getState().sizes, used)
  useLastSizes.setState({ sizes })
  try {
    localStorage.setItem(KEY, JSON.stringify(sizes))
  } catch {
    // Forbidden or full: they last as long as the page.
  }
}

/** Newest first, each once. */
export function withSize(known: readonly SizeUsed[], { size, unit }: SizeUsed): readonly SizeUsed[] {
  const text = size.trim()
  if (text === '' || (unit === 'percent' && QUICK_SHARES.includes(text))) return known
  const others = known.filter((each) => each.size !== text || each.unit !== unit)
  return [{ size: text, unit }, ...others].slice(0, KEPT)
}

function stored(): readonly SizeUsed[] {
  try {
    const rows: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(rows) ? rows.filter(isSize).slice(0, KEPT) : []
  } catch {
    // Forbidden storage, or somebody else's text under our key.
    return []
  }
}

function isSize(row: unknown): row is SizeUsed {
  if (typeof row !== 'object' || row === null) return false
  const { size, unit } = row as Record<string, unknown>
  return typeof size === 'string' && /^[\d.]{1,20}$/.test(size) && UNITS.some((each) => each === unit)
}

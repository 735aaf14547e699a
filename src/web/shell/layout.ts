// How the panes of Trade share the window: what a person dragged, kept in this browser. Nothing here: each has its usual size.
import { create } from 'zustand'

/** Absent: as it comes. */
export interface PaneSizes {
  /** px */
  readonly book?: number | undefined
  /** px */
  readonly ticket?: number | undefined
  /** Of the height that the chart and the tables share, 0 to 1. */
  readonly tables?: number | undefined
}

const KEY = 'hookline.layout'
/** Further than any window goes; the panes have limits of their own. */
const MOST: Readonly<Record<keyof PaneSizes, number>> = { book: 2_000, ticket: 4_000, tables: 1 }

/** Sizes by what one is busy with. */
export const PRESETS: readonly { readonly id: string; readonly title: string; readonly sizes: PaneSizes }[] = [
  { id: 'usual', title: 'Reset layout', sizes: {} },
  { id: 'chart', title: 'Layout: Chart', sizes: { book: 170, ticket: 290, tables: 0.3 } },
  { id: 'ticket', title: 'Layout: Ticket', sizes: { book: 240, ticket: 420, tables: 0.38 } },
  { id: 'tables', title: 'Layout: Tables', sizes: { book: 180, ticket: 290, tables: 0.62 } },
]

export const useLayout = create<{ readonly sizes: PaneSizes }>(() => ({ sizes: stored() }))

export function layOut(sizes: PaneSizes): void {
  useLayout.setState({ sizes })
  try {
    localStorage.setItem(KEY, JSON.stringify(sizes))
  } catch {
    // Forbidden or full: it lasts as long as the page.
  }
}

function stored(): PaneSizes {
  try {
    return readSizes(JSON.parse(localStorage.getItem(KEY) ?? '{}'))
  } catch {
    // Forbidden storage, or somebody else's text under our key.
    return {}
  }
}

/** What of it can be a size. */
export function readSizes(value: unknown): PaneSizes {
  if (typeof value !== 'object' || value === null) return {}
  const known = Object.entries(value).filter(
    ([name, size]) => name in MOST && typeof size === 'number' && size > 0 && size <= MOST[name as keyof PaneSizes],
  )
  return Object.fromEntries(known)
}

// How the panes of Trade share the window: what a person dragged, kept in this browser. Nothing here: each has its usual size.
import { create } from 'zustand'
import { readJson, writeJson } from '../../client/text-storage.ts'

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

export const useLayout = create<{ readonly sizes: PaneSizes }>(() => ({ sizes: readSizes(readJson(KEY)) }))

export function layOut(sizes: PaneSizes): void {
  useLayout.setState({ sizes })
  writeJson(KEY, sizes)
}

/** Drops all but valid sizes. */
export function readSizes(value: unknown): PaneSizes {
  if (typeof value !== 'object' || value === null) return {}
  const known = Object.entries(value).filter(
    ([name, size]) =>
      Object.hasOwn(MOST, name) && typeof size === 'number' && size > 0 && size <= MOST[name as keyof PaneSizes],
  )
  return Object.fromEntries(known)
}

// --- one layout in all browsers of a person: read from the console's server when the page opens, and kept there when it changes.

const ADDRESS = '/api/layouts'
const NAME = 'trade'
/** An edge that is dragged moves many times a second. */
const SETTLED_MS = 1_000

/** Best effort: without the server, the browser's own stays. */
export async function shareLayout(): Promise<void> {
  const known = await read()
  if (known !== undefined) layOut(readSizes(known))
  let settling: ReturnType<typeof setTimeout> | undefined
  useLayout.subscribe(({ sizes }) => {
    clearTimeout(settling)
    settling = setTimeout(() => void keep(sizes), SETTLED_MS)
  })
}

/** @returns undefined: there is none, or no answer */
async function read(): Promise<unknown> {
  try {
    const response = await fetch(ADDRESS, { headers: { Accept: 'application/json' } })
    const layouts: unknown = response.ok ? await response.json() : undefined
    return typeof layouts === 'object' && layouts !== null && NAME in layouts ? layouts[NAME] : undefined
  } catch {
    return undefined
  }
}

async function keep(sizes: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  await fetch(`${ADDRESS}/${NAME}`, { method: 'PUT', headers, body: JSON.stringify(sizes) }).catch(() => {})
}

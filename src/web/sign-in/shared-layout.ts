// A person's layout in all of their browsers: read from the console's server when the page opens, and kept there when it changes.
import { layOut, readSizes, useLayout } from '../shell/layout.ts'

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

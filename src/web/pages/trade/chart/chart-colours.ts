// The theme's tokens as a canvas can draw them.
import { useEffect, useState } from 'react'

const TOKENS = [
  'surface',
  'line-soft',
  'line',
  'text',
  'muted',
  'faint',
  'accent',
  'long',
  'short',
  'stale',
  'edge',
] as const

export type ChartColours = Readonly<Record<(typeof TOKENS)[number], string>>

/** New after each change of the theme. */
export function useChartColours(): ChartColours {
  const [colours, setColours] = useState(readColours)
  useEffect(() => {
    const read = () => setColours(readColours())
    const observer = new MutationObserver(read)
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'data-contrast'] })
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', read)
    return () => {
      observer.disconnect()
      dark.removeEventListener('change', read)
    }
  }, [])
  return colours
}

/** By way of a real colour: a custom property gives back `light-dark(…)` as it was written. */
function readColours(): ChartColours {
  const probe = document.body.appendChild(document.createElement('span'))
  const read = (token: string) => {
    probe.style.color = `var(--${token})`
    return getComputedStyle(probe).color
  }
  const colours = Object.fromEntries(TOKENS.map((token) => [token, read(token)]))
  probe.remove()
  return colours as ChartColours
}

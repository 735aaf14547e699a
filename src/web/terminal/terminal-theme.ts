// The terminal's colours are the page's: what the custom properties mean in the theme in force.
import type { ITheme } from '@xterm/xterm'

const NAMES = {
  background: '--surface',
  foreground: '--text',
  cursor: '--text',
  cursorAccent: '--surface',
  selectionBackground: '--selection',
  brightBlack: '--text-muted',
  red: '--loss',
  green: '--gain',
  yellow: '--warn',
  cyan: '--accent',
} as const satisfies Partial<Record<keyof ITheme, string>>

export function terminalTheme(element: Element): ITheme {
  // A custom property reads back as it was written; only where it is used is it a colour.
  const probe = element.appendChild(document.createElement('span'))
  const colours = Object.entries(NAMES).map(([key, name]) => {
    probe.style.color = `var(${name})`
    return [key, getComputedStyle(probe).color]
  })
  probe.remove()
  return Object.fromEntries(colours)
}

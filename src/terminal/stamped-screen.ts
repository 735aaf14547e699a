// A screen whose every line begins with its time, for output that nobody watches: `hookline listen`.
import type { Screen } from './screen.ts'

/** @param now ms since the epoch. Lines begin with UTC to the second: `2026-11-22T06:14:42Z listening on …` */
export function stampLines(screen: Screen, now: () => number = Date.now): Screen {
  const stamped = (lines: readonly string[]): string[] => {
    const time = `${new Date(now()).toISOString().slice(0, 19)}Z`
    return lines.map((line) => `${time} ${line}`)
  }
  return {
    ...screen,
    show: (lines) => screen.show(stamped(lines)),
    mirror: (prefix, lines) => screen.mirror(prefix, stamped(lines)),
  }
}

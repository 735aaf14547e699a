// A screen whose every line begins with its time, for output that nobody watches: `hookline listen`.
import type { Screen } from './screen.ts'

/** @param now ms since the epoch. Lines begin with UTC to the second: `2026-11-22T06:14:42Z listening on …` */
export function stampLines(screen: Screen, now: () => number = Date.now): Screen {
  let second = Number.NaN
  let time = ''
  /** Many lines come in one second, and a date costs more than a line. */
  const timeNow = (): string => {
    const ms = now()
    if (Math.floor(ms / 1_000) !== second) {
      second = Math.floor(ms / 1_000)
      time = `${new Date(ms).toISOString().slice(0, 19)}Z`
    }
    return time
  }
  const stamped = (lines: readonly string[]): readonly string[] => {
    const [first = ''] = lines
    if (lines.length === 1) return [`${timeNow()} ${first}`]
    return lines.map((line) => `${timeNow()} ${line}`)
  }
  return {
    ...screen,
    show: (lines) => screen.show(stamped(lines)),
    // The line that counts what was left out begins with the prefix.
    mirror: (prefix, lines) => screen.mirror(`${timeNow()} ${prefix}`, stamped(lines)),
  }
}

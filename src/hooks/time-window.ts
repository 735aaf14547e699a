// Whether a moment is inside the hours of a hook, in their time zone (behaviour 47).
import { DAYS, type HookWindow } from '../stores/hook-care.ts'

interface LocalTime {
  /** 0 is Sunday. */
  readonly day: number
  /** Since midnight. */
  readonly minutes: number
}

/** @param at ms since the epoch */
export function isInWindow({ from, to, zone, days }: HookWindow, at: number): boolean {
  const { day, minutes } = localTime(at, zone)
  const [begins, ends] = [minutesOf(from), minutesOf(to)]
  const isOn = (each: number) => days === undefined || days.some((name) => DAYS.indexOf(name) === each)
  if (begins < ends) return minutes >= begins && minutes < ends && isOn(day)
  // Over midnight: the hours after it belong to the day on which they began.
  if (minutes >= begins) return isOn(day)
  return minutes < ends && isOn((day + 6) % 7)
}

function minutesOf(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(2))
}

const formats = new Map<string, Intl.DateTimeFormat>()

function localTime(at: number, zone: string | undefined): LocalTime {
  if (zone === undefined || zone === 'UTC') {
    const date = new Date(at)
    return { day: date.getUTCDay(), minutes: date.getUTCHours() * 60 + date.getUTCMinutes() }
  }
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  const day = (DAYS as readonly (string | undefined)[]).indexOf(parts.weekday?.toLowerCase())
  return { day, minutes: Number(parts.hour) * 60 + Number(parts.minute) }
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
  formats.set(zone, format)
  return format
}

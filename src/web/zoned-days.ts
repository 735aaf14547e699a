// Days and times of day in the zone that a person chose: where a day begins, which one it is, and the round times under a curve. Pure.
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** @param chosen as the settings have it: `local`, `utc`, or a name */
export function zoneName(chosen: string): string {
  if (chosen === 'utc') return 'UTC'
  return chosen === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : chosen
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, ...date, ...time })
  formats.set(zone, format)
  return format
}

interface Wall {
  /** `2026-03-29` */
  readonly day: string
  /** `14:05` */
  readonly clock: string
}

export function wallOf(ms: number, zone: string): Wall {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  return {
    day: `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`,
    clock: `${part('hour')}:${part('minute')}`,
  }
}

/** `2026-03-29` and 3 → `2026-04-01`. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10)
}

/** When a day begins, ms since the epoch: also where midnight is skipped, or comes twice. */
export function startOfDay(day: string, zone: string): number {
  // No zone is further from UTC. Between these two the day begins, at a quarter of an hour.
  let [before, after] = [Date.parse(`${day}T00:00:00Z`) - 15 * HOUR_MS, Date.parse(`${day}T00:00:00Z`) + 15 * HOUR_MS]
  while (after - before > 60_000) {
    const middle = Math.floor((before + after) / 2 / 60_000) * 60_000
    if (wallOf(middle, zone).day < day) before = middle
    else after = middle
  }
  return after
}

const SHORT_MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `22 Nov`; of a year's first day, or where it is asked for, with the year. */
export function dayText(day: string, hasYear = day.endsWith('-01-01')): string {
  const [year = '', month, date] = day.split('-')
  return `${Number(date)} ${SHORT_MONTHS[Number(month) - 1]}${hasYear ? ` ${year}` : ''}`
}

interface TimeTick {
  readonly at: number
  readonly text: string
}

const STEPS_MS = [5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * 60_000)
const STEPS_DAYS = [1, 2, 4, 7, 14, 28, 56, 91, 182, 365]

/** Round times between two, a few of them; no two read the same. */
export function timeTicks(start: number, end: number, wanted: number, zone: string): readonly TimeTick[] {
  const span = end - start
  if (!(span > 0) || wanted < 1) return []
  const step = STEPS_MS.find((each) => span / each <= wanted)
  const ticks = step === undefined ? dayTicks(start, end, wanted, zone) : clockTicks(start, end, step, zone)
  const seen = new Set<string>()
  return ticks.filter(({ text }) => !seen.has(text) && seen.add(text))
}

function clockTicks(start: number, end: number, step: number, zone: string): readonly TimeTick[] {
  const ticks: TimeTick[] = []
  const isLong = end - start > DAY_MS
  for (let day = wallOf(start, zone).day; startOfDay(day, zone) <= end; day = addDays(day, 1)) {
    const next = startOfDay(addDays(day, 1), zone)
    for (let at = startOfDay(day, zone); at < next && at <= end; at += step) {
      if (at < start) continue
      const { clock } = wallOf(at, zone)
      ticks.push({ at, text: clock === '00:00' ? dayText(day) : isLong ? `${dayText(day)} ${clock}` : clock })
    }
  }
  return ticks
}

function dayTicks(start: number, end: number, wanted: number, zone: string): readonly TimeTick[] {
  const days = (end - start) / DAY_MS
  const step = STEPS_DAYS.find((each) => days / each <= wanted) ?? Math.ceil(days / wanted)
  const hasYear = end - start > 364 * DAY_MS
  const ticks: TimeTick[] = []
  for (let day = addDays(wallOf(start, zone).day, 1); startOfDay(day, zone) <= end; day = addDays(day, step))
    ticks.push({ at: startOfDay(day, zone), text: dayText(day, hasYear || day.endsWith('-01-01')) })
  return ticks
}

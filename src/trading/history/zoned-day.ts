// On which day something happened: in UTC, or in a zone that a person lives in.

/** `2026-03-29`. @param ms since the epoch */
export type DayOf = (ms: number) => string

export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** @param zone of the IANA database, as `Europe/Berlin` @returns undefined where there is no such zone */
export function zonedDay(zone: string): DayOf | undefined {
  const format = formatOf(zone)
  return format && ((ms) => dayIn(format, ms))
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function dayIn(format: Intl.DateTimeFormat, ms: number): string {
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]))
  return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
}

// Hours in which only what is urgent is sent, in the time of this machine: `22:00-07:00`.

const RANGE = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/

/** Minutes of the day; `from` is quiet, `to` no longer. From 22:00 to 07:00 goes over midnight. */
export interface QuietHours {
  readonly from: number
  readonly to: number
}

/** @returns undefined: it is not such a range, or an empty one */
export function readQuietHours(text: string): QuietHours | undefined {
  const [, fromHour, fromMinute, toHour, toMinute] = RANGE.exec(text) ?? []
  if (toMinute === undefined) return undefined
  const from = Number(fromHour) * 60 + Number(fromMinute)
  const to = Number(toHour) * 60 + Number(toMinute)
  return from === to ? undefined : { from, to }
}

/** @param minute of the day */
export function isQuiet({ from, to }: QuietHours, minute: number): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}

/** By the clock on the wall of this machine. */
export function minuteOfDay(now: number): number {
  const date = new Date(now)
  return date.getHours() * 60 + date.getMinutes()
}

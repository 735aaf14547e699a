// Times of the chart, in the zone that Settings name.
import type { Time } from 'lightweight-charts'
import type { Preferences } from '../../../shell/preferences.ts'

export type TimeZone = Preferences['timeZone']

export function zoneOptions(zone: TimeZone) {
  return {
    timeScale: { tickMarkFormatter: (time: Time) => tickText(Number(time), zone) },
    localization: { timeFormatter: (time: Time) => momentText(Number(time), zone) },
  }
}

/** Below the candles: the time of day, and the day where one begins. @param seconds since the epoch */
export function tickText(seconds: number, zone: TimeZone): string {
  const date = new Date(seconds * 1000)
  const time = date.toLocaleTimeString('en-GB', { ...inZone(zone), hour: '2-digit', minute: '2-digit' })
  return time === '00:00' ? date.toLocaleDateString('en-GB', { ...inZone(zone), day: 'numeric', month: 'short' }) : time
}

/** At the crosshair. */
export function momentText(seconds: number, zone: TimeZone): string {
  const moment = new Date(seconds * 1000).toLocaleString('en-GB', inZone(zone))
  return zone === 'utc' ? `${moment} UTC` : moment
}

function inZone(zone: TimeZone): { readonly timeZone?: 'UTC' } {
  return zone === 'utc' ? { timeZone: 'UTC' } : {}
}

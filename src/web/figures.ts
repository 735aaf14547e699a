// Figures as people read them. They arrive as decimal strings and are never computed with, only grouped and cut, digit by digit.
import { type Preferences, usePreferences } from './shell/preferences.ts'

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/

/** U+2212: as wide as `+`, and screen readers call it minus. */
const MINUS = '−'

export type Tone = 'gain' | 'loss' | 'flat'

/** `65012.50` → `65,012.5`. Text that is not a decimal stays as it is. */
export function showFigure(text: string): string {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? []
  if (sign === undefined) return text
  const significant = fraction.replace(/0+$/, '')
  const isZero = /^0+$/.test(whole) && significant === ''
  return `${sign && !isZero ? MINUS : ''}${groupThousands(whole)}${significant && `.${significant}`}`
}

/** An average of prices, with one digit more than a price of the same market: `55759.78333333`, `65012.5` → `55,759.78`. */
export function showAverage(text: string, price: string): string {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? []
  const [, , , digits = ''] = DECIMAL.exec(price) ?? []
  const kept = digits.replace(/0+$/, '').length + 1
  if (sign === undefined || fraction.length <= kept) return showFigure(text)
  const scaled = BigInt(whole + fraction.slice(0, kept)) + (Number(fraction[kept] ?? 0) >= 5 ? 1n : 0n)
  const rounded = String(scaled).padStart(kept + 1, '0')
  return showFigure(`${sign}${rounded.slice(0, -kept)}.${rounded.slice(-kept)}`)
}

/** With as many digits as the market's prices have: `55784.7`, `0.01` → `55,784.70`. @param like prices of the same market; the longest counts */
export function showPrice(text: string, ...like: readonly string[]): string {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? []
  if (sign === undefined) return text
  const digits = Math.max(...[text, ...like].map(digitsOf))
  const isZero = /^0+$/.test(whole + fraction)
  const padded = fraction.slice(0, digits).padEnd(digits, '0')
  return `${sign && !isZero ? MINUS : ''}${groupThousands(whole)}${padded && `.${padded}`}`
}

/** After the point, without zeros at the end. */
function digitsOf(text: string): number {
  return (DECIMAL.exec(text)?.[3] ?? '').replace(/0+$/, '').length
}

/** Which of two decimals is greater, as sorting wants it. Text that is none comes first. */
export function compareFigures(a: string | undefined, b: string | undefined): number {
  const [x, y] = [scaled(a), scaled(b)]
  if (x === undefined || y === undefined) return Number(x !== undefined) - Number(y !== undefined)
  const digits = Math.max(x.digits, y.digits)
  const difference = x.value * 10n ** BigInt(digits - x.digits) - y.value * 10n ** BigInt(digits - y.digits)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

function scaled(text: string | undefined): { readonly value: bigint; readonly digits: number } | undefined {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text ?? '') ?? []
  if (sign === undefined) return undefined
  const value = BigInt(whole + fraction)
  return { value: sign ? -value : value, digits: fraction.length }
}

/** To the cent, half away from zero: `-1234.565` → `−1,234.57`. */
export function showMoney(text: string): string {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? []
  if (sign === undefined) return text
  const cents = BigInt(whole + fraction.slice(0, 2).padEnd(2, '0')) + (Number(fraction[2] ?? 0) >= 5 ? 1n : 0n)
  const digits = String(cents).padStart(3, '0')
  return `${sign && cents > 0n ? MINUS : ''}${groupThousands(digits.slice(0, -2))}.${digits.slice(-2)}`
}

/** As {@link showMoney}, with a sign before gains too: colour never says it alone. */
export function showSignedMoney(text: string): string {
  return `${toneOf(text) === 'gain' ? '+' : ''}${showMoney(text)}`
}

/** Of the money shown: what rounds to nothing is flat, so that nothing is coloured and not signed. */
export function toneOf(text: string): Tone {
  if (!/[1-9]/.test(showMoney(text))) return 'flat'
  return text.startsWith('-') ? 'loss' : 'gain'
}

function groupThousands(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',')
}

/** In the chosen zone, to the second, with the day unless it is today's: `14:03:09`, `21 Nov 14:03:09`. */
export function showTime(ms: number, now: number, zone: Preferences['timeZone'] = chosenZone()): string {
  const time = showClock(ms, zone)
  const day = formatOf('date', zone)
  if (day.format(ms) === day.format(now)) return time
  return `${formatOf('day', zone).format(ms)} ${time}`
}

/** The time of day in the chosen zone. */
export function showClock(ms: number, zone: Preferences['timeZone'] = chosenZone()): string {
  return formatOf('time', zone).format(ms)
}

const FORMATS = {
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  date: { year: 'numeric', month: '2-digit', day: '2-digit' },
  day: { day: 'numeric', month: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>
const formats = new Map<string, Intl.DateTimeFormat>()

/** Each is made once: to make one takes longer than to draw the row that shows it. */
function formatOf(kind: keyof typeof FORMATS, zone: Preferences['timeZone']): Intl.DateTimeFormat {
  const key = `${kind} ${zone}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-GB', { ...FORMATS[kind], ...(zone === 'utc' && { timeZone: 'UTC' }) })
  formats.set(key, format)
  return format
}

function chosenZone(): Preferences['timeZone'] {
  return usePreferences.getState().timeZone
}

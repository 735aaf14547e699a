// Figures and times as people read them, and exact arithmetic on decimal strings: every figure arrives as one.
import { type Preferences, usePreferences } from './state/preferences.ts'

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/

/** U+2212: as wide as `+`, and screen readers call it minus. */
const MINUS = '−'

type Tone = 'gain' | 'loss' | 'flat'

/** `65012.50` → `65,012.5`. Text that is not a decimal stays as it is. */
export function showFigure(text: string): string {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? []
  if (sign === undefined) return text
  const significant = fraction.replace(/0+$/, '')
  const isZero = /^0+$/.test(whole) && significant === ''
  return `${sign && !isZero ? MINUS : ''}${groupThousands(whole)}${significant && `.${significant}`}`
}

/**
 * An average of prices, with one digit more than a price of the same market: `55759.78333333`, `65012.5` → `55,759.78`.
 * @param price undefined: no price says the digits, and it has seven that count, two of them behind the point at least
 */
export function showAverage(text: string, price: string | undefined): string {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? []
  const leading = /^0+$/.test(whole) ? -(/^0*/.exec(fraction)?.[0].length ?? 0) : whole.length
  const kept = price === undefined ? Math.max(2, 7 - leading) : digitsOf(price) + 1
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

/** Digits after the point, without zeros at the end: `0.1` → 1, `0.50` → 1, `5` → 0. */
export function digitsOf(text: string): number {
  return (DECIMAL.exec(text)?.[3] ?? '').replace(/0+$/, '').length
}

/** Which of two decimals is greater, as sorting wants it. Text that is none comes first. */
export function compareFigures(a: string | undefined, b: string | undefined): number {
  const [x, y] = [scaled(a), scaled(b)]
  if (x === undefined || y === undefined) return Number(x !== undefined) - Number(y !== undefined)
  const digits = Math.max(x.digits, y.digits)
  const difference = stretched(x, digits) - stretched(y, digits)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
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

// --- sums, differences and shares, exactly

interface Scaled {
  readonly value: bigint
  readonly digits: number
}

/** @returns undefined where it is not there, or cannot be read */
function scaled(figure: string | undefined): Scaled | undefined {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(figure ?? '') ?? []
  if (sign === undefined) return undefined
  const value = BigInt(whole + fraction)
  return { value: sign === '-' ? -value : value, digits: fraction.length }
}

/** In units of the last of `digits` after the point: `1.5`, 2 → 150n. @param figure a decimal; finer digits are cut off */
export function unitsOf(figure: string, digits: number): bigint {
  const [whole = '0', fraction = ''] = figure.split('.')
  return BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'))
}

/** `1.50` → `1.5`, `20.0` → `20`. */
export function withoutZeros(figure: string): string {
  return figure.includes('.') ? figure.replace(/\.?0+$/, '') : figure
}

/** As written, zeros at the end counted: `0.50` → 2. */
export function scaleOf(figure: string): number {
  return figure.split('.')[1]?.length ?? 0
}

/** The other way round of {@link unitsOf}. */
export function unscaled(value: bigint, digits: number): string {
  const text = String(value < 0n ? -value : value).padStart(digits + 1, '0')
  const sign = value < 0n ? '-' : ''
  return digits === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

const stretched = ({ value, digits }: Scaled, to: number) => value * 10n ** BigInt(to - digits)

/** @returns undefined where one of them is not there, or cannot be read */
export function sumOf(figures: readonly (string | undefined)[]): string | undefined {
  const parts = figures.map(scaled)
  const digits = Math.max(0, ...parts.map((part) => part?.digits ?? 0))
  let sum = 0n
  for (const part of parts) {
    if (part === undefined) return undefined
    sum += stretched(part, digits)
  }
  return unscaled(sum, digits)
}

/** What the equity has of open positions. @returns undefined where one cannot be read */
export function openOf({ total, wallet }: { readonly total: string; readonly wallet: string }): string | undefined {
  return sumOf([total, negated(wallet)])
}

/** `whole` minus `taken`, at least 0. @returns undefined where one of them cannot be read */
export function restOf(whole: string, taken: string | undefined): string | undefined {
  const [from, off] = [scaled(whole), scaled(taken)]
  if (from === undefined || off === undefined) return undefined
  const digits = Math.max(from.digits, off.digits)
  const rest = stretched(from, digits) - stretched(off, digits)
  return rest <= 0n ? '0' : unscaled(rest, digits)
}

/** How far `to` is from `from`, in percent of `from`, half away from zero. @returns undefined where one cannot be read, or `from` is nothing */
export function changeOf(from: string | undefined, to: string | undefined, digits = 2): string | undefined {
  const [start, end] = [scaled(from), scaled(to)]
  if (start === undefined || end === undefined || start.value === 0n) return undefined
  const common = Math.max(start.digits, end.digits)
  const base = stretched(start, common)
  const part = (stretched(end, common) - base) * 10n ** BigInt(digits + 2)
  return unscaled(divided(part, base < 0n ? -base : base), digits)
}

/** What a target makes for each unit that its stop loses: `1.5 R`. @returns undefined where one is not known, or the stop loses nothing */
export function rewardOf(stopPnl: string | undefined, targetPnl: string | undefined): string | undefined {
  const [risk, reward] = [scaled(stopPnl), scaled(targetPnl)]
  if (risk === undefined || reward === undefined || risk.value >= 0n) return undefined
  const common = Math.max(risk.digits, reward.digits)
  const value = divided(stretched(reward, common) * 10n ** BigInt(R_DIGITS), -stretched(risk, common))
  return `${showFigure(unscaled(value, R_DIGITS))} R`
}

const R_DIGITS = 2

/** @param by above zero */
function divided(value: bigint, by: bigint): bigint {
  const half = by / 2n
  return value < 0n ? -((-value + half) / by) : (value + half) / by
}

/** Where `at` is between the two, from 0 to 1: for drawing only. */
export function placeBetween(low: string, high: string, at: string): number {
  const [from, to, now] = [Number(low), Number(high), Number(at)]
  return to > from ? Math.min(1, Math.max(0, (now - from) / (to - from))) : 0.5
}

/** The other way round. */
export function negated(figure: string): string {
  const value = scaled(figure)
  return value === undefined ? figure : unscaled(-value.value, value.digits)
}

/** Rounded half away from zero to `digits` after the point, trailing zeros included. */
export function roundedTo(figure: string, digits: number): string {
  const value = scaled(figure)
  if (value === undefined) return figure
  if (value.digits <= digits) return unscaled(stretched(value, digits), digits)
  return unscaled(divided(value.value, 10n ** BigInt(value.digits - digits)), digits)
}

/** A share as percent: `0.0001` → `0.01`. */
export function percentOf(share: string): string {
  return showFigure(roundedTo(String(Number(share) * 100), 4))
}

// How numbers and times are shown to people: no figure is ever parsed back.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Decimal } from 'decimal.js'
import { type Market, unitOf } from '../exchange/market.ts'
import { groupThousands, stepAt } from '../exchange/price-grid.ts'

/** With the digits of the market's step: `65000` → `65,000.0`. Of a market that is not known, with its own. */
export function showPrice(price: Decimal.Value, market: Pick<Market, 'priceGrid'> | undefined): string {
  return showWithDigits(price, market === undefined ? 0 : stepAt(price, market.priceGrid).decimalPlaces())
}

/** An average of prices, with one digit more than prices of this step have: `55759.78333333` → `55,759.78` for a step of 0.1. */
export function showAverage(average: Decimal.Value, step: Decimal.Value): string {
  return showAmount(new Decimal(average).toDecimalPlaces(new Decimal(step).decimalPlaces() + 1))
}

function showWithDigits(price: Decimal.Value, digits: number): string {
  const value = new Decimal(price)
  return groupThousands(value.toFixed(Math.max(digits, value.decimalPlaces())))
}

/** As `showAverage`, with at least the digits of a price; of a market that is no longer listed, as `showAverageAlone`. */
export function showAverageOf(average: Decimal.Value, market: Pick<Market, 'priceGrid'> | undefined): string {
  if (market === undefined) return showAverageAlone(average)
  const digits = stepAt(average, market.priceGrid).decimalPlaces()
  return showWithDigits(new Decimal(average).toDecimalPlaces(digits + 1), digits)
}

/** An average of prices whose step is not known, to seven digits: `139.831666667` → `139.8317`. */
export function showAverageAlone(average: Decimal.Value): string {
  return showAmount(new Decimal(average).toSignificantDigits(7))
}

/** The step that these prices seem to have, from the digits behind their points: `0.01` for 65,012.5 and 65,012.25. */
export function stepOf(prices: readonly Decimal.Value[]): Decimal {
  const digits = prices.map((price) => new Decimal(price).decimalPlaces())
  return new Decimal(10).pow(-Math.max(0, ...digits))
}

/** In the base currency: `0.00300` → `0.003`, `12000` → `12,000`. */
export function showAmount(amount: Decimal.Value): string {
  return groupThousands(new Decimal(amount).toFixed())
}

/** `0.003 BTC`. */
export function showUnits(amount: Decimal.Value, market: Parameters<typeof unitOf>[0]): string {
  return `${showAmount(amount)} ${unitOf(market)}`
}

/** In dollars, to the cent: `-195.037` → `-$195.04`. What is less than a cent keeps two digits: `$0.0042`. */
export function showMoney(money: Decimal.Value): string {
  const value = new Decimal(money)
  const size = value.abs()
  const isTiny = size.greaterThan(0) && size.lessThan('0.01')
  const figure = isTiny ? size.toSignificantDigits(2).toFixed() : groupThousands(size.toFixed(2))
  return `${value.lessThan(0) ? '-' : ''}$${figure}`
}

/** A sum shown beside its currency: dollars to the cent, coins whole. */
export function showSum(sum: Decimal.Value, currency: string): string {
  return isDollars(currency) ? showMoney(sum) : showAmount(sum)
}

/** A profit has its sign as a loss has: `+$12.00`. @param figure as a decimal */
export function showGain(figure: string, show: (figure: string) => string): string {
  return `${new Decimal(figure).gt(0) ? '+' : ''}${show(figure)}`
}

/** Coins that stand for dollars: shown as such, converted one for one, and counted as such by limits. */
const DOLLARS = /^(?:USD|USDT|USDC|USD1|USDE|USDS|BUSD|FDUSD|TUSD|PYUSD|DAI)$/

export function isDollars(currency: string): boolean {
  return DOLLARS.test(currency)
}

/** UTC, to the second: `2026-11-21 10:10:05`; `unknown` for anything but a time, as people may have written it into a file. */
export function showTime(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? 'unknown' : date.toISOString().slice(0, 19).replace('T', ' ')
}

// The zone of a terminal (`times local`). It holds for what a line typed there prints, and for nothing else: hooks, pages and files have UTC.

/** `local`: the zone of the machine; else `utc`, or a name as `Europe/Berlin`. */
export type TimeZone = string

const zone = new AsyncLocalStorage<TimeZone>()

/** `act`, and all that it begins, prints times in the zone. */
export function inTimeZone<Result>(shown: TimeZone, act: () => Result): Result {
  return shown === zone.getStore() ? act() : zone.run(shown, act)
}

/** For work that others will call later, outside of the line that began it. */
export function keepTimeZone<Args extends readonly unknown[], Result>(
  act: (...args: Args) => Result,
): (...args: Args) => Result {
  const shown = zone.getStore() ?? 'utc'
  return (...args) => inTimeZone(shown, () => act(...args))
}

/** For a heading: `UTC`, `Europe/Berlin`. */
export function shownZone(): string {
  const shown = zone.getStore() ?? 'utc'
  if (shown === 'utc') return 'UTC'
  return shown === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : shown
}

/** In the zone of the terminal, below a heading with its name: `2026-11-21 11:10:05`. */
export function showZonedTime(ms: number): string {
  if (isUtc() || Number.isNaN(new Date(ms).getTime())) return showTime(ms)
  return showTime(ms + offsetOf(ms) * MINUTE_MS)
}

/** With its zone: `2026-11-21 10:10:05 UTC`, `2026-11-21 11:10:05 +01:00`. */
export function showMoment(ms: number): string {
  const time = showZonedTime(ms)
  if (isUtc() || time === 'unknown') return `${time} UTC`
  const minutes = offsetOf(ms)
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${time} ${minutes < 0 ? '-' : '+'}${pair(hours)}:${pair(rest)}`
}

const MINUTE_MS = 60_000

function isUtc(): boolean {
  return (zone.getStore() ?? 'utc') === 'utc'
}

/** How far the clocks of the zone are ahead of UTC at that time, in minutes. */
function offsetOf(ms: number): number {
  const shown = zone.getStore()
  if (shown === undefined || shown === 'local') return -new Date(ms).getTimezoneOffset()
  const parts = clockOf(shown).formatToParts(ms)
  const figure = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  const [year, month, day] = [figure('year'), figure('month'), figure('day')]
  const ahead = Date.UTC(year, month - 1, day, figure('hour'), figure('minute'), figure('second'))
  return Math.round((ahead - ms) / MINUTE_MS)
}

const clocks = new Map<TimeZone, Intl.DateTimeFormat>()

function clockOf(timeZone: TimeZone): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known !== undefined) return known
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
  const clock = new Intl.DateTimeFormat('en', { timeZone, ...date, ...time })
  clocks.set(timeZone, clock)
  return clock
}

function pair(figure: number): string {
  return String(figure).padStart(2, '0')
}

/** `250ms`, `4.2s`, `3m 20s`, `2h 5m`. */
export function showDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${Number(seconds.toFixed(1))}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return joinUnits(minutes, 'm', Math.floor(seconds % 60), 's')
  return joinUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'm')
}

function joinUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit} ${small}${smallUnit}`
}

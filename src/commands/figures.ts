// How numbers and times are shown to people. Thousands separators exist only here: no figure is ever parsed back.
import { Decimal } from 'decimal.js'

/** `65012.50` → `65,012.5`. */
export function showPrice(price: Decimal.Value): string {
  const [whole = '0', fraction] = new Decimal(price).toFixed().split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  const tail = fraction?.replace(/0+$/, '')
  return tail ? `${grouped}.${tail}` : grouped
}

/** In the base currency, as it could be typed: `0.00300` → `0.003`. */
export function showAmount(amount: Decimal.Value): string {
  return new Decimal(amount).toFixed()
}

/** In dollars, to the cent: `-195.037` → `-$195.04`. What rounds to nothing but is not shows as `<$0.01`. */
export function showMoney(money: Decimal.Value): string {
  const value = new Decimal(money)
  const cents = value.abs().toFixed(2)
  if (!value.isZero() && Number(cents) === 0) return value.isNegative() ? '>-$0.01' : '<$0.01'
  const [whole = '0', fraction = '00'] = cents.split('.')
  return `${value.isNegative() && !value.isZero() ? '-' : ''}$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`
}

/** UTC, to the second: `2026-11-21 10:10:05`. */
export function showTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
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

// Sums, differences and shares of decimal texts, exactly.

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/

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

function unscaled(value: bigint, digits: number): string {
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

/** What is left of `whole`; never below nothing. @returns undefined where one of them cannot be read */
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

/** To so many digits after the point, half away from zero, with all of them written. */
export function roundedTo(figure: string, digits: number): string {
  const value = scaled(figure)
  if (value === undefined) return figure
  if (value.digits <= digits) return unscaled(stretched(value, digits), digits)
  return unscaled(divided(value.value, 10n ** BigInt(value.digits - digits)), digits)
}

// Prices on the tick, as texts.

/** After the point: `0.1` → 1, `0.50` → 1, `5` → 0. */
export function decimalsOf(step: string): number {
  return (step.split('.')[1] ?? '').replace(/0+$/, '').length
}

/** The multiple of `tick` that is nearest to where a pointer is. @param price of a drawing, never of an order */
export function onTick(price: number, tick: string): string {
  const digits = decimalsOf(tick)
  const [whole = '', fraction = ''] = tick.split('.')
  const step = BigInt(whole + fraction.slice(0, digits))
  const scaled = BigInt(Math.round(price * 10 ** digits))
  if (step === 0n) return price.toFixed(digits)
  const rounded = ((scaled + step / 2n) / step) * step
  const text = String(rounded).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

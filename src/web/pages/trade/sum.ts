// Sums of decimal texts, exactly.

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/

/** @returns undefined where one of them is not there, or cannot be read */
export function sumOf(figures: readonly (string | undefined)[]): string | undefined {
  const parts = figures.map((figure) => DECIMAL.exec(figure ?? ''))
  const digits = Math.max(0, ...parts.map((part) => part?.[3]?.length ?? 0))
  let sum = 0n
  for (const part of parts) {
    if (part === null) return undefined
    const value = BigInt((part[2] ?? '') + (part[3] ?? '').padEnd(digits, '0'))
    sum += part[1] === '-' ? -value : value
  }
  const text = String(sum < 0n ? -sum : sum).padStart(digits + 1, '0')
  const sign = sum < 0n ? '-' : ''
  return digits === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

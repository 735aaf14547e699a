// A time as the language writes it.
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const

/** In the largest unit that it is whole in: `90000` → `90s`. */
export function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms % each === 0) ?? (['s', 1000] as const)
  return `${ms / size}${unit}`
}

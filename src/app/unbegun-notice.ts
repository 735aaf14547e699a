import { printable } from '../language/printable.ts'
import type { UnbegunFires } from '../runtime/unbegun-fires.ts'

const SHOWN_HOOKS = 5

/** `412 fires did not run: 400 of hook dip, 12 of hook flat; expired: they waited longer than 30s`. */
export function describeUnbegun({ error, counts }: UnbegunFires): string {
  const byCount = [...counts].sort(([, a], [, b]) => b - a)
  const total = byCount.reduce((sum, [, count]) => sum + count, 0)
  const shown = byCount.slice(0, SHOWN_HOOKS).map(([name, count]) => `${count} of hook ${printable(name, 40)}`)
  const others = byCount.length - shown.length
  const hooks = [...shown, ...(others > 0 ? [`the rest of ${others} more`] : [])].join(', ')
  return `${total === 1 ? '1 fire' : `${total} fires`} did not run: ${hooks}; ${error}`
}

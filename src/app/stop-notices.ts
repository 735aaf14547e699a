// What the operator is told of runs that were stopped, or never began (behaviour 30).
import { describePanic } from '../commands/session/panic.ts'
import { printable } from '../language/printable.ts'
import type { UnbegunFires } from '../runtime/unbegun-fires.ts'
import type { Panic, PanicStore } from '../stores/panic.ts'

/** Panic that another process begins or ends is told here too; who types it reads it anyway. @returns stops telling */
export function reportPanic(
  panic: Pick<PanicStore, 'read' | 'changedBy' | 'watch'>,
  tell: (text: string) => void,
): () => void {
  let since = panic.read()?.since
  return panic.watch(() => {
    const now = panic.read()
    if (now?.since === since) return
    since = now?.since
    if (panic.changedBy() === process.pid) return
    tell(now === undefined ? 'panic is off: what asks to run is run again' : panicNotice(now))
  })
}

/** What a start says as well. */
export function panicNotice(panic: Panic): string {
  return `${describePanic(panic)}: hooks and pages run nothing; type \`resume\` to end it`
}

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

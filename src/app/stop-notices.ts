// What the operator is told of runs that were stopped, or never began (behaviour 30).
import { resumeLine } from '../commands/hooks/hook-fire.ts'
import { describePanic } from '../commands/session/panic.ts'
import { printable } from '../language/printable.ts'
import type { PausedHook } from '../runtime/hook-circuit-breaker.ts'
import type { UnbegunFires } from '../runtime/runner.ts'
import type { Panic, PanicStore } from '../stores/panic.ts'

/** Panic that another process begins or ends is told here too; who types it reads it anyway. @returns stops telling */
export function reportPanic(
  panic: Pick<PanicStore, 'read' | 'changedBy' | 'watch'>,
  notify: (text: string) => void,
): () => void {
  let since = panic.read()?.since
  return panic.watch(() => {
    const now = panic.read()
    if (now?.since === since) return
    since = now?.since
    if (panic.changedBy() === process.pid) return
    notify(now === undefined ? 'panic is off: hooks and pages can run commands again' : panicNotice(now))
  })
}

/** What a start says as well. */
export function panicNotice(panic: Panic): string {
  return `${describePanic(panic)}: hooks and pages run nothing; type \`resume\` to end it`
}

/** `hook dip is paused: its last 5 runs failed; …` */
export function describePaused({ hook, pause, unkept }: PausedHook): string {
  const name = printable(hook.name, 64)
  const what = `hook ${name} is paused: ${printable(pause.why ?? pause.by, 200)}`
  const kept = unkept === undefined ? '' : `, and hooks.json does not have it: ${describeUnkept(unkept)}`
  const next = pause.by === 'failures' ? 'see `runs --failed`, then ' : ''
  return `${what}${kept}; ${next}\`${resumeLine(hook)}\` lets it run again`
}

function describeUnkept(error: unknown): string {
  return error instanceof Error ? printable(error.message, 200) : 'it could not be written'
}

const SHOWN_HOOKS = 5

/** `hook dip skipped 1 fire: cooldown of 1m`, `412 fires were skipped: 400 of hook dip, 12 of hook flat; expired: they waited longer than 30s`. */
export function describeUnbegun({ error, counts }: UnbegunFires): string {
  const byCount = [...counts].sort(([, a], [, b]) => b - a)
  const total = byCount.reduce((sum, [, count]) => sum + count, 0)
  const shown = byCount.slice(0, SHOWN_HOOKS).map(([name, count]) => `${count} of hook ${printable(name, 40)}`)
  const others = byCount.length - shown.length
  const hooks = [...shown, ...(others > 0 ? [`the rest of ${others} more`] : [])].join(', ')
  const [only] = byCount
  if (only !== undefined && byCount.length === 1) {
    return `hook ${printable(only[0], 40)} skipped ${total === 1 ? '1 fire' : `${total} fires`}: ${error.replace(/^skipped: /, '')}`
  }
  return `${total} fires were skipped: ${hooks}; ${error}`
}

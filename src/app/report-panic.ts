// Panic that another process begins or ends is told here too (behaviour 30); who types it reads it anyway.
import { describePanic } from '../commands/session/panic.ts'
import type { PanicStore } from '../stores/panic.ts'

/** @returns stops telling */
export function reportPanic(panic: PanicStore, tell: (text: string) => void): () => void {
  let since = panic.read()?.since
  return panic.watch(() => {
    const now = panic.read()
    if (now?.since === since) return
    since = now?.since
    if (now === undefined) tell('panic is off: hooks and pages run commands again, as far as config.json lets them')
    else if (now.pid !== process.pid) tell(panicNotice(now))
  })
}

/** What a start says as well. */
export function panicNotice(panic: NonNullable<ReturnType<PanicStore['read']>>): string {
  return `${describePanic(panic)}: hooks and pages run nothing; type \`resume\` to end it`
}

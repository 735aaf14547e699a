// `hookline cross-trade run` is two processes: this one keeps no keys, opens no account and trades nothing; it starts the engine as a child, and
// again when that dies. Orders whose fate was open then are settled by the next start before it copies.
import type { ChildProcess } from 'node:child_process'
import type { Notice } from './app-events.ts'

/** Pauses before it is started again, in ms; the last one serves from then on. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const
/** More crashes than this within the window, and it is not started again. */
export const MAX_CRASHES = 5
export const CRASH_WINDOW_MS = 10 * 60_000

/** What the engine tells its parent: it ends as it should, and another start would change nothing. */
export interface FromEngine {
  readonly t: 'ending'
  readonly code: number
}

/** What it is told: end, as by SIGTERM. A signal would end it at once if it had come to it already. */
export const STOP = { t: 'stop' } as const

export function isStop(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 't' in message && message.t === STOP.t
}

interface SupervisorPorts {
  /** Starts the engine, with a channel. */
  readonly spawn: () => Pick<ChildProcess, 'on' | 'once' | 'send' | 'kill' | 'connected'>
  /** ms of a monotonic clock. */
  readonly now: () => number
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>
  readonly notify: (notice: Notice) => void
  /** Calls `handler` at every signal that asks to end. */
  readonly onSignal: (handler: () => void) => void
}

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** It said so before; its exit code. */
  readonly wanted: number | undefined
}

/** @returns the exit code */
export async function superviseEngine(ports: SupervisorPorts): Promise<number> {
  const { spawn, now, delay, notify, onSignal } = ports
  const stop = new AbortController()
  let child: ReturnType<SupervisorPorts['spawn']> | undefined
  onSignal(() => {
    if (stop.signal.aborted) return void child?.kill('SIGKILL')
    stop.abort()
    if (child?.connected) child.send(STOP, () => {})
  })
  const crashes: number[] = []
  for (;;) {
    child = spawn()
    const { code, signal, wanted } = await ended(child)
    child = undefined
    if (wanted !== undefined) return wanted
    // One that a signal ended as it began had nothing under way.
    if (stop.signal.aborted) return code ?? (signal === 'SIGKILL' ? 1 : 0)
    crashes.push(now())
    const recent = crashes.filter((at) => now() - at <= CRASH_WINDOW_MS).length
    const how = signal === null ? `with exit code ${code}` : `by ${signal}`
    if (recent > MAX_CRASHES) {
      notify({
        kind: 'error',
        text: `the engine died ${how}, ${recent} times within 10 minutes, and is not started again: nothing is copied; see hookline.log`,
      })
      return 1
    }
    const ms = PAUSES_MS[Math.min(recent, PAUSES_MS.length) - 1] ?? PAUSES_MS[0]
    notify({
      kind: 'error',
      text: `the engine died ${how}; it is started again in ${ms / 1_000} s, and first settles what it had ordered`,
    })
    await delay(ms, stop.signal)
    if (stop.signal.aborted) return 0
  }
}

function ended(child: ReturnType<SupervisorPorts['spawn']>): Promise<Ended> {
  return new Promise((resolve) => {
    let wanted: number | undefined
    child.on('message', (message: FromEngine) => {
      if (message.t === 'ending') wanted = message.code
    })
    child.once('error', () => resolve({ code: null, signal: null, wanted: 1 }))
    child.once('close', (code, signal) => resolve({ code, signal, wanted }))
  })
}

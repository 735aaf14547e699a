// The built binary under a long load, in a process whose memory, descriptors and event loop can be asked for at any moment.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { BINARY, environmentOf } from '../../harness/process/built-hookline.mjs'
import { rawRequest } from '../../harness/wire/raw-http.ts'

const PROBE = resolve(import.meta.dirname, 'soak-probe.cjs')
/** V8's young generation has its full size from the start: it would grow to it in steps of megabytes at moments of its own choosing. */
const NODE_OPTIONS = ['--min-semi-space-size=16', '--require', PROBE]
const PATIENCE_MS = 15_000

export interface Sample {
  /** Resident once all garbage is collected. */
  readonly rssBytes: number
  readonly heapBytes: number
  /** Of the event loop since the last sample. */
  readonly delayP99Ms: number
  readonly descriptors: number
}

export class SoakedHookline {
  readonly #child: ChildProcess

  private constructor(directory: string) {
    this.#child = spawn(process.execPath, [...NODE_OPTIONS, BINARY, 'listen'], {
      env: environmentOf(directory),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const gone = once(this.#child, 'exit')
    onTestFinished(async () => {
      this.#child.kill('SIGKILL')
      await gone
    })
  }

  /** `hookline listen`, its output thrown away, once it answers. */
  static async listening(directory: string): Promise<SoakedHookline> {
    const server = new SoakedHookline(directory)
    const deadline = performance.now() + PATIENCE_MS
    while ((await healthMs().catch(() => undefined)) === undefined) {
      if (performance.now() > deadline) throw new Error('hookline does not listen')
      await sleep(20)
    }
    return server
  }

  async sample(): Promise<Sample> {
    // Before the garbage goes, and with it perhaps what holds one open.
    const descriptors = readdirSync(`/proc/${this.#child.pid}/fd`).length
    const told = once(this.#child, 'message', { signal: AbortSignal.timeout(PATIENCE_MS) })
    this.#child.send('sample')
    const [figures] = (await told) as [Omit<Sample, 'descriptors'>]
    return { ...figures, descriptors }
  }
}

/** How long `/health` takes on a connection of its own. @throws when it is not answered 200 */
export async function healthMs(): Promise<number> {
  const askedAt = performance.now()
  const { status } = await rawRequest('GET /health HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nConnection: close\r\n\r\n')
  if (status !== 200) throw new Error(`/health was answered ${status}`)
  return performance.now() - askedAt
}

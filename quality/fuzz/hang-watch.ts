// Tells which input never ends: a thread of its own sees that the work stands still, prints the input and ends the process.
import { Worker } from 'node:worker_threads'

const PATIENCE_MS = 30_000
const MOST_UNITS = 100_000

const WATCH = `
const { workerData: { state, units, name, patienceMs } } = require('node:worker_threads')
const { writeSync } = require('node:fs')
let seen = -1
setInterval(() => {
  if (state[1] >= 0 && state[0] === seen) {
    const input = String.fromCharCode(...units.subarray(0, Math.min(state[1], 50_000)))
    writeSync(2, name + ': does not end within ' + patienceMs / 1000 + ' s: ' + JSON.stringify(input) + '\\n')
    process.kill(process.pid, 'SIGKILL')
  }
  seen = state[0]
}, patienceMs)
`

export interface HangWatch {
  begins(input: string): void
  /** Nothing runs. */
  rests(): void
  stop(): Promise<void>
}

export function startHangWatch(name: string, patienceMs = PATIENCE_MS): HangWatch {
  // [number of inputs begun, length of the latest or -1], then its units.
  const state = new Int32Array(new SharedArrayBuffer(8))
  const units = new Uint16Array(new SharedArrayBuffer(MOST_UNITS * 2))
  state[1] = -1
  const worker = new Worker(WATCH, { eval: true, workerData: { state, units, name, patienceMs } })
  worker.unref()
  return {
    begins(input) {
      const length = Math.min(input.length, MOST_UNITS)
      for (let at = 0; at < length; at += 1) units[at] = input.charCodeAt(at)
      state[0] = (state[0] ?? 0) + 1
      state[1] = length
    },
    rests() {
      state[1] = -1
    },
    async stop() {
      await worker.terminate()
    },
  }
}

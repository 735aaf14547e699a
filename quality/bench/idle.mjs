// What the kernel says of a server that has come to rest (Linux).
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Of its main thread, in µs; the ticks of 10 ms elsewhere in /proc are too coarse here. @param {number} pid */
function threadTimeUs(pid) {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1_000
}

/** Waits until the process has nothing more to do. @param {number} pid @returns {Promise<number>} its main thread's processor time so far, µs */
export async function whenIdle(pid) {
  let [before, now] = [Number.NEGATIVE_INFINITY, threadTimeUs(pid)]
  while (now - before > 500) {
    await sleep(30)
    before = now
    now = threadTimeUs(pid)
  }
  return now
}

/** Memory in use by the process, in KiB, as the kernel counts it. @param {number} pid */
export function residentKiB(pid) {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])
}

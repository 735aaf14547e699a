// Child processes on cores of their own: the load on the last core, servers on all the others, whoever they are. With one core, or
// without `taskset`, they share.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const cores = availableParallelism()
const canPin = cores >= 2 && spawnSync('taskset', ['--version']).status === 0

export const LOAD_CORE = String(cores - 1)
export const SERVER_CORES = cores === 2 ? '0' : `0-${cores - 2}`

export const PINNING = canPin
  ? `load on core ${LOAD_CORE}, servers on core ${SERVER_CORES}`
  : 'load and servers share the cores'

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
// A bench that fails leaves no server behind.
process.once('exit', () => {
  for (const child of running) child.kill()
})

/**
 * Its input and output are there where they were asked for.
 * @typedef {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null> & { pid: number }} Child
 *
 * @typedef {object} ProcessOptions
 * @property {string} [core] a list as `taskset -c` takes it; default: the servers' cores
 * @property {'pipe' | 'ignore'} [stdin] default 'ignore'
 * @property {'pipe' | 'ignore'} [stdout] default 'pipe'
 * @property {Record<string, string>} [env] added to ours
 */

/** @param {string[]} command @param {string} core */
export function pinned(command, core) {
  return canPin ? ['taskset', '-c', core, ...command] : command
}

/**
 * Without NODE_EXTRA_CA_CERTS, which adds 30 ms to every start of Node 20.
 * @param {string[]} command @param {ProcessOptions} [options] @returns {Child}
 */
export function startProcess(command, { core = SERVER_CORES, stdin = 'ignore', stdout = 'pipe', env = {} } = {}) {
  const { NODE_EXTRA_CA_CERTS: _, ...ours } = process.env
  const [file, ...args] = pinned(command, core)
  const child = /** @type {Child} */ (
    /** @type {unknown} */ (spawn(file, args, { stdio: [stdin, stdout, 'inherit'], env: { ...ours, ...env } }))
  )
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** @param {Child} child @returns {Promise<string>} */
export async function lastLineOf(child) {
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const [code, signal] = await once(child, 'close')
  if (code !== 0) throw new Error(`${child.spawnargs.join(' ')} ended with ${code ?? signal}`)
  return text.trim().split('\n').at(-1) ?? ''
}

const END_MS = 10_000

/** Asks it to end, waits, and ends it where it does not. @param {import('node:child_process').ChildProcess} child */
export async function stopProcess(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), END_MS)
  await ended
  clearTimeout(late)
}

/** What a group that failed has left running would hold the ports of the next. */
export async function stopAll() {
  await Promise.all([...running].map(stopProcess))
}

/**
 * Processor time used so far, user and system, in µs; undefined where there is no /proc. On Linux a tick is 10 ms.
 * @param {import('node:child_process').ChildProcess} child
 */
export function processorTimeUs({ pid }) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return undefined
  }
}

/**
 * As `processorTimeUs`, of all threads that still are, and to the microsecond: for stretches of some ms. Undefined where the kernel does not tell.
 * @param {import('node:child_process').ChildProcess} child
 */
export function preciseTimeUs({ pid }) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const spent = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0])
    return spent.reduce((sum, ns) => sum + Number(ns) / 1_000, 0)
  } catch {
    return undefined
  }
}

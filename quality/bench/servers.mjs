// The servers that are measured, each a process of its own with its own directory: the built hookline, and programs of this folder.
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { BINARY } from '../../harness/process/built-hookline.mjs'
import { applyLoad, postRequest } from './load.mjs'
import { startProcess, stopProcess } from './processes.mjs'

export const HOOKLINE_PORT = 53219
const CONSOLE_PORT = 53220
const CONSOLE_END_MS = 10_000

export { BINARY as HOOKLINE }

/** @typedef {{ readonly id: string, readonly name: string, readonly secret: string, readonly command: string }} HookRow */

export function temporaryDirectory() {
  return mkdtempSync(join(tmpdir(), 'hookline-bench-'))
}

/** Replaces the registry as another hookline process would: whole, by a rename. @param {string} directory @param {number} count */
export function writeHooks(directory, count) {
  const hooks = Array.from({ length: count }, (_, index) => ({
    id: (index + 1).toString(16).padStart(32, '0'),
    name: `bench-${String(index + 1).padStart(6, '0')}`,
    secret: (index * 7_919 + 1).toString(16).padStart(32, 'a'),
    command: 'echo ok',
    // No row is about what one hook may hold of the places.
    parallel: 100,
    createdAt: 1_700_000_000_000 + index,
  }))
  writeFileSync(join(directory, 'hooks.json.new'), JSON.stringify({ hooks }, null, 2), { mode: 0o600 })
  renameSync(join(directory, 'hooks.json.new'), join(directory, 'hooks.json'))
  return hooks
}

/** @param {readonly HookRow[]} hooks */
export function fireRequests(hooks) {
  return hooks.map(({ id, secret }) => postRequest(`/hook/${id}`, secret))
}

/** `hookline listen` with its output thrown away, on a fresh directory with `hookCount` hooks. @param {number} hookCount */
export function startHookline(hookCount) {
  return startListener([process.execPath, BINARY, 'listen'], hookCount)
}

/**
 * @param {string[]} command of a program that listens on hookline's port and keeps its files in HOOKLINE_CONFIG_DIR
 * @param {number} hookCount
 */
export async function startListener(command, hookCount) {
  const directory = temporaryDirectory()
  const hooks = writeHooks(directory, hookCount)
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ listener: { enabled: true, remoteExec: true } }))
  await requireFreePort([HOOKLINE_PORT])
  const child = startProcess(command, { stdout: 'ignore', env: { HOOKLINE_CONFIG_DIR: directory } })
  await answersHealth(child)
  return {
    child,
    directory,
    hooks,
    port: HOOKLINE_PORT,
    async stop() {
      await stopProcess(child)
      await untilConsoleEnded()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** It ends a moment after its hookline, and to the next one it is the server of another. */
async function untilConsoleEnded() {
  const giveUpAt = performance.now() + CONSOLE_END_MS
  while ((await ask('/health', CONSOLE_PORT)) !== undefined && performance.now() < giveUpAt) await sleep(20)
}

/** A program of this folder that prints its port. @param {string} file */
export async function startOwnServer(file) {
  const child = startProcess([process.execPath, fileURLToPath(new URL(file, import.meta.url))])
  const [port] = await once(child.stdout.setEncoding('utf8'), 'data')
  return { child, port: Number(port), stop: () => stopProcess(child) }
}

/** Fixed: a hookline at work on this machine would be measured instead, and no page is let in beside the console of another. */
export async function requireFreePort(ports = [HOOKLINE_PORT, CONSOLE_PORT]) {
  for (const port of ports) {
    if ((await ask('/health', port)) === undefined) continue
    throw new Error(
      `127.0.0.1:${port} is taken: stop the hookline (or whatever holds it) that is running, then try again`,
    )
  }
}

/** Asks until there is an answer. @param {import('node:child_process').ChildProcess} child @returns {Promise<void>} */
export async function answersHealth(child) {
  while (!(await ask('/health'))?.startsWith('HTTP/1.1 200')) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`)
    await sleep(1)
  }
}

/**
 * @param {string} path @param {number} [port]
 * @returns {Promise<string | undefined>} the answer's first bytes; undefined when nobody listens
 */
function ask(path, port = HOOKLINE_PORT) {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('connect', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`))
    socket.on('data', (bytes) => {
      resolve(bytes.toString('latin1'))
      socket.destroy()
    })
    socket.on('error', () => resolve(undefined))
    socket.on('close', () => resolve(undefined))
  })
}

/**
 * Fires and looks into the journal: as many runs started and ended well as were accepted, none twice. It is the server's warm-up as
 * well.
 * @param {Awaited<ReturnType<typeof startListener>>} server
 * @param {number} count at most 10 000: as many as surely fit into the journal (5 MB and a backup)
 */
export async function verifyFires({ directory, hooks, port }, count) {
  const { accepted, others } = await applyLoad({ port, requests: fireRequests(hooks), connections: 100, count })
  requireEqual('accepted fires', accepted, count)
  requireEqual('answers other than 200', Object.keys(others).length, 0)
  let runs = readJournal(directory)
  for (let tries = 0; runs.done.size < count && tries < 100; tries++) {
    await sleep(50)
    runs = readJournal(directory)
  }
  requireEqual('runs started', runs.started.size, count)
  requireEqual('runs done', [...runs.done].filter((runId) => runs.started.has(runId)).length, count)
}

/** @param {string} directory @returns {{ started: Set<string>, done: Set<string> }} ids of runs; done: those that succeeded */
function readJournal(directory) {
  const started = new Set()
  const done = new Set()
  const files = [join(directory, 'runs.jsonl.1'), join(directory, 'runs.jsonl')].filter((path) => existsSync(path))
  for (const text of files.flatMap((path) => readFileSync(path, 'utf8').split('\n'))) {
    if (!text.endsWith('}')) continue
    const line = JSON.parse(text)
    if (line.t === 'start') started.add(line.runId)
    else if (line.t === 'done' && line.ok) done.add(line.runId)
  }
  return { started, done }
}

/** @param {string} what @param {number} got @param {number} wanted */
function requireEqual(what, got, wanted) {
  if (got !== wanted) throw new Error(`${what}: ${got} instead of ${wanted}; the figures would mean nothing`)
}

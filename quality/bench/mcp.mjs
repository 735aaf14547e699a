// `hookline mcp` as the program of a model starts and asks it: from its start to the answer of `initialize`, and a `check` on paper, round trip.
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startProcess, stopProcess } from './processes.mjs'
import { judge, median, spreadOf } from './rounds.mjs'
import { answersHealth, HOOKLINE, temporaryDirectory } from './servers.mjs'
import { ORIGIN } from './web-socket.mjs'

/** @typedef {{ starts: number, rounds: number, checks: number }} Scale `checks`: of each round */

/** @type {import('./groups.mjs').Group<Scale>} */
export const mcp = {
  full: { starts: 20, rounds: 5, checks: 100 },
  quick: { starts: 5, rounds: 2, checks: 25 },
  measure: measureMcp,
}

/** hookline begins a preview of one session every 100 ms. */
const PAUSE_MS = 120
const LINE = { line: 'buy 0.01 BTCUSDT stop -2%', account: 'paper' }

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureMcp({ starts, rounds, checks }) {
  const directory = temporaryDirectory()
  const listener = startProcess([process.execPath, HOOKLINE, 'listen'], {
    stdout: 'ignore',
    env: { HOOKLINE_CONFIG_DIR: directory },
  })
  await answersHealth(listener)
  const first = []
  for (let start = 0; start < starts; start += 1) first.push(await timeToFirstAnswer(directory))
  trustAgent(directory)
  const { ask, end } = await startAgent(directory)
  const call = () => ask('tools/call', { name: 'check', arguments: LINE })
  await untilSound(call)
  const p99s = []
  for (let round = 0; round < rounds; round += 1) {
    const times = []
    for (let check = 0; check < checks; check += 1) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      const at = performance.now()
      await call()
      times.push(performance.now() - at)
    }
    times.sort((a, b) => a - b)
    p99s.push(times[Math.floor(times.length * 0.99)] ?? 0)
  }
  await end()
  await stopProcess(listener)
  rmSync(directory, { recursive: true, force: true })
  return [
    judge(
      'ms from the start of `hookline mcp` to its first answer',
      { atMost: 400 },
      spreadOf(first),
      `${median(first).toFixed(0)} ms`,
    ),
    judge(
      'ms of a `check` on paper by `hookline mcp`, p99',
      { atMost: 50 },
      spreadOf(p99s),
      `p99 ${median(p99s).toFixed(1)} ms`,
    ),
  ]
}

/** @param {string} directory */
async function timeToFirstAnswer(directory) {
  const at = performance.now()
  const { end } = await startAgent(directory)
  const ms = performance.now() - at
  await end()
  return ms
}

/** Once it has answered `initialize`. @param {string} directory */
async function startAgent(directory) {
  const child = startProcess([process.execPath, HOOKLINE, 'mcp'], {
    stdin: 'pipe',
    stdout: 'pipe',
    env: { HOOKLINE_CONFIG_DIR: directory },
  })
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error('no pipes')
  /** @type {Map<number, (answer: any) => void>} */
  const waiting = new Map()
  createInterface({ input: stdout }).on('line', (line) => {
    const answer = JSON.parse(line)
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  let last = 0
  /** @param {string} method @param {object} params @returns {Promise<any>} */
  const ask = (method, params) => {
    const id = ++last
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return new Promise((resolve) => void waiting.set(id, resolve))
  }
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  return { ask, end: () => stopProcess(child) }
}

/** As an operator who has said yes: its key is in its file. @param {string} directory */
function trustAgent(directory) {
  const { clientId, privateKey } = JSON.parse(readFileSync(join(directory, 'agent-agent.json'), 'utf8'))
  const own = createPrivateKey({ key: Buffer.from(privateKey, 'base64url'), format: 'der', type: 'pkcs8' })
  const { x = '', y = '' } = createPublicKey(own).export({ format: 'jwk' })
  const key = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  const row = {
    clientId,
    label: 'bench',
    origin: ORIGIN,
    approvedAt: 1_700_000_000_000,
    key: key.toString('base64url'),
  }
  writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients: [row] }), { mode: 0o600 })
}

/** @param {() => Promise<any>} call */
async function untilSound(call) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const { result } = await call()
    if (result?.structuredContent?.ok === true) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`check does not answer: ${JSON.stringify(await call())}`)
}

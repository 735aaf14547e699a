// Makes a state directory with the code of an older commit, for test/cli/earlier-state.port.test.ts: what an upgrade finds on the disk of a person
// who used that version. Needs port 53219 (`unshare -rn sh -c 'ip link set lo up; node scripts/release/record-state.mjs …'`) and the node_modules of today.
//
//   node scripts/release/record-state.mjs <commit> <folder>
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { WebSocket } from 'ws'

const [asked = '', target = ''] = process.argv.slice(2)
const git = (/** @type {string[]} */ ...words) => execFileSync('git', words, { encoding: 'utf8' }).trim()
const commit = git('rev-parse', `${asked}^{commit}`)
const out = resolve(target)
const work = mkdtempSync(join(tmpdir(), 'hookline-record-'))
const state = join(work, 'state')
const program = join(work, 'tree/dist/hookline.cjs')
const CLIENT = '5b0c9e1e-3f0f-4f43-9a55-0d5a3c8e7d11'
const ORIGIN = 'http://127.0.0.1:53220'
/** @type {string[]} */
const steps = []

function build() {
  const tree = join(work, 'tree')
  mkdirSync(tree)
  execFileSync('sh', ['-c', 'git archive "$2" | tar -x -C "$1"', 'sh', tree, commit])
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'))
  // The console comes last, and may want packages that are gone by now: no state is made by it.
  spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: tree, stdio: 'ignore' })
  if (!existsSync(program)) throw new Error(`the program of ${commit} does not build with these packages`)
}

const env = { PATH: process.env.PATH, HOME: work, HOOKLINE_CONFIG_DIR: state }

/** @param {string[]} words @returns {string} what it prints */
function hookline(...words) {
  steps.push(`hookline ${words.map((word) => (/[^\w-]/.test(word) ? `'${word}'` : word)).join(' ')}`)
  return execFileSync(process.execPath, [program, ...words], { env, encoding: 'utf8' })
}

async function listen() {
  steps.push('hookline listen')
  const child = spawn(process.execPath, [program, 'listen'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    if (chunk.includes('listening')) break
  }
  return child
}

/** It answers 503 until its identity is on the disk. */
async function connect() {
  for (let tries = 0; ; tries += 1) {
    const socket = new WebSocket('ws://127.0.0.1:53219/ws', { origin: ORIGIN })
    try {
      await once(socket, 'open')
      return socket
    } catch (error) {
      if (tries === 20) throw error
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}

/** As an approved page. @param {readonly Record<string, unknown>[]} frames sent one after another, each with an `id`, and answered */
async function asPage(frames) {
  const socket = await connect()
  /** @type {Map<string, (frame: { t: string, error?: string }) => void>} */
  const waiting = new Map()
  socket.on('message', (bytes) => {
    const frame = JSON.parse(String(bytes))
    if (frame.t !== 'cmd:output') waiting.get(frame.id ?? frame.t)?.(frame)
  })
  const send = (/** @type {string} */ key, /** @type {object} */ frame) =>
    new Promise((resolve) => {
      waiting.set(key, resolve)
      socket.send(JSON.stringify(frame))
    })
  await send('welcome', { t: 'hello', clientId: CLIENT, label: 'desk' })
  for (const [number, frame] of frames.entries()) {
    steps.push(JSON.stringify(frame))
    const { t, error } = await send(`${number}`, { ...frame, id: `${number}` })
    if (t === 'mutate:err' || t === 'error') throw new Error(`${JSON.stringify(frame)}: ${error}`)
  }
  socket.close()
}

/** @param {{ url: string, token: string }} hook */
async function fire({ url, token }) {
  steps.push(`POST ${url.replace(/[0-9a-f-]{36}/, '<dip>')}`)
  const response = await fetch(url, { method: 'POST', headers: { 'X-Hook-Token': token } })
  if (!response.ok) throw new Error(`the hook answered ${response.status}`)
}

try {
  build()
  const { version } = JSON.parse(readFileSync(join(work, 'tree/package.json'), 'utf8'))
  const dip = JSON.parse(hookline('hook', 'create', 'dip', 'buy $250 BTCUSDT; stop at -60%', '--json'))
  hookline('hook', 'create', 'flat', 'cancel all; close all', '--account', 'paper', '--json')
  for (const line of ['alias held "positions"', 'set @size 5', 'buy $100 BTCUSDT', 'buy $100 BTCUSDT at -60%'])
    hookline('exec', line)
  hookline('clients', 'trust', CLIENT, '--label', 'desk')
  const listener = await listen()
  await asPage([
    { t: 'mutate:account', op: 'upsert', account: { name: 'practice', exchange: 'paper' } },
    { t: 'mutate:hook', op: 'create', name: 'from-a-page', command: 'echo fired' },
    {
      t: 'mutate:cross-trade-config',
      op: 'upsert',
      config: {
        id: 'c0a8a6b0-90b5-4f0e-8f57-1d0c2f7c9a10',
        enabled: false,
        masterAccount: 'paper',
        masterSymbol: 'BTCUSDT',
        masterWeight: 1,
        copiers: [{ account: 'practice', weight: 0.5, mode: 'Market' }],
      },
    },
    { t: 'cmd:exec', command: 'sell $50 ETHUSDT' },
  ])
  await fire(dip)
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  // Cut off in the middle of a run.
  spawn(process.execPath, [program, 'exec', 'echo begun; sleep 1m'], {
    env,
    stdio: 'ignore',
    timeout: 2_000,
    killSignal: 'SIGKILL',
  })
  steps.push("hookline exec 'echo begun; sleep 1m', killed")
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  const ended = once(listener, 'close')
  listener.kill('SIGKILL')
  steps.push('the listener, killed')
  await ended

  rmSync(out, { recursive: true, force: true })
  mkdirSync(join(out, 'state'), { recursive: true })
  const files = readdirSync(state, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && !/\.(lock|log)$/.test(entry.name),
  )
  for (const { name } of files) {
    // No machine has such a process: a run that was cut off is seen as cut off wherever the tests run.
    const text = readFileSync(join(state, name), 'utf8').replaceAll(/"pid":\d+/g, '"pid":2147483646')
    writeFileSync(join(out, 'state', name), text)
  }
  const provenance = { version, commit, node: process.versions.node, recorded: new Date().toISOString(), steps }
  writeFileSync(join(out, 'provenance.json'), `${JSON.stringify(provenance, null, 2)}\n`)
} finally {
  rmSync(work, { recursive: true })
}

// `npm run conformance -- [--slow] [--client <command>]`: the vectors of this folder against the built hookline and the clients of
// this repository, or against a listener or a client of one's own. README.md beside it says how.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runClientCase } from './client.mjs'
import { isReady, runListenerCase } from './listener.mjs'
import { newKey } from './proof.mjs'

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url))
const read = (/** @type {string} */ name) => JSON.parse(readFileSync(here(name), 'utf8'))

/** Cases that run at once. A listener turns a denied origin away for 30 s; cases of a client wait most of their time. */
const AT_ONCE = 12

/**
 * @param {{ name: string }[]} cases
 * @param {(one: any) => Promise<void>} run
 * @returns {Promise<{ name: string, error?: string }[]>} in their order
 */
async function runAll(cases, run) {
  /** @type {{ name: string, error?: string }[]} */
  const results = []
  let next = 0
  const work = async () => {
    for (let index = next++; index < cases.length; index = next++) {
      const one = /** @type {{ name: string }} */ (cases[index])
      results[index] = await run(one).then(
        () => ({ name: one.name }),
        (error) => ({ name: one.name, error: error.message }),
      )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}

/** @param {boolean} isSlow whether cases that wait for a limit of 10 s run too */
export async function checkListener(isSlow) {
  const { cases } = read('listener.json')
  const key = newKey()
  const clients = { known: randomUUID(), keyed: randomUUID(), key }
  const directory = mkdtempSync(join(tmpdir(), 'hookline-conformance-'))
  const origin = 'http://127.0.0.1:53220'
  const rows = [
    { clientId: clients.known, label: 'conformance', origin, approvedAt: 1 },
    { clientId: clients.keyed, label: 'conformance', origin, approvedAt: 1, key: key.publicKey },
  ]
  writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients: rows }), { mode: 0o600 })
  if (await isListening())
    throw new Error('127.0.0.1:53219 is taken: stop the hookline that is running, then try again')
  const child = spawn(process.execPath, [here('../dist/hookline.cjs'), 'listen'], {
    env: { PATH: process.env.PATH, HOME: directory, HOOKLINE_CONFIG_DIR: directory },
    stdio: 'ignore',
  })
  const gone = once(child, 'exit')
  try {
    while (!(await isReady())) {
      if (child.exitCode !== null) throw new Error(`hookline ended with ${child.exitCode}: build it first`)
      await sleep(20)
    }
    const chosen = isSlow ? cases : cases.filter((/** @type {{ slow?: boolean }} */ { slow }) => slow !== true)
    return await runAll(chosen, (one) => runListenerCase(one, clients))
  } finally {
    child.kill()
    await gone
    rmSync(directory, { recursive: true, force: true })
  }
}

/** @returns {Promise<boolean>} */
function isListening() {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: 53219 })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** @param {string[]} command of the client's driver @param {Record<string, string>} [env] added to ours */
export async function checkClient(command, env = {}) {
  const { cases, closes } = read('client.json')
  const { server } = read('frames.json')
  return await runAll([...cases, ...closes.map(closeCase), frameCase(server.valid)], (one) =>
    runClientCase(one, command, env),
  )
}

/** @param {{ code: number, becomes: string, leastMs?: number }} close */
function closeCase({ code, becomes, leastMs }) {
  const state = { state: becomes, ...(leastMs === undefined ? {} : { leastMs }) }
  const steps = [{ receive: { t: 'hello' } }, { welcome: 'ours' }, { state: 'welcomed' }, { close: code }, state]
  return { name: `after ${code} it is ${becomes}`, steps: becomes === 'retrying' ? steps : [...steps, { quiet: true }] }
}

/** @param {object[]} frames */
function frameCase(frames) {
  const later = frames
    .filter((frame) => !['welcome', 'rejected', 'challenge', 'beat'].includes(Reflect.get(frame, 't')))
    .map((frame) => ({ reply: { ...frame, fieldOfALaterDay: { a: 1 } } }))
  const steps = [{ receive: { t: 'hello' } }, { welcome: 'ours' }, { state: 'welcomed' }, ...later]
  const exec = { do: 'exec', id: 'after', command: 'echo on' }
  return {
    name: 'every frame of hookline is read, with fields of a later day',
    steps: [
      ...steps,
      exec,
      { receive: { t: 'cmd:exec', command: 'echo on' } },
      { done: true },
      { result: { id: 'after', success: true } },
    ],
  }
}

export const JS_CLIENT = [process.execPath, here('driver.mjs')]

async function main() {
  const { values } = parseArgs({
    options: { slow: { type: 'boolean', default: false }, client: { type: 'string' } },
  })
  /** @type {[string, Promise<{ name: string, error?: string }[]>][]} */
  const suites =
    values.client === undefined
      ? [
          ['hookline, as a listener', checkListener(values.slow)],
          ['hookline/client', checkClient(JS_CLIENT)],
        ]
      : [[values.client, checkClient(['/bin/sh', '-c', values.client])]]
  let failed = 0
  for (const [title, running] of suites) {
    const results = await running
    const bad = results.filter(({ error }) => error !== undefined)
    for (const { name, error } of bad) console.log(`FAIL ${title}: ${name}\n     ${error}`)
    console.log(`${title}: ${results.length - bad.length} of ${results.length} cases hold`)
    failed += bad.length
  }
  if (!values.slow && values.client === undefined) console.log('2 cases that wait 10 s were left out: --slow runs them')
  process.exitCode = failed === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()

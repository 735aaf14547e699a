// Floods of strangers, and what a fire notices of them. The flood comes from a process of its own. As a control the same flood is sent to
// a bare node:http server beside hookline: what a fire loses then, the machine has no processor for.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type CreatedHook, createHook, RunningHookline } from '../../harness/process/hookline.ts'
import { RawClient } from '../../harness/wire/raw-http.ts'
import { LISTENER_PORT } from '../../src/protocol/address.ts'
import { fireRequest, percentile } from './load-fires.ts'
import { doorOpens } from './request-in-bytes.ts'
import { scenario } from './scenario.ts'

const FIRES = 100
const EVERY_MS = 20
const SETTLE_MS = 500
const P50_MS = 20
const PATIENCE_MS = 20_000

type FloodKind = 'requests' | 'unread' | 'frames' | 'large frames'

/** A program of ours that says one line when it is ready and ends with its input. */
async function startProgram(path: string, ...args: readonly string[]): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, path), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  const [line] = await once(child.stdout, 'data')
  return { child, line: String(line).trim() }
}

async function end({ child }: { child: ChildProcess }): Promise<void> {
  child.kill()
  await once(child, 'exit')
}

/** One fire after another, each on a connection of its own. @returns what each took, in ms; one without an answer takes for ever */
async function fireSeldom(hook: CreatedHook): Promise<number[]> {
  const took: number[] = []
  const giveUpAt = performance.now() + PATIENCE_MS
  while (took.length < FIRES && performance.now() < giveUpAt) {
    const from = performance.now()
    const client = new RawClient()
    const answer = client.send(fireRequest(hook)).answer()
    const status = await Promise.race([answer.then(({ status }) => status), sleep(PATIENCE_MS)])
    client.close()
    answer.catch(() => {})
    took.push(status === 200 ? performance.now() - from : Number.POSITIVE_INFINITY)
    await sleep(EVERY_MS)
  }
  return took
}

const tell = (took: readonly number[]) =>
  `p50 ${percentile(took, 0.5).toFixed(1)} ms, p99 ${percentile(took, 0.99).toFixed(1)} ms`

async function fireUnder(hook: CreatedHook, kind: FloodKind, connections: number, port: number): Promise<number[]> {
  const flooder = await startProgram('flooder.mjs', kind, String(connections), String(port))
  await sleep(SETTLE_MS)
  const took = await fireSeldom(hook)
  await end(flooder)
  return took
}

function flooded(kind: FloodKind, connections: number, what: string): void {
  scenario('flood', what, `each fire on a new connection is answered 200, p50 < ${P50_MS} ms`, async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'h', 'echo ok')
    await RunningHookline.listening(directory)
    await doorOpens()
    await fireSeldom(hook)
    const quiet = await fireSeldom(hook)
    const bare = await startProgram('../bench/static-server.mjs')
    const beside = await fireUnder(hook, kind, connections, Number(bare.line))
    await end(bare)
    const took = await fireUnder(hook, kind, connections, LISTENER_PORT)
    const lost = took.filter((ms) => !Number.isFinite(ms)).length
    return {
      got: `${tell(took)}, ${lost} of ${took.length} without a 200; flood beside hookline: ${tell(beside)}; quiet: ${tell(quiet)}`,
      holds: lost === 0 && took.length === FIRES && percentile(took, 0.5) < P50_MS,
    }
  })
}

flooded('requests', 1, '1 connection pipelines `GET /health` as fast as it can')
flooded('requests', 200, '200 connections pipeline `GET /health` as fast as they can')
flooded('unread', 256, '256 connections pipeline `GET /health` and read no answer')
flooded('frames', 8, '8 clients that are not approved send `client:state` as fast as they can')
flooded('large frames', 8, '8 clients that are not approved send `client:state` of 14 KB as fast as they can')

// Faults of strangers with a socket: they say hello and then all they can, before anybody has approved them (behaviour 141).
import { randomUUID } from 'node:crypto'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, post, RunningHookline } from '../../harness/process/hookline.ts'
import { newTestKey } from '../../harness/wire/proving-client.ts'
import { RawSession } from '../../harness/wire/raw-session.ts'
import { clientFrameBytes } from '../../harness/wire/ws-client.ts'
import { doorOpens } from './request-in-bytes.ts'
import { scenario } from './scenario.ts'

const STRANGERS = 8
const FOR_MS = 4_000
const MAX_P50_MS = 20
const WRITES_PER_TURN = 16

/** As heavy to read as a frame may be: thousands of fields that nobody knows. */
const HEAVY = clientFrameBytes(
  `{"t":"client:state","webCrossTradeActive":false${Array.from({ length: 20_000 }, (_, at) => `,"f${at}":0`).join('')}}`,
)
const LIGHT = clientFrameBytes('{"t":"client:state","webCrossTradeActive":false}')

/** Comes again each time it is thrown out, until `isOver`. @returns how often it came */
async function flood(isOver: () => boolean, bytes: Buffer, hello: () => object): Promise<number> {
  let visits = 0
  while (!isOver()) {
    const session = await RawSession.open().catch(() => undefined)
    // Turned away at the door.
    if (session === undefined) continue
    const { socket } = session.client
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    session.send(clientFrameBytes(JSON.stringify(hello())))
    // A turn's worth, so that this process has time for the fires that it measures.
    const pour = (): void => {
      for (let count = 0; count < WRITES_PER_TURN && !isOver() && socket.writable; count++) {
        if (!socket.write(bytes)) return
      }
      if (isOver()) socket.destroy()
      else if (socket.writable) setImmediate(pour)
    }
    socket.on('drain', pour)
    pour()
    await ended
    visits++
  }
  return visits
}

async function firesDuring(bytes: Buffer, hello: () => object): Promise<{ p50: number; visits: number }> {
  const directory = tempDirectory()
  const hook = await createHook(directory, 'h', 'echo ok')
  const hookline = new RunningHookline(directory)
  await hookline.prints('listening on')
  await doorOpens()
  let isOver = false
  const floods = Array.from({ length: STRANGERS }, () => flood(() => isOver, bytes, hello))
  const times: number[] = []
  const until = performance.now() + FOR_MS
  while (performance.now() < until) {
    const from = performance.now()
    const { status } = await post(hook.url, hook.token)
    if (status !== 200) throw new Error(`a fire was answered by ${status}`)
    times.push(performance.now() - from)
  }
  isOver = true
  const visits = (await Promise.all(floods)).reduce((sum, each) => sum + each, 0)
  hookline.child.kill('SIGTERM')
  await new Promise((resolve) => hookline.child.once('exit', resolve))
  return { p50: times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number, visits }
}

scenario(
  'strangers',
  `${STRANGERS} clients that nobody has approved pour frames after their hello, and come again when they are thrown out`,
  `meanwhile the median fire is answered in < ${MAX_P50_MS} ms, whether the frames are heavy, light, or every hello asks for a signature`,
  async () => {
    const key = newTestKey().publicKey
    const plain = () => ({ t: 'hello', clientId: randomUUID() })
    const keyed = () => ({ ...plain(), key, nonce: 'A'.repeat(43) })
    const rows = [
      ['heavy', await firesDuring(HEAVY, plain)],
      ['light', await firesDuring(LIGHT, plain)],
      ['signed', await firesDuring(LIGHT, keyed)],
    ] as const
    return {
      got: rows.map(([what, { p50, visits }]) => `${what}: p50 ${p50.toFixed(1)} ms, ${visits} visits`).join('; '),
      holds: rows.every(([, { p50 }]) => p50 < MAX_P50_MS),
    }
  },
)

// Faults of strangers: upgrades, requests and frames that no sound client sends, as tables.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, post, RunningHookline } from '../../harness/process/hookline.ts'
import { ask, startRepl } from '../../harness/process/piped-repl.ts'
import { RawSession } from '../../harness/wire/raw-session.ts'
import { clientFrameBytes, handshake } from '../../harness/wire/ws-client.ts'
import { type FrameCase, MALFORMED_FRAMES, MALFORMED_UPGRADES, malformedRequests } from './malformed-bytes.ts'
import { doorOpens, requestInBytes } from './request-in-bytes.ts'
import { type CaseRow, tally } from './row-tally.ts'
import { scenario } from './scenario.ts'
import { healthMs } from './soak-server.ts'
import { openPage, trustPages } from './trusted-page.ts'

/** More than there are places. */
const KNOCKS = 300
const AT_ONCE = 50

scenario(
  12,
  `${MALFORMED_UPGRADES.length} kinds of malformed or refused upgrades come ${KNOCKS} times each, 256 places`,
  'each refused with its status, all places free again, a fire 200 and a sound upgrade 101',
  async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'h', 'echo ok')
    const repl = await startRepl(directory)
    await doorOpens()
    const rows: CaseRow[] = []
    for (const [what, wanted, bytes] of MALFORMED_UPGRADES) {
      const statuses = new Set<string>()
      for (let knocked = 0; knocked < KNOCKS; knocked += AT_ONCE) {
        const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => outcome(bytes)))
        for (const status of answers) statuses.add(status)
      }
      rows.push({ what, wanted, got: [...statuses].join(' or ') })
    }
    rows.push({ what: 'places taken', wanted: '0', got: await placesTaken(repl) })
    rows.push({ what: 'a fire', wanted: '200', got: String((await post(hook.url, hook.token)).status) })
    rows.push({ what: 'a sound upgrade', wanted: '101', got: await outcome(handshake()) })
    return tally(rows)
  },
)

/** A socket that was closed a moment ago may still have its place. */
async function placesTaken(repl: RunningHookline): Promise<string> {
  const deadline = performance.now() + 2_000
  for (;;) {
    const [, places = 'not told'] = /sockets +(\d+)/.exec(await ask(repl, 'listener')) ?? []
    if (places === '0' || performance.now() > deadline) return places
  }
}

scenario(
  14,
  'requests come that two parsers could read differently, or none can read',
  'each with its status, and /health answered after it',
  async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'h', 'echo ok')
    await RunningHookline.listening(directory)
    const rows: CaseRow[] = []
    for (const [what, wanted, bytes] of malformedRequests(hook)) {
      rows.push({ what, wanted, got: await outcome(bytes) })
      await healthMs()
    }
    return tally(rows)
  },
)

/** The status, or `closed` where the connection ends without one. */
async function outcome(bytes: string): Promise<string> {
  try {
    return String((await requestInBytes(bytes)).status)
  } catch (error) {
    const { message } = error as Error
    return message.includes('ended without an answer') ? 'closed' : message
  }
}

scenario(
  15,
  'sessions send frames too big, in too many pieces, malformed or compressed',
  'each ended with its code, another page served meanwhile',
  async () => {
    const directory = tempDirectory()
    const clientId = randomUUID()
    trustPages(directory, { clientId })
    await RunningHookline.listening(directory)
    await doorOpens()
    const other = await openPage({ clientId })
    const rows = await Promise.all(
      MALFORMED_FRAMES.map(async ([what, wanted, frames]) => ({
        what,
        wanted,
        got: await closeCode(frames, clientId),
      })),
    )
    rows.push(await compressionOffer())
    other.send({ t: 'cmd:exec', id: 'a', command: 'echo on' })
    const { success } = await other.nextFrame('cmd:done')
    rows.push({ what: 'a command of another page', wanted: 'done', got: success ? 'done' : 'failed' })
    return tally(rows)
  },
)

async function closeCode({ isWelcomed, bytes }: FrameCase, clientId: string): Promise<string> {
  const session = await RawSession.open()
  if (isWelcomed) {
    const welcome = once(session.client.socket, 'data')
    session.send(clientFrameBytes(JSON.stringify({ t: 'hello', clientId })))
    await welcome
  }
  return String(await session.send(...bytes).closeCode())
}

async function compressionOffer(): Promise<CaseRow> {
  const offer = { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' }
  const { status, headers } = await requestInBytes(handshake({ headers: offer }))
  return {
    what: 'an offer to compress',
    wanted: '101 without',
    got: `${status} ${headers['sec-websocket-extensions'] ?? 'without'}`,
  }
}

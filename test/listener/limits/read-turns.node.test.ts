// How much is read in one turn of the event loop, whatever comes (behaviour 141). Real sockets; the clock is ours.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ReadTurns } from '../../../src/listener/http/read-turns.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'

const strangers = LISTENER_LIMITS.strangers
const known = LISTENER_LIMITS.known
/** What a slice costs here: four of strangers fill their share of a turn. */
const SLICE_COST_MS = strangers.turnMs / 4
const SENT_BYTES = 16_384

/** Connections that have sent `SENT_BYTES` each, all arrived before any is admitted. */
async function crowd(count: number) {
  let nowMs = 0
  let unanswered: Socket | undefined
  const slices: { readonly socket: Socket; readonly bytes: number; readonly turn: number }[] = []
  let turn = 0
  let nextTick = setImmediate(function tick() {
    turn += 1
    nextTick = setImmediate(tick)
  })
  const turns = new ReadTurns(
    (socket) => socket !== unanswered,
    () => nowMs,
  )
  const sockets: Socket[] = []
  const server = createServer({ pauseOnConnect: true }, (socket) => sockets.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clients = Array.from({ length: count }, () =>
    connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {}),
  )
  onTestFinished(() => {
    clearImmediate(nextTick)
    for (const socket of [...clients, ...sockets]) socket.destroy()
    server.close()
  })
  for (const client of clients) client.write(Buffer.alloc(SENT_BYTES))
  await expect.poll(() => sockets.length).toBe(count)
  for (const socket of sockets) {
    socket.on('data', (chunk: Buffer) => {
      nowMs += SLICE_COST_MS
      slices.push({ socket, bytes: chunk.length, turn })
    })
  }
  return {
    turns,
    sockets,
    slices,
    setUnanswered: (socket: Socket | undefined) => {
      unanswered = socket
    },
    readBytes: (socket: Socket) =>
      slices.filter((slice) => slice.socket === socket).reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

async function turnsPass(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn()
}

describe('strangers who have asked', () => {
  it.each([1, 40])('share one slice of each turn, be they %i', async (count) => {
    const { turns, sockets, slices, readBytes } = await crowd(count)
    for (const socket of sockets) {
      turns.admit(socket)
      turns.noteRequest(socket)
    }
    await expect.poll(() => sockets.every((socket) => readBytes(socket) === SENT_BYTES)).toBe(true)
    const perTurn = slices.map(({ turn }) => slices.filter((slice) => slice.turn === turn).length)
    // What came in a turn is read in its own share, and in that of the timers' phase behind it.
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(2 * (strangers.turnMs / SLICE_COST_MS))
    expect(slices.every(({ bytes }) => bytes <= strangers.sliceBytes)).toBe(true)
  })

  it('are served in turn', async () => {
    const { turns, sockets, slices } = await crowd(10)
    for (const socket of sockets) {
      turns.admit(socket)
      turns.noteRequest(socket)
    }
    await expect.poll(() => slices.length).toBeGreaterThan(40)
    // The first one had a turn to itself, before the others had come.
    const counts = sockets.map((socket) => slices.slice(4, 34).filter((slice) => slice.socket === socket).length)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
  })

  it('do not keep a new connection waiting: it is read at once', async () => {
    const { turns, sockets, slices, readBytes } = await crowd(20)
    const fresh = sockets[0] as Socket
    for (const socket of sockets.slice(1)) {
      turns.admit(socket)
      turns.noteRequest(socket)
    }
    await expect.poll(() => slices.length).toBeGreaterThan(0)
    turns.admit(fresh)
    await nextTurn()
    await nextTurn()
    expect(readBytes(fresh)).toBe(SENT_BYTES)
  })

  it('get all their bytes read in the end', async () => {
    const { turns, sockets, readBytes } = await crowd(3)
    for (const socket of sockets) {
      turns.admit(socket)
      turns.noteRequest(socket)
    }
    await expect.poll(() => sockets.map(readBytes)).toEqual([SENT_BYTES, SENT_BYTES, SENT_BYTES])
  })
})

describe('a connection that is owed an answer', () => {
  it('is not read until it has it', async () => {
    const { turns, sockets, setUnanswered, readBytes } = await crowd(1)
    const [socket] = sockets as [Socket]
    setUnanswered(socket)
    turns.admit(socket)
    await turnsPass(5)
    expect(readBytes(socket)).toBe(0)
    setUnanswered(undefined)
    turns.advance(socket)
    await expect.poll(() => readBytes(socket)).toBe(SENT_BYTES)
  })
})

describe('a welcomed session', () => {
  it('has larger slices, and those of its kind do not share with strangers', async () => {
    const { turns, sockets, slices, readBytes } = await crowd(20)
    const session = sockets[0] as Socket
    for (const socket of sockets) {
      turns.admit(socket)
      turns.noteRequest(socket)
    }
    turns.welcome(session)
    await expect.poll(() => readBytes(session)).toBe(SENT_BYTES)
    const largest = Math.max(...slices.filter(({ socket }) => socket === session).map(({ bytes }) => bytes))
    expect(largest).toBeGreaterThan(strangers.sliceBytes)
    expect(largest).toBeLessThanOrEqual(known.sliceBytes)
  })
})

describe('a caller with a token', () => {
  it('is read as it comes', async () => {
    const { turns, sockets, slices } = await crowd(1)
    const [socket] = sockets as [Socket]
    turns.admit(socket)
    turns.noteRequest(socket)
    turns.vouch(socket)
    await expect.poll(() => slices.length).toBeGreaterThan(0)
    expect(slices[0]?.bytes).toBeGreaterThan(strangers.sliceBytes)
  })

  it('is read in turns once it does not wait for its answers', async () => {
    const { turns, sockets, setUnanswered, slices } = await crowd(1)
    const [socket] = sockets as [Socket]
    turns.notePipelined(socket)
    setUnanswered(socket)
    await turnsPass(5)
    expect(slices).toEqual([])
  })
})

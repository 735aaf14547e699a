// Frames that no sound client sends: too big, in too many pieces, malformed. Each ends its own session and nobody else's.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { OPCODE, RawSession } from '../../../harness/wire/raw-session.ts'
import { clientFrameBytes, ORIGIN, WsClient } from '../../../harness/wire/ws-client.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'

const frame = clientFrameBytes

/** A message cut into so many fragments. */
function fragments(payload: Buffer, count: number): Buffer[] {
  const size = Math.ceil(payload.length / count)
  return Array.from({ length: count }, (_, index) =>
    frame(payload.subarray(index * size, (index + 1) * size), {
      opcode: index === 0 ? OPCODE.text : 0,
      fin: index === count - 1,
    }),
  )
}

/** The frame with these bits of its first byte set. */
function withBits(bytes: Buffer, bits: number): Buffer {
  bytes[0] = (bytes[0] as number) | bits
  return bytes
}

const unmasked = Buffer.concat([Buffer.from([0x81, 2]), Buffer.from('{}')])
const close = (payload: Buffer) => frame(payload, { opcode: OPCODE.close })
const blanks = (length: number) => Buffer.alloc(length, ' ')

describe('a session ends', () => {
  it.each<[because: string, code: number, bytes: Buffer[]]>([
    ['of a frame one byte too big', 1009, [frame(blanks(WIRE_LIMITS.frameBytes + 1))]],
    ['of fragments that together are one byte too big', 1009, fragments(blanks(WIRE_LIMITS.frameBytes + 1), 8)],
    [
      'as soon as too big a frame is announced',
      1009,
      [Buffer.from([0x81, 0xff, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff])],
    ],
    [
      'of a length that no number holds',
      1009,
      [Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])],
    ],
    ['of one fragment too many', 1008, fragments(blanks(LISTENER_LIMITS.fragments + 1), LISTENER_LIMITS.fragments + 1)],
    ['of bytes that are no UTF-8', 1007, [frame(Buffer.from([0x7b, 0xc3, 0x28, 0x7d]))]],
    ['of half a surrogate pair in UTF-8', 1007, [frame(Buffer.from([0xed, 0xa0, 0x80]))]],
    ['of a letter cut off at the end', 1007, [frame(Buffer.from([0xe2, 0x82]))]],
    ['of an unmasked frame', 1002, [unmasked]],
    ['of a reserved opcode', 1002, [frame('{}', { opcode: 3 })]],
    ['of a reserved control opcode', 1002, [frame('', { opcode: 11 })]],
    ['of a reserved bit', 1002, [withBits(frame('{}'), 0x20)]],
    ['of a frame said to be compressed', 1002, [withBits(frame('{}'), 0x40)]],
    ['of a ping in pieces', 1002, [frame('', { opcode: OPCODE.ping, fin: false })]],
    ['of a ping of 126 bytes', 1002, [frame(blanks(126), { opcode: OPCODE.ping })]],
    ['of a continuation of nothing', 1002, [frame('{}', { opcode: 0 })]],
    ['of a new message in the middle of one', 1002, [frame('{', { fin: false }), frame('{}')]],
    ['of a close with half a code', 1002, [close(Buffer.from([3]))]],
    ['of a close with a code that is none', 1002, [close(Buffer.from([0, 5]))]],
    ['of a close whose reason is no UTF-8', 1007, [close(Buffer.from([3, 232, 0xff]))]],
  ])('%s, with code %i', async (_because, code, bytes) => {
    const app = await startApp()
    const other = await WsClient.welcomed(app)
    const hostile = (await RawSession.trusted(app)).send(...bytes)
    expect(await hostile.closeCode()).toBe(code)
    other.send({ t: 'cmd:exec', id: 'a', command: 'echo on' })
    expect(await other.nextFrame('cmd:done')).toMatchObject({ success: true })
    await expect.poll(() => app.app.ports.clients?.connected().size).toBe(1)
  })
})

describe('a session goes on', () => {
  const snapshot = { t: 'state:hooks', hooks: [] }
  const subscribe = JSON.stringify({ t: 'subscribe', topics: ['hooks'] })

  it('after a frame as big as may be', async () => {
    const client = await WsClient.welcomed(await startApp())
    client.send(subscribe.padEnd(WIRE_LIMITS.frameBytes))
    expect(await client.nextFrame()).toEqual(snapshot)
  })

  it('after a message in as many fragments as may be, with a ping between two of them', async () => {
    const client = await WsClient.welcomed(await startApp())
    const padded = subscribe.padEnd(LISTENER_LIMITS.fragments)
    for (let index = 0; index < LISTENER_LIMITS.fragments; index++) {
      const isLast = index === LISTENER_LIMITS.fragments - 1
      client.ws.send(isLast ? padded.slice(index) : padded.charAt(index), { fin: isLast })
      if (index === 30) client.ws.ping('beat')
    }
    const [data] = await once(client.ws, 'pong')
    expect(String(data)).toBe('beat')
    expect(await client.nextFrame()).toEqual(snapshot)
  })

  it('after frames that came byte by byte', async () => {
    const app = await startApp()
    const session = await RawSession.trusted(app)
    const bytes = frame(JSON.stringify({ t: 'cmd:exec', id: 'a', command: 'echo on' }))
    for (const byte of bytes) session.send(Buffer.from([byte]))
    await app.runsDone(1)
    expect(app.output).toEqual(['print on'])
  })

  const unknown = 'unknown frame: `t` is not a frame of this direction'
  it.each([
    ['binary', Buffer.from('{}'), 'frames are text, not binary'],
    ['not JSON', 'hello', 'the frame is not JSON'],
    ['empty', '', 'the frame is not JSON'],
    ['a list', '[]', 'the frame is not an object'],
    ['null', 'null', 'the frame is not an object'],
    ['nested deeper than a stack', '['.repeat(100_000), 'the frame is not JSON'],
    ["one of hookline's own", '{"t":"state:hooks"}', unknown],
    ['of no kind', '{}', unknown],
    ['a trap for prototypes', '{"__proto__":{"t":"subscribe","topics":[]}}', unknown],
  ])('after one that is %s, which is answered by an error', async (_name, bytes, error) => {
    const client = await WsClient.welcomed(await startApp())
    expect(await client.send(bytes).nextFrame()).toEqual({ t: 'error', error })
    expect(await client.send(subscribe).nextFrame()).toEqual(snapshot)
  })
})

describe('before its hello a client', () => {
  it(`may have a clientId of at most ${WIRE_LIMITS.clientIdLength} characters`, async () => {
    const app = await startApp()
    const clientId = 'x'.repeat(WIRE_LIMITS.clientIdLength)
    const client = await WsClient.welcomed(app, { clientId })
    await client.settled()
    const over = await WsClient.hello({ clientId: `${clientId}x` })
    expect(await over.closed()).toMatchObject({ code: 4400 })
  })

  it('may not send more than one first frame of the size that may be', async () => {
    await startApp()
    const session = await RawSession.open()
    const dripped = frame(blanks(WIRE_LIMITS.frameBytes)).subarray(0, WIRE_LIMITS.firstFrameBytes + 100)
    expect(await session.send(dripped).closeCode()).toBe(1009)
  })

  it('may not go on with pings instead', async () => {
    await startApp()
    const session = await RawSession.open()
    const pings = Buffer.concat(Array.from({ length: 50 }, () => frame(blanks(120), { opcode: OPCODE.ping })))
    expect(await session.send(pings).closeCode()).toBe(4400)
  })

  it('may send its hello with much after it in one piece, once it is trusted', async () => {
    const { app } = await startApp()
    const clientId = randomUUID()
    await app.ports.trustedClients.add({ clientId, label: 'eager', origin: ORIGIN })
    const session = await RawSession.open()
    const hello = frame(JSON.stringify({ t: 'hello', clientId, label: 'eager' }))
    const work = Array.from({ length: 12 }, (_, id) =>
      frame(JSON.stringify({ t: 'cmd:exec', id: String(id), command: `echo ${'a'.repeat(2_000)}` })),
    )
    session.send(Buffer.concat([hello, ...work]))
    let received = ''
    while (received.split('"cmd:done"').length <= work.length) {
      const [chunk] = await once(session.client.socket, 'data')
      received += chunk
    }
    expect(received).not.toContain('"success":false')
  })
})

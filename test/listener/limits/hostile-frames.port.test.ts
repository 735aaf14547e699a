// Frames that no sound client sends: too big, in too many pieces, malformed. Each ends its own session and nobody else's.
import { describe, expect, it } from 'vitest'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'
import { startApp } from '../../support/running-app.ts'
import { clientFrameBytes, WsClient } from '../../support/ws-client.ts'
import { OPCODE, RawSession } from './raw-session.ts'

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
    await expect.poll(() => app.app.services.clients?.connected().size).toBe(1)
  })
})

describe('a session goes on', () => {
  /** The payloads of all messages of this kind, after a close of the client's own. */
  async function answers(bytes: readonly Buffer[], opcode: number): Promise<Buffer[]> {
    const session = (await RawSession.trusted(await startApp())).send(...bytes, close(Buffer.from([3, 232])))
    return (await session.messages()).filter((message) => message.opcode === opcode).map(({ payload }) => payload)
  }

  const exec = (command: string) => Buffer.from(JSON.stringify({ t: 'cmd:exec', id: 'a', command }))

  it('after a frame as big as may be', async () => {
    const big = Buffer.from(
      JSON.stringify({ t: 'subscribe', topics: ['hooks'], more: '' }).padEnd(WIRE_LIMITS.frameBytes),
    )
    const texts = await answers([frame(big)], OPCODE.text)
    expect(texts[1]?.toString()).toBe('{"t":"state:hooks","hooks":[]}')
  })

  it('after a message in as many fragments as may be, with a ping between two of them', async () => {
    const subscribe = Buffer.from(
      JSON.stringify({ t: 'subscribe', topics: ['hooks'] }).padEnd(LISTENER_LIMITS.fragments * 2),
    )
    const [first, ...rest] = fragments(subscribe, LISTENER_LIMITS.fragments) as [Buffer, ...Buffer[]]
    const ping = frame('beat', { opcode: OPCODE.ping })
    const texts = await answers([first, ping, ...rest], OPCODE.text)
    expect(texts[1]?.toString()).toBe('{"t":"state:hooks","hooks":[]}')
    expect(await answers([first, ping, ...rest], OPCODE.pong)).toEqual([Buffer.from('beat')])
  })

  it('after frames that came byte by byte', async () => {
    const bytes = frame(exec('echo on'))
    const texts = await answers(
      Array.from(bytes, (byte) => Buffer.from([byte])),
      OPCODE.text,
    )
    expect(texts.length).toBeGreaterThan(0)
  })

  it.each([
    ['binary', frame('{}', { opcode: OPCODE.binary }), 'frames are text, not binary'],
    ['not JSON', frame('hello'), 'the frame is not JSON'],
    ['empty', frame(''), 'the frame is not JSON'],
    ['a list', frame('[]'), 'the frame is not an object'],
    ['null', frame('null'), 'the frame is not an object'],
    ['of an unknown kind', frame('{"t":"state:hooks"}'), 'unknown frame: `t` names no frame of this direction'],
    ['of no kind', frame('{}'), 'unknown frame: `t` names no frame of this direction'],
    [
      'a trap for prototypes',
      frame('{"__proto__":{"t":"hello"}}'),
      'unknown frame: `t` names no frame of this direction',
    ],
  ])('after one that is %s, which is answered by an error', async (_name, bytes, error) => {
    const texts = await answers([bytes], OPCODE.text)
    expect(JSON.parse(String(texts[1]))).toEqual({ t: 'error', error })
  })

  it('after one nested deeper than a stack is', async () => {
    const texts = await answers([frame('['.repeat(100_000))], OPCODE.text)
    expect(JSON.parse(String(texts[1]))).toMatchObject({ t: 'error' })
  })
})

describe('before its hello a client', () => {
  it('may not send more than one first frame of the size that may be', async () => {
    await startApp()
    const session = await RawSession.open()
    const dripped = frame(blanks(WIRE_LIMITS.frameBytes)).subarray(0, WIRE_LIMITS.firstFrameBytes + 100)
    expect(await session.send(dripped).closeCode()).toBe(1009)
  })

  it('may not go on with pings instead', async () => {
    await startApp()
    const session = await RawSession.open()
    const pings = Buffer.concat(Array.from({ length: 200 }, () => frame(blanks(120), { opcode: OPCODE.ping })))
    expect(await session.send(pings).closeCode()).toBe(1009)
  })
})

// What no sound client sends, with what it should come to: upgrades, requests, and frames.
import { randomBytes } from 'node:crypto'
import type { CreatedHook } from '../../harness/process/hookline.ts'
import { OPCODE } from '../../harness/wire/raw-session.ts'
import { clientFrameBytes as frame, handshake } from '../../harness/wire/ws-client.ts'
import { LISTENER_LIMITS } from '../../src/listener/listener-limits.ts'
import { WIRE_LIMITS } from '../../src/protocol/frames.ts'

export type Row<Bytes> = readonly [what: string, wanted: string, bytes: Bytes]

const key = (bytes: number) => randomBytes(bytes).toString('base64')
const withHeader = (name: string, value: string | readonly string[] | undefined) =>
  handshake({ headers: { [name]: value } })

/** Names of headers that say nothing. */
function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, '']))
}

/** Wanted as the listener's own table of refusals has it, and 400 for what only the WebSocket library can tell. */
export const MALFORMED_UPGRADES: readonly Row<string>[] = [
  ['a key of 15 bytes', '400', withHeader('Sec-WebSocket-Key', key(15))],
  ['a key that is no base64', '400', withHeader('Sec-WebSocket-Key', '!'.repeat(24))],
  ['no key', '400', withHeader('Sec-WebSocket-Key', undefined)],
  ['two keys', '400', withHeader('Sec-WebSocket-Key', [key(16), key(16)])],
  ['version 12', '400', withHeader('Sec-WebSocket-Version', '12')],
  ['no version', '400', withHeader('Sec-WebSocket-Version', undefined)],
  ['a sub-protocol without a name', '400', withHeader('Sec-WebSocket-Protocol', 'a,,b')],
  ['POST', '404', handshake({ requestLine: 'POST /ws HTTP/1.1', headers: { 'Content-Length': '0' } })],
  ['Connection: close', '404', withHeader('Connection', 'close')],
  ['another protocol', '404', withHeader('Upgrade', 'h2c')],
  ['another path', '404', handshake({ requestLine: 'GET /ws/ HTTP/1.1' })],
  ['an absolute target', '400', handshake({ requestLine: 'GET http://127.0.0.1:53219/ws HTTP/1.1' })],
  ['two Hosts', '400', withHeader('Host', ['127.0.0.1:53219', '127.0.0.1:53219'])],
  ['no Host', '400', withHeader('Host', undefined)],
  ['no Origin', '403', withHeader('Origin', undefined)],
  ['a forwarding header', '403', withHeader('X-Forwarded-For', '10.0.0.1')],
  // A stranger's many headers come before those that a tunnel adds.
  ['a forwarding header behind 1 100 others', '403', handshake({ headers: { ...many(1_100), Via: '1.1 tunnel' } })],
]

const HOST = 'Host: 127.0.0.1:53219\r\n'
/** Well-formed requests may keep their connection; here each must end by itself. */
const CLOSE = 'Connection: close\r\n'

const get = (headers: string, requestLine = 'GET /health HTTP/1.1') => `${requestLine}\r\n${headers}${CLOSE}\r\n`
const fill = (count: number) =>
  Object.keys(many(count))
    .map((name) => `${name}:\r\n`)
    .join('')

/** `closed`: ended without an answer. */
export function malformedRequests({ id, token }: CreatedHook): readonly Row<string>[] {
  const post = (headers: string, body: string) => `POST /hook/${id} HTTP/1.1\r\n${HOST}${CLOSE}${headers}\r\n${body}`
  const tokenLine = `X-Hook-Token: ${token}\r\n`
  const chunked = 'Transfer-Encoding: chunked\r\n'
  return [
    ['a header of 20 KB', '431', get(`${HOST}X-Fill: ${'x'.repeat(20_480)}\r\n`)],
    ['3 000 headers of 10 bytes', '431', get(`${HOST}${'x-fill:y\r\n'.repeat(3_000)}`)],
    ['a target of 20 KB', '431', get(HOST, `GET /${'x'.repeat(20_480)} HTTP/1.1`)],
    ['a length and chunks', '400', post(`${tokenLine}Content-Length: 5\r\n${chunked}`, '0\r\n\r\n')],
    ['two lengths', '400', post(`${tokenLine}Content-Length: 5\r\nContent-Length: 6\r\n`, 'hello')],
    ['a negative length', '400', post(`${tokenLine}Content-Length: -1\r\n`, '')],
    ['a length with a sign', '400', post(`${tokenLine}Content-Length: +5\r\n`, 'hello')],
    ['chunks that are not the last encoding', '400', post(`${tokenLine}Transfer-Encoding: chunked, identity\r\n`, '')],
    ['bare line feeds', '400', get(HOST).replaceAll('\r\n', '\n')],
    ['a bare line feed between headers', '400', get('Host: 127.0.0.1:53219\nX: y\r\n')],
    ['a bare carriage return in a value', '400', get(`${HOST}X: a\rb\r\n`)],
    ['a zero byte in a value', '400', get(`${HOST}X: a\0b\r\n`)],
    ['a space before the colon', '400', get('Host : 127.0.0.1:53219\r\n')],
    ['a folded header', '400', get(`${HOST} folded: yes\r\n`)],
    ['no Host in HTTP/1.0', '400', get('', 'GET /health HTTP/1.0')],
    ['no Host in HTTP/1.1', '400', get('')],
    ['the same Host twice', '400', get(`${HOST}${HOST}`)],
    ['two Hosts', '400', get(`${HOST}Host: evil.example\r\n`)],
    ['a second Host behind 1 100 headers', '400', get(`${HOST}${fill(1_100)}Host: evil.example\r\n`)],
    ['an absolute target', '400', get(HOST, 'GET http://127.0.0.1:53219/health HTTP/1.1')],
    ['a target that is a star', '400', get(HOST, 'OPTIONS * HTTP/1.1')],
    ['an unknown method', '400', get(HOST, 'BREW /health HTTP/1.1')],
    ['a method in small letters', '400', get(HOST, 'get /health HTTP/1.1')],
    ['HTTP/0.9', '400', 'GET /health\r\n\r\n'],
    ['the preface of HTTP/2', '400', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ["TLS's first bytes", '400', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['CONNECT', 'closed', get(HOST, 'CONNECT example.com:443 HTTP/1.1')],
    ['the right token twice', '401', post(`${tokenLine}${tokenLine}`, '')],
    ['a wrong token and the right one', '401', post(`X-Hook-Token: ${'0'.repeat(32)}\r\n${tokenLine}`, '')],
    ['the token behind 1 100 headers', '200', post(`${fill(1_100)}${tokenLine}`, '')],
  ]
}

/** What a session sends: after its welcome, or in place of its hello. */
export interface FrameCase {
  readonly isWelcomed: boolean
  readonly bytes: readonly Buffer[]
}

const blanks = (length: number) => Buffer.alloc(length, ' ')
const before = (...bytes: readonly Buffer[]): FrameCase => ({ isWelcomed: false, bytes })
const after = (...bytes: readonly Buffer[]): FrameCase => ({ isWelcomed: true, bytes })

/** The frame with these bits of its first byte set. */
function withBits(bytes: Buffer, bits: number): Buffer {
  bytes[0] = (bytes[0] as number) | bits
  return bytes
}

/** The first pieces of a message that does not end. */
function pieces(count: number, payload: string): Buffer[] {
  return Array.from({ length: count }, (_, index) =>
    frame(payload, { opcode: index === 0 ? OPCODE.text : 0, fin: false }),
  )
}

const unmasked = Buffer.concat([Buffer.from([0x81, 2]), Buffer.from('{}')])
const announced = Buffer.from([0x81, 0xff, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff])
const badText = frame(Buffer.from([0x7b, 0xc3, 0x28, 0x7d]))

/** Wanted is the close code. */
export const MALFORMED_FRAMES: readonly Row<FrameCase>[] = [
  ['a first frame over its limit', '1009', before(frame(blanks(WIRE_LIMITS.firstFrameBytes + 1)))],
  ['512 GiB announced as the first frame', '1009', before(announced)],
  ['a first frame that is no UTF-8', '1007', before(badText)],
  ['an unmasked first frame', '1002', before(unmasked)],
  ['a first frame in 100 pieces', '1008', before(...pieces(100, ' '))],
  ['200 empty pieces before hello', '1008', before(...pieces(200, ''))],
  ['a frame over the limit', '1009', after(frame(blanks(WIRE_LIMITS.frameBytes + 1)))],
  ['512 GiB announced', '1009', after(announced)],
  ['bytes that are no UTF-8', '1007', after(badText)],
  ['half a surrogate pair', '1007', after(frame(Buffer.from([0xed, 0xa0, 0x80])))],
  ['an unmasked frame', '1002', after(unmasked)],
  ['a reserved opcode', '1002', after(frame('{}', { opcode: 3 }))],
  ['a reserved control opcode', '1002', after(frame('', { opcode: 11 }))],
  ['RSV1, as if compressed', '1002', after(withBits(frame('{}'), 0x40))],
  ['RSV2', '1002', after(withBits(frame('{}'), 0x20))],
  ['RSV3', '1002', after(withBits(frame('{}'), 0x10))],
  ['a ping in pieces', '1002', after(frame('', { opcode: OPCODE.ping, fin: false }))],
  ['a ping of 126 bytes', '1002', after(frame(blanks(126), { opcode: OPCODE.ping }))],
  ['a continuation of nothing', '1002', after(frame('{}', { opcode: 0 }))],
  ['a message in the middle of another', '1002', after(frame('{', { fin: false }), frame('{}'))],
  ['a close with half a code', '1002', after(frame(Buffer.from([3]), { opcode: OPCODE.close }))],
  ['100 pieces', '1008', after(...pieces(100, ' '))],
  ['one piece over the limit', '1008', after(...pieces(LISTENER_LIMITS.fragments + 1, ' '))],
  ['5 000 empty pieces', '1008', after(...pieces(5_000, ''))],
]

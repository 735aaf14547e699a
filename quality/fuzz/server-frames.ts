// Reads what the listener said after an upgrade as WebSocket frames (RFC 6455, 5.2), strictly, and checks each against the wire.
import { decodeServerFrame } from '../../src/protocol/decode.ts'
import { CLOSE_CODES, type ServerFrame } from '../../src/protocol/frames.ts'
import { promise } from './target.ts'

const OPCODE = { text: 1, close: 8, ping: 9, pong: 10 } as const
const CODES: ReadonlySet<number> = new Set(Object.values(CLOSE_CODES).map(({ code }) => code))

/**
 * @param ended whether the listener ended the connection: what was cut by us may be torn
 * @param said what we said, whose close code may come back
 */
export function readFrames(bytes: Buffer, ended: boolean, said: string): readonly ServerFrame[] {
  const frames: ServerFrame[] = []
  let at = 0
  let closed = false
  while (at < bytes.length) {
    const frame = frameAt(bytes, at)
    promise(frame !== undefined || !ended, 'the last frame is whole')
    if (frame === undefined) break
    promise(!closed, 'nothing follows a close frame')
    at = frame.end
    if (frame.opcode === OPCODE.text) frames.push(readText(frame.payload))
    else if (frame.opcode === OPCODE.close) {
      closed = true
      checkClose(frame.payload, said)
    } else promise(frame.opcode === OPCODE.ping || frame.opcode === OPCODE.pong, 'a frame is text or for control')
  }
  return frames
}

function frameAt(bytes: Buffer, at: number): { opcode: number; payload: Buffer; end: number } | undefined {
  if (bytes.length < at + 2) return undefined
  const first = bytes.readUInt8(at)
  const second = bytes.readUInt8(at + 1)
  promise((first & 0xf0) === 0x80, 'a frame is in one piece and says nothing of extensions')
  promise((second & 0x80) === 0, 'what a server says is not masked')
  const short = second & 0x7f
  const header = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < at + header) return undefined
  const length =
    short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
  promise(header === 2 || length > (header === 4 ? 125 : 65_535), 'a length takes no more bytes than it needs')
  const end = at + header + length
  if (bytes.length < end) return undefined
  return { opcode: first & 0x0f, payload: bytes.subarray(at + header, end), end }
}

function readText(payload: Buffer): ServerFrame {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload)
  const decoded = decodeServerFrame(text)
  promise(decoded.ok, 'what is said is a frame of the wire')
  const asDeclared = JSON.stringify(sorted(decoded.frame))
  promise(asDeclared === JSON.stringify(sorted(JSON.parse(text))), 'a frame holds nothing that the wire does not know')
  return decoded.frame
}

function checkClose(payload: Buffer, said: string): void {
  if (payload.length === 0) return
  promise(payload.length >= 2 && payload.length <= 125, 'a close frame has a code and a short reason')
  const code = payload.readUInt16BE(0)
  const isEcho = said.includes(String.fromCharCode(code >> 8, code & 0xff))
  promise(CODES.has(code) || isEcho, `a close code is a documented one, and not ${code}`)
}

/** With all keys in order, at every depth. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

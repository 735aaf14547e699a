// WebSockets of the load: bare TCP sockets that say what a client says and look at what comes only as far as they are asked to, so
// that the server is the slower side. What they send often is framed beforehand.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'

const ORIGIN = 'http://127.0.0.1:53220'
const OPCODE = { text: 1, ping: 9, pong: 10 }
/** hookline lets 256 sockets wait for their hello at once. */
const OPENED_AT_ONCE = 100

/** A frame as a client sends it. @param {string} text @param {number} [opcode] */
export function clientFrame(text, opcode = OPCODE.text) {
  const payload = Buffer.from(text)
  const mask = randomBytes(4)
  for (let index = 0; index < payload.length; index++) payload[index] ^= mask[index & 3]
  const head = payload.length < 126 ? [payload.length | 0x80] : [126 | 0x80, payload.length >> 8, payload.length & 0xff]
  return Buffer.concat([Buffer.from([0x80 | opcode, ...head]), mask, payload])
}

/** The length on the wire of a frame that a server sends. @param {string} text */
export function serverFrameLength(text) {
  const length = Buffer.byteLength(text)
  return length + (length < 126 ? 2 : length < 65_536 ? 4 : 10)
}

export class LoadSocket {
  /** Called with what has come; the bytes are there for the time of the call only. @type {(bytes: Buffer) => void} */
  onBytes = () => {}
  #socket

  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.#socket = socket
  }

  /** @param {number} port of 127.0.0.1 */
  static async open(port) {
    const buffer = Buffer.allocUnsafe(65_536)
    const onread = { buffer, callback: (length) => taken(load.onBytes(buffer.subarray(0, length))) }
    const load = new LoadSocket(connect({ host: '127.0.0.1', port, noDelay: true, onread }))
    await load.#upgrade(port)
    return load
  }

  /** @param {Buffer} frame */
  send(frame) {
    this.#socket.write(frame)
  }

  /** @param {(text: string, opcode: number) => void} onFrame */
  onFrames(onFrame) {
    this.onBytes = frameSplitter(onFrame)
  }

  /** Resolves when the server has handled all that was sent before. */
  async settle() {
    const { onBytes } = this
    const answered = new Promise((resolve) => {
      this.onFrames((_, opcode) => opcode === OPCODE.pong && resolve())
    })
    this.send(clientFrame('', OPCODE.ping))
    await answered
    this.onBytes = onBytes
  }

  /** @param {object} frame of hookline's protocol, answered by one frame @returns {Promise<object>} */
  ask(frame) {
    const answer = new Promise((resolve) => {
      this.onFrames((text) => resolve(JSON.parse(text)))
    })
    this.send(clientFrame(JSON.stringify(frame)))
    return answer
  }

  close() {
    this.#socket.destroy()
  }

  async #upgrade(port) {
    const lines = ['GET /ws HTTP/1.1', `Host: 127.0.0.1:${port}`, `Origin: ${ORIGIN}`, 'Connection: Upgrade']
    lines.push('Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==')
    await once(this.#socket, 'connect')
    const answer = new Promise((resolve) => {
      this.onBytes = (bytes) => resolve(bytes.latin1Slice(0, 12))
    })
    this.#socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    const status = await answer
    if (status !== 'HTTP/1.1 101') throw new Error(`the upgrade was answered ${status}`)
    this.#socket.once('close', () => this.onBytes(Buffer.alloc(0)))
  }
}

/** An `onread` callback that does not say false goes on. */
function taken() {
  return true
}

// WebSockets of the load: bare TCP sockets that say what a client says and look at what comes only as far as they must, so that the
// server is the slower side. One that is hung up on ends its process: nothing measured without it would mean anything.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export const ORIGIN = 'http://127.0.0.1:53220'
export const TEXT = 1
export const CLOSE = 8
const PING = 9
const PONG = 10
/** hookline answers `/health` a moment before it lets pages in: before it has loaded what they need, and before its console has its port. */
const NOT_YET = ['503', '403']
const NOT_YET_MS = 30_000
/** All sockets read into this one, one after another. */
const incoming = Buffer.allocUnsafe(65_536)
/** hookline lets no more than 256 sockets wait for their hello. */
const OPENED_AT_ONCE = 100

/** @type {Set<LoadSocket>} */
const open = new Set()

/** Those of a group that failed: its servers end next, and have not hung up on anyone. */
export function closeAll() {
  for (const socket of open) socket.close()
}

/** A masked frame, as clients send them. @param {string} text @param {number} [opcode] */
export function clientFrame(text, opcode = TEXT) {
  const payload = Buffer.from(text)
  const mask = randomBytes(4)
  for (let index = 0; index < payload.length; index++) payload[index] ^= mask[index & 3]
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff]
  return Buffer.concat([Buffer.from([0x80 | opcode, length[0] | 0x80, ...length.slice(1)]), mask, payload])
}

/** How long the frame of a server is that holds this text. @param {string} text shorter than 64 KiB */
export function serverFrameLength(text) {
  const length = Buffer.byteLength(text)
  return length + (length < 126 ? 2 : 4)
}

export class LoadSocket {
  /** What has come; the bytes stay for the time of the call only. @type {(bytes: Buffer) => void} */
  onBytes = () => {}
  /** The server is gone, without having been asked. @type {() => void} */
  onHungUp = () => {
    throw new Error('the server hung up')
  }
  #socket

  /** @param {number} port of 127.0.0.1 @param {number} [giveUpAt] @returns {Promise<LoadSocket>} */
  static async open(port, giveUpAt = performance.now() + NOT_YET_MS) {
    const opened = new LoadSocket(port)
    const status = await opened.#upgrade()
    if (status === '101') return opened
    opened.close()
    if (!NOT_YET.includes(status) || performance.now() >= giveUpAt)
      throw new Error(`the upgrade was answered ${status}`)
    await sleep(status === '403' ? 100 : 10)
    return LoadSocket.open(port, giveUpAt)
  }

  /** A session that has been welcomed. @param {number} port @param {string} clientId of a trusted client */
  static async openSession(port, clientId) {
    const session = await LoadSocket.open(port)
    session.send(clientFrame(JSON.stringify({ t: 'hello', clientId })))
    const text = await session.#nextFrame(TEXT)
    if (!text.startsWith('{"t":"welcome"')) throw new Error(`hello was answered ${text}`)
    return session
  }

  /** @param {number} port */
  constructor(port) {
    const callback = (/** @type {number} */ length) => {
      this.onBytes(incoming.subarray(0, length))
      return true
    }
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer: incoming, callback } })
    open.add(this)
    this.#socket.once('close', () => open.delete(this))
  }

  /** @param {Buffer} frame */
  send(frame) {
    this.#socket.write(frame)
  }

  /** @param {(text: string) => void} onText */
  onTexts(onText) {
    this.onBytes = textSplitter(onText)
  }

  /** Sends a frame that has no answer, and resolves when it has been taken in. @param {Buffer} frame */
  async sendAndSettle(frame) {
    this.send(frame)
    this.send(clientFrame('', PING))
    await this.#nextFrame(PONG)
  }

  close() {
    this.onHungUp = () => {}
    this.#socket.destroy()
  }

  /** @param {number} wanted the opcode @returns {Promise<string>} */
  #nextFrame(wanted) {
    return new Promise((resolve) => {
      this.onBytes = frameSplitter((text, opcode) => opcode === wanted && resolve(text))
    })
  }

  /** @returns {Promise<string>} the status */
  async #upgrade() {
    await once(this.#socket, 'connect')
    const answer = new Promise((resolve) => {
      this.onBytes = (bytes) => resolve(bytes.latin1Slice(9, 12))
    })
    const lines = ['GET /ws HTTP/1.1', 'Host: 127.0.0.1:53219', `Origin: ${ORIGIN}`, 'Connection: Upgrade']
    lines.push('Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==')
    this.#socket.on('close', () => this.onHungUp())
    this.#socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    return answer
  }
}

/** Opens many in batches. @template T @param {number} count @param {(index: number) => Promise<T>} open @returns {Promise<T[]>} */
export async function openMany(count, open) {
  /** @type {T[]} */
  const opened = []
  while (opened.length < count) {
    const batch = Array.from({ length: Math.min(OPENED_AT_ONCE, count - opened.length) }, (_, n) => opened.length + n)
    opened.push(...(await Promise.all(batch.map(open))))
  }
  return opened
}

/** Cuts bytes into messages, and leaves out pings. @param {(text: string) => void} onText */
export function textSplitter(onText) {
  return frameSplitter((text, opcode) => opcode === TEXT && onText(text))
}

/** Cuts bytes into frames: unmasked and ASCII, as they are here. @param {(text: string, opcode: number) => void} onFrame */
export function frameSplitter(onFrame) {
  /** What has come of a frame that is not whole, and from what length on it is worth a look. */
  let [length, wanted] = [0, 2]
  /** @type {Buffer[]} */
  let parts = []
  /** @param {Buffer} bytes */
  return (bytes) => {
    length += bytes.length
    // A long frame is put together once, not once for each of its pieces.
    if (length < wanted) return void parts.push(Buffer.from(bytes))
    const all = parts.length === 0 ? bytes : Buffer.concat([...parts, bytes])
    let start = 0
    let next = frameAt(all, start)
    while (next.end <= all.length) {
      onFrame(all.latin1Slice(start + next.head, next.end), all[start] & 0x0f)
      start = next.end
      next = frameAt(all, start)
    }
    parts = start === all.length ? [] : [Buffer.from(all.subarray(start))]
    length = all.length - start
    wanted = next.end - start
  }
}

/** @param {Buffer} bytes @param {number} start @returns {{ head: number, end: number }} its end as far as the bytes tell */
function frameAt(bytes, start) {
  const code = bytes[start + 1] ?? 0
  const head = code < 126 ? 2 : code === 126 ? 4 : 10
  if (bytes.length < start + head) return { head, end: start + head }
  const length =
    head === 2 ? code : head === 4 ? bytes.readUInt16BE(start + 2) : Number(bytes.readBigUInt64BE(start + 2))
  return { head, end: start + head + length }
}

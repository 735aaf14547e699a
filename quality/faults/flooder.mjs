// A stranger who floods: `flooder.mjs <kind> <connections> <port>`, in a process of its own, until its input ends. What ends a connection
// is answered by another one.
import { randomBytes, randomUUID } from 'node:crypto'
import { connect } from 'node:net'

const HOST = '127.0.0.1'
const PIECE_BYTES = 65_536

const [kind = '', connections = '1', port = '53219'] = process.argv.slice(2)

/** @param {string} text @returns {Buffer} a masked text frame (RFC 6455, 5.2) */
function frame(text) {
  const payload = Buffer.from(text)
  const mask = randomBytes(4)
  const head =
    payload.length < 126 ? [0x81, 0x80 | payload.length] : [0x81, 0xfe, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from(head), mask, payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))])
}

/** @param {Buffer} unit @returns {Buffer} as many of it as fit into one piece */
function piece(unit) {
  return Buffer.concat(Array.from({ length: Math.ceil(PIECE_BYTES / unit.length) }, () => unit))
}

function handshake() {
  const lines = ['GET /ws HTTP/1.1', `Host: ${HOST}:53219`, 'Connection: Upgrade', 'Upgrade: websocket']
  lines.push(`Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`, 'Sec-WebSocket-Version: 13')
  return Buffer.from(`${lines.join('\r\n')}\r\nOrigin: http://${HOST}:53220\r\n\r\n`)
}

const hello = () => Buffer.concat([handshake(), frame(JSON.stringify({ t: 'hello', clientId: randomUUID() }))])
const state = (/** @type {object} */ extra) =>
  frame(JSON.stringify({ t: 'client:state', webCrossTradeActive: true, ...extra }))
const keys = Object.fromEntries(Array.from({ length: 1_400 }, (_, key) => [`k${key}`, 0]))

/** What opens a connection, and what follows for as long as it is taken. @type {Record<string, { first: () => Buffer, next: Buffer }>} */
const KINDS = {
  requests: {
    first: () => Buffer.alloc(0),
    next: piece(Buffer.from(`GET /health HTTP/1.1\r\nHost:${HOST}:53219\r\n\r\n`)),
  },
  frames: { first: hello, next: piece(state({})) },
  unread: {
    first: () => Buffer.alloc(0),
    next: piece(Buffer.from(`GET /health HTTP/1.1\r\nHost:${HOST}:53219\r\n\r\n`)),
  },
  'large frames': { first: hello, next: piece(state(keys)) },
}

const plan = KINDS[kind]
if (plan === undefined) throw new Error(`there is no flood of ${kind}`)

function flood() {
  const socket = connect({ host: HOST, port: Number(port) })
  const write = () => {
    while (socket.writable && socket.write(plan.next));
  }
  socket.once('connect', () => {
    socket.write(plan.first())
    write()
  })
  socket.on('drain', write).on('error', () => {})
  if (kind !== 'unread') socket.resume()
  socket.once('close', () => setTimeout(flood, 1))
}

for (let index = 0; index < Number(connections); index++) flood()
process.stdout.write('flooding\n')
process.stdin.once('close', () => process.exit()).resume()

// The limit of whatever goes to and fro: bare `ws` that sends every message back.
import { WebSocketServer } from 'ws'

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
server.on('connection', (socket) => {
  socket.on('message', (data) => socket.send(data, { binary: false }))
  socket.on('error', () => {})
})
server.on('listening', () => console.log(/** @type {import('node:net').AddressInfo} */ (server.address()).port))

// The limit of fan-out: bare `ws` behind bare node:http. A POST to /<count> is answered, then so many lines and the end of the run
// are sent to every socket that has said anything.
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'
import { DONE_FRAME, OUTPUT_FRAME } from './printed.mjs'

const headers = ['Content-Type', 'application/json', 'Content-Length', '2']
/** @type {Set<import('ws').WebSocket>} */
const subscribers = new Set()

const server = createServer((request, response) => {
  response.writeHead(200, headers)
  response.end('{}')
  const lines = Number(request.url?.slice(1))
  for (let line = 0; line < lines; line++) sendToAll(OUTPUT_FRAME)
  sendToAll(DONE_FRAME)
})
new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
  socket.on('message', () => subscribers.add(socket))
  socket.on('close', () => subscribers.delete(socket))
  socket.on('error', () => {})
})
server.listen(0, '127.0.0.1', () => console.log(/** @type {import('node:net').AddressInfo} */ (server.address()).port))

/** @param {string} text */
function sendToAll(text) {
  for (const socket of subscribers) socket.send(text)
}

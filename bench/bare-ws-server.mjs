// The limit: bare `ws`, with nothing around it. It echoes every message, and prints to all its sockets what a POST asks for.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocketServer } from 'ws'

const server = createServer(async (request, response) => {
  const order = JSON.parse(await text(request))
  response.end('{"ok":true}')
  await print(order)
})
const sockets = new WebSocketServer({ server, perMessageDeflate: false })
sockets.on('connection', (socket) => {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
  socket.on('error', () => {})
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))

/** @param {import('./fan-out.mjs').Print} order */
async function print({ line, lines, everyMs, done }) {
  for (let printed = 0; printed < lines; printed++) {
    if (everyMs > 0) await sleep(everyMs)
    sendToAll(line)
  }
  sendToAll(done)
}

/** @param {string} message */
function sendToAll(message) {
  for (const socket of sockets.clients) socket.send(message)
}

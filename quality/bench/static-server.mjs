// The limit: a bare node:http server that answers everything with the same JSON, as long as hookline's answer to a fire.
import { createServer } from 'node:http'

const body = JSON.stringify({ ok: true, runId: '00000000-0000-4000-8000-000000000000', command: 'echo ok' })
const headers = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))]

const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => console.log(/** @type {import('node:net').AddressInfo} */ (server.address()).port))

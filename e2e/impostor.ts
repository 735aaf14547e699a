// Something else that has taken hookline's port: it answers as hookline would, welcomes whoever comes, and notes all that it is told.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'

export interface Impostor {
  readonly listenerId: string
  /** What pages sent, in order. */
  readonly heard: readonly unknown[]
  /** Resolves once a page has hung up. */
  leftAlone(): Promise<void>
}

export async function startImpostor(): Promise<Impostor> {
  const listenerId = '00000000-bad0-4bad-8bad-000000000bad'
  const heard: unknown[] = []
  const server = createServer((_request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.end('{"ok":true,"pid":1,"port":53219}')
  })
  const sockets = new WebSocketServer({ server, path: '/ws' })
  const leaving = new Promise<void>((resolve) => {
    sockets.on('connection', (socket) => {
      socket.on('close', () => resolve())
      socket.on('message', (data) => {
        heard.push(JSON.parse(data.toString()))
        socket.send(JSON.stringify({ t: 'welcome', listenerId, user: { email: '' } }))
      })
    })
  })
  server.listen(53219, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.close()
    server.closeAllConnections()
  })
  return { listenerId, heard, leftAlone: () => leaving }
}

import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** Another HTTP server on the listener's port. */
export async function squatWithHttp(answer: RequestListener): Promise<Server> {
  return listen(createServer(answer))
}

/** A program on the listener's port that accepts and never says a word. */
export async function squatSilently(): Promise<TcpServer> {
  return listen(createTcpServer((socket) => socket.resume().on('error', () => {})))
}

async function listen<S extends Server | TcpServer>(server: S): Promise<S> {
  server.listen(53219, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    if (!server.listening) return
    server.close()
  })
  return server
}

/** Ends the squatter and resolves once its port is free. */
export async function leave(server: Server | TcpServer): Promise<AddressInfo> {
  const address = server.address() as AddressInfo
  const closed = once(server, 'close')
  server.close()
  if ('closeAllConnections' in server) server.closeAllConnections()
  await closed
  return address
}

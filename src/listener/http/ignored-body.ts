// A request's body is ignored: never buffered, never parsed, and the answer does not wait for it (behaviour 3). What arrives
// is thrown away chunk by chunk; too much of it ends the connection after the answer.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LISTENER_LIMITS } from '../listener-limits.ts'

export function ignoreBody(request: IncomingMessage, response: ServerResponse): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  // What cannot become too much node:http throws away by itself, once the answer is out.
  if (encoding === undefined && Number(length ?? '0') <= LISTENER_LIMITS.bodyBytes) return
  let received = 0
  let answered = false
  const endWhenTooLarge = () => {
    if (answered && received > LISTENER_LIMITS.bodyBytes) endAfterAnswer(request.socket)
  }
  request.on('data', (chunk: Buffer) => {
    received += chunk.length
    endWhenTooLarge()
  })
  // A sender may vanish in the middle of a body that is not read.
  request.on('error', () => {})
  response.on('finish', () => {
    answered = true
    endWhenTooLarge()
  })
}

/** Half-closes first, so that the answer is not lost to a reset, and cuts a sender that goes on regardless. */
export function endAfterAnswer(socket: Socket): void {
  if (socket.writableEnded) return
  socket.end()
  socket.resume()
  const cut = setTimeout(() => socket.destroy(), LISTENER_LIMITS.lingerMs)
  socket.once('close', () => clearTimeout(cut))
}

// The protocols that node:http takes for HTTP: its parser reads RTSP and ICE too, and does not say which it was (behaviour 8).
import type { Socket } from 'node:net'
import { LISTENER_LIMITS } from '../listener-limits.ts'

/** Calls `refuse` before the reader of the socket gets the end of a first line that names another protocol. */
export function watchFirstLine(socket: Socket, refuse: (socket: Socket) => void): void {
  let text = ''
  function look(chunk: Buffer): void {
    text = (text + chunk.toString('latin1', 0, LISTENER_LIMITS.headerBytes)).replace(/^[\r\n]+/, '')
    const end = text.indexOf('\n')
    if (end === -1 && text.length < LISTENER_LIMITS.headerBytes) return
    socket.off('data', look)
    if (/ (?:RTSP|ICE)\/\d\.\d\r?$/.test(text.slice(0, end))) refuse(socket)
  }
  socket.prependListener('data', look)
}

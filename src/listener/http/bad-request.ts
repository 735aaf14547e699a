// What node:http cannot read: the answers that are owed go out first, then the fault is answered and the connection ends (behaviour 3).
import type { Socket } from 'node:net'
import { endAfterAnswer } from './ignored-body.ts'

/** By the `code` of Node's errors; anything else is 400. */
const STATUS_LINES: ReadonlyMap<string | undefined, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
])

/** The connection's last answer. Nothing is said where an answer has announced the end, or the caller has gone. */
export function answerFault(socket: Socket, { code }: Pick<NodeJS.ErrnoException, 'code'> = {}): void {
  if (!socket.writable) return void socket.destroy()
  socket.write(`HTTP/1.1 ${STATUS_LINES.get(code) ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`, 'latin1')
  endAfterAnswer(socket)
}

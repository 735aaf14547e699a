// A request's body is ignored: never buffered, never parsed, and the answer does not wait for it (behaviour 3). What arrives
// is thrown away chunk by chunk; too much of it ends the connection after the answer.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { beginInput } from '../../stores/event-loop-turn.ts'
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

// The body of a fire whose hook has slots (behaviour 44): read once the token was right, at most 64 KiB, within 5 s.

/** The whole body, or why there is none. */
export type ReadBody = { readonly bytes: Buffer } | { readonly why: string }

const TOO_LARGE = `the body is larger than ${LISTENER_LIMITS.bodyBytes / 1024} KiB`
const TOO_SLOW = `the body took longer than ${LISTENER_LIMITS.alertBodyMs / 1000} s`

/** `then` is called once, or never: where the sender goes away before the end. */
export function readAlertBody(
  request: IncomingMessage,
  response: ServerResponse,
  then: (body: ReadBody) => void,
): void {
  const { 'content-length': announced, expect } = request.headers
  const length = Number(announced ?? '0')
  if (length > LISTENER_LIMITS.bodyBytes) return then({ why: TOO_LARGE })
  if (announced === undefined || expect !== undefined) return awaitBody(request, response, [], then)
  // A body mostly comes with its head. Then it is there when all of that has been parsed, and needs no timer and no listeners.
  process.nextTick(() => {
    if (request.destroyed) return
    const come = request.read() as Buffer | null
    if (length === 0 || come?.length === length) then({ bytes: come ?? EMPTY })
    else awaitBody(request, response, come === null ? [] : [come], then)
  })
}

const EMPTY = Buffer.alloc(0)

/** @param chunks what has come already */
function awaitBody(
  request: IncomingMessage,
  response: ServerResponse,
  chunks: Buffer[],
  then: (body: ReadBody) => void,
): void {
  let size = chunks.reduce((sum, { length }) => sum + length, 0)
  const timer = setTimeout(() => {
    // What is still to come must not be read as a request.
    response.shouldKeepAlive = false
    response.once('finish', () => endAfterAnswer(request.socket))
    settle({ why: TOO_SLOW })
  }, LISTENER_LIMITS.alertBodyMs)

  function stop(): void {
    clearTimeout(timer)
    request.off('data', take).off('end', end).off('close', stop)
  }
  function settle(body: ReadBody): void {
    stop()
    beginInput()
    then(body)
  }
  function take(chunk: Buffer): void {
    size += chunk.length
    if (size > LISTENER_LIMITS.bodyBytes) return settle({ why: TOO_LARGE })
    chunks.push(chunk)
  }
  function end(): void {
    settle({ bytes: Buffer.concat(chunks) })
  }
  request.on('data', take).on('end', end).on('close', stop)
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
}

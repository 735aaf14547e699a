// The body of a fire whose hook has slots (behaviour 44): read once the token was right, at most 64 KiB, within 5 s.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import { endAfterAnswer } from './ignored-body.ts'

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
  if (Number(request.headers['content-length'] ?? '0') > LISTENER_LIMITS.bodyBytes) return then({ why: TOO_LARGE })
  const chunks: Buffer[] = []
  let size = 0
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

// One WebSocket: frames out, decoded frames in. Once dropped it is silent, whatever its WebSocket still has to say.
import { type Decoded, decodeServerFrame, encodeFrame } from '../protocol/decode.ts'
import type { ClientFrame, ServerFrame } from '../protocol/frames.ts'
import type { Delivery } from './client-error.ts'

/** What is needed of a WebSocket; the browser's, Node's and ws's all have it. */
export interface WebSocketLike {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number
  send(text: string): void
  close(): void
  addEventListener(type: 'open' | 'error', handler: () => void): void
  addEventListener(type: 'message', handler: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'close', handler: (event: { readonly code: number }) => void): void
}

/**
 * Browsers send their page's `Origin`; elsewhere a program must send one that hookline allows:
 *
 * @example
 * class OriginWebSocket extends WebSocket {
 *   constructor(url: string) {
 *     super(url, { headers: { Origin: 'http://127.0.0.1:53220' } })
 *   }
 * }
 */
export type WebSocketConstructor = new (url: string) => WebSocketLike

export interface SocketHandlers {
  opened(): void
  /** @param setAside rows that could not be read and are not in it */
  frame(frame: ServerFrame, setAside?: readonly string[]): void
  /** Something came that is not a frame of this wire; one line says what is wrong with it, and `t` and `id` what it was to be. */
  badFrame(error: string, of: { readonly t?: string; readonly id?: string }): void
  closed(code: number): void
}

export interface Socket {
  /** Never throws. */
  send(frame: ClientFrame): Delivery
  drop(): void
}

const OPEN = 1

/** @throws where the browser forbids the address at once, as some do for ws:// from an https page */
export function openSocket(WebSocket: WebSocketConstructor, url: string, handlers: SocketHandlers): Socket {
  const ws = new WebSocket(url)
  let isDropped = false
  const whileKept =
    <A extends unknown[]>(handle: (...args: A) => void) =>
    (...args: A) => {
      if (!isDropped) handle(...args)
    }
  ws.addEventListener(
    'open',
    whileKept(() => handlers.opened()),
  )
  ws.addEventListener(
    'message',
    whileKept(({ data }) => {
      const decoded: Decoded<ServerFrame> =
        typeof data === 'string' ? decodeServerFrame(data) : { ok: false, error: 'the frame is not text' }
      if (decoded.ok) handlers.frame(decoded.frame, decoded.setAside)
      else handlers.badFrame(decoded.error, decoded)
    }),
  )
  ws.addEventListener(
    'close',
    whileKept(({ code }) => handlers.closed(code)),
  )
  // `close` follows and says as much: browsers tell pages nothing about the cause.
  ws.addEventListener('error', () => {})
  return {
    send(frame) {
      // A closing WebSocket takes what it is given and forgets it.
      if (isDropped || ws.readyState !== OPEN) return 'not-sent'
      ws.send(encodeFrame(frame))
      return 'sent'
    },
    drop() {
      isDropped = true
      ws.close()
    },
  }
}

// What a client may cost before it is welcomed (behaviour 141): a frame's worth of bytes that are not yet a frame, and ten messages a second.
import type { Duplex } from 'node:stream'
import { WIRE_LIMITS } from '../../protocol/frames.ts'

const WINDOW_MS = 1_000
/** RFC 6455, 5.2: two bytes, eight of extended length, four of mask. */
const MAX_FRAME_HEADER_BYTES = 14

export class StrangerLimits {
  readonly #socket: Duplex
  readonly #onTooBig: () => void
  /** Received since the last message ended. */
  #unread = 0
  /** Of these, what pings and pongs have taken. */
  #control = 0
  #hasRead = false
  #windowFrom = Number.NEGATIVE_INFINITY
  #messages = 0

  /** @param onTooBig what is not yet a message is larger than one may be */
  constructor(socket: Duplex, onTooBig: () => void) {
    this.#socket = socket
    this.#onTooBig = onTooBig
    // After ws, which has read the chunk by then: what it told of counts no more.
    socket.on('data', this.#count)
  }

  /** A message, ping or pong is here. @returns whether it is still within the limit */
  take(now: number): boolean {
    if (now - this.#windowFrom >= WINDOW_MS) {
      this.#windowFrom = now
      this.#messages = 0
    }
    return ++this.#messages <= WIRE_LIMITS.earlyFramesPerSecond
  }

  messageRead(): void {
    this.#hasRead = true
  }

  controlRead(bytes: number): void {
    this.#control += bytes + MAX_FRAME_HEADER_BYTES
  }

  stop(): void {
    this.#socket.off('data', this.#count)
  }

  readonly #count = (chunk: Buffer): void => {
    if (this.#hasRead) {
      // The rest of the chunk may begin the next message: at most one chunk goes uncounted.
      this.#hasRead = false
      this.#unread = 0
      this.#control = 0
      return
    }
    this.#unread += chunk.length
    if (this.#unread - this.#control > WIRE_LIMITS.firstFrameBytes + MAX_FRAME_HEADER_BYTES) this.#onTooBig()
  }
}

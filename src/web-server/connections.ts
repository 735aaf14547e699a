// What the connections of a console's server may take from each other. Of one connection a request waits until the one before it is answered, unread
// in the socket's buffer and then in the sender's; where all places are taken, one that holds its place and asks nothing makes room.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { WEB_SERVER_LIMITS } from './web-server-limits.ts'

/** Answers a request, at once or later. */
type Handle = (request: IncomingMessage, response: ServerResponse) => void

interface Request {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly handle: Handle
}

/**
 * Refusals of those who ask too often wait, so that one who asks again as soon as it is refused costs little of the thread that answers all. Meanwhile
 * its connection makes room for any other.
 */
export class LateRefusals {
  readonly #waiting = new WeakSet<ServerResponse>()

  has(response: ServerResponse): boolean {
    return this.#waiting.has(response)
  }

  /** Resolves when the answer is due, or its connection is gone. */
  wait(response: ServerResponse): Promise<void> {
    this.#waiting.add(response)
    return new Promise((resolve) => {
      const due = setTimeout(resolve, lateMs)
      response.once('close', () => {
        clearTimeout(due)
        resolve()
      })
    })
  }
}

interface Place {
  current: Request | undefined
  /** Its body is wanted, as far as it has one. */
  isBegun: boolean
  /** Answered for good: the sender may take it, and asks nothing more here. */
  isOver: boolean
  /** Read in the same slice as the one under way. */
  readonly waiting: Request[]
  /** Of the last change, ms. */
  since: number
}

const { sockets: MAX_SOCKETS, sliceBytes, lingerMs, lateMs } = WEB_SERVER_LIMITS

export class Connections {
  readonly #places = new Map<Socket, Place>()
  readonly #late: LateRefusals
  readonly #now: () => number

  constructor(late = new LateRefusals(), now = () => performance.now()) {
    this.#late = late
    this.#now = now
  }

  /**
   * Takes a place, or destroys the socket where all the others are being answered. node:http listens to `data` already: with a listener of `readable`
   * beside it, it gets what `read` takes and nothing else (Node's documentation of `readable`).
   */
  admit(socket: Socket): void {
    if (this.#places.size >= MAX_SOCKETS && !this.#makeRoom()) return void socket.destroy()
    this.#places.set(socket, { current: undefined, isBegun: false, isOver: false, waiting: [], since: this.#now() })
    const advance = (): void => this.#advance(socket)
    socket.on('readable', advance).on('drain', advance)
    socket.once('close', () => this.#places.delete(socket))
  }

  /** Its turn has come: reads its body. */
  begin({ socket }: IncomingMessage): void {
    const place = this.#places.get(socket)
    if (place === undefined) return
    place.isBegun = true
    this.#advance(socket)
  }

  /** Handles the request once those before it on its connection are answered. Its body is read after `begin`. */
  take(request: IncomingMessage, response: ServerResponse, handle: Handle): void {
    const place = this.#places.get(request.socket)
    if (place === undefined) return
    if (place.current === undefined) this.#handle(place, { request, response, handle })
    else place.waiting.push({ request, response, handle })
  }

  #handle(place: Place, next: Request): void {
    const { request, response, handle } = next
    const { socket } = request
    place.current = next
    place.since = this.#now()
    response.once('close', () => {
      place.current = undefined
      place.isBegun = false
      place.since = this.#now()
      if (socket.destroyed) return
      // Answered before all of it has come, and what is still to come is not wanted.
      place.isOver = !request.complete || socket.writableEnded
      if (!request.complete) return endAfterAnswer(socket)
      const [following] = place.waiting.splice(0, 1)
      if (following !== undefined && !socket.writableEnded) this.#handle(place, following)
      this.#advance(socket)
    })
    handle(request, response)
  }

  /** Reads on as far as the request under way needs. */
  #advance(socket: Socket): void {
    const place = this.#places.get(socket)
    while (place !== undefined && mayRead(place) && !socket.destroyed && !socket.writableNeedDrain) {
      // Takes note of the end, and asks for more.
      if (socket.readableLength === 0) return void socket.read()
      socket.read(Math.min(sliceBytes, socket.readableLength))
    }
  }

  /** First those that wait for their turn, are refused or leave, then those that ask nothing, whose body does not come, that do not take their answer; of these the oldest. */
  #makeRoom(): boolean {
    let leaving: readonly [socket: Socket, rank: number, since: number] | undefined
    for (const [socket, place] of this.#places) {
      const rank = this.#rankOf(place)
      if (rank === undefined) continue
      const [, best = Number.POSITIVE_INFINITY, since = 0] = leaving ?? []
      if (rank < best || (rank === best && place.since < since)) leaving = [socket, rank, place.since]
    }
    if (leaving === undefined) return false
    const [socket] = leaving
    this.#places.delete(socket)
    socket.destroy()
    return true
  }

  /** @returns undefined: it is being answered */
  #rankOf({ current, isBegun, isOver }: Place): number | undefined {
    if (isOver) return 0
    if (current === undefined) return 1
    if (!isBegun || this.#late.has(current.response)) return 0
    if (!current.request.complete) return 2
    return current.response.writableEnded ? 3 : undefined
  }
}

function mayRead({ current, isBegun, waiting }: Place): boolean {
  return current === undefined || (isBegun && !current.request.complete && waiting.length === 0)
}

/** Half-closes first, so that the answer is not lost to a reset, and cuts a sender that goes on regardless. */
function endAfterAnswer(socket: Socket): void {
  socket.end()
  socket.resume()
  const cut = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(cut))
}

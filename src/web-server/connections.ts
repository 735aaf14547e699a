// What the connections of a console's server may take from each other. Of one connection a request waits until the one before it is answered, unread
// in the socket's buffer and then in the sender's; where all places are taken, one that holds its place and asks nothing makes room.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { WEB_SERVER_LIMITS } from './web-server-limits.ts'

/** Answers a request, at once or later. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => void

interface Request {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly handle: Handle
}

interface Place {
  current: Request | undefined
  /** Read in the same slice as the one under way. */
  readonly waiting: Request[]
  /** Of the last change, ms. */
  since: number
}

const { sockets: MAX_SOCKETS, sliceBytes, lingerMs } = WEB_SERVER_LIMITS

export class Connections {
  readonly #places = new Map<Socket, Place>()
  readonly #now: () => number

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /**
   * Takes a place, or destroys the socket where all the others are being answered. node:http listens to `data` already: with a listener of `readable`
   * beside it, it gets what `read` takes and nothing else (Node's documentation of `readable`).
   */
  admit(socket: Socket): void {
    if (this.#places.size >= MAX_SOCKETS && !this.#makeRoom()) return void socket.destroy()
    this.#places.set(socket, { current: undefined, waiting: [], since: this.#now() })
    const advance = (): void => this.#advance(socket)
    socket.on('readable', advance).on('drain', advance)
    socket.once('close', () => this.#places.delete(socket))
  }

  /** Handles the request once those before it on its connection are answered. */
  take(request: IncomingMessage, response: ServerResponse, handle: Handle): void {
    const place = this.#places.get(request.socket)
    if (place === undefined) return
    if (place.current === undefined) this.#begin(place, { request, response, handle })
    else place.waiting.push({ request, response, handle })
  }

  #begin(place: Place, next: Request): void {
    const { request, response, handle } = next
    const { socket } = request
    place.current = next
    place.since = this.#now()
    response.once('close', () => {
      place.current = undefined
      place.since = this.#now()
      if (socket.destroyed) return
      // Answered before all of it has come, and what is still to come is not wanted.
      if (!request.complete) return endAfterAnswer(socket)
      const [following] = place.waiting.splice(0, 1)
      if (following !== undefined && !socket.writableEnded) this.#begin(place, following)
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

  /** Those that ask nothing first, then those whose body does not come, then those that do not take their answer; of these the oldest. */
  #makeRoom(): boolean {
    let leaving: readonly [socket: Socket, rank: number, since: number] | undefined
    for (const [socket, place] of this.#places) {
      const rank = rankOf(place)
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
}

function mayRead({ current, waiting }: Place): boolean {
  return current === undefined || (!current.request.complete && waiting.length === 0)
}

/** @returns undefined: it is being answered */
function rankOf({ current }: Place): number | undefined {
  if (current === undefined) return 0
  if (!current.request.complete) return 1
  return current.response.writableEnded ? 2 : undefined
}

/** Half-closes first, so that the answer is not lost to a reset, and cuts a sender that goes on regardless. */
function endAfterAnswer(socket: Socket): void {
  socket.end()
  socket.resume()
  const cut = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(cut))
}

// How much is read of which connection in one turn of the event loop (behaviour 141). What is not read yet stays in the socket's buffer
// and then in the sender's, so that a flood waits and a fire does not.
//
// A stream with listeners of both `readable` and `data` hands on what `read` takes and nothing else (Node's documentation of
// `readable`). node:http and ws listen to `data`; here is the listener of `readable`.
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { forgetTurn } from '../../stores/event-loop-turn.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'

/** Connections that share a slice of each turn. */
interface Lane {
  readonly sliceBytes: number
  readonly turnMs: number
  readonly waiting: Set<Socket>
  spentMs: number
}

interface Reading {
  lane: Lane
  /** It has asked something: from then on a stranger waits for its turn. */
  hasAsked: boolean
  /** Nothing is read: its bytes are for a reader that is not there yet. */
  isHeld: boolean
}

export class ReadTurns {
  readonly #strangers: Lane = createLane(LISTENER_LIMITS.strangers)
  readonly #known: Lane = createLane(LISTENER_LIMITS.known)
  readonly #now: () => number
  readonly #readings = new WeakMap<Socket, Reading>()
  readonly #isAnswered: (socket: Socket) => boolean
  /** One for all: an idle connection keeps no closure of its own. */
  readonly #onReadable: (this: Socket) => void
  #isTurnArmed = false

  /** @param isAnswered whether no answer is owed: what is pipelined behind a request waits for its answer */
  constructor(isAnswered: (socket: Socket) => boolean, now = () => performance.now()) {
    this.#isAnswered = isAnswered
    this.#now = now
    const advance = (socket: Socket) => this.advance(socket)
    this.#onReadable = function () {
      advance(this)
    }
  }

  /** Reads a new connection, of which nothing is known, in turns. Its reader listens to `data` already. */
  admit(socket: Socket): void {
    this.#readings.set(socket, { lane: this.#strangers, hasAsked: false, isHeld: false })
    this.#listen(socket)
  }

  /** A whole request head has been read. */
  noteRequest(socket: Socket): void {
    const reading = this.#readings.get(socket)
    if (reading) reading.hasAsked = true
  }

  /** An approved client: it shares with others of its kind, and no longer with strangers. */
  readonly welcome = (stream: Duplex): void => {
    this.#move(stream as Socket, this.#known)
  }

  /** The caller has shown a token: what it sends is read as it comes, for as long as it waits for its answers. */
  readonly vouch = (socket: Socket): void => {
    const reading = this.#readings.get(socket)
    if (!reading || reading.lane === this.#known) return
    this.#forget(socket, reading)
  }

  /** A request has come before the one ahead of it was answered: a caller with a token may do that, in turns. */
  notePipelined(socket: Socket): void {
    if (this.#readings.has(socket)) return
    this.#readings.set(socket, { lane: this.#known, hasAsked: true, isHeld: false })
    this.#listen(socket)
  }

  /** Reads nothing until `resume`. A caller with a token becomes a stranger again: what it is after that, its token does not say. */
  hold(socket: Socket): void {
    if (!this.#readings.has(socket)) this.#listen(socket)
    this.#readings.set(socket, { lane: this.#strangers, hasAsked: true, isHeld: true })
  }

  resume(socket: Socket): void {
    const reading = this.#readings.get(socket)
    if (!reading) return
    reading.isHeld = false
    this.advance(socket)
  }

  /** Throws away what is still to come, unread. */
  discard(socket: Socket): void {
    const reading = this.#readings.get(socket)
    if (reading) this.#forget(socket, reading)
    socket.removeAllListeners('data').resume()
  }

  /** Reads as much as this turn allows. Called when bytes have come, and when what kept them from being read is over. */
  advance(socket: Socket): void {
    const reading = this.#readings.get(socket)
    if (!reading || reading.lane.waiting.has(socket)) return
    while (
      this.#readings.get(socket) === reading &&
      !reading.isHeld &&
      !socket.writableNeedDrain &&
      this.#isAnswered(socket)
    ) {
      // Takes note of the end, and asks for more.
      if (socket.readableLength === 0) return void socket.read()
      const { lane } = reading
      if (reading.hasAsked && (lane.spentMs >= lane.turnMs || lane.waiting.size > 0)) return this.#wait(socket, lane)
      this.#read(socket, lane)
    }
  }

  #listen(socket: Socket): void {
    socket.on('readable', this.#onReadable).on('drain', this.#onReadable)
  }

  /** The stream flows again by itself where someone listens to `data`. */
  #forget(socket: Socket, { lane }: Reading): void {
    lane.waiting.delete(socket)
    this.#readings.delete(socket)
    socket.off('readable', this.#onReadable).off('drain', this.#onReadable)
  }

  #move(socket: Socket, lane: Lane): void {
    const reading = this.#readings.get(socket)
    if (!reading || reading.lane === lane) return
    const wasWaiting = reading.lane.waiting.delete(socket)
    reading.lane = lane
    if (wasWaiting) this.#wait(socket, lane)
  }

  #read(socket: Socket, lane: Lane): void {
    const startedAt = this.#now()
    socket.read(Math.min(lane.sliceBytes, socket.readableLength))
    lane.spentMs += this.#now() - startedAt
    this.#armTurn()
  }

  #wait(socket: Socket, lane: Lane): void {
    lane.waiting.add(socket)
    this.#armTurn()
  }

  #armTurn(): void {
    if (this.#isTurnArmed) return
    this.#isTurnArmed = true
    setImmediate(() => this.#beginTurn())
  }

  #beginTurn(): void {
    this.#isTurnArmed = false
    // What waited was sent before now, and what is looked at for it is older than what comes next.
    forgetTurn()
    for (const lane of [this.#known, this.#strangers]) {
      lane.spentMs = 0
      this.#serve(lane)
    }
    forgetTurn()
  }

  /** One slice for each that waits, the longest waiting first, while there is time. */
  #serve(lane: Lane): void {
    while (lane.spentMs < lane.turnMs) {
      const [socket] = lane.waiting
      if (!socket) return
      lane.waiting.delete(socket)
      if (!this.#isReadable(socket)) continue
      this.#read(socket, lane)
      if (!this.#isReadable(socket)) continue
      if (socket.readableLength === 0) socket.read()
      else this.#wait(socket, lane)
    }
    if (lane.waiting.size > 0) this.#armTurn()
  }

  #isReadable(socket: Socket): boolean {
    const reading = this.#readings.get(socket)
    if (!reading || socket.destroyed) return false
    return !reading.isHeld && !socket.writableNeedDrain && this.#isAnswered(socket)
  }
}

function createLane({ sliceBytes, turnMs }: Pick<Lane, 'sliceBytes' | 'turnMs'>): Lane {
  return { sliceBytes, turnMs, waiting: new Set(), spentMs: 0 }
}

// At most so many sockets. When all places are taken, the oldest connection that has asked nothing yet makes room, then the one
// idle for longest: strangers who open sockets and stay silent cannot keep a real caller out.
import type { Socket } from 'node:net'

export class SocketBudget {
  readonly #maxSockets: number
  readonly #all = new Set<Socket>()
  /** Never sent a whole request head; oldest first. */
  readonly #silent = new Set<Socket>()
  /** Between two requests; longest first. */
  readonly #idle = new Set<Socket>()
  /** One for all, taken off again: an idle session keeps nothing of its time before (quality/bench/session-memory). */
  readonly #onClose: (this: Socket) => void

  constructor(maxSockets: number) {
    this.#maxSockets = maxSockets
    const forget = (socket: Socket) => this.#forget(socket)
    this.#onClose = function () {
      forget(this)
    }
  }

  get count(): number {
    return this.#all.size
  }

  /** Takes a place for the socket, or destroys it when all the others are busy. */
  admit(socket: Socket): void {
    if (this.#all.size >= this.#maxSockets && !this.#makeRoom()) {
      socket.destroy()
      return
    }
    this.#all.add(socket)
    this.#silent.add(socket)
    socket.on('close', this.#onClose)
  }

  /** A request head has arrived. */
  markBusy(socket: Socket): void {
    this.#silent.delete(socket)
    this.#idle.delete(socket)
  }

  /** Its answer is out. */
  markIdle(socket: Socket): void {
    if (this.#all.has(socket)) this.#idle.add(socket)
  }

  /** The socket has become a session, which has a limit of its own. */
  release(socket: Socket): void {
    socket.off('close', this.#onClose)
    this.#forget(socket)
  }

  #makeRoom(): boolean {
    const [leaving = this.#idle.values().next().value] = this.#silent
    if (!leaving) return false
    this.#forget(leaving)
    leaving.destroy()
    return true
  }

  #forget(socket: Socket): void {
    this.#all.delete(socket)
    this.#silent.delete(socket)
    this.#idle.delete(socket)
  }
}

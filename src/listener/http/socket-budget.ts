// At most so many sockets. When all places are taken, the oldest connection that has asked nothing for a second makes room, then the
// stranger idle for longest, then a page of our user's that says no `hello` for a second, or is one of too many, then a silent one that has just come, then a caller with a
// token: strangers who open sockets and stay silent, or ask and read nothing, cannot keep a real caller out.
import type { Socket } from 'node:net'
import { LISTENER_LIMITS } from '../listener-limits.ts'

export class SocketBudget {
  readonly #maxSockets: number
  readonly #all = new Set<Socket>()
  readonly #now: () => number
  /** Never sent a whole request head, and when they came; oldest first. */
  readonly #silent = new Map<Socket, number>()
  /** Between two requests; longest first. */
  readonly #idle = new Set<Socket>()
  /** The same of those that have shown a token. */
  readonly #idleKnown = new Set<Socket>()
  readonly #known = new WeakSet<Socket>()
  /** Upgraded by a program of our user, and since when; oldest first. */
  readonly #upgraded = new Map<Socket, number>()
  /** One for all, taken off again: an idle session keeps nothing of its time before (quality/bench/session-memory). */
  readonly #onClose: (this: Socket) => void

  constructor(maxSockets: number, now = () => performance.now()) {
    this.#maxSockets = maxSockets
    this.#now = now
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
    this.#silent.set(socket, this.#now())
    socket.on('close', this.#onClose)
  }

  /** A request head has arrived. */
  markBusy(socket: Socket): void {
    this.#silent.delete(socket)
    this.#idle.delete(socket)
    this.#idleKnown.delete(socket)
  }

  /** Its answer is given, whether or not it takes it. */
  markIdle(socket: Socket): void {
    if (!this.#all.has(socket)) return
    if (this.#known.has(socket)) this.#idleKnown.add(socket)
    else this.#idle.add(socket)
  }

  /** It has shown a token. */
  markKnown(socket: Socket): void {
    this.#known.add(socket)
    if (this.#idle.delete(socket)) this.#idleKnown.add(socket)
  }

  /** An upgrade of our own user's, as the kernel says: its `hello` is next. */
  markUpgraded(socket: Socket): void {
    if (!this.#all.has(socket)) return
    this.#silent.delete(socket)
    this.#upgraded.set(socket, this.#now())
  }

  /** The socket has become a session, which has a limit of its own. */
  release(socket: Socket): void {
    socket.off('close', this.#onClose)
    this.#forget(socket)
  }

  #makeRoom(): boolean {
    const [silent] = this.#silent.keys()
    const [idle] = this.#idle
    const [idleKnown] = this.#idleKnown
    const [upgraded] = this.#upgraded.keys()
    const isCrowd = this.#upgraded.size > this.#maxSockets / 2
    const leaving =
      this.#longIn(this.#silent) ?? idle ?? (isCrowd ? upgraded : this.#longIn(this.#upgraded)) ?? silent ?? idleKnown
    if (!leaving) return false
    this.#forget(leaving)
    leaving.destroy()
    return true
  }

  /** Its oldest, where that has said nothing for too long. */
  #longIn(waiting: ReadonlyMap<Socket, number>): Socket | undefined {
    const [oldest] = waiting
    return oldest !== undefined && this.#now() - oldest[1] >= LISTENER_LIMITS.silentMs ? oldest[0] : undefined
  }

  #forget(socket: Socket): void {
    this.#all.delete(socket)
    this.#silent.delete(socket)
    this.#idle.delete(socket)
    this.#idleKnown.delete(socket)
    this.#upgraded.delete(socket)
  }
}

// Requests sent one upon the other on one connection (RFC 9112, 9.3.2): answers keep their order, and an announced end is the end.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export class AnswerOrder {
  /** The last answer that a connection is still owed. */
  readonly #owed = new WeakMap<Socket, ServerResponse>()
  /** Their end was announced: what was sent after that is ignored (RFC 9112, 9.6). */
  readonly #ending = new WeakSet<Socket>()

  isEnding(socket: Socket): boolean {
    return this.#ending.has(socket)
  }

  /** Whether every request so far has its answer. */
  isSettled(socket: Socket): boolean {
    return !this.#owed.has(socket)
  }

  /** Called for every request before it is answered. */
  owe(socket: Socket, response: ServerResponse): void {
    this.#owed.set(socket, response)
  }

  /** What comes from now on is ignored. */
  end(socket: Socket): void {
    this.#ending.add(socket)
  }

  /** Called when the request has been looked at, and it is known whether its answer is the last one. */
  noteEnd(socket: Socket, response: ServerResponse): void {
    if (!response.shouldKeepAlive) this.#ending.add(socket)
  }

  /** The answer is out. */
  settle(socket: Socket, response: ServerResponse): void {
    if (this.#owed.get(socket) === response) this.#owed.delete(socket)
  }

  /** Goes on once all that came before is answered: node:http gives a socket to one answer at a time, and throws otherwise. */
  whenSettled(socket: Socket, goOn: () => void): void {
    const owed = this.#owed.get(socket)
    if (owed === undefined) goOn()
    else owed.once('close', goOn)
  }
}

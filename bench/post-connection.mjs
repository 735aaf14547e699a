// One keep-alive connection that POSTs the same request again and again, one at a time.
import { once } from 'node:events'
import { connect } from 'node:net'

export class PostConnection {
  #socket
  #request
  /** @type {(status: string) => void} */
  #answered = () => {}

  /** @param {number} port of 127.0.0.1 @param {string} request */
  static async open(port, request) {
    const connection = new PostConnection(port, request)
    await once(connection.#socket, 'connect')
    return connection
  }

  /** @param {number} port @param {string} request */
  constructor(port, request) {
    this.#request = Buffer.from(request)
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true })
    // The answers asked for here are small enough to come whole.
    this.#socket.on('data', (bytes) => this.#answered(bytes.latin1Slice(9, 12)))
    this.#socket.on('close', () => {
      throw new Error('the server closed the connection')
    })
  }

  /** Resolves with the answer. */
  async post() {
    const answer = new Promise((resolve) => {
      this.#answered = resolve
    })
    this.#socket.write(this.#request)
    const status = await answer
    if (status !== '200') throw new Error(`a POST was answered ${status}`)
  }
}

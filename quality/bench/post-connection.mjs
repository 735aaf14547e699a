// One keep-alive connection that POSTs the same request again and again, one at a time.
import { once } from 'node:events'
import { connect } from 'node:net'

export class PostConnection {
  #socket
  #request
  /** Set while a request is under way. @type {((answer: string) => void) | undefined} */
  #answered

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
    this.#socket.on('data', (bytes) => this.#answered?.(bytes.latin1Slice()))
    // An idle one may be closed: the run that was fired can take longer than hookline keeps it.
    this.#socket.on('close', () => this.#answered?.('HTTP/1.1 nothing: the server closed the connection'))
  }

  /** @returns {Promise<string>} the body of the answer, which is 200 */
  async post() {
    const answer = new Promise((resolve) => {
      this.#answered = resolve
    })
    if (this.#socket.destroyed) throw new Error('the server has closed the connection')
    this.#socket.write(this.#request)
    const text = await answer
    this.#answered = undefined
    const [head, body] = text.split('\r\n\r\n')
    if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`a POST was answered ${head.slice('HTTP/1.1 '.length)}`)
    return body
  }

  close() {
    this.#socket.destroy()
  }
}

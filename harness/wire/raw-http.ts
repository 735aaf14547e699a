// A client that sends exactly the bytes it is told to, and reads answers one by one: what a real HTTP client would refuse to say.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export class RawClient {
  readonly socket: Socket
  #received = ''
  #ended = false
  readonly #waiters: (() => void)[] = []

  constructor(port = 53219) {
    this.socket = connect({ host: '127.0.0.1', port })
    this.socket.setEncoding('latin1')
    this.socket.on('data', (chunk: string) => {
      this.#received += chunk
      this.#wakeAll()
    })
    const end = () => {
      this.#ended = true
      this.#wakeAll()
    }
    this.socket.on('end', end)
    this.socket.on('close', end)
    this.socket.on('error', end)
  }

  async connected(): Promise<this> {
    if (this.socket.connecting) await once(this.socket, 'connect')
    return this
  }

  send(bytes: string | Buffer): this {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    return this
  }

  /** The next whole answer. @throws when the connection ends before one came */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const answer = this.#takeAnswer()
      if (answer) return answer
      if (this.#ended) throw new Error(`connection ended after ${JSON.stringify(this.#received.slice(0, 200))}`)
      await this.#more()
    }
  }

  /** Resolves when the other side has ended the connection, with what was not yet taken as an answer. */
  async ended(): Promise<string> {
    while (!this.#ended) await this.#more()
    return this.#received
  }

  close(): void {
    this.socket.destroy()
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve)
    })
  }

  #wakeAll(): void {
    for (const wake of this.#waiters.splice(0)) wake()
  }

  #takeAnswer(): RawAnswer | undefined {
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd === -1) return undefined
    const [statusLine = '', ...lines] = this.#received.slice(0, headEnd).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const length = Number(headers['content-length'] ?? 0)
    if (this.#received.length < headEnd + 4 + length) return undefined
    const body = this.#received.slice(headEnd + 4, headEnd + 4 + length)
    this.#received = this.#received.slice(headEnd + 4 + length)
    return { status: Number(statusLine.split(' ')[1]), headers, body }
  }
}

/** One request on its own connection. */
export async function rawRequest(bytes: string | Buffer): Promise<RawAnswer> {
  const client = new RawClient()
  try {
    return await client.send(bytes).answer()
  } finally {
    client.close()
  }
}

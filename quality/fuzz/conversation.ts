// One connection to the listener: says what it is told to say, in the pieces it is told to, and hears what comes back.
import { connect, type Socket } from 'node:net'

export interface Heard {
  readonly bytes: Buffer
  /** The other side ended the connection; else nothing came for a while. */
  readonly ended: boolean
}

/** What was written last goes out by itself, and what comes next by itself too. */
const PAUSE_MS = 2
/** Pieces beyond go out with the last: a pause takes its time. */
const MOST_PIECES = 64
/** Nothing more is expected when nothing came for so long. */
const QUIET_MS = 40

export class Conversation {
  readonly #socket: Socket
  #heard: Buffer[] = []
  #ended = false
  #onNews: () => void = () => {}

  constructor() {
    this.#socket = connect({ host: '127.0.0.1', port: 53219 })
    this.#socket.setNoDelay(true)
    const end = () => {
      this.#ended = true
      this.#onNews()
    }
    this.#socket.on('data', (bytes) => {
      this.#heard.push(bytes)
      this.#onNews()
    })
    // A listener that hangs up on what it hears is no fault of ours.
    this.#socket.on('end', end).on('close', end).on('error', end)
  }

  async say(pieces: readonly Buffer[]): Promise<void> {
    const rest = Buffer.concat(pieces.slice(MOST_PIECES))
    for (const [index, piece] of [...pieces.slice(0, MOST_PIECES), rest].entries()) {
      if (this.#ended || piece.length === 0) continue
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      this.#socket.write(piece)
    }
  }

  /** Says that nothing more comes. */
  finish(): void {
    this.#socket.end()
  }

  /** Resolves when `isEnough` holds, the other side has ended, or it has been quiet for so long. */
  async hear(isEnough: (bytes: Buffer) => boolean = () => false, quietMs = QUIET_MS): Promise<Heard> {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#onNews = () => {}
        resolve()
      }
      let timer = setTimeout(done, quietMs)
      this.#onNews = () => {
        if (this.#ended || isEnough(Buffer.concat(this.#heard))) return done()
        clearTimeout(timer)
        timer = setTimeout(done, quietMs)
      }
      if (this.#ended) done()
    })
    return { bytes: Buffer.concat(this.#heard), ended: this.#ended }
  }

  /** Forgets what was heard so far, but for what comes after `length` bytes. */
  forget(length: number): void {
    this.#heard = [Buffer.concat(this.#heard).subarray(length)]
  }

  close(): void {
    this.#socket.destroy()
  }
}

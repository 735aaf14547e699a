// The lines of `orders.jsonl` as they come, also those of the file that is begun when it has grown.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'

const PIECE = 1 << 20

export class JournalTail {
  #path
  /** @type {number | undefined} */
  #fd
  #offset = 0
  /** Of a line that is not whole yet. */
  #rest = ''
  #buffer = Buffer.allocUnsafe(PIECE)

  /** What the file has by now is not given. @param {string} path */
  constructor(path) {
    this.#path = path
    this.#open()
    if (this.#fd !== undefined) this.#offset = fstatSync(this.#fd).size
  }

  /** @returns {string[]} whole lines that were not given before */
  read() {
    if (this.#fd === undefined) this.#open()
    const isSetAside = this.#isSetAside()
    const lines = this.#readOn()
    // Nothing is written to a file once it is set aside: what is read by then is all of it.
    if (lines.length > 0 || !isSetAside) return lines
    this.close()
    return this.read()
  }

  close() {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  #open() {
    this.#offset = 0
    this.#rest = ''
    if (this.#find() !== undefined) this.#fd = openSync(this.#path, 'r')
  }

  #find() {
    return statSync(this.#path, { throwIfNoEntry: false })
  }

  #isSetAside() {
    const found = this.#find()
    return this.#fd !== undefined && found !== undefined && found.ino !== fstatSync(this.#fd).ino
  }

  #readOn() {
    if (this.#fd === undefined) return []
    const length = readSync(this.#fd, this.#buffer, 0, PIECE, this.#offset)
    this.#offset += length
    const lines = (this.#rest + this.#buffer.latin1Slice(0, length)).split('\n')
    this.#rest = lines.pop() ?? ''
    return lines
  }
}

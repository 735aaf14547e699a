// A wire between who orders and the venue, in the process of the desk: what goes through it comes `delayMs` later, each way, in order. With no
// delay it hands on at once.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

export class SlowLoopback {
  delayMs = 0
  #server

  /** @param {number} port where it takes calls @param {number} to the venue's */
  static async listen(port, to) {
    const wire = new SlowLoopback(to)
    wire.#server.listen(port, '127.0.0.1')
    await once(wire.#server, 'listening')
    return wire
  }

  /** @param {number} to */
  constructor(to) {
    this.#server = createServer({ noDelay: true }, (near) => {
      const far = connect({ host: '127.0.0.1', port: to, noDelay: true })
      this.#pass(near, far)
      this.#pass(far, near)
    })
  }

  /** @param {import('node:net').Socket} from @param {import('node:net').Socket} to */
  #pass(from, to) {
    const later = (/** @type {() => void} */ work) => (this.delayMs === 0 ? work() : setTimeout(work, this.delayMs))
    from.on('data', (bytes) => later(() => to.writable && to.write(bytes)))
    from.on('end', () => later(() => to.end()))
    from.on('error', () => to.destroy())
    from.on('close', () => later(() => to.destroy()))
  }

  close() {
    this.#server.close()
  }
}

// While another hookline answers, the page looks every two seconds whether the right one is back: without a word, until there is another
// answer. Nothing but a greeting goes to the other one.
import type { ConnectionState } from '../client/connection-state.ts'

const EVERY_MS = 2_000

interface RecheckPorts {
  after(ms: number, callback: () => void): () => void
  /** Somebody may be looking. */
  isInFront(): boolean
}

const PAGE: RecheckPorts = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  isInFront: () => document.visibilityState === 'visible',
}

export class QuietRechecks {
  readonly #connect: () => void
  readonly #ports: RecheckPorts
  #isLooking = false
  #cancel = () => {}
  #afterwards: (() => void)[] = []

  constructor(connect: () => void, ports: RecheckPorts = PAGE) {
    this.#connect = connect
    this.#ports = ports
  }

  /** @returns whether this change is only that the page looks again */
  hides({ name }: ConnectionState): boolean {
    if (this.#isLooking && name === 'connecting') return true
    this.#isLooking = false
    this.#cancel()
    if (name !== 'other-listener' && name !== 'unproven-listener') {
      this.#afterwards = []
      return false
    }
    const waiting = this.#afterwards
    this.#afterwards = []
    if (waiting.length > 0) for (const act of waiting) act()
    else this.#wait()
    return false
  }

  /** Does it once there is no look under way that it would be lost in. */
  afterLook(act: () => void): void {
    if (this.#isLooking) this.#afterwards.push(act)
    else act()
  }

  #wait(): void {
    this.#cancel = this.#ports.after(EVERY_MS, () => {
      if (!this.#ports.isInFront()) return this.#wait()
      this.#isLooking = true
      this.#connect()
    })
  }
}

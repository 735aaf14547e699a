// Of several tabs one leads, and alone gives sounds and notifications: the one that holds a lock that the browser gives to one tab and takes
// back when it is gone. What a person is looking at is not notified: any tab may be the one in front.

export interface TabLeaderPorts {
  /** Waits for its turn. Resolves once `until` has. */
  hold(until: Promise<void>, begun: () => void): Promise<void>
  post(message: unknown): void
  onMessage(handler: (message: unknown) => void): void
  isInFront(): boolean
  after(ms: number, callback: () => void): void
}

/** Tabs of one browser answer sooner. */
export const ANSWER_MS = 1_000

export class TabLeader {
  readonly #ports: TabLeaderPorts
  #isLeading = false
  #end: (() => void) | undefined
  #answered: (() => void) | undefined

  constructor(ports: TabLeaderPorts) {
    this.#ports = ports
    ports.onMessage((message) => {
      if (message === 'who looks?' && ports.isInFront()) ports.post('I look')
      if (message === 'I look') this.#answered?.()
    })
  }

  get isLeading(): boolean {
    return this.#isLeading
  }

  /** Only a tab that is connected hears of anything. */
  setConnected(isConnected: boolean): void {
    if (!isConnected) this.#end?.()
    else if (this.#end === undefined) this.#wait()
  }

  /** Whether somebody has this console in front of them, in any tab. */
  isLookedAt(): Promise<boolean> {
    if (this.#ports.isInFront()) return Promise.resolve(true)
    return new Promise((resolve) => {
      this.#answered = () => resolve(true)
      this.#ports.after(ANSWER_MS, () => resolve(false))
      this.#ports.post('who looks?')
    })
  }

  #wait(): void {
    const ended = new Promise<void>((resolve) => {
      this.#end = () => {
        this.#end = undefined
        this.#isLeading = false
        resolve()
      }
    })
    // Where there are no locks each tab tells; the browser shows a tag once.
    void this.#ports.hold(ended, () => {
      this.#isLeading = this.#end !== undefined
    })
  }
}

const NAME = 'hookline.teller'

export function pageTabs(): TabLeaderPorts {
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(NAME)
  return {
    async hold(until, begun) {
      const locks = navigator.locks as LockManager | undefined
      const tell = () => {
        begun()
        return until
      }
      await (locks === undefined ? tell() : locks.request(NAME, tell).catch(tell))
    },
    post: (message) => channel?.postMessage(message),
    onMessage: (handler) => channel?.addEventListener('message', ({ data }) => handler(data)),
    isInFront: () => document.visibilityState === 'visible' && document.hasFocus(),
    after: (ms, callback) => void setTimeout(callback, ms),
  }
}

// What is measured inside the page, by the page's own clock, and what its browser tells of its memory.
import { setTimeout as sleep } from 'node:timers/promises'
import { sendFire } from './desk-fires.mjs'

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ frames: number, lines: number, longestMs: number }} Watched a second, and the longest time between two frames */

/** Counts drawn frames from now on. @param {Page} page */
export async function beginWatch(page) {
  await page.evaluate(() => {
    const watch = { from: performance.now(), last: performance.now(), frames: 0, longestMs: 0 }
    Object.assign(globalThis, { deskWatch: watch })
    const count = (/** @type {number} */ at) => {
      if (Reflect.get(globalThis, 'deskWatch') !== watch) return
      if (watch.frames > 0) watch.longestMs = Math.max(watch.longestMs, at - watch.last)
      watch.frames++
      watch.last = at
      requestAnimationFrame(count)
    }
    requestAnimationFrame(count)
    Object.assign(globalThis, { deskLines: 0 })
  })
}

/** @param {Page} page @returns {Promise<Watched>} */
export function readWatch(page) {
  return page.evaluate(() => {
    const { from, frames, longestMs } = Reflect.get(globalThis, 'deskWatch')
    Reflect.deleteProperty(globalThis, 'deskWatch')
    const seconds = (performance.now() - from) / 1_000
    return { frames: frames / seconds, lines: Reflect.get(globalThis, 'deskLines') / seconds, longestMs }
  })
}

/** Before the page is loaded: counts the lines of output that come. @param {Page} page */
export function countLines(page) {
  return page.addInitScript(() => {
    const Bare = WebSocket
    Object.assign(globalThis, { deskLines: 0 })
    globalThis.WebSocket = class extends Bare {
      /** @param {ConstructorParameters<typeof WebSocket>} parameters */
      constructor(...parameters) {
        super(...parameters)
        this.addEventListener('message', ({ data }) => {
          if (!data.startsWith('{"t":"cmd:output"')) return
          const count = data.split('"text":').length - 1
          Reflect.set(globalThis, 'deskLines', Reflect.get(globalThis, 'deskLines') + count)
        })
      }
    }
  })
}

export class DeskProbe {
  #page
  #session
  #marks = 0

  /** @param {Page} page */
  static async of(page) {
    return new DeskProbe(page, await page.context().newCDPSession(page))
  }

  /** @param {Page} page @param {import('playwright-core').CDPSession} session */
  constructor(page, session) {
    this.#page = page
    this.#session = session
  }

  /** Into the terminal's line, which is emptied at the end. @param {number} count @param {number} everyMs @returns {Promise<number[]>} ms from each key to the frame that shows it */
  async typeKeys(count, everyMs) {
    await this.#page.evaluate(() => {
      /** @type {number[]} */
      const echoes = []
      Object.assign(globalThis, { deskEchoes: echoes })
      const field = document.querySelector('.input-line input')
      if (!(field instanceof HTMLInputElement)) throw new Error('there is no line to type in')
      field.focus()
      field.oninput = ({ timeStamp }) => {
        requestAnimationFrame(() => setTimeout(() => echoes.push(performance.now() - timeStamp)))
      }
    })
    const from = performance.now()
    for (let key = 0; key < count; key++) {
      await this.#page.keyboard.press('x')
      await sleep(Math.max(1, from + (key + 1) * everyMs - performance.now()))
    }
    await this.#page.keyboard.press('Control+u')
    await sleep(200)
    const echoes = /** @type {number[]} */ (await this.#page.evaluate('deskEchoes'))
    if (echoes.length < count) throw new Error(`${echoes.length} of ${count} keys were shown`)
    return echoes
  }

  /** @param {string} request @param {number} count @param {number} everyMs @returns {Promise<number[]>} ms from each fire to its line in the page */
  async fireMarks(request, count, everyMs) {
    /** @type {number[]} */
    const times = []
    const from = performance.now()
    for (let fire = 0; fire < count; fire++) {
      const seen = this.#page.evaluate(seenAt, /** @type {const} */ ([`MARK $${++this.#marks}`, NEVER_MS]))
      // The page looks for it before it is there.
      await this.#page.evaluate(() => 0)
      const sentAt = performance.timeOrigin + performance.now()
      await sendFire(request, { n: this.#marks })
      times.push((await seen) - sentAt)
      await sleep(Math.max(1, from + (fire + 1) * everyMs - performance.now()))
    }
    return times
  }

  /** All garbage collected. */
  async memory() {
    await this.#session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await this.#session.send('Runtime.getHeapUsage')
    return { heapMb: usedSize / 1e6, nodes: (await this.#session.send('Memory.getDOMCounters')).nodes }
  }
}

/** One that was not drawn before this counts as if it had been just then. */
const NEVER_MS = 2_000

/** In the page. @param {readonly [text: string, neverMs: number]} what a line of output @returns {Promise<number>} when it was drawn */
function seenAt([text, neverMs]) {
  const from = performance.now()
  return new Promise((resolve) => {
    const look = () => {
      if (performance.now() - from > neverMs) return resolve(performance.timeOrigin + performance.now())
      const texts = [...document.querySelectorAll('.transcript-row .output-text, .foot-event')]
      if (!texts.some(({ textContent }) => textContent?.endsWith(text))) return void requestAnimationFrame(look)
      setTimeout(() => resolve(performance.timeOrigin + performance.now()))
    }
    look()
  })
}

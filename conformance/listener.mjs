// Plays the client of each case in listener.json against a listener on 127.0.0.1:53219.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { WebSocket } from 'ws'
import { isSignedBy, matches, newKey, newNonce, signedBytes } from './proof.mjs'

const [HOST, PORT] = ['127.0.0.1', 53219]
const ORIGIN = 'http://127.0.0.1:53220'
/** For one step. */
const STEP_MS = 15_000

/**
 * @typedef {{ t?: string, [field: string]: unknown }} Frame
 * @typedef {{
 *   send?: Frame, text?: string, raw?: string, pieces?: number, expect?: Frame, none?: Frame, closed?: number, challenge?: string,
 *   prove?: { by?: string, as?: string, over?: Record<string, string>, reflected?: boolean },
 * }} Step
 * @typedef {{
 *   name: string, paper: string, slow?: boolean, client?: string, steps?: Step[],
 *   upgrade?: Record<string, string | null>, http?: { method: string, path: string, headers?: Record<string, string> }, path?: string,
 *   status?: number, body?: Frame,
 * }} ListenerCase
 * @typedef {{ known: string, keyed: string, key: import('./proof.mjs').Key }} Clients whom the listener trusts on `http://127.0.0.1:53220`
 */

/** Until then upgrades are answered by 503. */
export async function isReady() {
  try {
    return (await knock('/ws', {})).status === 101
  } catch {
    return false
  }
}

/** @param {ListenerCase} one @param {Clients} clients @returns {Promise<void>} @throws {Error} what differs */
export async function runListenerCase(one, clients) {
  if (one.http !== undefined)
    return expectAnswer(await ask(one.http.method, one.http.path, one.http.headers ?? {}), one)
  if (one.upgrade !== undefined) return expectAnswer(await knock(one.path ?? '/ws', one.upgrade), one)
  const session = await Session.open(clients)
  try {
    if (one.client === 'known') {
      await session.take({ send: { t: 'hello', clientId: '$known' } })
      await session.take({ expect: { t: 'welcome' } })
    }
    for (const [index, step] of (one.steps ?? []).entries()) {
      await session.take(step).catch((error) => {
        throw new Error(`step ${index + 1}, ${JSON.stringify(step).slice(0, 120)}: ${error.message}`)
      })
    }
  } finally {
    session.end()
  }
}

class Session {
  /** @param {Clients} clients */
  static async open(clients) {
    const ws = new WebSocket(`ws://${HOST}:${PORT}/ws`, { origin: ORIGIN, perMessageDeflate: false })
    const session = new Session(ws, clients)
    await once(ws, 'open')
    return session
  }

  /** @param {WebSocket} ws @param {Clients} clients */
  constructor(ws, clients) {
    this.ws = ws
    this.clients = clients
    this.nonce = newNonce()
    this.fresh = `conformance-${randomUUID().slice(0, 8)}`
    /** @type {Frame | undefined} */
    this.challenge = undefined
    /** @type {Frame[]} */
    this.frames = []
    /** @type {number | undefined} */
    this.code = undefined
    this.wake = () => {}
    ws.on('error', () => {})
    ws.on('message', (data) => {
      this.frames.push(JSON.parse(String(data)))
      this.wake()
    })
    ws.on('close', (code) => {
      this.code = code
      this.wake()
    })
  }

  /** @param {Step} step */
  async take(step) {
    if (step.send !== undefined) this.ws.send(JSON.stringify(this.fill(step.send)))
    if (step.text !== undefined) this.ws.send(String(this.fill(step.text)))
    if (step.raw !== undefined) this.socket().write(Buffer.from(step.raw.replaceAll(' ', ''), 'hex'))
    if (step.pieces !== undefined) this.sendInPieces(step.pieces)
    if (step.challenge !== undefined) await this.takeChallenge()
    if (step.prove !== undefined) this.prove(step.prove)
    if (step.expect !== undefined) await this.expect(/** @type {Frame} */ (this.fill(step.expect)))
    if (step.none !== undefined) await this.expectNone(step.none)
    if (step.closed !== undefined) await this.expectClose(step.closed)
  }

  socket() {
    return /** @type {import('node:net').Socket} */ (/** @type {unknown} */ (Reflect.get(this.ws, '_socket')))
  }

  /** @param {number} count */
  sendInPieces(count) {
    for (let piece = 1; piece <= count; piece++) this.ws.send(' ', { fin: piece === count })
  }

  async takeChallenge() {
    this.challenge = await this.expect({ t: 'challenge' })
    const { key, signature } = this.challenge
    if (!isSignedBy(String(key), String(signature), signedBytes('listener', this.exchange())))
      throw new Error('the challenge is not signed by its key')
  }

  exchange() {
    return {
      listenerNonce: String(this.challenge?.nonce),
      clientNonce: this.nonce,
      listenerKey: String(this.challenge?.key),
      clientKey: this.clients.key.publicKey,
      clientId: this.clients.keyed,
      origin: ORIGIN,
    }
  }

  /** @param {NonNullable<Step['prove']>} how */
  prove({ by, as = 'client', over = {}, reflected = false }) {
    const key = by === undefined ? this.clients.key : newKey()
    const exchange = { ...this.exchange(), .../** @type {object} */ (this.fill(over)) }
    const signature = reflected ? this.challenge?.signature : key.sign(signedBytes(as, exchange))
    this.ws.send(JSON.stringify({ t: 'proof', signature }))
  }

  /** Takes the next frame of that `t`, leaving the others. @param {Frame} expected @returns {Promise<Frame>} */
  async expect(expected) {
    const deadline = Date.now() + STEP_MS
    for (;;) {
      const index = this.frames.findIndex(({ t }) => t === expected.t)
      const [found] = index === -1 ? [] : this.frames.splice(index, 1)
      if (found !== undefined) {
        if (matches(found, expected)) return found
        throw new Error(`came ${JSON.stringify(found).slice(0, 300)}`)
      }
      if (this.code !== undefined) throw new Error(`the session ended with ${this.code} before it`)
      await this.change(deadline, `no ${expected.t}`)
    }
  }

  /** Everything that was sent has been read. @param {Frame} unexpected */
  async expectNone(unexpected) {
    const pong = once(this.ws, 'pong')
    this.ws.ping()
    await pong
    const found = this.frames.find((frame) => matches(frame, unexpected))
    if (found !== undefined) throw new Error(`came ${JSON.stringify(found).slice(0, 300)}`)
  }

  /** @param {number} code */
  async expectClose(code) {
    const deadline = Date.now() + STEP_MS
    while (this.code === undefined) await this.change(deadline, 'the session goes on')
    if (this.code !== code) throw new Error(`the session ended with ${this.code}`)
  }

  /** @param {number} deadline @param {string} otherwise @returns {Promise<void>} */
  change(deadline, otherwise) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${otherwise} in ${STEP_MS / 1_000} s`)),
        Math.max(0, deadline - Date.now()),
      )
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** @param {unknown} value @returns {unknown} */
  fill(value) {
    if (typeof value === 'object' && value !== null)
      return Array.isArray(value)
        ? value.map((each) => this.fill(each))
        : Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.fill(each)]))
    if (typeof value !== 'string' || !value.startsWith('$')) return value
    const [word, count, text = ''] = value.slice(1).split(':')
    const values = {
      known: this.clients.known,
      keyed: this.clients.keyed,
      key: this.clients.key.publicKey,
      nonce: this.nonce,
      stranger: randomUUID(),
      fresh: this.fresh,
      repeat: text.repeat(Number(count)),
    }
    return Object.hasOwn(values, word ?? '') ? values[/** @type {keyof typeof values} */ (word)] : value
  }

  end() {
    this.ws.terminate()
  }
}

/** @param {{ status: number, body: string }} answer @param {ListenerCase} wanted */
function expectAnswer({ status, body }, wanted) {
  if (status !== wanted.status) throw new Error(`answered ${status}`)
  if (wanted.body !== undefined && !matches(JSON.parse(body), wanted.body)) throw new Error(`answered ${body}`)
}

/** @param {string} path @param {Record<string, string | null>} changed null: without that header */
function knock(path, changed) {
  const sound = {
    Host: `${HOST}:${PORT}`,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': Buffer.from(newNonce()).subarray(0, 16).toString('base64'),
    Origin: ORIGIN,
  }
  const headers = Object.entries({ ...sound, ...changed }).filter(([, value]) => value !== null)
  return ask('GET', path, /** @type {Record<string, string>} */ (Object.fromEntries(headers)))
}

/** @param {string} method @param {string} path @param {Record<string, string>} headers @returns {Promise<{ status: number, body: string }>} */
async function ask(method, path, headers) {
  const asked = request({ host: HOST, port: PORT, method, path, headers, agent: false, timeout: STEP_MS })
  asked.end()
  const answer = await Promise.race([once(asked, 'response'), once(asked, 'upgrade')])
  const response = /** @type {import('node:http').IncomingMessage} */ (answer[0])
  if (response.statusCode === 101) {
    response.socket.destroy()
    return { status: 101, body: '' }
  }
  let body = ''
  for await (const chunk of response.setEncoding('utf8')) body += chunk
  return { status: response.statusCode ?? 0, body }
}

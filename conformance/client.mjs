// Plays the listener of each case in client.json against a client, which a driver of its own moves: lines of JSON on its standard input and output.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocketServer } from 'ws'
import { isSignedBy, matches, newKey, newNonce, signedBytes } from './proof.mjs'

/** For one step. */
const STEP_MS = 20_000
/** The first retry comes after half a second at most. */
const QUIET_MS = 600
const ORIGIN = 'http://127.0.0.1:53220'

/**
 * @typedef {{ t?: string, [field: string]: unknown }} Frame
 * @typedef {{ [name: string]: any }} Step
 * @typedef {{ name: string, keyed?: boolean, steps: Step[] }} ClientCase
 * @typedef {{ ws: import('ws').WebSocket, frames: Frame[] }} Connection
 */

/** @param {ClientCase} one @param {string[]} command of the driver @param {Record<string, string>} env added to ours */
export async function runClientCase(one, command, env) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  const listener = new ScriptedListener(server)
  const directory = mkdtempSync(join(tmpdir(), 'hookline-conformance-'))
  const settings = {
    url: `ws://127.0.0.1:${address.port}/ws`,
    origin: ORIGIN,
    clientId: listener.clientId,
    label: 'conformance',
    keyed: one.keyed === true,
    directory,
  }
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own, so that what a shell has started ends with it.
    detached: true,
    env: { ...process.env, ...env, HOOKLINE_CONFORMANCE: JSON.stringify(settings) },
  })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  child.stdin.on('error', () => {})
  const gone = once(child, 'exit').then(([code]) => {
    listener.ended = `the driver ended with ${code}: ${errors.slice(-500)}`
    listener.wake()
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    listener.events.push(JSON.parse(line))
    listener.wake()
  })
  listener.tell = (step) => child.stdin.write(`${JSON.stringify(step)}\n`)
  try {
    for (const [index, step] of one.steps.entries()) {
      await listener.take(step).catch((error) => {
        throw new Error(`step ${index + 1}, ${JSON.stringify(step).slice(0, 120)}: ${error.message}`)
      })
    }
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    for (const ws of server.clients) ws.terminate()
    server.close()
    await gone
    rmSync(directory, { recursive: true, force: true })
  }
}

class ScriptedListener {
  /** @param {WebSocketServer} server */
  constructor(server) {
    this.clientId = randomUUID()
    this.key = newKey()
    /** @type {Connection[]} */
    this.connections = []
    this.number = 1
    /** @type {Frame[]} */
    this.hellos = []
    /** @type {Frame | undefined} */
    this.challenge = undefined
    /** @type {string} */
    this.execId = ''
    /** @type {any[]} */
    this.events = []
    /** @type {string | undefined} */
    this.ended = undefined
    this.wake = () => {}
    this.tell = (/** @type {Step} */ _step) => {}
    server.on('connection', (ws) => {
      /** @type {Connection} */
      const connection = { ws, frames: [] }
      this.connections.push(connection)
      ws.on('error', () => {})
      ws.on('message', (data) => {
        connection.frames.push(JSON.parse(String(data)))
        this.wake()
      })
      this.wake()
    })
  }

  /** @param {Step} step */
  async take(step) {
    const [kind = ''] = Object.keys(step)
    const value = step[kind]
    switch (kind) {
      case 'do':
        return this.tell(step)
      case 'session':
        this.number = value
        return void (await this.connection())
      case 'receive':
        return await this.receive(value)
      case 'proof':
        return await this.takeProof()
      case 'welcome':
        return await this.send({ t: 'welcome', listenerId: value, user: { email: '' } })
      case 'challenge':
        return await this.sendChallenge(value)
      case 'reply':
        return await this.send(value)
      case 'output':
        return await this.send({ t: 'cmd:output', id: this.execId, kind: 'success', text: value })
      case 'done':
        return await this.send({ t: 'cmd:done', id: this.execId, success: value })
      case 'text':
        return (await this.connection()).ws.send(value)
      case 'binary':
        return (await this.connection()).ws.send(Buffer.from(value, 'hex'))
      case 'close':
        return closeWith((await this.connection()).ws, value)
      case 'cut':
        return (await this.connection()).ws.terminate()
      case 'state':
        return await this.takeState(step)
      case 'printed':
        return void (await this.event(({ output }) => output !== undefined && matches(output, value)))
      case 'result':
        return await this.takeResult(value)
      case 'quiet':
        return await this.expectQuiet()
      case 'other':
      case 'same':
        return this.compare(value, kind === 'same')
      default:
        throw new Error('no such step')
    }
  }

  /** @returns {Promise<Connection>} */
  async connection() {
    return await this.until(() => this.connections[this.number - 1], 'no connection')
  }

  /** The next frame of the connection, whatever it is. @param {Frame} expected */
  async receive(expected) {
    const { frames } = await this.connection()
    const frame = await this.until(() => frames.shift(), `no ${expected.t}`)
    const wanted = expected.clientId === '$clientId' ? { ...expected, clientId: this.clientId } : expected
    if (!matches(frame, wanted)) throw new Error(`came ${JSON.stringify(frame).slice(0, 300)}`)
    if (frame.t === 'hello') this.hellos.push(frame)
    if (frame.t === 'cmd:exec') this.execId = String(frame.id)
  }

  /** @param {object} frame */
  async send(frame) {
    const { ws } = await this.connection()
    ws.send(JSON.stringify(frame))
  }

  /** @param {Frame} challenge @param {object} [over] */
  exchange({ nonce, key }, over = {}) {
    const hello = this.hellos.at(-1)
    return {
      listenerNonce: String(nonce),
      clientNonce: String(hello?.nonce),
      listenerKey: String(key),
      clientKey: String(hello?.key),
      clientId: this.clientId,
      origin: ORIGIN,
      ...over,
    }
  }

  /** @param {string} kind */
  async sendChallenge(kind) {
    const signer = kind === 'another key' ? newKey() : this.key
    const unsigned = { t: 'challenge', nonce: newNonce(), key: signer.publicKey }
    const over =
      kind === 'another nonce'
        ? { clientNonce: newNonce() }
        : kind === 'another origin'
          ? { origin: 'http://127.0.0.1:9' }
          : {}
    const bytes = signedBytes(kind === 'client label' ? 'client' : 'listener', this.exchange(unsigned, over))
    const signature = (kind === 'wrong signature' ? newKey() : signer).sign(bytes)
    this.challenge = { ...unsigned, signature }
    await this.send(this.challenge)
  }

  async takeProof() {
    const { frames } = await this.connection()
    const frame = await this.until(() => frames.shift(), 'no proof')
    const exchange = this.exchange(this.challenge ?? {})
    if (frame.t !== 'proof') throw new Error(`came ${JSON.stringify(frame).slice(0, 300)}`)
    if (!isSignedBy(exchange.clientKey, String(frame.signature), signedBytes('client', exchange)))
      throw new Error('the proof is not signed by the key of hello')
  }

  /** @param {Step} step */
  async takeState({ state, leastMs = 0, mostMs = Number.POSITIVE_INFINITY }) {
    const event = await this.event((each) => each.state !== undefined && isLasting(each.state))
    if (event.state !== state) throw new Error(`the client is ${event.state}`)
    const retryMs = event.retryMs ?? 0
    // A slow machine reports late: of half the time it is certain that the client waits.
    if (retryMs < leastMs / 2 || retryMs > mostMs) throw new Error(`it tries again in ${retryMs} ms`)
  }

  /** @param {object} expected */
  async takeResult(expected) {
    const { result } = await this.event(({ result }) => result !== undefined)
    if (!matches(result, expected)) throw new Error(`came ${JSON.stringify(result)}`)
  }

  /** Nothing more comes on the connection, and no other connection. */
  async expectQuiet() {
    const { frames } = await this.connection()
    await sleep(QUIET_MS)
    if (frames.length > 0) throw new Error(`came ${JSON.stringify(frames[0]).slice(0, 300)}`)
    if (this.connections.length > this.number) throw new Error('it connects again')
    if (this.ended !== undefined) throw new Error(this.ended)
  }

  /** @param {string} field @param {boolean} isSame */
  compare(field, isSame) {
    const [before, after] = this.hellos.slice(-2).map((hello) => hello[field])
    if (before === undefined || (before === after) !== isSame) throw new Error(`${field}: ${before}, then ${after}`)
  }

  /** Takes the first such event, leaving the others. @param {(event: any) => boolean} isWanted @returns {Promise<any>} */
  async event(isWanted) {
    return await this.until(() => {
      const index = this.events.findIndex(isWanted)
      return index === -1 ? undefined : this.events.splice(index, 1)[0]
    }, 'the client reports nothing')
  }

  /** @template T @param {() => T | undefined} look @param {string} otherwise @returns {Promise<T>} */
  async until(look, otherwise) {
    const deadline = Date.now() + STEP_MS
    for (;;) {
      const found = look()
      if (found !== undefined) return found
      if (this.ended !== undefined) throw new Error(this.ended)
      const leftMs = deadline - Date.now()
      if (leftMs <= 0) throw new Error(`${otherwise} in ${STEP_MS / 1_000} s`)
      await Promise.race([new Promise((resolve) => (this.wake = () => resolve(undefined))), sleep(leftMs)])
    }
  }
}

/** @param {string} state */
function isLasting(state) {
  return !['connecting', 'asking', 'idle'].includes(state)
}

/** Codes below 3000 are hookline's too, though a WebSocket library keeps them to itself. @param {import('ws').WebSocket} ws @param {number} code */
function closeWith(ws, code) {
  const payload = Buffer.alloc(2)
  payload.writeUInt16BE(code)
  const socket = /** @type {import('node:net').Socket} */ (/** @type {unknown} */ (Reflect.get(ws, '_socket')))
  socket.write(Buffer.concat([Buffer.of(0x88, payload.length), payload]))
}

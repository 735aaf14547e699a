// Our own HTTP/1.1 load: a closed loop of keep-alive connections, each with one request under way, in a process of its own so that
// it shares neither the event loop nor (with two cores or more) the core of the server it measures. Requests are bytes made
// beforehand and answers are looked at just enough to know their status and end, so that the server is the slower side.
import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { runLoad, serveLoad } from './load-process.mjs'

/**
 * @typedef {object} LoadPlan
 * @property {number} port on 127.0.0.1
 * @property {string[]} requests whole requests; every connection goes round them. Where one has `COUNTED` in it, each sending has a number of its own there
 * @property {number} connections
 * @property {boolean} [isSecure] by TLS, to a server whose certificate is nobody's concern here
 * @property {number} [count] send exactly so many; without it, send for `durationMs`
 * @property {number} [durationMs] what is measured
 * @property {number} [warmUpMs] what is sent before; default 0
 *
 * @typedef {object} LoadResult
 * @property {number} perSecond answers with status 200 within the measured time
 * @property {number} p50Us
 * @property {number} p99Us
 * @property {number} accepted answers with status 200 in all, with those before and after the measured time
 * @property {Record<string, number>} others answers with another status
 */

/** Stands for a number in a request that is to be another one each time; as long as the number, since nothing else is adjusted. */
export const COUNTED = '{number}'

/** One request on a keep-alive connection. @param {string} path @param {string} [token] */
export function postRequest(path, token) {
  const lines = [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1:53219', 'Content-Length: 0']
  if (token !== undefined) lines.push(`X-Hook-Token: ${token}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Runs a plan in another process. @param {LoadPlan} plan @returns {Promise<LoadResult>} */
export function applyLoad(plan) {
  return runLoad(import.meta.url, plan)
}

/** @param {LoadPlan} plan @returns {Promise<LoadResult>} */
async function runPlan(plan) {
  const { port, requests, connections, isSecure = false, count = Number.POSITIVE_INFINITY } = plan
  const { durationMs, warmUpMs = 0 } = plan
  const made = requests.map(maker)
  /** @type {Record<string, number>} */
  const others = {}
  /** @type {number[]} */
  const latencies = []
  let accepted = 0
  let sent = 0
  const measureFrom = performance.now() + warmUpMs
  const measureTo = durationMs === undefined ? Number.POSITIVE_INFINITY : measureFrom + durationMs

  /** @param {string} status @param {number} sentAt */
  function answered(status, sentAt) {
    const now = performance.now()
    if (status !== '200') others[status] = (others[status] ?? 0) + 1
    else {
      accepted++
      if (now >= measureFrom && now < measureTo) latencies.push(now - sentAt)
    }
    return now < measureTo
  }

  /** @returns {Buffer | undefined} */
  const nextRequest = () => (sent < count ? made[sent % made.length](sent++) : undefined)

  await Promise.all(Array.from({ length: connections }, () => keepAsking({ port, isSecure }, nextRequest, answered)))
  const seconds = (Math.min(performance.now(), measureTo) - measureFrom) / 1_000
  latencies.sort((a, b) => a - b)
  const percentile = (/** @type {number} */ share) =>
    Math.round((latencies[Math.floor(latencies.length * share)] ?? 0) * 1_000)
  return { perSecond: latencies.length / seconds, p50Us: percentile(0.5), p99Us: percentile(0.99), accepted, others }
}

/** @param {string} request @returns {(number: number) => Buffer} */
function maker(request) {
  const [before, after] = request.split(COUNTED)
  const bytes = Buffer.from(request)
  if (after === undefined) return () => bytes
  return (number) => Buffer.from(before + String(number).padStart(COUNTED.length, '0') + after, 'latin1')
}

/**
 * One connection: asks, waits for the whole answer, asks again, until there is no next request or `answered` says that time is up.
 * @param {{ port: number, isSecure: boolean }} target
 * @param {() => Buffer | undefined} nextRequest
 * @param {(status: string, sentAt: number) => boolean} answered
 * @returns {Promise<void>}
 */
function keepAsking(target, nextRequest, answered) {
  return new Promise((resolve, reject) => {
    let sentAt = 0
    let received = ''
    let finished = false
    const ask = () => {
      const request = nextRequest()
      if (request === undefined) return finish()
      sentAt = performance.now()
      socket.write(request)
    }
    const finish = () => {
      finished = true
      socket.destroy()
      resolve()
    }
    /** @param {string} text */
    const heard = (text) => {
      received += text
      if (!isWhole(received)) return
      const status = received.slice(9, 12)
      received = ''
      if (answered(status, sentAt)) ask()
      else finish()
    }
    const socket = open(target, ask, heard)
    socket.on('error', reject)
    socket.on('close', () => {
      if (!finished) reject(new Error('the server closed a connection that had a request under way'))
    })
  })
}

/** @param {{ port: number, isSecure: boolean }} target @param {() => void} ask once it is open @param {(text: string) => void} heard */
function open({ port, isSecure }, ask, heard) {
  const to = { host: '127.0.0.1', port, noDelay: true }
  if (isSecure) {
    const socket = connectSecurely({ ...to, rejectUnauthorized: false })
    socket.setNoDelay(true)
    return socket.on('secureConnect', ask).on('data', (bytes) => heard(bytes.latin1Slice()))
  }
  const onread = {
    buffer: Buffer.allocUnsafe(16_384),
    /** @param {number} length @param {Buffer} buffer */
    callback(length, buffer) {
      heard(buffer.latin1Slice(0, length))
      return true
    },
  }
  return connect({ ...to, onread }).on('connect', ask)
}

const LENGTH = 'ontent-Length: '

/** All servers measured here send a Content-Length. @param {string} text */
function isWhole(text) {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return false
  const at = text.indexOf(LENGTH)
  const length = at === -1 ? 0 : Number.parseInt(text.slice(at + LENGTH.length, at + LENGTH.length + 10), 10)
  return text.length >= headEnd + 4 + length
}

await serveLoad(import.meta.url, runPlan)

// `node round-trips.mjs <clientId>`: a page in a process of its own, so that whoever loads hookline does not make it
// late. It runs a trifle again and again until its input ends, then prints how long it waited, in ms:
// {"count":…,"p50":…,"p99":…}.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

const PAUSE_MS = 5

const page = new WebSocket('ws://127.0.0.1:53219/ws', { origin: 'http://127.0.0.1:53220', perMessageDeflate: false })
await once(page, 'open')

/** Resolves with the frame that says `t`, at the time when it comes. @param {string} t @returns {Promise<number>} */
function frame(t) {
  return new Promise((resolve) => {
    const take = (/** @type {Buffer} */ data) => {
      if (!data.includes(`"t":"${t}"`)) return
      page.off('message', take)
      resolve(performance.now())
    }
    page.on('message', take)
  })
}

let isOver = false
process.stdin.on('end', () => {
  isOver = true
})
process.stdin.resume()

page.send(JSON.stringify({ t: 'hello', clientId: process.argv[2] }))
await frame('welcome')
console.log('ready')
/** @type {number[]} */
const waits = []
while (!isOver) {
  const sentAt = performance.now()
  page.send(JSON.stringify({ t: 'cmd:exec', id: String(waits.length), command: 'echo on' }))
  waits.push((await frame('cmd:done')) - sentAt)
  await sleep(PAUSE_MS)
}
waits.sort((a, b) => a - b)
const percentile = (/** @type {number} */ share) => waits[Math.floor(waits.length * share)]
console.log(JSON.stringify({ count: waits.length, p50: percentile(0.5), p99: percentile(0.99) }))
page.terminate()

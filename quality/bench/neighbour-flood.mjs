// One person's worst, or a stranger's, as a process of its own: connections that each send several requests at once, and more as soon as they are
// answered. Reads no answer but its size; says at its end how many it had, by status.
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * @typedef {object} Flood
 * @property {number} port
 * @property {number} connections
 * @property {number} depth requests that are pipelined
 * @property {string[]} requests each connection has the one at its index, and so on
 */

/** @type {Flood} */
const { port, connections, depth, requests } = JSON.parse(await text(process.stdin))
/** @type {Record<string, number>} */
const statuses = {}

/** @param {number} index */
function open(index) {
  const batch = requests[index % requests.length].repeat(depth)
  let owed = 0
  const socket = connect({ host: '127.0.0.1', port }).setNoDelay()
  const send = () => {
    owed = depth
    socket.write(batch)
  }
  socket.on('connect', send)
  socket.on('data', (bytes) => {
    for (const [, status] of bytes.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      statuses[status] = (statuses[status] ?? 0) + 1
      owed--
    }
    if (owed <= 0) send()
  })
  socket.on('error', () => {})
  socket.on('close', () => setTimeout(open, 1, index))
}

for (let index = 0; index < connections; index++) open(index)
process.once('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify(statuses)}\n`, () => process.exit(0))
})
process.stdout.write('begun\n')

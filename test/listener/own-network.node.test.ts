// The network that a test has of its own: the system gives hookline's ports to no other connection there, as it otherwise would now and then.
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { findOwnNetwork } from '../../harness/network/own-network.ts'

const PORTS = `
  const { writeFileSync } = require('node:fs')
  const { createServer } = require('node:net')
  writeFileSync('/proc/sys/net/ipv4/ip_local_port_range', '53218 53221')
  const given = () => new Promise((resolve) => {
    const server = createServer().once('error', ({ code }) => resolve(code))
    server.listen(0, '127.0.0.1', () => resolve(server.address().port))
  })
  const all = async () => {
    const ports = []
    for (let port = await given(); typeof port === 'number'; port = await given()) ports.push(port)
    return ports.sort()
  }
  all().then((ports) => { console.log(JSON.stringify(ports)); process.exit() })
`

const network = findOwnNetwork()
const why =
  'prefix' in network ? (process.getuid?.() === 0 ? undefined : 'only root may narrow the range') : network.missing

it.skipIf(why !== undefined)(
  'gives the ports of the listener and of the console to nobody who did not ask for them',
  () => {
    const [command = '', ...before] = 'prefix' in network ? network.prefix : []
    const { stdout } = spawnSync(command, [...before, process.execPath, '-e', PORTS], { encoding: 'utf8' })
    expect(JSON.parse(stdout)).toEqual([53_218, 53_221])
  },
)

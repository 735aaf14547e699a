// Set up before each file of the tiers with networks of their own: it begins once the programs of the file before it, in the same network, have given
// hookline's ports back.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { CONSOLE_PORT, LISTENER_PORT } from '../../src/protocol/address.ts'
import { PATIENCE_MS } from '../patience.ts'

const PORTS = [LISTENER_PORT, CONSOLE_PORT]
/** `sl local_address rem_address st`, of which the state 0A is LISTEN. */
const LISTENS = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A /gm

function heldPorts(): number[] {
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFileSync(path, 'latin1')).join('')
  return [...tables.matchAll(LISTENS)]
    .map(([, port = '']) => Number.parseInt(port, 16))
    .filter((port) => PORTS.includes(port))
}

for (const until = performance.now() + PATIENCE_MS; heldPorts().length > 0; await pause(10)) {
  if (performance.now() > until) throw new Error(`a program of an earlier test file still has port ${heldPorts()}`)
}

import type { ListenerStatus } from '../commands/kit/data.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'

/** Of a process without a listener of its own. */
export const NOT_STARTED: ListenerStatus = {
  state: 'not-started',
  address: `${LISTENER_HOST}:${LISTENER_PORT}`,
  pid: process.pid,
  sockets: 0,
}

// The one gate to a WebSocket: refuses in bare HTTP, or hands the socket to the sessions, which are loaded for the first page.
import type { Socket } from 'node:net'
import type { ConfigStore } from '../../stores/config.ts'
import { isConsoleOrigin } from '../../trust/allowed-origins.ts'
import { createPeerJudge } from '../../trust/peer-user.ts'
import type { Sessions, Upgrade } from '../sessions/sessions.ts'
import type { ReadTurns } from './read-turns.ts'
import type { ServerPorts } from './server.ts'
import type { SocketBudget } from './socket-budget.ts'
import { judgeUpgrade } from './upgrade-guard.ts'

/** The WebSocket side, loaded when the first page comes. */
export interface WebSessions {
  /** Whether there is an identity that a page could pin. */
  readonly isReady: boolean
  readonly loaded: Sessions | undefined
  load(): Promise<Sessions>
}

export interface UpgradePorts {
  readonly config: Pick<ConfigStore, 'read'>
  readonly web: WebSessions
  /** Until a client has said who it is, its socket may be asked to make room. */
  readonly budget: SocketBudget
  /** Whether the console's port is held by a server of this user, once that is known. */
  isConsoleServed(): Promise<boolean>
  /** False while shutting down. */
  isServing(): boolean
  /** For the log: why an upgrade was refused, with the values that did not fit. */
  onRefusedUpgrade(reason: string): void
  /** For the log, once: why no user can be told from another here. */
  onUnknownUser(reason: string): void
}

export function createUpgrade(ports: UpgradePorts): ServerPorts['upgrade'] {
  const { config, web, budget, isServing, onRefusedUpgrade } = ports
  const judgePeer = createPeerJudge()
  let isUnknownTold = false

  async function isOwnUser(socket: Socket): Promise<boolean> {
    // The answer comes in ms, and a stranger's socket ends with it: until then a flood of silent ones does not take the place.
    budget.markBusy(socket)
    const verdict = await judgePeer(socket)
    if (verdict.ok === 'unknown' && !isUnknownTold) {
      isUnknownTold = true
      ports.onUnknownUser(verdict.reason)
    }
    if (verdict.ok === false) onRefusedUpgrade(verdict.reason)
    else budget.markUpgraded(socket)
    return verdict.ok !== false
  }

  async function open(socket: Socket, upgrade: Upgrade, turns: ReadTurns): Promise<void> {
    if (!(await isOwnUser(socket))) return refuse(socket, 403)
    if (isConsoleOrigin(upgrade.origin) && !(await ports.isConsoleServed())) {
      onRefusedUpgrade(
        `the console's port is not held by this hookline's server, so that ${upgrade.origin} may be anyone's`,
      )
      return refuse(socket, 403)
    }
    const sessions = await web.load()
    // Stopped while the first one was being loaded: nobody would hang up on it any more.
    if (!isServing()) return refuse(socket, 503)
    await sessions.accept(upgrade, () => budget.release(socket), turns.welcome)
    turns.resume(socket)
  }

  return (request, socket, head, turns) => {
    if (!isServing() || !web.isReady) return refuse(socket, 503)
    const verdict = judgeUpgrade(request, config.read())
    if (verdict.ok) return void open(socket, { request, socket, head, origin: verdict.origin }, turns)
    onRefusedUpgrade(verdict.reason)
    refuse(socket, verdict.status)
  }
}

const STATUS_TEXT = { 400: 'Bad Request', 403: 'Forbidden', 404: 'Not Found', 503: 'Service Unavailable' } as const

/** The stranger gets the bare status; the connection ends. */
function refuse(socket: Socket, status: keyof typeof STATUS_TEXT): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_TEXT[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  socket.once('finish', () => socket.destroy())
}

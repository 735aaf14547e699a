// The one gate to a WebSocket: refuses in bare HTTP, or hands the socket to the sessions, which are loaded for the first page.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ConfigStore } from '../../stores/config.ts'
import type { Sessions } from '../sessions/sessions.ts'
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
  /** False while shutting down. */
  isServing(): boolean
  /** For the log: why an upgrade was refused, with the values that did not fit. */
  onRefusedUpgrade(reason: string): void
}

export function createUpgrade(ports: UpgradePorts): (request: IncomingMessage, socket: Socket, head: Buffer) => void {
  const { config, web, budget, isServing, onRefusedUpgrade } = ports

  async function open(request: IncomingMessage, socket: Socket, head: Buffer, origin: string): Promise<void> {
    const sessions = await web.load()
    // Stopped while the first one was being loaded: nobody would hang up on it any more.
    if (!isServing()) return refuse(socket, 503)
    await sessions.accept({ request, socket, head, origin }, () => budget.release(socket))
  }

  return (request, socket, head) => {
    if (!isServing() || !web.isReady) return refuse(socket, 503)
    const verdict = judgeUpgrade(request, config.read())
    if (verdict.ok) return void open(request, socket, head, verdict.origin)
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

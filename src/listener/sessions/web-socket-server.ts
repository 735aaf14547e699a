import type { WebSocketServer } from 'ws'
import { WIRE_LIMITS } from '../../protocol/frames.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'

/** ws is not needed to start, nor by those who only fire hooks. */
export async function createWebSocketServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws')
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: WIRE_LIMITS.frameBytes,
    maxFragments: LISTENER_LIMITS.fragments,
    closeTimeout: LISTENER_LIMITS.lingerMs,
    // There is one protocol and it has no name; ws would agree to any that is asked for.
    handleProtocols: () => false as const,
  }
  return new WebSocketServer(options)
}

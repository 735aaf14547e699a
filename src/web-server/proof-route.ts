// Proves to a hookline of this user that this server is this user's too, and lets it know when it is no more: the answer lasts as long as the
// server has the port (behaviour 9).
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { proofOfServer } from '../trust/console-tickets.ts'
import { WEB_SERVER_LIMITS } from './web-server-limits.ts'

const PROOF_PATH = '/api/proof'

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }

interface ProofRoute {
  /** @returns whether the request was one for a proof, and is taken */
  take(request: IncomingMessage, response: ServerResponse): boolean
  /** The port is about to be free: what waits for that is told before. */
  end(): void
}

/** @param isStranger whether the other end is of another user: they get nothing, and take no place */
export function createProofRoute(key: Buffer, isStranger: (socket: Socket) => Promise<boolean>): ProofRoute {
  const held = new Set<ServerResponse>()
  const refuse = (response: ServerResponse, status: 400 | 403, error: string) => {
    response.writeHead(status, HEADERS)
    response.end(JSON.stringify({ ok: false, error }))
  }

  async function answer({ socket }: IncomingMessage, response: ServerResponse, nonce: string): Promise<void> {
    if (await isStranger(socket)) return refuse(response, 403, 'forbidden')
    const { localAddress = '', localPort = 0 } = socket
    response.writeHead(200, HEADERS)
    response.write(`${JSON.stringify({ proof: proofOfServer(key, nonce, `${localAddress}:${localPort}`) })}\n`)
    // One more than that takes the place of the oldest.
    for (const oldest of held) {
      if (held.size < WEB_SERVER_LIMITS.heldProofs) break
      held.delete(oldest)
      oldest.end()
    }
    held.add(response)
    response.on('close', () => held.delete(response))
  }

  return {
    take(request, response) {
      const [path, query = ''] = (request.url ?? '').split('?', 2)
      if (request.method !== 'GET' || path !== PROOF_PATH) return false
      const nonce = new URLSearchParams(query).get('nonce') ?? ''
      if (/^[\w-]{43}$/.test(nonce)) void answer(request, response, nonce)
      else refuse(response, 400, '`nonce` is not valid')
      return true
    },
    end() {
      for (const response of held) response.end()
    },
  }
}

// A request in bytes of a stranger's making, and all that comes back: a client would read what it understands only.
import { connect } from 'node:net'
import { vi } from 'vitest'
import { handshake } from '../../harness/wire/ws-client.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../../src/protocol/address.ts'

export interface WholeAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Everything behind the headers. */
  readonly rest: string
}

const PATIENCE_MS = 5_000

/** One connection. A socket that is let in is left at once; anything else must end by itself. @throws if it does not */
export function requestInBytes(bytes: string | Buffer): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect({ host: LISTENER_HOST, port: LISTENER_PORT }).setEncoding('latin1')
    const finish = () => {
      socket.destroy()
      if (received === '') reject(new Error('the connection ended without an answer'))
      else resolve(answerIn(received))
    }
    socket.on('data', (chunk) => {
      received += chunk
      if (received.startsWith('HTTP/1.1 101') && received.includes('\r\n\r\n')) finish()
    })
    socket.on('end', finish).on('error', reject)
    socket.setTimeout(PATIENCE_MS, () => {
      socket.destroy()
      reject(new Error(`the connection went on after ${JSON.stringify(received.slice(0, 200))}`))
    })
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  })
}

function answerIn(text: string): WholeAnswer {
  const headEnd = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, headEnd).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status: Number(statusLine.split(' ')[1]), headers, rest: text.slice(headEnd + 4) }
}

/** A refused upgrade must tell nothing: `403`, or `403 that says more` where it does. */
export function bareStatus({ status, headers, rest }: WholeAnswer): string {
  const isBare = Object.keys(headers).sort().join() === 'connection,content-length' && rest === ''
  return status === 101 || isBare ? String(status) : `${status} that says more`
}

/** Resolves once /ws is judged by who knocks: in its very first start, hookline has no identity until it is written. */
export async function doorOpens(): Promise<void> {
  await vi.waitUntil(async () => (await requestInBytes(handshake())).status !== 503, { timeout: PATIENCE_MS })
}

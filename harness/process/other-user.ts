// A program of another user of this machine, who knows the port and everything that is not secret.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const NOBODY = 65_534

/** Only root may become somebody else. */
export const canBeAnotherUser = process.platform === 'linux' && process.getuid?.() === 0

const PROGRAM = `
  const [port, bytes, leaves, host] = JSON.parse(process.argv[1])
  const socket = require('node:net').connect({ port, host })
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
    if (leaves === 'answered') socket.end()
  })
  socket.on('close', () => process.stdout.write(received)).on('error', () => {})
  socket.write(Buffer.from(bytes, 'base64'), () => {
    if (leaves === 'end') socket.end()
    if (leaves === 'at once') socket.destroy()
    if (leaves === 'reset') socket.resetAndDestroy()
  })
`

export interface Visit {
  readonly port?: number
  /** How it leaves once all is written. Default: it stays until hookline ends the connection. */
  readonly leaves?: 'end' | 'answered' | 'at once' | 'reset'
  /** Default `127.0.0.1`; `::ffff:127.0.0.1` is a socket of IPv6. */
  readonly host?: string
  readonly user?: number
}

/** Sends the bytes as another user. @returns all that came back */
export async function sendAsAnotherUser(
  bytes: Buffer,
  { port = 53_219, leaves, host = '127.0.0.1', user = NOBODY }: Visit = {},
): Promise<string> {
  const visit = JSON.stringify([port, bytes.toString('base64'), leaves, host])
  const child = spawn(process.execPath, ['-e', PROGRAM, visit], {
    uid: user,
    gid: user,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

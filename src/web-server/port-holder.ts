// Who has the port that the web server wants.
import { once } from 'node:events'
import { connect } from 'node:net'
import { WEB_SERVER_LIMITS } from './web-server-limits.ts'

/** How the web server names itself in `Server`, before the version. */
export const PRODUCT = 'hookline-web'

/**
 * - `hookline-web`: another one of us
 * - `another`: a program that accepts connections
 * - `nobody`: a connection from this machine has it as its own end, or had it a minute ago: the system handed it out as an ephemeral port
 */
export type PortHolder = 'hookline-web' | 'another' | 'none'

export async function askPortHolder(port: number, host: string): Promise<PortHolder> {
  if (!(await accepts(port, host))) return 'none'
  return (await isOurs(port, host)) ? 'hookline-web' : 'another'
}

async function accepts(port: number, host: string): Promise<boolean> {
  const socket = connect(port, host)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Nothing is read but the head of the answer. */
async function isOurs(port: number, host: string): Promise<boolean> {
  const signal = AbortSignal.timeout(WEB_SERVER_LIMITS.probeMs)
  try {
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`
    const { headers } = await fetch(url, { method: 'HEAD', redirect: 'manual', signal })
    return headers.get('server')?.startsWith(`${PRODUCT}/`) ?? false
  } catch {
    // Not HTTP, silent, or gone meanwhile: not ours.
    return false
  }
}

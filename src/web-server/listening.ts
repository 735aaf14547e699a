// Takes the port on both addresses that `localhost` may mean (behaviour 9): the console's origin and its twin are allowed to ask, so that
// no one else may serve a page on either.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { askPortHolder, type PortHolder } from './port-holder.ts'
import { WebServerError } from './web-server-error.ts'
import { WEB_SERVER_HOST, WEB_SERVER_HOST_IPV6, WEB_SERVER_LIMITS } from './web-server-limits.ts'

export interface Servers {
  readonly ipv4: Server
  /** Does not listen where the machine has no IPv6: then no one else can, either. */
  readonly ipv6: Server
}

export interface ListenPorts {
  /** The port is free, but the system has not given it back yet: it is asked again for up to 65 s. */
  readonly onWaiting?: (port: number) => void
  /** Ends that waiting. */
  readonly signal?: AbortSignal
}

interface Failure {
  readonly host: string
  readonly error: NodeJS.ErrnoException
}

/** Both or none. @throws {WebServerError} `port-taken`, saying where and by whom; `cannot-listen` */
export async function listen(servers: Servers, port: number, { onWaiting, signal }: ListenPorts): Promise<void> {
  const giveUpAt = performance.now() + WEB_SERVER_LIMITS.portWaitMs
  for (let isFirst = true; ; isFirst = false) {
    const failure = await bindBoth(servers, port)
    if (!failure) return
    const { host, error } = failure
    if (error.code !== 'EADDRINUSE') throw cannotListen(addressOf(host, port), error)
    const holder = await askPortHolder(port, host)
    if (holder !== 'none' || signal?.aborted || performance.now() > giveUpAt)
      throw portTaken(addressOf(host, port), holder, error)
    if (isFirst) onWaiting?.(port)
    await sleep(WEB_SERVER_LIMITS.portRetryMs)
  }
}

/** Those of a machine without IPv6. */
const NO_SUCH_ADDRESS: ReadonlySet<string | undefined> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

async function bindBoth({ ipv4, ipv6 }: Servers, wanted: number): Promise<Failure | undefined> {
  const failure = await bind(ipv4, wanted, WEB_SERVER_HOST)
  if (failure) return failure
  const { port } = ipv4.address() as AddressInfo
  const twin = await bind(ipv6, port, WEB_SERVER_HOST_IPV6)
  if (twin === undefined || NO_SUCH_ADDRESS.has(twin.error.code)) return undefined
  ipv4.closeAllConnections()
  await new Promise<void>((resolve) => ipv4.close(() => resolve()))
  return twin
}

/** @returns what kept it from listening */
function bind(server: Server, port: number, host: string): Promise<Failure | undefined> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve({ host, error })
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve(undefined)
    })
  })
}

function addressOf(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function cannotListen(address: string, cause: NodeJS.ErrnoException): WebServerError {
  const hint = 'check that the system lets this user bind the port'
  return new WebServerError('cannot-listen', `cannot listen on ${address} (${cause.code})`, { hint, cause })
}

function portTaken(address: string, holder: PortHolder, cause: NodeJS.ErrnoException): WebServerError {
  const [by, hint] = {
    'hookline-web': ['another `hookline web`', `open http://${address}, where its console is`],
    another: ['another program', 'end that program, then start `hookline web` again; the port cannot be chosen'],
    none: ["another program's connection", 'end that connection, then start `hookline web` again'],
  }[holder]
  return new WebServerError('port-taken', `${address} is held by ${by}`, { hint: hint ?? '', cause })
}

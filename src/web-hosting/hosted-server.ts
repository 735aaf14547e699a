// `hookline web` for many: one server of any number behind one public address. They share nothing but the database.
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { AssetSource } from '../web-server/assets.ts'
import { LateRefusals } from '../web-server/connections.ts'
import { closeFront, createFront } from '../web-server/front.ts'
import { Askers } from './askers.ts'
import { clientAddress, type TrustedProxies } from './client-address.ts'
import { createCookies } from './cookies.ts'
import { openDatabase } from './database.ts'
import { createHostedApp } from './hosted-app.ts'
import { judgeHosted } from './hosted-guard.ts'
import { HostingError } from './hosting-error.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'
import type { HostingOptions } from './hosting-options.ts'
import { migrate } from './migrations.ts'
import { Provider } from './provider.ts'

interface HostedServerOptions extends HostingOptions {
  readonly assets: AssetSource
  readonly version: string
  readonly onRefused: (reason: string) => void
  readonly onFailure: (error: Error) => void
  /** Called once: the tables cannot be brought up to date yet. */
  readonly onWaiting?: (() => void) | undefined
  /** Ends that waiting. */
  readonly signal?: AbortSignal | undefined
}

export interface HostedServer {
  /** Where it listens. */
  readonly port: number
  /** Accepts no more, gives answers under way a second, and leaves the database. */
  close(): Promise<void>
}

/** Browsers keep to TLS for a year once they have seen this. */
const TLS_ONLY = [['Strict-Transport-Security', 'max-age=31536000']] as const

/** @throws {HostingError} `database-gone`, `database-newer`, `database-locked`, `cannot-listen` */
export async function startHostedServer(options: HostedServerOptions): Promise<HostedServer> {
  const { publicUrl, version, assets, onRefused, onFailure } = options
  const { databaseUrl, databaseConnections: connections, trustedProxies } = options
  await bringUpToDate(options)
  const database = openDatabase(databaseUrl, { onIdleFailure: onFailure, connections })
  try {
    const provider = new Provider(options)
    const askers = new Askers(trustedProxies)
    const late = new LateRefusals()
    const cookies = createCookies(publicUrl.protocol === 'https:')
    const addressOf = addressBy(trustedProxies, onRefused)
    const app = createHostedApp({
      database,
      databaseConnections: connections,
      provider,
      assets,
      publicUrl,
      cookies,
      askers,
      late,
      onFailure,
      onRefused,
    })
    const server = createFront({
      version,
      onRefused,
      late,
      route: getRequestListener(app.fetch),
      judge: (request) => judgeHosted(request, publicUrl),
      senderOf(request) {
        const token = cookies.session.read(request.headers.cookie)
        const person = token === undefined ? undefined : askers.ownerOf(token)
        const address = addressOf(request)
        if (person !== undefined) return { name: `person ${person}`, isPaced: false }
        return { name: address, isPaced: request.url?.startsWith('/auth/') ?? false }
      },
      headers: publicUrl.protocol === 'https:' ? TLS_ONLY : [],
    })
    await listen(server, options.listen)
    server.on('error', onFailure)
    return {
      port: (server.address() as AddressInfo).port,
      async close() {
        await closeFront(server)
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** A migration may take longer than a request may. */
async function bringUpToDate({ databaseUrl, onWaiting, signal }: HostedServerOptions): Promise<void> {
  const statementMs = HOSTING_LIMITS.migrationMs
  const database = openDatabase(databaseUrl, { onIdleFailure: () => {}, connections: 1, statementMs })
  try {
    await migrate(database, { onWaiting, signal })
  } finally {
    await database.close()
  }
}

function addressBy(trusted: TrustedProxies, onRefused: (reason: string) => void): (request: IncomingMessage) => string {
  let isReported = false
  return ({ socket: { remoteAddress: peer }, headers: { 'x-forwarded-for': header } }) => {
    const forwarded = header === undefined ? undefined : String(header)
    const sender = clientAddress(peer, forwarded, trusted)
    if (forwarded !== undefined && !isReported && sender === clientAddress(peer, undefined, trusted)) {
      isReported = true
      onRefused(`X-Forwarded-For of ${peer}, which is not in --trusted-proxies: its senders share one limit`)
    }
    return sender
  }
}

function listen(server: Server, { host, port }: HostingOptions['listen']): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const hint = 'check that no other program listens there and that this user may, or choose another by `--listen`'
      reject(new HostingError('cannot-listen', `cannot listen on ${host}:${port} (${cause.code})`, { hint, cause }))
    })
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}

// `hookline web`: serves the console on 127.0.0.1 and [::1], and keeps the settings record. What comes before the routes is here: the socket,
// its limits, the headers on every answer, and the guard.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { StoreProblem } from '../stores/store-error.ts'
import { openWebSettings } from '../stores/web-settings.ts'
import type { AssetSource } from './assets.ts'
import { closeFront, createFront } from './front.ts'
import { type ListenPorts, listen, type Servers } from './listening.ts'
import { judgeRequest } from './request-guard.ts'
import { createWebApp, type WebAppPorts } from './web-app.ts'
import { WEB_SERVER_HOST, WEB_SERVER_PORT } from './web-server-limits.ts'

export interface WebServerOptions extends ListenPorts {
  /** The config directory, which exists. */
  readonly directory: string
  readonly assets: AssetSource
  readonly version: string
  /** Default 53220. 0: any free one, for tests. */
  readonly port?: number
  /** For the log: why a request was refused, with the values that did not fit. */
  readonly onRefused: (reason: string) => void
  readonly onFailure: WebAppPorts['onFailure']
}

export interface WebServer {
  readonly port: number
  /** The console's address, without a slash at its end. */
  readonly url: string
  /** What is wrong with `web-settings.json`. */
  problem(): StoreProblem | undefined
  /** Accepts no more, and gives answers under way a second. */
  close(): Promise<void>
}

/** @throws {WebServerError} `port-taken`, saying by whom; `cannot-listen` */
export async function startWebServer({ port = WEB_SERVER_PORT, ...options }: WebServerOptions): Promise<WebServer> {
  const settings = openWebSettings(options.directory)
  const app = createWebApp({ settings, assets: options.assets, onFailure: options.onFailure })
  const route = getRequestListener(app.fetch)
  const { version, onRefused } = options
  const front = (): Server => {
    const server: Server = createFront({
      ...{ version, route, onRefused },
      judge: (request) => judgeRequest(request, portOf(server)),
    })
    return server
  }
  const servers = { ipv4: front(), ipv6: front() }
  await listen(servers, port, options)
  for (const server of Object.values(servers)) server.on('error', options.onFailure)
  const bound = portOf(servers.ipv4)
  return {
    port: bound,
    url: `http://${WEB_SERVER_HOST}:${bound}`,
    problem() {
      settings.read()
      return settings.problem()
    },
    close: () => closeAll(servers),
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

async function closeAll({ ipv4, ipv6 }: Servers): Promise<void> {
  await Promise.all([ipv4, ipv6].filter(({ listening }) => listening).map(closeFront))
}

// `hookline web`: serves the console on 127.0.0.1 and [::1], and keeps the settings record. What comes before the routes is here: the socket,
// its limits, the headers on every answer, and the guard.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { CONSOLE_PORT } from '../protocol/address.ts'
import { openConsoleKey } from '../stores/identity.ts'
import type { StoreProblem } from '../stores/store-error.ts'
import { openWebSettings } from '../stores/web-settings.ts'
import { newTicket } from '../trust/console-tickets.ts'
import { createPeerJudge } from '../trust/peer-user.ts'
import type { IssueTicket } from './asset-route.ts'
import type { AssetSource } from './assets.ts'
import { closeFront, createFront } from './front.ts'
import { type ListenPorts, listen, type Servers } from './listening.ts'
import { createProofRoute } from './proof-route.ts'
import { judgeRequest } from './request-guard.ts'
import { createWebApp, type WebAppPorts } from './web-app.ts'
import { WEB_SERVER_HOST } from './web-server-limits.ts'

interface WebServerOptions extends ListenPorts {
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
export async function startWebServer({ port = CONSOLE_PORT, ...options }: WebServerOptions): Promise<WebServer> {
  const settings = openWebSettings(options.directory)
  const key = await openConsoleKey(options.directory).load()
  const judgePeer = createPeerJudge()
  const isStranger = async (socket: Socket) => (await judgePeer(socket)).ok === false
  const proofs = createProofRoute(key, isStranger)
  const { assets, onFailure } = options
  const answer = getRequestListener(
    createWebApp({
      settings,
      assets,
      onFailure,
      issueTicket: ticketsBy(key, isStranger),
      isStranger: ({ env }) => isStranger((env as HttpBindings).incoming.socket),
    }).fetch,
  )
  const route = (request: IncomingMessage, response: ServerResponse) =>
    proofs.take(request, response) || answer(request, response)
  const { version, onRefused } = options
  const front = (): Server => {
    const server: Server = createFront({
      version,
      route,
      onRefused,
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
    close() {
      proofs.end()
      return closeAll(servers)
    },
  }
}

/**
 * Says that this browser's cache was emptied of this address since this server began: until then, another program may have filled it, and a
 * file that is not the build's would keep the page from starting.
 */
const CLEAN_COOKIE = 'hookline-clean'
const CLEAN_TERMS = 'HttpOnly; SameSite=Strict; Path=/'

/**
 * For a window of a browser of this user alone: what is loaded into a frame, by a script or by a service worker may be read by a page of this
 * origin that another program served. Programs can write these headers as they like, so that the kernel is asked whose they are.
 */
function ticketsBy(key: Buffer, isStranger: (socket: Socket) => Promise<boolean>): IssueTicket {
  const clean = randomBytes(16).toString('base64url')
  return async (context) => {
    const header = (name: string) => context.req.header(name)
    const isWindow = header('sec-fetch-mode') === 'navigate' && header('sec-fetch-dest') === 'document'
    const isByWorker =
      header('service-worker') !== undefined || header('service-worker-navigation-preload') !== undefined
    if (!isWindow || isByWorker || header('sec-fetch-site') !== 'same-origin') return undefined
    const { incoming } = context.env as HttpBindings
    if (await isStranger(incoming.socket)) return undefined
    const isClean = header('cookie')?.split('; ').includes(`${CLEAN_COOKIE}=${clean}`) ?? false
    const headers = isClean
      ? {}
      : { 'Clear-Site-Data': '"cache"', 'Set-Cookie': `${CLEAN_COOKIE}=${clean}; ${CLEAN_TERMS}` }
    return { ticket: newTicket(key, Date.now()), headers }
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

async function closeAll({ ipv4, ipv6 }: Servers): Promise<void> {
  await Promise.all([ipv4, ipv6].filter(({ listening }) => listening).map(closeFront))
}
